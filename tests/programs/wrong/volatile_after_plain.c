// expect: violated assertion
// args: --model=tso
// Main sets plainly what threads then access as volatile: the replay must not take its write for a step.
#include <assert.h>
#include <pthread.h>
static int counter;
static void *work(void *arg)
{
    int seen = *(volatile int *)&counter;
    *(volatile int *)&counter = seen + 1;
    return arg;
}
int main(void)
{
    pthread_t t, u;
    counter = 0;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(counter == 2);
    return 0;
}
