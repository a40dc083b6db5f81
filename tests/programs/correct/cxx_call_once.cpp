// expect: holds
// std::call_once: the first attempt throws, the next one does the work.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>
static std::once_flag flag;
static int tries, value;
static void init()
{
    if (++tries == 1)
        throw std::runtime_error("first");
    value = 1;
}
int main()
{
    auto work = [] {
        for (int i = 0; i < 2; i++) {
            try {
                std::call_once(flag, init);
                assert(value == 1);
                break;
            } catch (const std::runtime_error &) {
            }
        }
    };
    std::thread t(work), u(work);
    t.join();
    u.join();
    assert(tries == 2 && value == 1);
}
