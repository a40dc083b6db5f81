// expect: holds
// args: --model=sc --checkpoints=never
// executions: 2
// A counter in zeroed memory is read plainly while another thread adds to it: before or after. The zeroes are written
// before there is another thread, in every run of the program.
#include <pthread.h>
#include <stdlib.h>

static int *counter, seen;

static void *add(void *argument)
{
    __atomic_fetch_add(counter, 2, __ATOMIC_SEQ_CST);
    return argument;
}

static void *look(void *argument)
{
    seen = *counter;
    return argument;
}

int main(void)
{
    counter = calloc(1, sizeof *counter);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add, NULL);
    pthread_create(&threads[1], NULL, look, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    int wrong = seen != 0 && seen != 2;
    free(counter);
    return wrong;
}
