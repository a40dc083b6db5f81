// Random structure 50080 of twin/twin.c (early-weak): when a thread has let go of a node, the next step of the other one goes
// further than it was foreseen to, and meets a race (guest/states/steps/foreseen.h). All tests of 2x2 both ways: 37_unbounded.sh.
// run: => violated linearizability
#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct Node { int value; atomic_int mark; } Node;
#ifdef __OPTIMIZE__ /* or two accesses may become one */
volatile
#endif
static int p;
static atomic_int x, y;
static _Atomic(Node *) box;
#define malloc(bytes) calloc(1, bytes)
__attribute__((constructor)) static void before_main(void)
{
    atomic_store(&box, malloc(sizeof(Node)));
}
#undef atomic_store
#undef atomic_load
#define atomic_store(p, v) atomic_store_explicit(p, v, memory_order_release)
#define atomic_load(p) atomic_load_explicit(p, memory_order_acquire)
HD_OP(op0)
{
    int r = 0;
    Node *n = NULL;
    (void)n;
    n = atomic_load(&box); r = (r * 4 + (n ? n->value + 1 : 0)) % 27;
    { Node *m = malloc(sizeof *m); m->value = r % 3; atomic_store(&box, m); }
    { Node *m = malloc(sizeof *m); m->value = r % 3; atomic_store(&box, m); }
    return HD_INT(r);
}
HD_OP(op1)
{
    int r = 0;
    Node *n = NULL;
    (void)n;
    { Node *m = malloc(sizeof *m); m->value = r % 3; atomic_store(&box, m); }
    return HD_INT(r);
}
HD_OP(op2)
{
    int r = 0;
    Node *n = NULL;
    (void)n;
    n = atomic_load(&box); r = (r * 4 + (n ? n->value + 1 : 0)) % 27;
    if (n) r = (r * 3 + atomic_exchange(&n->mark, r % 3)) % 27;
    if (n) r = (r * 3 + atomic_exchange(&n->mark, r % 3)) % 27;
    p = r % 3;
    return HD_INT(r);
}
