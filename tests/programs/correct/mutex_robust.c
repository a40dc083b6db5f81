// expect: holds
// A robust mutex tells the next owner that the last one died, and is made consistent again.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t m;
static int x;
static void *dies(void *arg) { pthread_mutex_lock(&m); x = 1; return arg; }
int main(void)
{
    pthread_mutexattr_t attr;
    pthread_t t;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attr);
    pthread_create(&t, NULL, dies, NULL);
    pthread_join(t, NULL);
    assert(pthread_mutex_lock(&m) == EOWNERDEAD);
    assert(x == 1);
    assert(pthread_mutex_consistent(&m) == 0);
    assert(pthread_mutex_unlock(&m) == 0);
    assert(pthread_mutex_lock(&m) == 0);
    pthread_mutex_unlock(&m);
    return 0;
}
