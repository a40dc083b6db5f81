// expect: holds
// C11 threads: mutex, condition, call_once, thread-specific storage, exit codes.
#include <assert.h>
#include <stdlib.h>
#include <threads.h>
static mtx_t m;
static cnd_t c;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int ready, initialised;
static void init(void) { initialised++; }
static int waiter(void *arg)
{
    call_once(&once, init);
    assert(initialised == 1);
    tss_set(key, malloc(4));
    mtx_lock(&m);
    while (!ready)
        cnd_wait(&c, &m);
    mtx_unlock(&m);
    return arg ? 1 : 7;
}
static int setter(void *arg)
{
    call_once(&once, init);
    mtx_lock(&m);
    ready = 1;
    cnd_signal(&c);
    mtx_unlock(&m);
    (void)arg;
    thrd_exit(3);
}
int main(void)
{
    thrd_t t, u;
    int a, b;
    assert(mtx_init(&m, mtx_plain) == thrd_success && cnd_init(&c) == thrd_success);
    tss_create(&key, free);
    thrd_create(&t, waiter, NULL);
    thrd_create(&u, setter, NULL);
    thrd_join(t, &a);
    thrd_join(u, &b);
    assert(a == 7 && b == 3 && initialised == 1);
    tss_delete(key);
    cnd_destroy(&c);
    mtx_destroy(&m);
    return 0;
}
