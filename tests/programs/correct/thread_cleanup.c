// expect: holds
// executions: 1
// Clean-up handlers of C run when pthread_exit leaves their frames; destructors of thread-specific
// data run again while they set it again, four times at most.
#include <assert.h>
#include <pthread.h>
static int cleaned, destroyed;
static pthread_key_t key;
static void cleanup(void *arg) { cleaned = cleaned * 10 + *(int *)arg; }
static void destroy(void *arg)
{
    if (++destroyed < 3)
        pthread_setspecific(key, arg);
}
static void deep(int level)
{
    pthread_cleanup_push(cleanup, &level);
    if (level == 3)
        pthread_exit((void *)77);
    deep(level + 1);
    pthread_cleanup_pop(0);
}
static void *thread(void *arg)
{
    pthread_setspecific(key, arg);
    deep(1);
    return 0;
}
int main(void)
{
    pthread_t t;
    void *result;
    pthread_key_create(&key, destroy);
    pthread_create(&t, 0, thread, &cleaned);
    pthread_join(t, &result);
    assert(result == (void *)77 && cleaned == 321 && destroyed == 3);
    return 0;
}
