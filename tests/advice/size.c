// asks: run -latomic
// reason: an atomic object of 24 bytes: only 1, 2, 4, 8 and 16 can be explored
// advice: Guard a plain object by a mutex of your own
// then: run -DFOLLOWED
// better: holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
struct three { long a, b, c; };
#ifdef FOLLOWED
static struct three value;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#else
static _Atomic struct three value;
#endif
static void *set(void *unused)
{
#ifdef FOLLOWED
    pthread_mutex_lock(&mutex);
    value = (struct three){1, 2, 3};
    pthread_mutex_unlock(&mutex);
#else
    atomic_store(&value, ((struct three){1, 2, 3}));
#endif
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, set, NULL);
    set(NULL);
    pthread_join(thread, NULL);
}
