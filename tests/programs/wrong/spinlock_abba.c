// expect: violated livelock
// Two spin locks taken in opposite orders.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int a, b;
static void lock(atomic_int *l) { while (atomic_exchange_explicit(l, 1, memory_order_acquire)) ; }
static void unlock(atomic_int *l) { atomic_store_explicit(l, 0, memory_order_release); }
static void *ab(void *arg) { lock(&a); lock(&b); unlock(&b); unlock(&a); return arg; }
static void *ba(void *arg) { lock(&b); lock(&a); unlock(&a); unlock(&b); return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, ab, NULL);
    pthread_create(&u, NULL, ba, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
