// asks: run
// reason: create more than 63 threads|more than [0-9]+ threads
// advice: Two or three show most errors
// then: run -DTHREADS=3
// better: holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#ifndef THREADS
#define THREADS 100
#endif
static atomic_int count;
static void *add(void *unused)
{
    atomic_fetch_add(&count, 1);
    return unused;
}
int main(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, add, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}
