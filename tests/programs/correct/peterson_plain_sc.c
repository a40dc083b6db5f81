// expect: holds
// args: --model=sc
// Textbook Peterson with volatile variables, right under sequential consistency.
#include <assert.h>
#include <pthread.h>
static volatile int want[2], turn;
static int x;
static void *work(void *arg)
{
    int me = (int)(long)arg;
    want[me] = 1;
    turn = !me;
    while (want[!me] && turn == !me)
        ;
    x++;
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
    assert(x == 2);
    return 0;
}
