// expect: violated uninitialised-read
// The atomic in a fresh heap object is read before anybody has written it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { atomic_int mark; int value; };
static _Atomic(struct node *) top;
static void *push(void *arg)
{
    struct node *n = malloc(sizeof *n);
    n->value = 1;
    atomic_store(&top, n); /* mark was forgotten */
    return arg;
}
static void *look(void *arg)
{
    struct node *n = atomic_load(&top);
    if (n && atomic_load(&n->mark))
        return NULL;
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, push, NULL);
    pthread_create(&u, NULL, look, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
