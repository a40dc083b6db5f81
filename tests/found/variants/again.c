/* A local in the place of an older one that another thread has written: initialised without an
 * access that the compiler announces, it has its own value, whatever the older one had. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
enum {
    FIRST = V == 3 || V == 4 || V == 8 ? 3 : 0,
    AGAIN = V == 1 || V == 5 || V == 6 || V == 9 ? 0
            : V == 2 || V == 4 || V == 8         ? 3
            : V == 10                            ? 6
                                                 : 5
};
#if V == 7
typedef atomic_long Word;
#elif V == 8
typedef atomic_short Word;
#else
typedef atomic_int Word;
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;
static void *write_there(void *p)
{
#if V == 5
    pthread_mutex_lock(&lock);
#endif
    atomic_store((Word *)p, 5);
    if (V == 3 || V == 10)
        atomic_store((Word *)p, 6);
#if V == 5
    pthread_mutex_unlock(&lock);
#endif
    atomic_store(&done, 1);
    return NULL;
}
static __attribute__((noinline)) pthread_t first(void)
{
    Word word;
    pthread_t thread;
    atomic_init(&word, FIRST);
    pthread_create(&thread, NULL, write_there, (void *)&word);
#if V == 3
    while (atomic_load(&word) == FIRST) {
    }
#endif
#if V == 6 /* ordered by another location; joined later */
    while (!atomic_load(&done)) {
    }
    return thread;
#endif
    pthread_join(thread, NULL);
#if V == 9
    atomic_load(&word);
#endif
    return thread;
}
static __attribute__((noinline)) long again(void)
{
    Word word;
    pthread_t thread;
    atomic_init(&word, AGAIN);
    thread = 0;
    (void)thread;
    return atomic_load(&word);
}
int main(void)
{
    pthread_t thread = first();
    assert(again() == AGAIN);
    if (V == 6)
        pthread_join(thread, NULL);
    assert(again() == AGAIN);
    return 0;
}
