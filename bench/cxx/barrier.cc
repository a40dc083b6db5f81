// Three threads that go two rounds with a std::barrier between them.
#include <barrier>
#include <cassert>
#include <thread>
#include <vector>

static int part[3], sums;

int main()
{
    std::barrier round(3, []() noexcept { sums += part[0] + part[1] + part[2]; });
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&round, i] {
            part[i] = i + 1;
            round.arrive_and_wait();
            part[i] += part[i];
            round.arrive_and_wait();
        });
    for (auto &thread : threads)
        thread.join();
    assert(sums == 18);
}
