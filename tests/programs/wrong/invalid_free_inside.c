// expect: violated invalid-free
// Frees a pointer into the middle of an object.
#include <pthread.h>
#include <stdlib.h>
static void *work(void *arg)
{
    char *p = malloc(32);
    char *volatile q = p + 8;
    free(q);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
