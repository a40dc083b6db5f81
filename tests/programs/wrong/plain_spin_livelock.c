// expect: violated livelock
// args: --model=sc
// If the thread looks before main has said go, nobody ever sets the flag.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int go;
static int flag;
static void *setter(void *arg)
{
    if (go)
        flag = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, setter, NULL);
    go = 1;
    while (!flag)
        ;
    pthread_join(t, NULL);
    return 0;
}
