// expect: holds
// Thread-specific data: a value a thread, destructors at the end, also of a thread that calls
// pthread_exit; a destructor that sets another key is followed up.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static pthread_key_t first, second;
static atomic_int destroyed;
static void destroy_first(void *p)
{
    atomic_fetch_add(&destroyed, *(int *)p);
    free(p);
    pthread_setspecific(second, &destroyed);
}
static void destroy_second(void *p)
{
    assert(p == &destroyed);
    atomic_fetch_add(&destroyed, 100);
}
static void *work(void *arg)
{
    int *mine = malloc(sizeof *mine);
    *mine = (int)(long)arg;
    assert(pthread_getspecific(first) == NULL);
    pthread_setspecific(first, mine);
    assert(pthread_getspecific(first) == mine);
    if (*mine == 2)
        pthread_exit(arg);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    void *result;
    pthread_key_create(&first, destroy_first);
    pthread_key_create(&second, destroy_second);
    pthread_create(&t, NULL, work, (void *)1);
    pthread_create(&u, NULL, work, (void *)2);
    pthread_join(t, NULL);
    pthread_join(u, &result);
    assert(result == (void *)2);
    assert(destroyed == 203);
    return 0;
}
