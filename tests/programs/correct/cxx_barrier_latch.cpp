// expect: holds
// args: -std=c++20
// A barrier and a latch among main's variables, into which the other threads write.
#include <barrier>
#include <cassert>
#include <latch>
#include <thread>
static int data[2];

int main()
{
    std::barrier barrier(2);
    std::latch done(2);
    auto work = [&](int i) {
        data[i] = 1;
        barrier.arrive_and_wait();
        assert(data[1 - i] == 1);
        done.count_down();
    };
    std::thread a(work, 0), b(work, 1);
    done.wait();
    a.join();
    b.join();
}
