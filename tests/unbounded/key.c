/* States that differ in one thing only: what a key must not leave out. OFFSET: which part of a
 * block a pointer leads to. FREED: whether a block was freed. REGISTER: a value that, with -O2, is
 * in a register only. Each ends in a state that is reached through two others which differ in
 * nothing else. */
// run: -DOFFSET => violated assertion
// run: -DFREED --unbounded=1 => violated double-free
// run: -DREGISTER -O2 => violated assertion
// run: -DREGISTER => violated assertion
#include <assert.h>
#include <heddle.h>
#include <stdatomic.h>
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
