// asks: run --time=1s
// reason: the time limit of 1 s was reached
// advice: states instead of executions: --unbounded
// then: run @--unbounded
// better: holds
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
/* many executions, few states */
static atomic_int flags;
static void *turn(void *unused)
{
    for (int i = 0; i < 4; i++)
        atomic_fetch_xor(&flags, 1);
    return unused;
}
int main(void)
{
    pthread_t thread[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, turn, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
}
