// expect: holds
// pthread_once runs its function once, and everybody who returns from it sees the result.
#include <assert.h>
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int value;
static void init(void) { value++; }
static void *work(void *arg)
{
    pthread_once(&once, init);
    assert(value == 1);
    return arg;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
