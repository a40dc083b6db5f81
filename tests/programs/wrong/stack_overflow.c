// expect: violated crash
// Recursion without end when the flag is seen too late.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int stop;
static int for_ever = 1;
static int deep(char *p)
{
    char here[4096];
    here[0] = *p;
    return for_ever ? deep(here) + here[0] : 0;
}
static void *work(void *arg)
{
    char c = 0;
    if (!atomic_load(&stop))
        deep(&c);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    atomic_store(&stop, 1);
    pthread_join(t, NULL);
    return 0;
}
