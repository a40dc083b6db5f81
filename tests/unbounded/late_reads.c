// Reads that are made late (guest/states/steps/late.h): what the clauses of the rule are for. All tests of three threads
// with one call each are decided by states and by executions, with the same answer: 37_unbounded.sh. Serially `three`
// returns 0 or 110, `watch`, `pick`, `order`, `stow`, `look` and `let` return 0, `peek` returns 0 or -1, and `hang` returns.
// run: => violated linearizability
// run: --model=tso => violated linearizability
// run: HEDDLE_DEBUG=states=always,check-steps --model=tso --scenario=stow()|twice() => violated linearizability
#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct Node {
    atomic_int mark;
} Node;
static atomic_int x, y, z, never, gate, count, flag, other, place, marked, ahead, first, second;
static int data;
static _Atomic(Node *) box;
HD_INIT
{
    Node *n = malloc(sizeof *n);
    atomic_init(&n->mark, 0);
    atomic_store(&box, n);
}
HD_OP(write)
{
    atomic_store_explicit(&x, 1, memory_order_release);
    atomic_store_explicit(&y, 1, memory_order_release);
    return HD_BOOL(1);
}
// Thread is late behind its first read, though a second one follows: x = 0 and y = 1.
HD_OP(three)
{
    int a = atomic_load(&x), b = atomic_load(&y), c = atomic_load(&z);
    return HD_INT(100 * a + 10 * b + c);
}
// Two threads are late at once: both have found the gate open when `watch` closes it, and count
// between its looks.
HD_OP(add)
{
    if (!atomic_load(&gate))
        atomic_fetch_add(&count, 1);
    return HD_BOOL(1);
}
HD_OP(watch)
{
    atomic_store(&gate, 1);
    int a = atomic_load(&count), b = atomic_load(&count);
    return HD_BOOL(b - a == 2);
}
// Only the plain read races, which comes behind the second of two atomic ones.
HD_OP(peek)
{
    int seen = -1, f = atomic_load(&flag), o = atomic_load(&other);
    if (!f)
        seen = data;
    o += atomic_load(&z);
    return HD_INT(seen + o);
}
HD_OP(poke)
{
    atomic_store(&flag, 1);
    data = 5;
    return HD_BOOL(1);
}
// The second way of a choice sees what the first one does not look at.
HD_OP(pick)
{
    int way = (int)heddle_choose(2), a = atomic_load(&x), b = atomic_load(&y);
    return HD_BOOL(way && a && !b);
}
// A thread that has seen x = 1 and y = 0 waits for ever.
HD_OP(hang)
{
    if (atomic_load(&x) && !atomic_load(&y))
        while (!atomic_load(&never))
            ;
    return HD_BOOL(1);
}
// Two threads could go on when the first one is late, and only the order 3, 2 is looked for.
HD_OP(order)
{
    int a = atomic_load(&place), b = atomic_load(&place), c = atomic_load(&place);
    return HD_BOOL(!a && b == 3 && c == 2);
}
HD_OP(swap, int, v, 2, 3)
{
    return HD_BOOL(atomic_exchange(&place, v) == v);
}
// `stow` can go on in two ways under tso: by its read, or by the flush of its second store. A thread that has seen the
// first one is late behind its next read for the sake of the flush: what it does then is what `stow` must not read.
HD_OP(stow)
{
    atomic_store_explicit(&ahead, 1, memory_order_release);
    atomic_store_explicit(&first, 1, memory_order_release);
    return HD_BOOL(atomic_load(&second));
}
HD_OP(twice)
{
    if (!atomic_load(&ahead))
        return HD_BOOL(1);
    int a = atomic_load(&first), b = atomic_load(&first);
    if (!a && b)
        atomic_exchange(&second, 1);
    return HD_BOOL(1);
}
// A reader lets go of a node with the step in which it reads it. Then only its owner can reach it,
// who marks it in the same step in which it reads something else.
HD_OP(look)
{
    Node *n = atomic_load(&box);
    if (!n)
        return HD_BOOL(0);
    int mark = atomic_load(&n->mark), unused = atomic_load(&z);
    return HD_BOOL(!mark && atomic_load(&marked) + unused == 1);
}
HD_OP(let)
{
    Node *n = atomic_exchange(&box, NULL);
    if (!n)
        return HD_BOOL(0);
    int unused = atomic_load(&z);
    atomic_store(&n->mark, 1);
    unused += atomic_load(&z);
    atomic_store(&marked, 1);
    return HD_BOOL(unused);
}
