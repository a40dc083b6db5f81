// asks: run --time=1s --model=sc
// reason: the time limit of 1 s was reached
// advice: fewer executions, in which most bugs show: --preemptions=2
// then: run --model=sc @--preemptions
// better: holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
static atomic_int place[6];
static void *mix(void *number)
{
    for (int i = 0; i < 6; i++)
        atomic_store(&place[i], atomic_load(&place[(i + 1 + (number != NULL)) % 6]) + 1);
    return number;
}
int main(void)
{
    pthread_t thread[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, mix, i ? &place[i] : NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
}
