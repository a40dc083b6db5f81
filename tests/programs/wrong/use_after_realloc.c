// expect: violated use-after-free
// The old pointer is used after realloc has moved the object.
#include <pthread.h>
#include <stdlib.h>
static void *work(void *arg)
{
    int *a = malloc(sizeof *a), *b;
    int *volatile stale = a;
    *a = 1;
    b = realloc(a, 1 << 16);
    *stale = 2;
    free(b);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
