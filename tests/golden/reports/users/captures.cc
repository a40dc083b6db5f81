// Threads count in variables that a lambda captures by reference.
#include <atomic>
#include <thread>

int main()
{
    std::atomic<int> hits{0};
#ifdef FIXED
    std::atomic<int> misses{0};
#else
    int misses = 0;
#endif
    auto look = [&hits, &misses](bool found) {
        if (found)
            hits++;
        else
            misses++;
    };
    std::thread a(look, true), b(look, false);
    look(false);
    a.join();
    b.join();
    return 0;
}
