// expect: inconclusive
// args: --model=sc
// A loop without end that counts, in a thread whose stack others write into: it is given up, for it never repeats a state.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;

static void *write_there(void *place)
{
    *(int *)place = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int place = 0;
    volatile long rounds = 0;
    pthread_create(&thread, NULL, write_there, &place);
    pthread_join(thread, NULL);
    while (!atomic_load(&ready))
        rounds++;
    return place + (int)rounds;
}
