// expect: holds
// A leak is a warning, not a violation.
#include <pthread.h>
#include <stdlib.h>
static void *work(void *arg) { int *p = malloc(sizeof *p); *p = 1; return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
