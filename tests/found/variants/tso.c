/* Store buffering: may both threads read the old value? What stands between store and load decides. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
atomic_int x, y;
int r1, r2;
static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t l1 = PTHREAD_RWLOCK_INITIALIZER, l2 = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t s1, s2;
static sem_t p1, p2;
static atomic_flag f1 = ATOMIC_FLAG_INIT, f2 = ATOMIC_FLAG_INIT;
#define RLX memory_order_relaxed
static void between(int first)
{
#if V == 1
    int five = 5;
    atomic_compare_exchange_strong_explicit(first ? &x : &y, &five, 6, RLX, RLX);
#elif V == 2
    pthread_mutex_lock(first ? &m1 : &m2);
    pthread_mutex_unlock(first ? &m1 : &m2);
#elif V == 3
    pthread_mutex_trylock(first ? &m1 : &m2);
#elif V == 4
    pthread_rwlock_wrlock(first ? &l1 : &l2);
    pthread_rwlock_unlock(first ? &l1 : &l2);
#elif V == 5
    sem_post(first ? &p1 : &p2);
#elif V == 6
    atomic_flag_test_and_set(first ? &f1 : &f2);
#elif V == 8
    atomic_thread_fence(memory_order_seq_cst);
#elif V == 11
    pthread_spin_unlock(first ? &s1 : &s2);
#elif V == 12
    atomic_thread_fence(memory_order_acq_rel);
#endif
}
#define STORE(at) atomic_store_explicit(at, 1, V == 7 || V == 9 ? memory_order_seq_cst : memory_order_release)
static void *a(void *p)
{
#if V == 11
    pthread_spin_lock(&s1);
#endif
    STORE(&x);
    between(1);
    r1 = atomic_load_explicit(&y, V == 9 ? memory_order_seq_cst : RLX);
    return p;
}
static void *b(void *p)
{
#if V == 11
    pthread_spin_lock(&s2);
#endif
    STORE(&y);
    between(0);
    r2 = atomic_load_explicit(&x, V == 9 ? memory_order_seq_cst : RLX);
    return p;
}
int main(void)
{
    pthread_t s, t;
    pthread_spin_init(&s1, 0);
    pthread_spin_init(&s2, 0);
    sem_init(&p1, 0, 0);
    sem_init(&p2, 0, 0);
    pthread_create(&s, 0, a, 0);
    pthread_create(&t, 0, b, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(r1 || r2);
    return 0;
}
