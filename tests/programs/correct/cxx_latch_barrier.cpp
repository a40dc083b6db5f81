// expect: holds
// args: -std=c++20
// std::latch and std::barrier with a completion function.
#include <barrier>
#include <cassert>
#include <latch>
#include <thread>
static int value[2], phases;
static std::latch start(2);
int main()
{
    auto completed = []() noexcept { phases++; };
    std::barrier sync(2, completed);
    auto work = [&](int me) {
        start.arrive_and_wait();
        value[me] = 1;
        sync.arrive_and_wait();
        assert(value[!me] == 1 && phases == 1);
    };
    std::thread t(work, 0), u(work, 1);
    t.join();
    u.join();
}
