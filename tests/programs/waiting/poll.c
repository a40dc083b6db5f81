// A lock that is taken only to look at a flag. LOCK: 0 mutex, 1 mutex by trylock, 2 read lock, 3 spin lock. N threads look.
#include <pthread.h>
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
