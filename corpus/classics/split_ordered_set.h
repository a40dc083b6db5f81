/* Split-ordered list (O. Shalev, N. Shavit, Split-Ordered Lists: Lock-Free Extensible Hash Tables, J. ACM 53, 2006):
 * all elements in one list (M. M. Michael, 2002), ordered by the reversed bits of their keys, so that a bucket is
 * a stretch of it, which begins with a node of its own. When the number of buckets doubles nothing is moved; a
 * bucket gets its node when it is first used. Nodes that were removed stay.
 *
 * -DINSERT_ORDER=memory_order_relaxed  a node is linked without its contents
 * -DFREED_BUCKET                       who loses the race for a bucket's node uses his own, which he has freed */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#ifndef INSERT_ORDER
#define INSERT_ORDER memory_order_release
#endif
#define BUCKETS 4
struct node {
    unsigned order;
    int key;
    _Atomic uintptr_t next; /* bit 0: this node was removed */
};
static _Atomic(struct node *) buckets[BUCKETS];
static atomic_uint size = 1, count;

static unsigned reversed(unsigned bits)
{
    unsigned result = 0;
    for (int i = 0; i < 32; i++)
        result |= (bits >> i & 1) << (31 - i);
    return result;
}

static struct node *node_new(unsigned order, int key)
{
    struct node *node = malloc(sizeof *node);
    node->order = order;
    node->key = key;
    atomic_init(&node->next, 0);
    return node;
}

/* Finds the place of an element behind HEAD: the link to *CURRENT, which is it or comes after it. */
static bool find(struct node *head, unsigned order, int key, _Atomic uintptr_t **link,
                 struct node **current)
{
again:
    *link = &head->next;
    *current = (struct node *)atomic_load_explicit(*link, memory_order_acquire);
    while (*current) {
        uintptr_t next = atomic_load_explicit(&(*current)->next, memory_order_acquire);
        uintptr_t here = (uintptr_t)*current;
        if (atomic_load_explicit(*link, memory_order_acquire) != here)
            goto again;
        if (next & 1) {
            if (!atomic_compare_exchange_strong(*link, &here, next & ~(uintptr_t)1))
                goto again;
        } else {
            struct node *node = *current;
            if (node->order > order || (node->order == order && node->key >= key))
                return node->order == order && node->key == key;
            *link = &node->next;
        }
        *current = (struct node *)(next & ~(uintptr_t)1);
    }
    return false;
}

/* Returns NODE, or the one that is there already. */
static struct node *insert(struct node *head, struct node *node)
{
    for (;;) {
        _Atomic uintptr_t *link;
        struct node *current;
        if (find(head, node->order, node->key, &link, &current))
            return current;
        atomic_store_explicit(&node->next, (uintptr_t)current, memory_order_relaxed);
        uintptr_t expected = (uintptr_t)current;
        if (atomic_compare_exchange_strong_explicit(link, &expected, (uintptr_t)node, INSERT_ORDER,
                                                    memory_order_relaxed))
            return node;
    }
}

static struct node *bucket_of(unsigned number)
{
    struct node *head = atomic_load_explicit(&buckets[number], memory_order_acquire);
    if (head)
        return head;
    unsigned highest = BUCKETS >> 1;
    while (!(number & highest))
        highest >>= 1;
    struct node *parent = bucket_of(number & ~highest), *own = node_new(reversed(number), -1);
    struct node *there = insert(parent, own);
    if (there != own)
        free(own);
#ifdef FREED_BUCKET
    there = own;
#endif
    atomic_store_explicit(&buckets[number], there, memory_order_release);
    return there;
}

static struct node *home(int key)
{
    return bucket_of((unsigned)key % atomic_load(&size));
}

static unsigned order_of(int key)
{
    return reversed((unsigned)key) | 1;
}

static void set_init(void)
{
    atomic_init(&buckets[0], node_new(0, -1));
}

static bool set_add(int key)
{
    struct node *node = node_new(order_of(key), key);
    if (insert(home(key), node) != node) {
        free(node);
        return false;
    }
    unsigned now = atomic_load(&size);
    if (atomic_fetch_add(&count, 1) + 1 > now && now < BUCKETS)
        atomic_compare_exchange_strong(&size, &now, 2 * now);
    return true;
}

static bool set_remove(int key)
{
    struct node *head = home(key), *node;
    _Atomic uintptr_t *link;
    while (find(head, order_of(key), key, &link, &node)) {
        uintptr_t next = atomic_load(&node->next), expected = (uintptr_t)node;
        if ((next & 1) || !atomic_compare_exchange_strong(&node->next, &next, next | 1))
            continue;
        if (!atomic_compare_exchange_strong(link, &expected, next))
            find(head, order_of(key), key, &link, &node);
        atomic_fetch_sub(&count, 1);
        return true;
    }
    return false;
}

static bool set_contains(int key)
{
    struct node *node;
    _Atomic uintptr_t *link;
    return find(home(key), order_of(key), key, &link, &node);
}
