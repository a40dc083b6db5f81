/* One thread hands a message to another, with a condition variable. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static char *message;

static void *receive(void *unused)
{
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (!message)
#endif
        pthread_cond_wait(&arrived, &lock);
    char *mine = message;
    message = NULL;
    pthread_mutex_unlock(&lock);
    assert(mine);
    free(mine);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, receive, 0);
    pthread_mutex_lock(&lock);
    message = malloc(16);
    pthread_cond_signal(&arrived);
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}
