// Accounts that are locked one after the other.
#include <mutex>
#include <thread>

struct Account {
    std::mutex mutex;
    int balance = 100;
};

static void transfer(Account &from, Account &to, int amount)
{
#ifdef FIXED
    bool swap = &to < &from;
#else
    bool swap = false;
#endif
    std::lock_guard<std::mutex> first(swap ? to.mutex : from.mutex);
    std::lock_guard<std::mutex> second(swap ? from.mutex : to.mutex);
    from.balance -= amount;
    to.balance += amount;
}

int main()
{
    Account mine, yours;
    std::thread other([&] { transfer(yours, mine, 10); });
    transfer(mine, yours, 20);
    other.join();
    return mine.balance + yours.balance == 200 ? 0 : 1;
}
