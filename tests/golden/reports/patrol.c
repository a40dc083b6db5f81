/* Threads that take two locks in one order, and give them back, for ever. */
#include <pthread.h>
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, yard = PTHREAD_MUTEX_INITIALIZER;

static void *guard(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&gate);
        pthread_mutex_lock(&yard);
        pthread_mutex_unlock(&yard);
        pthread_mutex_unlock(&gate);
    }
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, guard, NULL);
    pthread_create(&second, NULL, guard, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}
