// expect: holds
// executions: 1
// gcc calls libgcc for a population count: that is arithmetic, so loops that wait are still recognised.
// The waiting loop ends only when it reads 1, and what it read before does not count: one execution.
#include <assert.h>
#include <pthread.h>
static volatile unsigned flag;
static unsigned load(const volatile unsigned *p)
{
    unsigned seen = *p;
    return seen;
}
static void *work(void *arg)
{
    while (!load(&flag))
        ;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    flag = 1;
    pthread_join(t, NULL);
    assert(__builtin_popcount(flag) == 1);
    return 0;
}
