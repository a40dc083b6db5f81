// expect: holds
// args: --quasi=auto
// output: deq+take:1 is the smallest factor for which this holds
#include <heddle.h>
#include <pthread.h>
/* A queue of two lanes: an element may be overtaken by one of the other lane. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int lane[2][8], first[2], last[2];
static void enq(int value)
{
    HD_BEGIN(&lane, "enq", HD_INT(value));
    pthread_mutex_lock(&lock);
    lane[value % 2][last[value % 2]++] = value;
    pthread_mutex_unlock(&lock);
    HD_END(HD_VOID);
}
static int deq(int side)
{
    int value = 0;
    HD_BEGIN(&lane, "deq");
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 2 && !value; i++)
        if (first[(side + i) % 2] < last[(side + i) % 2])
            value = lane[(side + i) % 2][first[(side + i) % 2]++];
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
