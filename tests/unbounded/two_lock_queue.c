/* Michael and Scott's queue with two locks. M1: the consumer takes no lock. M2: the value is read
 * after the lock was given back, when the node may be freed. */
// run: --elements=2 => holds
// run: -DLEAKS --elements=2 => holds
// run: -DM1 => violated
// run: -DM2 => violated use-after-free
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
typedef struct Node { _Atomic(struct Node *) next; int value; } Node;
static Node *head, *tail;
static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER, tail_lock = PTHREAD_MUTEX_INITIALIZER;
HD_INIT { head = tail = calloc(1, sizeof *head); }
HD_SPEC("fifo")
HD_OP(enq, int, v, 1, 2)
{
    Node *n = malloc(sizeof *n);
    n->value = v;
    atomic_init(&n->next, NULL);
    pthread_mutex_lock(&tail_lock);
    atomic_store(&tail->next, n);
    tail = n;
    pthread_mutex_unlock(&tail_lock);
    return HD_VOID;
}
HD_OP(deq)
{
#ifndef M1
    pthread_mutex_lock(&head_lock);
#endif
    Node *h = head, *n = atomic_load(&h->next);
    int v = 0;
    if (n) {
#ifndef M2
        v = n->value;
#endif
        head = n;
    }
#ifndef M1
    pthread_mutex_unlock(&head_lock);
#endif
    if (!n)
        return HD_NONE;
#ifdef M2
    v = n->value;
#endif
#ifndef LEAKS
    free(h);
#endif
    return HD_INT(v);
}
