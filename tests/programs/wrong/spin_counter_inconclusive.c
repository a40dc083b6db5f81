// expect: inconclusive
// args: --loop-bound=100
// The number of rounds is part of the result, so no two rounds are alike: there are endless executions,
// nothing wrong in any of them, and no honest "holds".
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
static int rounds;
static void *waiter(void *arg)
{
    int n = 0;
    while (!atomic_load(&flag))
        n++;
    rounds = n;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    atomic_store(&flag, 1);
    pthread_join(t, NULL);
    return rounds < 0;
}
