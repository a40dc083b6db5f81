// expect: holds
// executions: 1
// Rounds of loops that write to atomics which nobody else writes, and put back what was there: a sign of life, a word that
// says that the thread is busy, a counter, an atomic variable on the stack. Nobody reads them but main, at the end.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag, alive, busy, count;

static int look(void)
{
    return atomic_load_explicit(&flag, memory_order_acquire);
}

static void *beat(void *arg)
{
    atomic_store(&alive, 1);
    while (!look())
        atomic_store_explicit(&alive, 1, memory_order_release);
    return arg;
}

static void *work(void *arg)
{
    while (!look()) {
        atomic_store(&busy, 1);
        atomic_fetch_add(&count, 2);
        atomic_fetch_sub(&count, 2);
        atomic_store(&busy, 0);
    }
    return arg;
}

static void *copy(void *arg)
{
    atomic_int own;
    do {
        atomic_init(&own, 0);
        atomic_store(&own, look());
    } while (!atomic_load(&own));
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    atomic_store(&count, 1);
    pthread_create(&a, 0, beat, 0);
    pthread_create(&b, 0, work, 0);
    pthread_create(&c, 0, copy, 0);
    atomic_store_explicit(&flag, 1, memory_order_release);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    assert(alive == 1 && !busy && count == 1);
    return 0;
}
