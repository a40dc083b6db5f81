/* A lock by an instruction that Heddle leaves to the processor (cmpxchg without lock): what it writes is not put back
 * between executions, so that what is found is not found again. */
#include <assert.h>
#include <pthread.h>
static unsigned word;
static int count;

static int change(unsigned from, unsigned to)
{
    unsigned found = from;
    __asm__ volatile("cmpxchgl %2, %0" : "+m"(word), "+a"(found) : "r"(to) : "memory");
    return found == from;
}

static void *add(void *argument)
{
    while (!change(0, 1))
        ;
    count++;
    change(1, 0);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2);
    return 0;
}
