// expect: violated assertion
// Main asks whether the first of two equal threads has ended. One that came second has, whichever it is; the other waits.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int count, go;
static void *work(void *arg)
{
    if (atomic_fetch_add(&count, 1) == 0)
        while (!go)
            ;
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    if (count == 2)
        assert(pthread_tryjoin_np(t[0], NULL));
    go = 1;
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
