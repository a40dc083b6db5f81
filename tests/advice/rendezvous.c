// daily
// asks: check --shape=2x1 --model=sc
// hint: In every serial order send\(1\) and recv\(\) wait for each other: calls that meet \(a rendezvous\) have none. Golden code in which send waits or is done at once
// then: check --shape=2x2 --model=sc -DFOLLOWED
// better: holds
#include <heddle.h>
#include <pthread.h>
/* an unbuffered channel: send waits for recv and recv for send */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full, taken, value;
HD_OP(send, int, v, 1)
{
    pthread_mutex_lock(&mutex);
    while (full)
        pthread_cond_wait(&changed, &mutex);
    full = 1;
    value = v;
    taken = 0;
    pthread_cond_broadcast(&changed);
    while (!taken)
        pthread_cond_wait(&changed, &mutex);
    full = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return HD_VOID;
}
HD_OP(recv)
{
    pthread_mutex_lock(&mutex);
    while (!full || taken)
        pthread_cond_wait(&changed, &mutex);
    int v = value;
    taken = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return HD_INT(v);
}
#ifdef FOLLOWED
static int queued[8], first, last;
HD_GOLDEN_INIT
{
    first = last = 0;
}
HD_GOLDEN(send, int, v)
{
    if (heddle_choose(2)) /* nobody may come */
        return HD_WAIT;
    queued[last++] = v;
    return HD_VOID;
}
HD_GOLDEN(recv)
{
    return first == last ? HD_WAIT : HD_INT(queued[first++]);
}
#endif
