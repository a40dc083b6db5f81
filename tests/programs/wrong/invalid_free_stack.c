// expect: violated invalid-free
// Frees a variable on the stack.
#include <pthread.h>
#include <stdlib.h>
static void *work(void *arg)
{
    int local = 0;
    int *volatile p = &local;
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
