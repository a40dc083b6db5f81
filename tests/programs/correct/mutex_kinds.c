// expect: holds
// A normal, a recursive and an error-checking mutex, used as each allows.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER, recursive, checking;
static int x, y, z;
static void *work(void *arg)
{
    pthread_mutex_lock(&normal);
    x++;
    pthread_mutex_unlock(&normal);
    pthread_mutex_lock(&recursive);
    assert(pthread_mutex_lock(&recursive) == 0);
    y++;
    pthread_mutex_unlock(&recursive);
    y++;
    pthread_mutex_unlock(&recursive);
    pthread_mutex_lock(&checking);
    assert(pthread_mutex_lock(&checking) == EDEADLK);
    z++;
    assert(pthread_mutex_unlock(&checking) == 0);
    assert(pthread_mutex_unlock(&checking) == EPERM);
    return arg;
}
int main(void)
{
    pthread_mutexattr_t attr;
    pthread_t t, u;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &attr);
    pthread_mutexattr_destroy(&attr);
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 2 && y == 4 && z == 2);
    pthread_mutex_destroy(&recursive);
    pthread_mutex_destroy(&checking);
    return 0;
}
