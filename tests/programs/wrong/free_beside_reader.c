// expect: violated use-after-free
// The smallest use after free: the reader makes no atomic step at all before it reads.
#include <pthread.h>
#include <stdlib.h>

static void *reader(void *p)
{
    return (void *)(long)*(int *)p;
}

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    pthread_t t;
    pthread_create(&t, NULL, reader, p);
    free(p);
    pthread_join(t, NULL);
    return 0;
}
