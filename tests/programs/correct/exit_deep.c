// expect: holds
// pthread_exit from a nested call gives the value that join returns.
#include <assert.h>
#include <pthread.h>
static void leave(void) { pthread_exit((void *)7); }
static void middle(void) { leave(); }
static void *work(void *arg) { middle(); return arg; }
int main(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, &result);
    assert(result == (void *)7);
    return 0;
}
