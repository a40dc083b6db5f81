// expect: violated deadlock
// Two threads join each other.
#include <pthread.h>
#include <semaphore.h>
static pthread_t t, u;
static sem_t ready;
static void *left(void *arg) { sem_wait(&ready); pthread_join(u, NULL); return arg; }
static void *right(void *arg) { sem_wait(&ready); pthread_join(t, NULL); return arg; }
int main(void)
{
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, left, NULL);
    pthread_create(&u, NULL, right, NULL);
    sem_post(&ready);
    sem_post(&ready);
    pthread_exit(NULL);
}
