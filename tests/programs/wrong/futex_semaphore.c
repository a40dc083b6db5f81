// expect: violated deadlock
// A semaphore that sleeps while the count is what it has seen, as that of libstdc++ 12 does
// (cxx_semaphore_contended.cpp). U sees 1 and loses the race for it to T; T releases, so that the count is 1 again, and
// wakes nobody, as nobody sleeps; U asks to sleep while the count is 1, and does: nobody comes any more.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int count = 1;
static int taken;
static void acquire(void)
{
    for (;;) {
        int seen = atomic_load(&count);
        if (seen && atomic_compare_exchange_strong(&count, &seen, seen - 1))
            return;
        syscall(SYS_futex, &count, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
    }
}
static void release(void)
{
    atomic_fetch_add(&count, 1);
    syscall(SYS_futex, &count, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
static void *work(void *arg)
{
    acquire();
    taken++;
    release();
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return taken != 2;
}
