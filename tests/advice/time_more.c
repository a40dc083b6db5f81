// asks: run --time=1s --no-reductions
// reason: the time limit of 1 s was reached
// advice: More time: --time=[0-9]+s \(a forecast: all of it takes (about|more than) [0-9]+s\)
// then: run --no-reductions @--time
// better: holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#define READERS 20
static atomic_int place;
static void *look(void *unused)
{
    return atomic_load(&place) ? NULL : unused;
}
int main(void)
{
    pthread_t thread[READERS];
    for (int i = 0; i < READERS; i++)
        pthread_create(&thread[i], NULL, look, NULL);
    atomic_store(&place, 1);
    for (int i = 0; i < READERS; i++)
        pthread_join(thread[i], NULL);
}
