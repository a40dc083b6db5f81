// expect: holds
// executions: 3
// args: --no-reductions
// Store buffering with seq_cst accesses: not both threads miss the other's store.
// Of the four ways to read, both reading 0 is the one that psc forbids: 3 executions.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static int a, b;
static void *left(void *arg) { atomic_store(&x, 1); a = atomic_load(&y); return arg; }
static void *right(void *arg) { atomic_store(&y, 1); b = atomic_load(&x); return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, left, NULL);
    pthread_create(&u, NULL, right, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(a || b);
    return 0;
}
