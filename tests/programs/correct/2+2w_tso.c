// expect: holds
// args: --model=tso
// Stores of one thread leave its buffer in order: both first writes can't come last.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define SET(v, n) atomic_store_explicit(&v, n, memory_order_relaxed)
static atomic_int x, y;
static void *left(void *arg) { SET(x, 1); SET(y, 2); return arg; }
static void *right(void *arg) { SET(y, 1); SET(x, 2); return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, left, NULL);
    pthread_create(&u, NULL, right, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(!(atomic_load(&x) == 1 && atomic_load(&y) == 1));
    return 0;
}
