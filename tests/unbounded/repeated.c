/* Steps that were made before, but for what no access announces, or only a part of an access shows
 * (guest/states/steps/repeat.h). A slot holds a heap object or nothing. SIZE: objects differ in their sizes alone, and
 * lie at the same address. HALF: who has taken one writes half of it before it reads the whole. TEXT: the result is a
 * string that no access has read. LOCAL: who has taken one keeps what it holds in an atomic variable of its own. FREED:
 * it is freed where somebody is about to look at it, and looks the same then. SITES: it is filled in after others can
 * read it. */
// run: -DSIZE --unbounded=2 --spec=observed => holds
// run: HEDDLE_DEBUG=check-steps -DSIZE --unbounded=2 --spec=observed => holds
// run: -DHALF --unbounded=2 --spec=observed => holds
// run: HEDDLE_DEBUG=check-steps -DHALF --unbounded=2 --spec=observed => holds
// run: -DTEXT --unbounded=2 --spec=observed => holds
// run: HEDDLE_DEBUG=check-steps -DTEXT --unbounded=2 --spec=observed => holds
// run: -DLOCAL --unbounded=2 --spec=observed => holds
// run: HEDDLE_DEBUG=check-steps -DLOCAL --unbounded=2 --spec=observed => holds
// run: -DFREED --unbounded=2 --spec=observed => violated use-after-free
// run: -DSITES --unbounded=2 --spec=observed => violated
#include <heddle.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
typedef union Object { struct { unsigned low, high; } half; unsigned long long whole; char text[8]; } Object;
static _Atomic(Object *) slot;
static atomic_int between;
HD_OP(put, int, v, 1, 2)
{
    Object *o = calloc(v, sizeof *o);
#if defined HALF || defined LOCAL
    o->half.high = v;
#elif defined TEXT
    strcpy(o->text, v == 1 ? "one" : "two");
#endif
    atomic_exchange(&slot, o);
#ifdef SITES
    o->half.high = v;
#endif
    return HD_VOID;
}
HD_OP(take)
{
    Object *o = atomic_exchange(&slot, NULL);
    if (!o)
        return HD_NONE;
#ifdef SIZE
    return HD_INT(malloc_usable_size(o) / sizeof *o);
#elif defined HALF
    o->half.low = 7;
    __asm__ volatile("" : : "r"(o) : "memory");
    return HD_INT(o->whole);
#elif defined LOCAL
    atomic_uint sum = 1;
    atomic_fetch_add(&sum, o->half.high);
    atomic_load(&between);
    atomic_fetch_add(&sum, sum);
    return HD_INT(sum);
#elif defined TEXT
    return HD_STR(o->text);
#elif defined FREED
    if (!atomic_load(&between))
        free(o);
    return HD_NONE;
#else
    return HD_INT(o->half.high);
#endif
}
#if defined FREED || defined SITES
HD_OP(look)
{
    Object *o = atomic_load(&slot);
    atomic_exchange(&between, 1);
    int found = o ? (int)o->half.high : 0;
    atomic_store(&between, 0);
    return o ? HD_INT(found) : HD_NONE;
}
#endif
