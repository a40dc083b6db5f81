/* Dekker's first attempt at a lock, for ever: each raises its flag, looks at the other's, and gives up
 * if that is raised. Under tso both may look too early; STRONG stores drain the buffer. M1: the flag is
 * raised after the look. WAIT: they wait instead of giving up, so that both may wait for ever. END: two
 * rounds only; the program ends. */
// run: => holds
// run: --model=tso => violated assertion
// run: --model=tso -DSTRONG => holds
// run: -DM1 => violated assertion
// run: -DWAIT => violated livelock
// run: -DEND => holds
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#ifdef STRONG
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_release
#endif
static atomic_int flag[2], inside;
static void *enter(void *number)
{
    int me = (int)(intptr_t)number;
#ifdef END
    for (int i = 0; i < 2; i++) {
#else
    for (;;) {
#endif
#ifdef M1
        if (atomic_load(&flag[1 - me]))
            continue;
        atomic_store_explicit(&flag[me], 1, ORDER);
#else
        atomic_store_explicit(&flag[me], 1, ORDER);
#ifdef WAIT
        while (atomic_load(&flag[1 - me]))
            ;
#else
        if (atomic_load(&flag[1 - me])) {
            atomic_store_explicit(&flag[me], 0, ORDER);
            continue;
        }
#endif
#endif
        assert(atomic_fetch_add(&inside, 1) == 0);
        atomic_fetch_sub(&inside, 1);
        atomic_store_explicit(&flag[me], 0, ORDER);
    }
    return NULL;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, enter, (void *)1);
    enter((void *)0);
    pthread_join(thread, NULL);
}
