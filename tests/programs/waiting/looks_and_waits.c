// A thread looks under a lock made of exchanges until a flag is set. Another one looks at the lock: once it has seen it
// taken it never has an effect again, it fails or waits for ever (nobody joins it). It fails if it sees the lock taken
// three times: in the last round, and in two that were for nothing (src/guest/explore/reduce/waiting/looks.h, b).
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int lock, done, never;
static void *poll_done(void *a)
{
    int d;
    do {
        while (atomic_exchange(&lock, 1))
            ;
        d = atomic_load(&done);
        atomic_store(&lock, 0);
    } while (!d);
    return a;
}
static void *look(void *a)
{
    if (!atomic_load(&lock))
        return a;
    if (!atomic_load(&lock) && atomic_load(&lock) && !atomic_load(&lock) && atomic_load(&lock))
        abort();
    while (!atomic_load(&never))
        ;
    return a;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, poll_done, 0);
    pthread_create(&u, 0, look, 0);
    pthread_mutex_lock(&mutex); // programs with locks are searched for such rounds at once
    pthread_mutex_unlock(&mutex);
    atomic_store(&done, 1);
    pthread_join(t, 0);
    return 0;
}
