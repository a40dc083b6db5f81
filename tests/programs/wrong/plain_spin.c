// expect: violated race
// A flag that is no atomic: the thread that waits for it runs first and makes no event. The race must be
// found and shown all the same.
#include <pthread.h>
static int flag;
static void *waiter(void *arg)
{
    while (!flag)
        ;
    return arg;
}
static void *setter(void *arg)
{
    flag = 1;
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, waiter, NULL);
    pthread_create(&u, NULL, setter, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
