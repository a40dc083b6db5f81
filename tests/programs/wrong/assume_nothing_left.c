// expect: inconclusive
// args: --model=sc
// No execution meets the assumption: nothing holds of none.
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int seen;

static void *other(void *unused)
{
    atomic_store(&y, 1);
    seen = atomic_load(&x);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    atomic_store(&x, 1);
    int mine = atomic_load(&y);
    pthread_join(thread, NULL);
    heddle_assume(!mine && !seen);
    assert(!"both read 0");
}
