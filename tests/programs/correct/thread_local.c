// expect: holds
// Thread-local variables: initialised in every thread, private, at their own addresses.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static _Thread_local int counter = 10;
static int *address[2];
static void *work(void *arg)
{
    long me = (long)arg;
    assert(counter == 10);
    counter += (int)me;
    errno = (int)me;
    address[me] = &counter;
    assert(counter == 10 + (int)me && errno == (int)me);
    return (void *)(long)counter;
}
int main(void)
{
    pthread_t t, u;
    void *a, *b;
    counter = 99;
    pthread_create(&t, NULL, work, (void *)0);
    pthread_create(&u, NULL, work, (void *)1);
    pthread_join(t, &a);
    pthread_join(u, &b);
    assert(a == (void *)10 && b == (void *)11 && counter == 99);
    assert(address[0] != &counter && address[1] != &counter);
    return 0;
}
