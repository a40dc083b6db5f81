// expect: holds
// Detached threads, by call and by attribute, that report through a semaphore.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t done;
static int x[2];
static void *work(void *arg) { *(int *)arg = 1; sem_post(&done); return NULL; }
int main(void)
{
    pthread_attr_t attr;
    pthread_t t, u;
    sem_init(&done, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, work, &x[0]);
    pthread_create(&u, NULL, work, &x[1]);
    pthread_detach(u);
    pthread_attr_destroy(&attr);
    sem_wait(&done);
    sem_wait(&done);
    assert(x[0] == 1 && x[1] == 1);
    return 0;
}
