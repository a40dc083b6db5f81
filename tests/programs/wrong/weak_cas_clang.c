// expect: inconclusive
// args: --weak-cas --cc=clang
// only if: defined __x86_64__
// clang's instrumentation makes weak compare-exchanges strong ones, so whether this fails is not known.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *run(void *unused)
{
    int expected = 0;
    assert(atomic_compare_exchange_weak(&x, &expected, 1));
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    return 0;
}
