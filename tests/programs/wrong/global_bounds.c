// expect: violated crash
// args: -fsanitize=bounds -fsanitize-undefined-trap-on-error
// An index beyond a global array, found by the compiler's own check: no object but those of the heap has bounds otherwise.
#include <pthread.h>
static int first[4], second[4];
static unsigned next = 5;
static void *put(void *arg)
{
    first[next & 7] = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, put, NULL);
    pthread_join(t, NULL);
    return second[0];
}
