// expect: holds
// The mutex of Drepper's "Futexes Are Tricky" (mutex2): 0 free, 1 taken, 2 taken and perhaps waited for. N threads.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifndef N
#define N 2
#endif
static atomic_int word;
static int x;
static void lock(void)
{
    int seen = 0;
    if (atomic_compare_exchange_strong_explicit(&word, &seen, 1, memory_order_acquire, memory_order_relaxed))
        return;
    if (seen != 2)
        seen = atomic_exchange_explicit(&word, 2, memory_order_acquire);
    while (seen) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
        seen = atomic_exchange_explicit(&word, 2, memory_order_acquire);
    }
}
static void unlock(void)
{
    if (atomic_fetch_sub_explicit(&word, 1, memory_order_release) != 1) {
        atomic_store_explicit(&word, 0, memory_order_release);
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}
static void *work(void *arg)
{
    lock();
    x++;
    unlock();
    return arg;
}
int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return x != N;
}
