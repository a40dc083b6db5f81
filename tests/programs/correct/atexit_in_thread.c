// expect: holds
// A thread registers a function while main already runs those that are registered.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int calls;
static void first(void) { assert(atomic_fetch_add(&calls, 1) <= 1); }
static void second(void)
{
    assert(atomic_fetch_add(&calls, 1) <= 1);
    if (calls > 5)
        atexit(second);
}
static void *work(void *arg) { atexit(second); return arg; }
int main(void)
{
    pthread_t t;
    atexit(first);
    pthread_create(&t, NULL, work, NULL);
    return 0;
}
