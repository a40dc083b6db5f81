// expect: violated use-after-free
// The object is freed under the lock, and used again under the lock.
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *p;
static void *user(void *arg) { pthread_mutex_lock(&m); *p = 1; pthread_mutex_unlock(&m); return arg; }
static void *owner(void *arg) { pthread_mutex_lock(&m); free(p); pthread_mutex_unlock(&m); return arg; }
int main(void)
{
    pthread_t t, u;
    p = malloc(sizeof *p);
    pthread_create(&t, NULL, user, NULL);
    pthread_create(&u, NULL, owner, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
