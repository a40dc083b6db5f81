/* Harris's and Michael's list as a set of two keys; nodes leak. M1: a node is unlinked without being
 * marked first. M2: add does not look whether the key is there. */
// run: => holds
// run: -DM1 => violated linearizability
// run: -DM2 => violated linearizability
#include <heddle.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
typedef struct Node { atomic_uintptr_t next; int key; } Node;
static atomic_uintptr_t head; /* the lowest bit of a link marks the node that it is in as removed */
static Node *node(uintptr_t link) { return (Node *)(link & ~(uintptr_t)1); }
static Node *find(int key, atomic_uintptr_t **link)
{
again:;
    atomic_uintptr_t *at = &head;
    uintptr_t here = atomic_load(at);
    for (Node *n; (n = node(here)) != NULL;) {
        uintptr_t next = atomic_load(&n->next);
        if (next & 1) {
            if (!atomic_compare_exchange_strong(at, &here, next & ~(uintptr_t)1))
                goto again;
            here = next & ~(uintptr_t)1;
            continue;
        }
        if (n->key >= key)
            break;
        at = &n->next;
        here = next;
    }
    *link = at;
    return node(here);
}
HD_SPEC("set")
HD_OP(add, int, key, 1, 2)
{
    Node *fresh = malloc(sizeof *fresh);
    fresh->key = key;
    for (;;) {
        atomic_uintptr_t *link;
        Node *n = find(key, &link);
#ifndef M2
        if (n && n->key == key)
            return HD_BOOL(0);
#endif
        uintptr_t expected = (uintptr_t)n;
        atomic_store(&fresh->next, expected);
        if (atomic_compare_exchange_strong(link, &expected, (uintptr_t)fresh))
            return HD_BOOL(1);
    }
}
HD_OP(remove, int, key, 1, 2)
{
    for (;;) {
        atomic_uintptr_t *link;
        Node *n = find(key, &link);
        if (!n || n->key != key)
            return HD_BOOL(0);
        uintptr_t next = atomic_load(&n->next), expected = (uintptr_t)n;
        if (next & 1)
            continue;
#ifdef M1
        if (atomic_compare_exchange_strong(link, &expected, next))
            return HD_BOOL(1);
#else
        if (!atomic_compare_exchange_strong(&n->next, &next, next | 1))
            continue;
        atomic_compare_exchange_strong(link, &expected, next);
        return HD_BOOL(1);
#endif
    }
}
