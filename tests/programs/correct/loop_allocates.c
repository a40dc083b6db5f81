// expect: holds
// Rounds that allocate and free: a consumer that looks for a flag with a node in its hand, and three threads that
// push by a compare-exchange, with a new node each time.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct Node {
    struct Node *next;
    int *value;
} Node;
static _Atomic(Node *) top;
static atomic_int pushed;

static void *push(void *arg)
{
    for (;;) {
        Node *node = malloc(sizeof *node);
        node->value = malloc(sizeof(int));
        *node->value = 1;
        node->next = atomic_load(&top);
        Node *expected = node->next;
        if (atomic_compare_exchange_strong(&top, &expected, node))
            break;
        free(node->value);
        free(node);
    }
    return arg;
}

static void *wait(void *arg)
{
    for (;;) {
        int *copy = calloc(1, sizeof *copy);
        *copy = atomic_load(&pushed);
        int seen = *copy;
        free(copy);
        if (seen)
            return arg;
    }
}

int main(void)
{
    pthread_t t[3], w;
    pthread_create(&w, 0, wait, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, push, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    atomic_store(&pushed, 1);
    pthread_join(w, 0);
    int n = 0;
    for (Node *node = top; node; node = node->next)
        n += *node->value;
    assert(n == 3);
    return 0;
}
