// expect: holds
// A spin lock with back-off: the delay is local and saturates, so rounds repeat.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int x;
static void *work(void *arg)
{
    for (int delay = 1; atomic_flag_test_and_set_explicit(&lock, memory_order_acquire);) {
        for (int i = 0; i < delay; i++)
            sched_yield();
        if (delay < 4)
            delay *= 2;
    }
    x++;
    atomic_flag_clear_explicit(&lock, memory_order_release);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 2);
    return 0;
}
