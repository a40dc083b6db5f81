// expect: violated assertion
// Two equal threads that draw random numbers: each has its own sequence, so the first one to come has either number.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int turn;
static int drawn[2];
static void *work(void *unused)
{
    int n = rand();
    drawn[atomic_fetch_add(&turn, 1)] = n;
    return unused;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, work, 0);
    pthread_create(&t, 0, work, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(drawn[0] >= drawn[1]);
    return 0;
}
