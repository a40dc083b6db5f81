// A queue whose take waits until there is something: one lock, one condition.
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items[8], first, count;
static void put(int value)
{
    HD_BEGIN("queue", "put", HD_INT(value));
    pthread_mutex_lock(&lock);
    items[(first + count++) % 8] = value;
#ifdef SEES_EMPTY /* only the first item is announced: a second taker sleeps on */
    if (count == 1)
#endif
        pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    HD_END(HD_VOID);
}
static int take(void)
{
    HD_BEGIN("queue", "take");
    pthread_mutex_lock(&lock);
    while (!count)
        pthread_cond_wait(&filled, &lock);
    int value = items[first];
    first = (first + 1) % 8;
    count--;
    pthread_mutex_unlock(&lock);
    HD_END(HD_INT(value));
    return value;
}
static void *taker(void *unused)
{
    take();
    return unused;
}
