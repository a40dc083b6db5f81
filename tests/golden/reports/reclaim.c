/* A stack whose pop frees the node at once, while another pop may still look at it. Compiled with
 * -DTWICE the nodes are never unlinked, and freed by both. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static _Atomic(struct node *) top;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load(&top);
    atomic_store(&top, node);
}

static void *pop(void *unused)
{
    struct node *node = atomic_load(&top);
#ifdef TWICE
    free(node);
#else
    while (node && !atomic_compare_exchange_weak(&top, &node, node->next))
        ;
    free(node);
#endif
    return unused;
}

int main(void)
{
    push(1);
    push(2);
    pthread_t a, b;
    pthread_create(&a, NULL, pop, NULL);
    pthread_create(&b, NULL, pop, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
