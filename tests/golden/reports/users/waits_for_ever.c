/* The reader waits for a flag that the writer sets only when it finds work. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool ready;
static atomic_int work;

static void *reader(void *unused)
{
    while (!atomic_load(&ready))
        ;
    return unused;
}

static void *writer(void *unused)
{
    if (atomic_load(&work) > 0)
        atomic_store(&ready, true);
    return unused;
}

int main(void)
{
    pthread_t r, w;
    pthread_create(&r, 0, reader, 0);
#ifdef FIXED
    atomic_store(&work, 1);
#endif
    pthread_create(&w, 0, writer, 0);
    atomic_store(&work, 1);
    pthread_join(w, 0);
    pthread_join(r, 0);
    return 0;
}
