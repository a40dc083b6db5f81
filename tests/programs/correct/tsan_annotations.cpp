// expect: holds
// only if: defined __x86_64__
// Libraries that know ThreadSanitizer tell it what they do (libcds, Abseil); some ask if an atomic of 16
// bytes is free of locks, which the compiler leaves to a library.
#include <atomic>
#include <cassert>
#include <thread>

extern "C" {
void AnnotateHappensBefore(const char *file, int line, const volatile void *address);
void AnnotateHappensAfter(const char *file, int line, const volatile void *address);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void __tsan_acquire(void *address);
void __tsan_release(void *address);
void __tsan_mutex_pre_lock(void *address, unsigned flags);
void __tsan_mutex_post_lock(void *address, unsigned flags, int recursion);
}

struct alignas(16) Pair {
    long first, second;
};
static std::atomic<Pair> pair{Pair{0, 0}};
static std::atomic<int> ready;
static int data;

int main()
{
    assert(pair.is_lock_free());
    std::thread t([] {
        data = 1;
        AnnotateHappensBefore(__FILE__, __LINE__, &ready);
        __tsan_release(&ready);
        ready.store(1, std::memory_order_release);
    });
    __tsan_mutex_pre_lock(&ready, 0);
    while (!ready.load(std::memory_order_acquire))
        __builtin_ia32_pause();
    __tsan_mutex_post_lock(&ready, 0, 0);
    AnnotateHappensAfter(__FILE__, __LINE__, &ready);
    __tsan_acquire(&ready);
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    assert(data == 1);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    t.join();
}
