/* The thread that creates another one goes on: it frees, destroys or writes what that one uses. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct job {
    atomic_int stop;
    pthread_mutex_t m;
    int data;
    sem_t s;
};
static struct job *j;
static void *t(void *a)
{
#if V == 1
    atomic_fetch_add(&j->stop, 1);
#elif V == 2
    pthread_mutex_lock(&j->m);
    pthread_mutex_unlock(&j->m);
#elif V == 3
    j->data = 1;
#elif V == 4
    while (!atomic_load(&j->stop))
        ;
#elif V == 5
    int one = 1;
    atomic_compare_exchange_strong(&j->stop, &one, 2);
#elif V == 6
    sem_post(&j->s);
#elif V == 7 || V == 8
    atomic_store(&j->stop, 1);
#elif V == 9
    memset((void *)&j->data, 0, sizeof j->data);
#elif V == 10
    if (atomic_load(&j->stop) == 1)
        j->data = 2;
#elif V == 11
    atomic_store(&j->stop, 1);
#endif
    return a;
}
int main(void)
{
    pthread_t a;
    j = (struct job *)calloc(1, sizeof *j);
    pthread_mutex_init(&j->m, 0);
    sem_init(&j->s, 0, 0);
    pthread_create(&a, 0, t, 0);
#if V == 4 || V == 10
    atomic_store(&j->stop, 1);
#endif
#if V == 7
    j = (struct job *)realloc((void *)j, 2 * sizeof *j);
#elif V == 8
    *(int *)&j->stop = 5;
#elif V == 11
    pthread_join(a, 0);
    free(j);
    return 0;
#else
    free(j);
#endif
    pthread_join(a, 0);
    return 0;
}
