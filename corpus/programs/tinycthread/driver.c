/* tinycthread as librdkafka carries it: C11's threads on top of pthreads, under names that the C library has as well.
 * A producer hands two numbers over through a box with a lock and a condition. */
#include <assert.h>
#include "rd.h"

static mtx_t lock;
static cnd_t changed;
static int box; /* 0: empty */

static void put(int value)
{
    mtx_lock(&lock);
    while (box)
        cnd_wait(&changed, &lock);
    box = value;
    cnd_signal(&changed);
    mtx_unlock(&lock);
}

static int take(void)
{
    mtx_lock(&lock);
    while (!box)
        cnd_wait(&changed, &lock);
    int value = box;
    box = 0;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return value;
}

static int produce(void *unused)
{
    (void)unused;
    put(1);
    put(2);
    return 7;
}

int main(void)
{
    thrd_t producer;
    int result = 0;
    assert(mtx_init(&lock, mtx_plain) == thrd_success);
    assert(cnd_init(&changed) == thrd_success);
    assert(thrd_create(&producer, produce, NULL) == thrd_success);
    assert(take() == 1);
    assert(take() == 2);
    assert(thrd_join(producer, &result) == thrd_success);
    assert(result == 7);
    cnd_destroy(&changed);
    mtx_destroy(&lock);
    return 0;
}
