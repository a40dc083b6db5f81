// expect: violated assertion
// Load and store in place of an atomic increment: an update can be lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *inc(void *arg) { atomic_store(&x, atomic_load(&x) + 1); return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, inc, NULL);
    pthread_create(&u, NULL, inc, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(atomic_load(&x) == 2);
    return 0;
}
