// expect: inconclusive
/* dup gives another number each time the program is run again, for nobody closes it: what is
 * explored then is not one program. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int x, y;

static void *writer(void *unused)
{
    (void)unused;
    if (dup(1) & 1)
        atomic_store(&x, 1);
    atomic_store(&y, 1);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    atomic_load(&y);
    atomic_load(&x);
    pthread_join(thread, NULL);
    return 0;
}
