// expect: holds
// The fields of a fresh volatile structure share a byte: to store one of them, the others are loaded, which nothing has
// written. That is no use of theirs.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct fields { volatile unsigned a : 3, b : 5; };
static struct fields *fields;
static void *set(void *arg)
{
    fields->a = 5;
    fields->b = 9;
    return arg;
}
int main(void)
{
    pthread_t t;
    fields = malloc(sizeof *fields);
    pthread_create(&t, NULL, set, NULL);
    pthread_join(t, NULL);
    assert(fields->a == 5 && fields->b == 9);
    free(fields);
    return 0;
}
