// expect: violated race
// args: -std=c++17
// The lock of one std::shared_ptr does not order what is done under that of another.
#include <memory>
#include <thread>
static std::shared_ptr<int> one = std::make_shared<int>(1), other = std::make_shared<int>(2);
static int plain;
int main()
{
    std::thread t([] {
        plain = 1;
        std::atomic_store(&one, std::make_shared<int>(3));
    });
    if (*std::atomic_load(&other) == 2)
        plain = 2;
    t.join();
}
