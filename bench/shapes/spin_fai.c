/* Each of N threads takes a turn by adding, and takes it back if it was not its own: a lock with no
 * net effect. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif
static atomic_int lock;
static int x;
static void *run(void *arg)
{
    while (atomic_fetch_add(&lock, 1) != 0)
        atomic_fetch_sub(&lock, 1);
    x++;
    atomic_fetch_sub(&lock, 1);
    return arg;
}
int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, run, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(x == N);
}
