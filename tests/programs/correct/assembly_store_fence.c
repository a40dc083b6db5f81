// expect: holds
// args: --model=pso
// only if: defined __x86_64__
// Where stores may leave in any order, sfence keeps the data before the flag: x86's order of stores, spelt out.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data, flag;

static void *writer(void *unused)
{
    atomic_store_explicit(&data, 1, memory_order_relaxed);
#ifndef UNORDERED
    __asm__ volatile("sfence" ::: "memory");
#endif
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        __asm__ volatile("lfence" ::: "memory");
        assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
    }
    pthread_join(thread, NULL);
    return 0;
}
