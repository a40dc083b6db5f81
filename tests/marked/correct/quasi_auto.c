// expect: holds
// args: --quasi=auto
// output: deq+take:1 is the smallest factor for which this holds
#include <heddle.h>
#include <pthread.h>
/* A queue of LANES lanes, taken from the first that has an element: with two, 2 is taken before 1 where both are there,
 * and no element is overtaken twice; with three, 3 is taken before 1 and 2, two places early. -DTWICE: 2 is not removed. */
#ifndef LANES
#define LANES 2
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lane[LANES][8], first[LANES], last[LANES];
static void enq(int value)
{
    HD_BEGIN(&lane, "enq", HD_INT(value));
    pthread_mutex_lock(&lock);
    lane[value % LANES][last[value % LANES]++] = value;
    pthread_mutex_unlock(&lock);
    HD_END(HD_VOID);
}
static int deq(int side)
{
    int value = 0;
    HD_BEGIN(&lane, "deq");
    pthread_mutex_lock(&lock);
    for (int i = 0; i < LANES && !value; i++)
        if (first[(side + i) % LANES] < last[(side + i) % LANES])
            value = lane[(side + i) % LANES][first[(side + i) % LANES]++];
#ifdef TWICE
    if (value == 2)
        first[value % LANES]--;
#endif
    pthread_mutex_unlock(&lock);
    HD_END(value ? HD_INT(value) : HD_NONE);
    return value;
}
static void *one(void *x) { enq(1); enq(2); enq(3); return x; }
static void *two(void *x) { deq(0); deq(0); return x; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    deq(0);
    return 0;
}
HD_SPEC("fifo")
