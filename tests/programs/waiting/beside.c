/* Two threads wait, and do something else in each round that nobody sees: no round shows. CASE 1:
 * they poll a flag, and try a mutex to look whether there is something already: each leaves by the
 * flag, or after a look behind the one who sets it, and looks have two orders: 1 + 2 + 2. CASE 2:
 * they count themselves in, first of all, look, and count themselves out; the last rounds of the
 * two, of two counts each, have 6 orders. CASE 3: they take a lock, and pause as long as others
 * wait: 2 orders. -DWRONG: the last one, without the lock. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int flag, waiters, lock;
static int there, taken;

static void *set(void *argument)
{
    pthread_mutex_lock(&mutex);
    there = 1;
    pthread_mutex_unlock(&mutex);
    atomic_store_explicit(&flag, 1, RELEASE);
    return argument;
}

static void *wait(void *argument)
{
#if CASE == 1
    for (int found = 0; !found && !atomic_load_explicit(&flag, ACQUIRE);)
        if (!pthread_mutex_trylock(&mutex)) {
            found = there;
            pthread_mutex_unlock(&mutex);
        }
#elif CASE == 2
    for (int found = 0; !found;) {
        atomic_fetch_add(&waiters, 1);
        found = atomic_load_explicit(&flag, ACQUIRE);
        atomic_fetch_sub(&waiters, 1);
    }
#else
    for (;;) {
        int rounds = atomic_load_explicit(&waiters, memory_order_relaxed);
        if (!atomic_exchange_explicit(&lock, 1, ACQUIRE))
            break;
        atomic_fetch_add(&waiters, 1);
        for (volatile int i = 0; i < rounds; i++) {
        }
        atomic_fetch_sub(&waiters, 1);
    }
#endif
    return argument;
}

static void *take(void *argument)
{
#ifdef WRONG
    if (argument)
#endif
        wait(argument);
#if CASE == 3
    taken++;
    atomic_store_explicit(&lock, 0, RELEASE);
#endif
    return argument;
}

int main(void)
{
    pthread_t setter, t[2];
    int other;
    pthread_create(&setter, 0, set, 0);
#if CASE == 3
    pthread_join(setter, 0);
#endif
    pthread_create(&t[0], 0, take, 0);
    pthread_create(&t[1], 0, take, &other);
#if CASE != 3
    pthread_join(setter, 0);
#endif
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    assert(taken == (CASE == 3 ? 2 : 0));
    return 0;
}
