/* A "queue" that takes the newest element: with three in it, that is two places out of order. */
#include <heddle.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[8], count;

HD_OP(put, int, v, 1, 2, 3)
{
    pthread_mutex_lock(&lock);
    items[count++] = v;
    pthread_mutex_unlock(&lock);
    return HD_VOID;
}

HD_OP(get)
{
    pthread_mutex_lock(&lock);
    HdValue result = count ? HD_INT(items[count - 1]) : HD_NONE;
    count -= count > 0;
    pthread_mutex_unlock(&lock);
    return result;
}
