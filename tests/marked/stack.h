// Treiber's stack with nodes that are used again.
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
enum { NODES = 4 };
static struct {
    int value;
    atomic_int next;
} nodes[NODES]; // node 0 is none
#ifdef TAGGED
#define NODE(top) ((top) & 255)
#define TOP(node, old) ((node) | (((old) & ~255) + 256))
#else
#define NODE(top) (top)
#define TOP(node, old) (node)
#endif
static atomic_int top;
static void push(int node)
{
    HD_BEGIN(&top, "push", HD_INT(node));
    int old = atomic_load(&top), new;
    do {
        atomic_store(&nodes[node].next, NODE(old));
        new = TOP(node, old);
    } while (!atomic_compare_exchange_strong(&top, &old, new));
    HD_END(HD_VOID);
}
static int pop(void)
{
    HD_BEGIN(&top, "pop");
    int old = atomic_load(&top);
    while (NODE(old)) {
        int next = atomic_load(&nodes[NODE(old)].next);
        if (atomic_compare_exchange_strong(&top, &old, TOP(next, old)))
            break;
    }
    HD_END(NODE(old) ? HD_INT(NODE(old)) : HD_NONE);
    return NODE(old);
}
static void *reuser(void *unused)
{
    int first = pop();
    pop();
    if (first)
        push(first);
    return unused;
}
static void *popper(void *unused)
{
    pop();
    return unused;
}
int main(void)
{
    pthread_t t, u;
    push(1);
    push(2);
    pthread_create(&t, NULL, popper, NULL);
    pthread_create(&u, NULL, reuser, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    pop();
    return 0;
}
