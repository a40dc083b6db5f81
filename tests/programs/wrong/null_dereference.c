// expect: violated crash
// The pointer is used before the other thread has set it.
// The load may read the initial null pointer; the store through it faults at address 0. (An invalid access is one
// outside an object of the heap.) `value` is written by one thread only.
#include <pthread.h>
#include <stdatomic.h>
static int value;
static _Atomic(int *) p;
static void *set(void *arg) { atomic_store(&p, &value); return arg; }
static void *use(void *arg) { *atomic_load(&p) = 1; return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, set, NULL);
    pthread_create(&u, NULL, use, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
