// expect: violated assertion
// Treiber stack whose nodes come back: between a pop's load of the next pointer and its exchange, the
// other thread pops two nodes and pushes the first one again. The exchange succeeds all the same.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
struct node { _Atomic(struct node *) next; atomic_int taken; };
static struct node a, b;
static _Atomic(struct node *) top;
static struct node *pop(void)
{
    struct node *t = atomic_load(&top), *next;
    do {
        if (!t)
            return NULL;
        next = atomic_load(&t->next);
    } while (!atomic_compare_exchange_strong(&top, &t, next));
    assert(atomic_exchange(&t->taken, 1) == 0); /* nobody else owns it */
    return t;
}
static void push(struct node *n)
{
    struct node *t = atomic_load(&top);
    atomic_store(&n->taken, 0);
    do
        atomic_store(&n->next, t);
    while (!atomic_compare_exchange_strong(&top, &t, n));
}
static void *one(void *arg) { pop(); pop(); return arg; }
static void *two(void *arg)
{
    struct node *first = pop();
    pop(); /* stays ours */
    if (first)
        push(first);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    atomic_init(&a.next, &b);
    atomic_init(&top, &a);
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
