// expect: violated deadlock
// Three philosophers, each with the left fork first.
#include <pthread.h>
static pthread_mutex_t fork_[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER};
static void *dine(void *arg)
{
    long i = (long)arg;
    pthread_mutex_lock(&fork_[i]);
    pthread_mutex_lock(&fork_[(i + 1) % 3]);
    pthread_mutex_unlock(&fork_[(i + 1) % 3]);
    pthread_mutex_unlock(&fork_[i]);
    return NULL;
}
int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, dine, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
