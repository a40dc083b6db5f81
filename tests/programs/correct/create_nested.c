// expect: holds
// Threads create threads; what was written before creation is seen, also two levels down.
#include <assert.h>
#include <pthread.h>
static int a, b;
static void *leaf(void *arg) { assert(a == 1 && b == 2); return arg; }
static void *middle(void *arg)
{
    pthread_t t;
    b = 2;
    pthread_create(&t, NULL, leaf, NULL);
    pthread_join(t, NULL);
    return arg;
}
int main(void)
{
    pthread_t t;
    a = 1;
    pthread_create(&t, NULL, middle, NULL);
    pthread_join(t, NULL);
    return 0;
}
