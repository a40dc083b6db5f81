// expect: holds
// executions: 2
// args: --no-reductions
// Two critical sections: two orders.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *work(void *arg) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return arg; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 2);
    return 0;
}
