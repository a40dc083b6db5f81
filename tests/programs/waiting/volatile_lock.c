// expect: holds
// A lock whose word is given back by a volatile store, and that is taken only to look, is a loop
// that waits, too.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static volatile int word;
static int done;

static void lock(void)
{
    while (__sync_lock_test_and_set(&word, 1))
        ;
}

static void unlock(void)
{
    atomic_thread_fence(memory_order_release);
    word = 0;
}

static void *wait(void *none)
{
    for (;;) {
        lock();
        int seen = done;
        unlock();
        if (seen)
            return none;
    }
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait, NULL);
    lock();
    done = 1;
    unlock();
    pthread_join(thread, NULL);
    return 0;
}
