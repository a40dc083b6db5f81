// expect: holds
// The same with a version beside the pointer, exchanged together as 16 bytes.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stddef.h>
struct node { _Atomic(struct node *) next; atomic_int taken; };
struct head { struct node *node; uintptr_t version; };
static struct node a, b;
static _Alignas(16) _Atomic(struct head) top;
static struct node *pop(void)
{
    struct head old = atomic_load(&top), new;
    do {
        if (!old.node)
            return NULL;
        new.node = atomic_load(&old.node->next);
        new.version = old.version + 1;
    } while (!atomic_compare_exchange_strong(&top, &old, new));
    assert(atomic_exchange(&old.node->taken, 1) == 0);
    return old.node;
}
static void push(struct node *n)
{
    struct head old = atomic_load(&top), new = {n, 0};
    atomic_store(&n->taken, 0);
    do {
        atomic_store(&n->next, old.node);
        new.version = old.version + 1;
    } while (!atomic_compare_exchange_strong(&top, &old, new));
}
static void *one(void *arg) { pop(); return arg; }
static void *two(void *arg)
{
    struct node *first = pop();
    pop();
    if (first)
        push(first);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    struct head start = {&a, 0};
    atomic_init(&a.next, &b);
    atomic_init(&top, start);
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
