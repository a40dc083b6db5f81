// Accounts, each with its lock; transfers take two locks at once with std::scoped_lock.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

struct Account {
    std::mutex lock;
    int money = 100;
};
static Account accounts[3];

static void transfer(Account &from, Account &to, int sum)
{
    std::scoped_lock hold(from.lock, to.lock);
    if (from.money >= sum) {
        from.money -= sum;
        to.money += sum;
    }
}

int main()
{
    std::vector<std::thread> clients;
    clients.emplace_back([] { transfer(accounts[0], accounts[1], 30); });
    clients.emplace_back([] { transfer(accounts[1], accounts[2], 50); });
    clients.emplace_back([] { transfer(accounts[2], accounts[0], 70); });
    for (auto &client : clients)
        client.join();
    int sum = 0;
    for (auto &account : accounts)
        sum += account.money;
    assert(sum == 300);
}
