// expect: holds
// args: --model=sc
/* A plain read of memory that nothing has written races with a write (sc explores both). It may copy what has no
 * meaning, as plain reads that do not race may; only atomic reads of such memory are errors. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static int *_Atomic block;
static void *write_it(void *unused)
{
    int *p = atomic_load(&block);
    if (p)
        *p = 1;
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, write_it, 0);
    int *p = malloc(sizeof *p), copy;
    atomic_store(&block, p);
    copy = *p;
    (void)copy;
    pthread_join(thread, 0);
    free(p);
    return 0;
}
