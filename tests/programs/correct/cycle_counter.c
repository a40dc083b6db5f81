// expect: holds
// executions: 2
// only if: defined __x86_64__
// The processor's counter is read by an intrinsic and by inline assembly: it grows within a thread, and repeats when
// the thread repeats its steps. Two stores to one location have two orders.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int shared;

static unsigned long now(void)
{
    unsigned low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (unsigned long)high << 32 | low;
}

static void *count(void *unused)
{
    unsigned long before = __builtin_ia32_rdtsc();
    atomic_store(&shared, 1);
    assert(now() > before);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    count(NULL);
    pthread_join(thread, NULL);
    return 0;
}
