// expect: violated race
// What a program tells ThreadSanitizer does not make it so: the flag is relaxed.
#include <atomic>
#include <thread>

extern "C" {
void AnnotateHappensBefore(const char *file, int line, const volatile void *address);
void AnnotateHappensAfter(const char *file, int line, const volatile void *address);
}
static std::atomic<int> ready;
static int data;

int main()
{
    std::thread t([] {
        data = 1;
        AnnotateHappensBefore(__FILE__, __LINE__, &ready);
        ready.store(1, std::memory_order_relaxed);
    });
    int got = 0;
    if (ready.load(std::memory_order_relaxed)) {
        AnnotateHappensAfter(__FILE__, __LINE__, &ready);
        got = data;
    }
    t.join();
    return got < 0;
}
