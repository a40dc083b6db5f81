// expect: violated invalid-access
// Writes one element past the end of a heap array.
#include <pthread.h>
#include <stdlib.h>
static void *work(void *arg)
{
    int *a = malloc(3 * sizeof *a);
    for (int i = 0; i <= 3; i++)
        a[i] = i;
    free(a);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
