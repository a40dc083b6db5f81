// expect: violated linearizability
// args: --model=sc
// A register of two halves, read without looking whether a write came between: half of each value.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
static struct {
    atomic_int low, high;
} pair;
static void *writer(void *unused)
{
    HD_BEGIN(&pair, "write", HD_INT(11));
    pair.low = 1;
    pair.high = 1;
    HD_END(HD_VOID);
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    HD_BEGIN(&pair, "read");
    int high = pair.high, low = pair.low;
    HD_END(HD_INT(10 * high + low));
    pthread_join(t, NULL);
    return 0;
}
