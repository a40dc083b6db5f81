// Main's rest (src/guest/explore/reduce/rest.h): it joins its threads and ends, which in the first execution is all that
// happens. In a later one, WHAT the second thread does then must be seen. tests/suites/36_rest.sh knows the answers.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int x, y;
static int plain;
static pthread_t first;
static sem_t never;
static void complain(void) { assert(!"called at exit"); }
static void *writer(void *arg)
{
#if WHAT == 11 /* the second thread revisits this read: main has joined nobody yet when it waits */
    atomic_store(&x, 1 + atomic_load(&y));
#else
    atomic_store(&x, 1);
#endif
    return arg;
}
static void *late(void *arg)
{
    (void)arg, (void)complain, (void)never, (void)plain, (void)first, (void)y;
#if WHAT == 11
    atomic_store(&y, 1);
    if (atomic_load(&x) == 2)
        sem_wait(&never);
    return NULL;
#endif
    if (atomic_load(&x) == 1)
        return NULL;
#if WHAT == 1 /* nothing that main sees */
    return &x;
#elif WHAT == 2
    pthread_detach(pthread_self());
#elif WHAT == 3
    pthread_join(first, NULL);
#elif WHAT == 4
    atexit(complain);
#elif WHAT == 5
    *(int *)arg = 1;
#elif WHAT == 6
    plain = 1;
#elif WHAT == 7
    sem_wait(&never);
#elif WHAT == 8
    return &x;
#elif WHAT == 9
    exit(1);
#elif WHAT == 10
    pthread_exit(&x);
#endif
    return NULL;
}
int main(void)
{
    int local = 0;
    void *result = NULL;
    sem_init(&never, 0, 0);
    pthread_t one, two;
    pthread_create(&one, NULL, writer, NULL);
    first = one;
    pthread_create(&two, NULL, late, &local);
    pthread_join(one, NULL);
    pthread_join(two, WHAT == 8 || WHAT == 10 ? &result : NULL);
#if WHAT == 6
    return plain;
#else
    return local || result != NULL;
#endif
}
