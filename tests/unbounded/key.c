/* States that differ in one thing only: what a key must not leave out. OFFSET: which part of a
 * block a pointer leads to. FREED: whether a block was freed. REGISTER: a value that, with -O2, is
 * in a register only. WRITTEN: which bytes of a block were written. TOUCHED: what a thread has read since
 * its last visible step. OPERAND: what a thread is about to store. WORD: which variable has a value. TAG: the
 * tag in a pointer. EQUAL: which pointers on a stack are equal. LEADS: where a pointer leads that a thread is about to
 * store. LAG: how often a call was overtaken. Each ends in a state that is reached through two others which differ in
 * nothing else. OWN: a thread looks at its own stack, where another has written: one of the two comes first. */
// run: -DOFFSET => violated assertion
// run: -DFREED --unbounded=1 => violated double-free
// run: -DREGISTER -O2 => violated assertion
// run: -DREGISTER => violated assertion
// run: -DWRITTEN --unbounded=1 => violated uninitialised-read
// run: -DWRITTEN -DINTS=8 --unbounded=1 => violated uninitialised-read
// run: -DEQUAL --unbounded=1 => violated assertion
// run: -DEQUAL -O2 --unbounded=1 => violated assertion
// run: -DLEADS -O2 => violated assertion
// run: -DTOUCHED --races=error => violated race
// run: -DOPERAND -O2 => violated assertion
// run: -DWORD --unbounded=1 => violated assertion
// run: -DTAG=0 --unbounded=1 => violated assertion
// run: -DTAG=1 --unbounded=1 => violated assertion
// run: -DLAG --lag=2 => holds 4
// run: -DOWN => violated assertion
// run: -DOWN -O2 => violated assertion
#include <assert.h>
#include <heddle.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef OFFSET
static _Atomic(int *) at;
HD_INIT
{
    atomic_store(&at, calloc(2, sizeof(int)));
}
HD_OP(forward)
{
    int *p = atomic_load(&at);
    atomic_store(&at, p + 1);
    return HD_VOID;
}
HD_OP(look)
{
    static int *first;
    if (!first)
        first = atomic_load(&at);
    assert(atomic_load(&at) == first);
    return HD_VOID;
}
#elif defined FREED
static int *cell;
static atomic_int nothing; /* a visible step, after which only the block tells */
HD_INIT
{
    cell = calloc(1, sizeof *cell);
}
HD_OP(give_back)
{
    free(cell);
    atomic_store(&nothing, 0);
    return HD_VOID;
}
#elif defined WRITTEN
#ifndef INTS
#define INTS 1
#endif
static _Atomic(atomic_int *) box;
HD_INIT
{
    atomic_int *first = malloc(INTS * sizeof *first);
    atomic_store(first, 0);
    atomic_store(&box, first);
}
HD_OP(renew)
{
    atomic_store(&box, malloc(INTS * sizeof(atomic_int)));
    return HD_VOID;
}
HD_OP(look) { return HD_INT(atomic_load(atomic_load(&box))); }
#elif defined TOUCHED
static atomic_int open, other;
static int plain;
HD_OP(toggle) { return HD_INT(atomic_fetch_xor(&open, 1)); }
HD_OP(look)
{
    int seen = 0;
    if (atomic_load(&open))
        seen = plain;
    seen = 0;
    return HD_INT(atomic_load(&other) + seen);
}
HD_OP(write) /* while it is closed again, and the one that looked inside stands behind */
{
    if (!atomic_load(&open))
        plain = 0;
    return HD_VOID;
}
#elif defined OPERAND
static atomic_int x;
HD_OP(set)
{
    atomic_store(&x, (int)heddle_choose(2) + 1);
    atomic_store(&x, 0);
    return HD_VOID;
}
HD_OP(look)
{
    assert(atomic_load(&x) != 2);
    return HD_VOID;
}
#elif defined EQUAL
static int *cell[2];
static atomic_int x;
HD_INIT
{
    for (int i = 0; i < 2; i++)
        cell[i] = calloc(1, sizeof(int));
}
HD_OP(look)
{
    int *volatile own[3] = {cell[0], cell[1], NULL};
    own[2] = own[heddle_choose(2)];
    atomic_load(&x);
    assert(own[2] != own[1]);
    return HD_VOID;
}
#elif defined LEADS
static int *cell[2];
static atomic_int x;
static _Atomic(int *) at;
HD_INIT
{
    for (int i = 0; i < 2; i++)
        cell[i] = calloc(1, sizeof(int));
}
HD_OP(set)
{
    int *own = cell[heddle_choose(2)];
    atomic_load(&x); /* from here on which cell was read does not matter */
    atomic_store(&at, own);
    atomic_store(&at, NULL);
    return HD_VOID;
}
HD_OP(look)
{
    assert(atomic_load(&at) != cell[1]);
    return HD_VOID;
}
#elif defined WORD
static atomic_long x, y;
HD_OP(set_x) { atomic_store(&x, 1); return HD_VOID; }
HD_OP(set_y)
{
    if (!atomic_load(&x))
        atomic_store(&y, 1);
    return HD_VOID;
}
HD_OP(look)
{
    assert(!atomic_load(&y));
    return HD_VOID;
}
#elif defined OWN
typedef struct Slot {
    int value;
    atomic_int done;
} Slot;
static _Atomic(Slot *) lent;
HD_OP(lend)
{
    Slot mine = {0}, *none = NULL, *own = &mine;
    if (!atomic_compare_exchange_strong(&lent, &none, &mine))
        return HD_VOID;
    int seen = mine.value;
    if (!atomic_compare_exchange_strong(&lent, &own, NULL))
        while (!atomic_load(&mine.done))
            ;
    assert(!seen);
    return HD_VOID;
}
HD_OP(take)
{
    Slot *other = atomic_exchange(&lent, NULL);
    if (other) {
        other->value = 1;
        atomic_store(&other->done, 1);
    }
    return HD_VOID;
}
#elif defined TAG
static atomic_uintptr_t at; /* with the tag TAG, or two more */
HD_INIT { atomic_store(&at, (uintptr_t)calloc(1, sizeof(int)) + ((uintptr_t)TAG << 48)); }
HD_OP(flip)
{
    atomic_fetch_xor(&at, (uintptr_t)2 << 48);
    return HD_VOID;
}
HD_OP(look)
{
    assert(atomic_load(&at) >> 48 == TAG);
    return HD_VOID;
}
#elif defined LAG /* the one that is slow is idle, or was overtaken 0, 1 or 2 times: four states */
static atomic_int x;
HD_SINGLE("slow | quick")
HD_OP(slow)
{
    atomic_load(&x);
    atomic_load(&x);
    return HD_VOID;
}
HD_OP(quick)
{
    atomic_load(&x);
    return HD_VOID;
}
#else
static atomic_int x;
HD_OP(toggle)
{
    return HD_INT(atomic_fetch_xor(&x, 1));
}
HD_OP(look)
{
    int first = atomic_load(&x), second = atomic_load(&x);
    assert(!(first && !second));
    return HD_INT(first);
}
#endif
