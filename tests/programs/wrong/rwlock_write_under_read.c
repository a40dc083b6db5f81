// expect: violated race
// Readers share: writing under a read lock is a race.
#include <pthread.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int hits;
static void *reader(void *arg)
{
    pthread_rwlock_rdlock(&l);
    hits++;
    pthread_rwlock_unlock(&l);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, reader, NULL);
    pthread_create(&u, NULL, reader, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
