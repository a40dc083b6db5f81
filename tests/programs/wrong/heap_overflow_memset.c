// expect: violated invalid-access
// memset clears more than was allocated.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static void *work(void *arg)
{
    volatile size_t bytes = 20;
    char *p = malloc(16);
    memset(p, 0, bytes);
    free(p);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
