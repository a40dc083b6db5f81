/* A race, and inline assembly that nobody sees. RUN: it runs before the race; AFTER: only in executions in which T1's
 * store is read. */
#include <pthread.h>
#include <stdatomic.h>
static int x, y;
static atomic_int flag;
static void bump(void)
{
    __asm__ volatile("incl %0" : "+m"(x));
}
static void *thread(void *unused)
{
#ifdef RACE
    y = 1;
#endif
    atomic_store(&flag, 1);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t other;
    (void)argv;
    if (argc > 5)
        bump();
    pthread_create(&other, 0, thread, 0);
#ifdef RUN
    bump();
#endif
#ifdef AFTER
    if (atomic_load(&flag))
        bump();
#endif
    y = 2;
    pthread_join(other, 0);
    return 0;
}
