// expect: holds
// args: --model=sc
// A loop waits for a plain variable of its own stack frame, which another thread sets. When it has been read
// for the last time, the frame ends and its place is used again at once: what is put there must stay.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static _Atomic(int *) place;
static int total;
static void *setter(void *arg)
{
    int *p;
    while (!(p = place))
        ;
    *p = 1;
    return arg;
}
static void publish(int *p)
{
    place = p;
}
static int wait_for_it(void)
{
    int set = 0;
    publish(&set);
    while (!set)
        ;
    return 5;
}
static int sum_of(int a, int b)
{
    int sum = a + b; /* perhaps in the same place as `set' */
    total = 1;
    return sum;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, setter, NULL);
    int five = wait_for_it();
    int sum = sum_of(five, 2);
    assert(five == 5);
    assert(sum == 7);
    pthread_join(t, NULL);
    return 0;
}
