// expect: violated race
// Double-checked initialisation with a plain pointer: the first check races with the store.
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *instance;
static void *use(void *arg)
{
    if (!instance) {
        pthread_mutex_lock(&m);
        if (!instance) {
            int *p = malloc(sizeof *p);
            *p = 7;
            instance = p;
        }
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, use, NULL);
    pthread_create(&u, NULL, use, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
