// daily
// asks: run --event-bound=200
// reason: given up where a thread has more than 200 events
// advice: States instead of executions, where sc or tso is enough: --unbounded -O1; or a loop with a bound in the test
// then: run @--unbounded -O1
// better: holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
/* each takes the other's lock if it is free, else gives back its own and tries again */
static atomic_flag lock[2] = {ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT};
static int shared;
static void *both(void *number)
{
    int first = number != NULL;
    for (;;) {
        while (atomic_flag_test_and_set(&lock[first]))
            ;
        if (!atomic_flag_test_and_set(&lock[!first]))
            break;
        atomic_flag_clear(&lock[first]);
        first = !first;
    }
    shared++;
    atomic_flag_clear(&lock[0]);
    atomic_flag_clear(&lock[1]);
    return number;
}
int main(void)
{
    pthread_t thread[2];
    pthread_create(&thread[0], NULL, both, NULL);
    pthread_create(&thread[1], NULL, both, &shared);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
}
