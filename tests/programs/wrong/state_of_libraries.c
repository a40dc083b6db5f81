// expect: inconclusive
// One order of four calls a function that keeps state in the library: setlogmask tells and sets a mask. The exploration
// begins with checkpoints, since no table knows the function and most orders do not call it; from the first call on it must
// run without, or the mask of an older execution would be found here. (Inconclusive since nobody sees that state.)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <syslog.h>

static atomic_int x, y;

static void *writer(void *unused)
{
    atomic_store(&x, 1);
    atomic_store(&y, 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int a = atomic_load(&y), b = atomic_load(&x);
    if (!a && b)
        assert(setlogmask(3) == 0xff);
    pthread_join(thread, NULL);
    if (!a)
        assert(setlogmask(5) == (b ? 3 : 0xff));
}
