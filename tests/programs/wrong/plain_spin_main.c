// expect: violated race
// The same, set by main on its way to pthread_join: in a replay the waiting thread comes there first.
#include <pthread.h>
static int flag;
static void *waiter(void *arg)
{
    while (!flag)
        ;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    flag = 1;
    pthread_join(t, NULL);
    return 0;
}
