// expect: violated race
// args: --model=rc11
// Two threads with the same argument, a local variable of main's, which main changes between the creations.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turn;
static int seen;
static void *work(void *data)
{
    if (atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed) == 1)
        seen = *(int *)data;
    return 0;
}
int main(void)
{
    pthread_t s, t;
    int data = 0;
    pthread_create(&s, 0, work, &data);
    data = 1;
    pthread_create(&t, 0, work, &data);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
