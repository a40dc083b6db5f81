// expect: holds
// args: --model=pso
// executions: 1
// A mutex orders plain stores under pso as well: unlocking is a release store. The two orders of the two sections are
// the same but for which thread comes first.
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int a, b;
static void *work(void *x)
{
    pthread_mutex_lock(&lock);
    assert(a == b);
    a++;
    b++;
    pthread_mutex_unlock(&lock);
    return x;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, work, 0);
    pthread_create(&t, 0, work, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a == 2 && b == 2);
    return 0;
}
