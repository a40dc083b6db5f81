/* Code that looks at addresses: two cells are locked in the order in which they lie (OK), or a pushed
 * node changes places with its successor if that lies lower. Neither can be decided by states that
 * forget where objects lie. HIDDEN keeps its pointer shifted by four bits, which nothing recognises.
 * LOCKS looks at no addresses: each node has a lock of its own, which it holds initialised. (The
 * runtime marks initialised locks by their addresses.) */
// run: => inconclusive
// run: -DSWAP --elements=2 => inconclusive
// run: -DHIDDEN --elements=1 => inconclusive
// run: -DLOCKS --elements=2 => holds
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef SWAP
typedef struct Node { struct Node *next; int value; } Node;
static Node *top;
static atomic_int lock;
static void acquire(void)
{
    while (atomic_exchange(&lock, 1))
        ;
}
HD_SPEC("lifo")
HD_OP(push, int, v, 1, 2)
{
    Node *n = malloc(sizeof *n);
    n->value = v;
    acquire();
    n->next = top;
    top = n;
    if (n->next && n->next < n) {
        int x = n->value;
        n->value = n->next->value;
        n->next->value = x;
    }
    atomic_store(&lock, 0);
    return HD_VOID;
}
HD_OP(pop)
{
    acquire();
    Node *n = top;
    if (n)
        top = n->next;
    atomic_store(&lock, 0);
    return n ? HD_INT(n->value) : HD_NONE;
}
#elif defined LOCKS
typedef struct Node { struct Node *next; int value; pthread_mutex_t lock; } Node;
static _Atomic(Node *) top;
HD_SPEC("lifo")
HD_OP(push, int, v, 1, 2)
{
    Node *n = malloc(sizeof *n);
    n->value = v;
    pthread_mutex_init(&n->lock, NULL);
    n->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &n->next, n))
        ;
    return HD_VOID;
}
HD_OP(pop)
{
    Node *n = atomic_load(&top);
    while (n && !atomic_compare_exchange_strong(&top, &n, n->next))
        ;
    if (!n)
        return HD_NONE;
    pthread_mutex_lock(&n->lock);
    int v = n->value;
    pthread_mutex_unlock(&n->lock);
    pthread_mutex_destroy(&n->lock);
    return HD_INT(v);
}
#elif defined HIDDEN
static atomic_uintptr_t box;
HD_SPEC("lifo")
HD_OP(push, int, v, 1)
{
    int *at = malloc(sizeof *at);
    *at = v;
    uintptr_t old = 0;
    return HD_BOOL(atomic_compare_exchange_strong(&box, &old, (uintptr_t)at >> 4));
}
HD_OP(pop)
{
    uintptr_t at = atomic_exchange(&box, 0);
    return at ? HD_INT(*(int *)(at << 4)) : HD_NONE;
}
#else
typedef struct Cell { atomic_int lock; int value; } Cell;
static Cell *a, *b;
HD_INIT
{
    a = calloc(1, sizeof *a);
    b = calloc(1, sizeof *b);
}
static void acquire(Cell *c)
{
    while (atomic_exchange(&c->lock, 1))
        ;
}
static void both(Cell *x, Cell *y)
{
    acquire(x < y ? x : y);
    acquire(x < y ? y : x);
}
HD_SPEC("register:0")
HD_OP(write, int, v, 1, 2)
{
    both(a, b);
    a->value = b->value = v;
    atomic_store(&a->lock, 0);
    atomic_store(&b->lock, 0);
    return HD_VOID;
}
HD_OP(read)
{
    both(b, a);
    int v = a->value;
    atomic_store(&a->lock, 0);
    atomic_store(&b->lock, 0);
    return HD_INT(v);
}
#endif
