// expect: violated race
// args: --model=rc11
// Two threads with the same function and argument, but main writes between the creations: the second one to come races
// with that if it is the first one.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turn;
static int data, seen;
static void *work(void *unused)
{
    if (atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed) == 1)
        seen = data;
    return unused;
}
int main(void)
{
    pthread_t s, t;
    pthread_create(&s, 0, work, 0);
    data = 1;
    pthread_create(&t, 0, work, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
