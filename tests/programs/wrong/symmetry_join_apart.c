// expect: violated race
// args: --model=rc11
// Two equal threads, but main looks between the two joins: only the execution in which the second thread comes first
// races.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turn;
static int x;
static void *work(void *unused)
{
    if (atomic_fetch_add(&turn, 1) == 0)
        x = 1;
    return unused;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, work, 0);
    pthread_create(&t, 0, work, 0);
    pthread_join(s, 0);
    int seen = x;
    pthread_join(t, 0);
    return seen == 7;
}
