// Michael and Scott's queue with inline assembly for its atomic instructions, as libraries have it (liburcu, ck).
// While an instruction is performed the thread's registers lie in memory: those that are read afterwards count for
// its state, leftovers do not, and nothing depends on where the nodes lie.
// A thread that stands still holds an ever longer chain of nodes: only a bound on the lag makes its states finite.
// run: --lag=2 --elements=2 => holds
// run: --lag=2 --elements=2 -O2 => holds
#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct Node {
    struct Node *next;
    int value;
} Node;
static Node *head, *tail;
static inline __attribute__((always_inline)) Node *compare_exchange(Node **at, Node *old, Node *new)
{
    __asm__ volatile("lock; cmpxchgq %2, %1" : "+a"(old), "+m"(*at) : "r"(new) : "memory");
    return old;
}
static Node *load(Node **at)
{
    return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}
static Node *make(int value)
{
    Node *node = malloc(sizeof *node);
    node->next = NULL;
    node->value = value;
    return node;
}
HD_INIT { head = tail = make(0); }
HD_OP(put, int, v, 1, 2)
{
    Node *node = make(v);
    for (;;) {
        Node *last = load(&tail), *next = compare_exchange(&last->next, NULL, node);
        compare_exchange(&tail, last, next ? next : node);
        if (!next)
            return HD_VOID;
    }
}
HD_OP(get)
{
    for (;;) {
        Node *first = load(&head), *last = load(&tail), *next = load(&first->next);
        if (!next)
            return HD_NONE;
        if (first == last)
            compare_exchange(&tail, last, next);
        int value = next->value;
        if (compare_exchange(&head, first, next) == first)
            return HD_INT(value);
    }
}
