// expect: holds
// The same with the lower fork first.
#include <pthread.h>
static pthread_mutex_t fork_[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER};
static void *dine(void *arg)
{
    long i = (long)arg, j = (i + 1) % 3, low = i < j ? i : j, high = i < j ? j : i;
    pthread_mutex_lock(&fork_[low]);
    pthread_mutex_lock(&fork_[high]);
    pthread_mutex_unlock(&fork_[high]);
    pthread_mutex_unlock(&fork_[low]);
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
