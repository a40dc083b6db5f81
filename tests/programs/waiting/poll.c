// A lock that is taken only to look at a flag. LOCK: 0 mutex, 1 mutex by trylock, 2 read lock, 3 spin lock, 4 exchanges
// of an atomic, 5 loads and compare-exchanges with fences. N threads look.
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 1
#endif
#if LOCK == 2
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#define LOOK pthread_rwlock_rdlock(&lock)
#define TAKE pthread_rwlock_wrlock(&lock)
#define GIVE pthread_rwlock_unlock(&lock)
#elif LOCK == 3
static pthread_spinlock_t lock;
#define LOOK pthread_spin_lock(&lock)
#define TAKE pthread_spin_lock(&lock)
#define GIVE pthread_spin_unlock(&lock)
#elif LOCK == 4
static atomic_flag lock = ATOMIC_FLAG_INIT;
#define LOOK atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)
#define TAKE while (LOOK) {}
#define GIVE atomic_flag_clear_explicit(&lock, memory_order_release)
#elif LOCK == 5
static atomic_int lock;
static int take(void)
{
    for (int is_free = 0; atomic_load_explicit(&lock, memory_order_relaxed) ||
                          !atomic_compare_exchange_weak_explicit(&lock, &is_free, 1, memory_order_relaxed,
                                                                 memory_order_relaxed);
         is_free = 0) {
    }
    atomic_thread_fence(memory_order_acquire);
    return 0;
}
#define LOOK take()
#define TAKE take()
#define GIVE (atomic_thread_fence(memory_order_release), atomic_store_explicit(&lock, 0, memory_order_relaxed))
#else
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOOK (LOCK ? pthread_mutex_trylock(&lock) : pthread_mutex_lock(&lock))
#define TAKE pthread_mutex_lock(&lock)
#define GIVE pthread_mutex_unlock(&lock)
#endif
static int done;
static void *set(void *arg)
{
    TAKE;
    done = 1;
    GIVE;
    return arg;
}
static void *look(void *arg)
{
    for (;;) {
        if (LOOK)
            continue;
        int found = done;
        GIVE;
        if (found)
            break;
    }
    return arg;
}
int main(void)
{
    pthread_t setter, looker[N];
#if LOCK == 3
    pthread_spin_init(&lock, 0);
#endif
    pthread_create(&setter, 0, set, 0);
    for (int i = 0; i < N; i++)
        pthread_create(&looker[i], 0, look, 0);
    pthread_join(setter, 0);
    for (int i = 0; i < N; i++)
        pthread_join(looker[i], 0);
    return 0;
}
