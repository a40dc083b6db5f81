/* In the kernel a thread compares the value and enters the queue in one step, and a wake takes its
 * threads out of the queue in one step: a thread that a later wake finds entered before the first
 * one. */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static atomic_int x, gone;
static int plain, *heap;
static long waited[3];
static long wait_for(int value, int timed)
{
    struct timespec time = {0, 1000};
    return syscall(SYS_futex, &x, V == 4 ? FUTEX_WAIT_BITSET_PRIVATE : FUTEX_WAIT_PRIVATE, value,
                   timed ? &time : NULL, NULL, FUTEX_BITSET_MATCH_ANY)
               ? errno
               : 0;
}
static long wake(int count)
{
    return syscall(SYS_futex, &x, V == 4 ? FUTEX_WAKE_BITSET_PRIVATE : FUTEX_WAKE_PRIVATE, count,
                   NULL, NULL, FUTEX_BITSET_MATCH_ANY);
}
static void *sleeper(void *number)
{
    long result = wait_for(V == 6 ? 2 : 0, V == 7);
    waited[(long)number] = result;
    return NULL;
}
#if V == 11
static void *judge(void *a)
{
    int is_gone = atomic_load(&gone);
    long first = wake(1), second = wake(1);
    assert(!(is_gone && first == 0 && second == 1));
    return a;
}
#elif V == 12 || V == 17
static void *other(void *a)
{
    return wake(V == 12 ? 2 : 1) == 1 ? a : NULL;
}
#endif
int main(void)
{
    enum { SLEEPERS = V == 2 || V == 3 || V == 12 || V == 17 ? 2 : 1 };
    pthread_t t[3];
    heap = (int *)malloc(sizeof *heap);
    for (long i = 0; i < SLEEPERS; i++)
        pthread_create(&t[i], NULL, sleeper, (void *)i);
#if V == 1 || V == 4
    atomic_store(&x, 1);
    long first = wake(1), second = wake(1);
    assert(!(first == 0 && second == 1));
#elif V == 2 /* two sleepers: the queue can only become shorter */
    atomic_store(&x, 1);
    long first = wake(1), second = wake(INT_MAX);
    assert(first >= (second > 0) && first + second <= 2);
#elif V == 3
    atomic_store(&x, 1);
    long first = wake(2), second = wake(2);
    assert(second == 0);
    (void)first;
#elif V == 5 || V == 7 /* -1 and 0 wake one, as 1 does; the sleeper may go by itself */
    atomic_store(&x, 1);
    long first = wake(V == 5 ? -1 : 0), second = wake(INT_MAX);
    assert(first <= 1 && second == 0);
#elif V == 6           /* nobody waits while it is 2 */
    atomic_store(&x, 1);
    assert(wake(1) + wake(1) == 0);
#elif V == 8 /* what only a second wake could allow: an access out of bounds, a use after free */
    atomic_store(&x, 1);
    if (wake(1) == 0 && wake(1) == 1)
        heap[7] = plain;
#elif V == 9
    atomic_store(&x, 1);
    if (wake(1) == 0 && wake(1) == 1) {
        free(heap);
        *heap = 1;
    }
#elif V == 10 /* the value comes back: now a later wake can be the one that finds it */
    atomic_store(&x, 1);
    long first = wake(1);
    atomic_store(&x, 0);
    long second = wake(1);
    assert(!(first == 0 && second == 1));
#elif V == 11 /* a third thread judges */
    pthread_create(&t[2], NULL, judge, NULL);
    atomic_store(&x, 1);
    atomic_store(&gone, 1);
    pthread_join(t[2], NULL);
#elif V == 12 /* two wakes of two: one of them takes all that are there */
    void *one;
    atomic_store(&x, 1);
    pthread_create(&t[2], NULL, other, &x);
    long mine = wake(2);
    pthread_join(t[2], &one);
    assert(!(mine == 1 && one));
#elif V == 13 /* a wait that ends with EAGAIN was found by nobody */
    atomic_store(&x, 1);
    long first = wake(1);
    pthread_join(t[0], NULL);
    assert(first == (waited[0] == 0));
    return 0;
#elif V == 14 /* it may sleep before the value changes */
    atomic_store(&x, 1);
    assert(wake(1) == 0);
#elif V == 15 /* nobody wakes it */
    atomic_store(&x, 1);
#elif V == 16 /* the wake may come before the sleep: the value is still 0 */
    wake(1);
#elif V == 17 /* two wakes of one reach both sleepers, if both sleep */
    void *one;
    atomic_store(&x, 1);
    pthread_create(&t[2], NULL, other, &x);
    long mine = wake(1);
    pthread_join(t[2], &one);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert((waited[0] == 0) + (waited[1] == 0) == mine + (one != NULL));
    return 0;
#endif
#if V == 10 || V == 11
    atomic_store(&x, 1);
    wake(INT_MAX);
#endif
    for (long i = 0; i < SLEEPERS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
