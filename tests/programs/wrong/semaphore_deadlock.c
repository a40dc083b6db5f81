// expect: violated deadlock
// Three waits, two posts.
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static void *waiter(void *arg) { sem_wait(&s); return arg; }
int main(void)
{
    pthread_t t[3];
    sem_init(&s, 0, 1);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, waiter, NULL);
    sem_post(&s);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
