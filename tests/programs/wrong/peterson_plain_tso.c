// expect: violated assertion
// args: --model=tso
// The same on TSO: the store to want[] may still be in the buffer when the other's flag is read.
#include <assert.h>
#include <pthread.h>
static volatile int want[2], turn, inside;
static void *work(void *arg)
{
    int me = (int)(long)arg;
    want[me] = 1;
    turn = !me;
    while (want[!me] && turn == !me)
        ;
    inside = inside + 1;
    assert(inside == 1);
    inside = inside - 1;
    want[me] = 0;
    return NULL;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, (void *)0);
    pthread_create(&u, NULL, work, (void *)1);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
