// expect: holds
/* Nobody closes what dup gives. What an execution opens is closed before the next one, so that dup gives the
 * same number each time the program is run again. */
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
