// expect: holds
// Double-checked initialisation with an atomic pointer.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int *) instance;
static void *use(void *arg)
{
    int *p = atomic_load_explicit(&instance, memory_order_acquire);
    if (!p) {
        pthread_mutex_lock(&m);
        p = atomic_load_explicit(&instance, memory_order_relaxed);
        if (!p) {
            p = malloc(sizeof *p);
            *p = 7;
            atomic_store_explicit(&instance, p, memory_order_release);
        }
        pthread_mutex_unlock(&m);
    }
    assert(*p == 7);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, use, NULL);
    pthread_create(&u, NULL, use, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    free(atomic_load(&instance));
    return 0;
}
