// expect: inconclusive
// Deferred cancellation: taken at pthread_testcancel, clean-up handlers run, join tells.
// The program is right, but pthread_cancel() is refused (heddle-library(7)): what is not explored is said, so the answer
// can't be that it holds.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t ready, go;
static int cleaned;
static void cleanup(void *arg) { (void)arg; cleaned = 1; }
static void *work(void *arg)
{
    pthread_cleanup_push(cleanup, NULL);
    sem_post(&ready);
    pthread_testcancel();
    sem_wait(&go);
    pthread_cleanup_pop(0);
    return arg;
}
int main(void)
{
    pthread_t t;
    void *result;
    sem_init(&ready, 0, 0);
    sem_init(&go, 0, 0);
    pthread_create(&t, NULL, work, NULL);
    sem_wait(&ready);
    pthread_cancel(t);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED && cleaned == 1);
    return 0;
}
