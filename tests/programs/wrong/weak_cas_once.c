// expect: violated assertion
// args: --weak-cas --cc=gcc
// only if: defined __x86_64__
// A weak compare-exchange may fail although it finds what it expects.
// (gcc only: clang tells its instrumentation nothing about weak or strong.)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *claim(void *arg)
{
    int expected = 0;
    assert(atomic_compare_exchange_weak(&x, &expected, 1));
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, claim, NULL);
    pthread_join(t, NULL);
    return 0;
}
