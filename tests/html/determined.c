#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x; /* one execution only: the threads never run at the same time */
static void *child(void *unused) {
    atomic_store(&x, 2);
    return unused;
}
int main(void) {
    pthread_t thread;
    atomic_store(&x, 1);
    pthread_create(&thread, NULL, child, NULL);
    pthread_join(thread, NULL);
    assert(atomic_load(&x) == 1); /* x is 2 */
}
