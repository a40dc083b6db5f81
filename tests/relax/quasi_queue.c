/* A queue under a lock whose dequeue takes one of the K + 1 oldest values. BACKWARDS: the last one of all. */
#include <heddle.h>
#include <pthread.h>
#ifndef K
#define K 1
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[16], count;
HD_SPEC("fifo")
HD_OP(enq, int, v, 1, 2, 3, 4, 5, 6)
{
    pthread_mutex_lock(&lock);
    items[count++] = v;
    pthread_mutex_unlock(&lock);
    return HD_VOID;
}
HD_OP(deq)
{
    int v = -1;
    pthread_mutex_lock(&lock);
    if (count) {
        int choices = count < K + 1 ? count : K + 1;
        int which = choices > 1 ? (int)heddle_choose((unsigned)choices) : 0;
#ifdef BACKWARDS
        which = count - 1;
#endif
        v = items[which];
        for (int i = which; i + 1 < count; i++)
            items[i] = items[i + 1];
        count--;
    }
    pthread_mutex_unlock(&lock);
    return v < 0 ? HD_NONE : HD_INT(v);
}
