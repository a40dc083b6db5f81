/* A thread counts itself in, looks at a flag and counts itself out again until the flag is set, which
 * another one does: one execution, since rounds before the last one leave nothing behind. If each
 * round counts there is no end to them. */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int inside, flag;

static void *look(void *argument)
{
    int set;
    do {
        atomic_fetch_add(&inside, 1);
        set = atomic_load(&flag);
        atomic_fetch_sub(&inside, 1);
    } while (!set);
    return argument;
}

static void *set(void *argument)
{
    atomic_store(&flag, 1);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, look, NULL);
    pthread_create(&threads[1], NULL, set, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
