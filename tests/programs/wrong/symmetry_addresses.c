// expect: violated assertion
// Two equal threads compare the addresses of their blocks: the second one may be the first to come.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(char *) first;
static void *work(void *unused)
{
    char *own = malloc(8), *none = NULL;
    if (!atomic_compare_exchange_strong(&first, &none, own)) assert(none < own);
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    return 0;
}
