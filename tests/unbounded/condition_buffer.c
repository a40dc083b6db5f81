/* A buffer of one element with a mutex and one condition variable. M1: one waiter is woken, which may
 * be the wrong one (with three threads). M2: a waiter does not look again when it wakes up. */
// run: => holds
// run: -DONLY_TAKE --elements=2 => violated stuck
// run: --unbounded=3 --elements=2 => holds
// run: -DM1 --unbounded=3 --elements=3 => violated stuck
// run: -DM2 --unbounded=3 --elements=2 => violated linearizability
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full, value;
#ifdef ONLY_TAKE /* put waits as well */
HD_MAY_BLOCK("take")
#endif
#ifdef M1
#define WAKE pthread_cond_signal
#else
#define WAKE pthread_cond_broadcast
#endif
#ifdef M2
#define UNTIL if
#else
#define UNTIL while
#endif
HD_OP(put, int, v, 1, 2)
{
    pthread_mutex_lock(&lock);
    UNTIL(full) pthread_cond_wait(&changed, &lock);
    full = 1;
    value = v;
    WAKE(&changed);
    pthread_mutex_unlock(&lock);
    return HD_VOID;
}
HD_OP(take)
{
    pthread_mutex_lock(&lock);
    UNTIL(!full) pthread_cond_wait(&changed, &lock);
    full = 0;
    int v = value;
    WAKE(&changed);
    pthread_mutex_unlock(&lock);
    return HD_INT(v);
}
