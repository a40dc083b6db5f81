// expect: violated invalid-access
// An index published too early: the reader looks behind the end of the array. Sequentially it is fine.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static char *text;
static atomic_int end = 3;
static void *grow(void *arg) { atomic_store(&end, 4); atomic_store(&end, 3); return arg; }
static void *look(void *arg) { int n = atomic_load(&end); return text[n] ? arg : NULL; }
int main(void)
{
    pthread_t t, u;
    text = calloc(4, 1);
    pthread_create(&t, NULL, grow, NULL);
    pthread_create(&u, NULL, look, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    free(text);
    return 0;
}
