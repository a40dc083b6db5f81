// expect: holds
// POSIX spin locks, with trylock.
#include <assert.h>
#include <pthread.h>
static pthread_spinlock_t l;
static int x;
static void *work(void *arg)
{
    if (arg || pthread_spin_trylock(&l) != 0)
        pthread_spin_lock(&l);
    x++;
    pthread_spin_unlock(&l);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, (void *)1);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 2);
    pthread_spin_destroy(&l);
    return 0;
}
