/* Structures for `heddle check --unbounded=2 --model=rc11', right with the orders that they have. With -DWEAK=n one
 * access is relaxed at one of four calls of a thread, the third: that takes more than three calls, and weak memory, to show.
 *     LOCK      test and set: 1 gives it back, 2 takes it
 *     TICKETS   a ticket lock, tickets modulo 3 (two threads): 1 calls the next one, 2 looks who is called
 *     MAILBOX   one plain value and a flag: 1 fills it, 2 empties it, 3 looks whether it is full, 4 whether it is empty
 *     STACK     Treiber's, of heap nodes: 1 publishes one, 2 takes one
 *     FLAGS     Dekker's two flags, of who gives up if both are set: 1 sets its own one
 * What is guarded is plain, so that an order that is missing is a race. */
// run: -DLOCK => holds
// run: -DLOCK -DWEAK=1 => violated race
// run: -DLOCK -DWEAK=2 => violated race
// run: -DTICKETS => holds
// run: -DTICKETS -DWEAK=1 => violated race
// run: -DTICKETS -DWEAK=2 => violated race
// run: -DMAILBOX => holds
// run: -DMAILBOX -DWEAK=1 => violated race
// run: -DMAILBOX -DWEAK=2 => violated race
// run: -DMAILBOX -DWEAK=3 => violated race
// run: -DMAILBOX -DWEAK=4 => violated race
// run: -DSTACK --elements=1 => holds
// run: -DSTACK -DWEAK=1 --elements=1 => violated race
// run: -DSTACK -DWEAK=2 --elements=1 => violated race
// run: -DFLAGS => holds
// run: -DFLAGS -DWEAK=1 => violated race
#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef WEAK
#define WEAK 0
#endif
static _Thread_local int turn; /* of the thread's calls */
#define IS_WEAK(n) (WEAK == (n) && turn == 3)
#define LOAD(n, at)                                                                                \
    (IS_WEAK(n) ? atomic_load_explicit(at, memory_order_relaxed)                                   \
                : atomic_load_explicit(at, memory_order_acquire))
#define STORE(n, at, value)                                                                        \
    (IS_WEAK(n) ? atomic_store_explicit(at, value, memory_order_relaxed)                           \
                : atomic_store_explicit(at, value, memory_order_release))
static void begin(void)
{
    turn = WEAK ? (turn + 1) % 4 : 0;
}

static int guarded;
static int change(void)
{
    guarded = (guarded + 1) % 3;
    return guarded;
}

#ifdef LOCK
static atomic_int lock;
HD_OP(enter)
{
    begin();
    while (IS_WEAK(2) ? atomic_exchange_explicit(&lock, 1, memory_order_relaxed)
                      : atomic_exchange_explicit(&lock, 1, memory_order_acquire)) {
    }
    int now = change();
    STORE(1, &lock, 0);
    return HD_INT(now);
}
#elif defined TICKETS
static atomic_int taken, called;
HD_OP(enter)
{
    begin();
    int own = 0;
    while (!atomic_compare_exchange_strong_explicit(&taken, &own, (own + 1) % 3, memory_order_relaxed,
                                                    memory_order_relaxed)) {
    }
    while (LOAD(2, &called) != own) {
    }
    int now = change();
    STORE(1, &called, (own + 1) % 3);
    return HD_INT(now);
}
#elif defined MAILBOX
static atomic_int full;
HD_OP(put, int, v, 1, 2)
{
    begin();
    if (LOAD(4, &full))
        return HD_BOOL(0);
    guarded = v;
    STORE(1, &full, 1);
    return HD_BOOL(1);
}
HD_OP(take)
{
    begin();
    if (!LOAD(3, &full))
        return HD_NONE;
    int v = guarded;
    STORE(2, &full, 0);
    return HD_INT(v);
}
HD_SINGLE("put | take")
#elif defined STACK
typedef struct Node {
    struct Node *next;
    int value;
} Node;
static _Atomic(Node *) top;
HD_OP(push, int, v, 1, 2)
{
    begin();
    Node *n = malloc(sizeof *n);
    n->value = v;
    n->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!(IS_WEAK(1) ? atomic_compare_exchange_strong_explicit(&top, &n->next, n, memory_order_relaxed,
                                                                  memory_order_relaxed)
                        : atomic_compare_exchange_strong_explicit(&top, &n->next, n, memory_order_release,
                                                                  memory_order_relaxed))) {
    }
    return HD_VOID;
}
HD_OP(pop)
{
    begin();
    Node *n = LOAD(2, &top);
    while (n && !(IS_WEAK(2) ? atomic_compare_exchange_strong_explicit(&top, &n, n->next, memory_order_relaxed,
                                                                       memory_order_relaxed)
                             : atomic_compare_exchange_strong_explicit(&top, &n, n->next, memory_order_acquire,
                                                                       memory_order_acquire))) {
    }
    return n ? HD_INT(n->value) : HD_NONE;
}
HD_SPEC("lifo")
#elif defined FLAGS
static atomic_int wanted[2];
static void enter(int own)
{
    begin();
    if (IS_WEAK(1))
        atomic_store_explicit(&wanted[own], 1, memory_order_relaxed);
    else
        atomic_store(&wanted[own], 1);
    if (!atomic_load(&wanted[!own]))
        change();
    STORE(0, &wanted[own], 0);
}
HD_OP(left)
{
    enter(0);
    return HD_VOID;
}
HD_OP(right)
{
    enter(1);
    return HD_VOID;
}
HD_SINGLE("left | right")
#endif
