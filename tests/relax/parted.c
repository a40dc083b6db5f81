/* Elements in two parts, one for each thread (the idea of the k-LSM of Wimmer and others 2015, and
 * of distributed stacks). PRIORITY: a priority queue whose takes look at their own part only. Else
 * a stack whose pops look at their own part first: an element of the other one is passed over. */
#include <heddle.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[2][8], count[2], threads;
static _Thread_local int number;
static int own(void)
{
    if (!number)
        number = ++threads;
    return number % 2;
}
#ifdef PRIORITY
HD_SPEC("priority-queue")
#else
HD_SPEC("lifo")
#endif
static void put(int v)
{
    pthread_mutex_lock(&lock);
    int part = own(), at = count[part]++;
#ifdef PRIORITY
    for (; at && items[part][at - 1] < v; at--) /* the smallest last */
        items[part][at] = items[part][at - 1];
#endif
    items[part][at] = v;
    pthread_mutex_unlock(&lock);
}
static HdValue take(void)
{
    pthread_mutex_lock(&lock);
    int part = own();
#ifndef PRIORITY
    part = count[part] ? part : 1 - part;
#endif
    int v = count[part] ? items[part][--count[part]] : 0;
    pthread_mutex_unlock(&lock);
    return v ? HD_INT(v) : HD_NONE;
}
#ifdef PRIORITY
HD_OP(insert, int, v, 1, 2, 3)
{
    put(v);
    return HD_VOID;
}
HD_OP(deqmin)
{
    return take();
}
#else
HD_OP(push, int, v, 1, 2, 3)
{
    put(v);
    return HD_VOID;
}
HD_OP(pop)
{
    return take();
}
#endif
