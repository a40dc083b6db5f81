/* The set as a skip list of M. Herlihy, Y. Lev, V. Luchangco and N. Shavit (A Simple Optimistic Skiplist Algorithm,
 * SIROCCO 2007): nodes are found without locks; to link or unlink one, its predecessors are locked and looked at again.
 * A node is in the set when it is linked at all its levels and not marked. Here there are two levels, and even keys
 * have both. Nodes are not used again.
 *
 * -DNO_VALIDATION  predecessors are not looked at again once they are locked
 * -DNO_MARK_CHECK  a remove does not look whether another one has marked the node before it was locked
 * -DNO_MARK        a contains takes every node that it finds */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
enum { LEVELS = 2 };

struct node {
    int key, top; /* it has the levels 0..top */
    pthread_mutex_t lock;
    atomic_bool marked, linked;
    _Atomic(struct node *) next[LEVELS];
};
struct skiplist {
    struct node head; /* before all keys */
};

static void node_init(struct node *node, int key, int top)
{
    node->key = key;
    node->top = top;
    pthread_mutex_init(&node->lock, NULL);
    atomic_init(&node->marked, false);
    atomic_init(&node->linked, false);
    for (int level = 0; level < LEVELS; level++)
        atomic_init(&node->next[level], NULL);
}

static void skiplist_init(struct skiplist *list)
{
    node_init(&list->head, 0, LEVELS - 1);
}

/* The highest level at which KEY is found, or -1; before and after: its neighbours at each level. */
static int skiplist_find(struct skiplist *list, int key, struct node **before, struct node **after)
{
    int found = -1;
    struct node *node = &list->head;
    for (int level = LEVELS - 1; level >= 0; level--) {
        struct node *next = atomic_load(&node->next[level]);
        while (next && next->key < key) {
            node = next;
            next = atomic_load(&node->next[level]);
        }
        if (found < 0 && next && next->key == key)
            found = level;
        before[level] = node;
        after[level] = next;
    }
    return found;
}

/* Are the neighbours at LEVEL what they were found to be? */
static bool are_valid(struct node **before, struct node **after, int level, bool inserts)
{
    return !atomic_load(&before[level]->marked) && !(inserts && after[level] && atomic_load(&after[level]->marked)) &&
           atomic_load(&before[level]->next[level]) == after[level];
}

static void unlock_before(struct node **before, int top)
{
    for (int level = 0; level <= top; level++)
        if (level == 0 || before[level] != before[level - 1])
            pthread_mutex_unlock(&before[level]->lock);
}

/* Locks the neighbours before up to level TOP. False, and none is locked, if they have changed. It looks without the
 * locks first, so that nobody takes locks again and again until another thread has unlinked what it has marked. */
static bool lock_before(struct node **before, struct node **after, int top, bool inserts)
{
    for (int level = 0; level <= top; level++)
        if (!are_valid(before, after, level, inserts))
            return false;
    for (int level = 0; level <= top; level++) {
        if (level == 0 || before[level] != before[level - 1])
            pthread_mutex_lock(&before[level]->lock);
#ifndef NO_VALIDATION
        if (!are_valid(before, after, level, inserts)) {
            unlock_before(before, level);
            return false;
        }
#endif
    }
    return true;
}

static bool skiplist_insert(struct skiplist *list, int key)
{
    struct node *before[LEVELS], *after[LEVELS];
    int top = key % 2 ? 0 : LEVELS - 1;
    for (;;) {
        int found = skiplist_find(list, key, before, after);
        if (found >= 0) {
            struct node *node = after[found];
            if (atomic_load(&node->marked))
                continue; /* until it is unlinked */
            while (!atomic_load(&node->linked))
                ;
            return false;
        }
        if (!lock_before(before, after, top, true))
            continue;
        struct node *node = malloc(sizeof *node);
        node_init(node, key, top);
        for (int level = 0; level <= top; level++)
            atomic_init(&node->next[level], after[level]);
        for (int level = 0; level <= top; level++)
            atomic_store(&before[level]->next[level], node);
        atomic_store(&node->linked, true);
        unlock_before(before, top);
        return true;
    }
}

static bool skiplist_remove(struct skiplist *list, int key)
{
    struct node *before[LEVELS], *after[LEVELS];
    int found = skiplist_find(list, key, before, after);
    if (found < 0)
        return false;
    struct node *node = after[found];
    if (!atomic_load(&node->linked) || node->top != found || atomic_load(&node->marked))
        return false;
    pthread_mutex_lock(&node->lock);
#ifndef NO_MARK_CHECK
    if (atomic_load(&node->marked)) {
        pthread_mutex_unlock(&node->lock);
        return false;
    }
#endif
    atomic_store(&node->marked, true); /* now it is removed; what is left is to unlink it */
    for (;;) {
        for (int level = 0; level <= node->top; level++)
            after[level] = node;
        if (lock_before(before, after, node->top, false))
            break;
        skiplist_find(list, key, before, after);
    }
    for (int level = node->top; level >= 0; level--)
        atomic_store(&before[level]->next[level], atomic_load(&node->next[level]));
    pthread_mutex_unlock(&node->lock);
    unlock_before(before, node->top);
    return true;
}

static bool skiplist_contains(struct skiplist *list, int key)
{
    struct node *before[LEVELS], *after[LEVELS];
    int found = skiplist_find(list, key, before, after);
#ifdef NO_MARK
    return found >= 0;
#else
    return found >= 0 && atomic_load(&after[found]->linked) && !atomic_load(&after[found]->marked);
#endif
}
