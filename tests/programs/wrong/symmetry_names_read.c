// expect: violated race
// args: --model=rc11
// Two equal threads; the one that comes second looks where main puts the name of the first one. That is a race if it is
// the first one, which main names only after its creation.
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turn;
static pthread_t names[2];
static pthread_t seen;
static void *work(void *unused)
{
    if (atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed) == 1)
        seen = names[0];
    return unused;
}
int main(void)
{
    pthread_create(&names[0], 0, work, 0);
    pthread_create(&names[1], 0, work, 0);
    pthread_join(names[0], 0);
    pthread_join(names[1], 0);
    return 0;
}
