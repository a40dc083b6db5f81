// expect: violated assertion
// A thread that waits says in each round that it is busy, and that it is not. Another one sees it busy twice, in different
// rounds; or (-DHOW=1) is told so by what a plain variable holds meanwhile; or (-DHOW=2) the word lies on the stack of the thread.
// args: -O1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef HOW
#define HOW 0
#endif
static atomic_int flag, global;
static _Atomic(atomic_int *) lent;
static int data;

static void *wait(void *arg)
{
    atomic_int local;
    atomic_init(&local, 0);
    atomic_int *busy = HOW == 2 ? &local : &global;
    atomic_store(&lent, busy);
    while (!atomic_load(&flag)) {
        data = 1;
        atomic_store_explicit(busy, HOW == 1 ? 0 : 1, memory_order_release);
        data = 0;
        atomic_store_explicit(busy, 0, memory_order_release);
    }
    return arg;
}

static void *look(void *arg)
{
    atomic_int *busy = atomic_load(&lent);
    int seen = 0;
    if (!busy)
        return arg;
    if (HOW == 1) {
        assert(!data);
    } else {
        for (int i = 0; i < 5; i++)
            seen = 2 * seen + atomic_load(busy);
        assert(seen != 21);
    }
    atomic_store(&flag, 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, wait, 0);
    pthread_create(&b, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
