// expect: holds
// A counting semaphore passes data; trywait and timedwait may fail.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
static sem_t items, mutex;
static int data, taken;
static void *producer(void *arg)
{
    data = 5;
    sem_post(&items);
    return arg;
}
static void *consumer(void *arg)
{
    sem_wait(&items);
    assert(data == 5);
    sem_wait(&mutex);
    taken++;
    sem_post(&mutex);
    return arg;
}
static void *hasty(void *arg)
{
    struct timespec until = {0, 0};
    if (sem_trywait(&mutex) == 0) {
        taken++;
        sem_post(&mutex);
    } else {
        assert(errno == EAGAIN);
        if (sem_timedwait(&mutex, &until) == 0) {
            taken++;
            sem_post(&mutex);
        } else {
            assert(errno == ETIMEDOUT);
        }
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];
    int left;
    sem_init(&items, 0, 0);
    sem_init(&mutex, 0, 1);
    pthread_create(&t[0], NULL, producer, NULL);
    pthread_create(&t[1], NULL, consumer, NULL);
    pthread_create(&t[2], NULL, hasty, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(taken == 1 || taken == 2);
    sem_getvalue(&mutex, &left);
    assert(left == 1);
    sem_destroy(&items);
    sem_destroy(&mutex);
    return 0;
}
