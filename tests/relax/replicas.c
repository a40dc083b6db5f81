/* A register with a replica in each thread: writes are applied everywhere in one order, reads are local and may
 * be old (Attiya and Welch 1994): sequentially consistent. FORGETS: a write does not even bring its own replica up to
 * date, so a thread may not see what it wrote. */
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_[16], length;
static _Thread_local int applied;
HD_SPEC("register:0")
HD_OP(write, int, v, 1, 2)
{
    pthread_mutex_lock(&lock);
    log_[length++] = v;
#ifndef FORGETS
    applied = length;
#endif
    pthread_mutex_unlock(&lock);
    return HD_VOID;
}
HD_OP(read)
{
    pthread_mutex_lock(&lock);
    if (applied < length && heddle_choose(2))
        applied++;
    int v = applied ? log_[applied - 1] : 0;
    pthread_mutex_unlock(&lock);
    return HD_INT(v);
}
