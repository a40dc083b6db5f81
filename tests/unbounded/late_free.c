/* A reader looks into an object as long as the count is 0, and then counts up, as a pop looks into the node that it takes;
 * who counts up from 0 owns the object, and frees it, perhaps much later. So a reader looks into an object that is freed
 * only if it fails to count up: no execution shows this in which the reader succeeds at once. The verdict must not depend
 * on the order of the threads, nor on which reads are merged (guest/explore/reduce/confirm/confirm.h).
 * The reader looks by a plain access, by a function of the library (TEXT) or by an atomic access (ATOMIC), and goes on
 * with what its compare-exchange has found (FOUND), or looks at the count once more before it (AGAIN).
 * GUARDED: readers count themselves in, and the owner waits until none is inside; it holds, since the count never comes back
 * to 0, so that who counts itself in later does not look. */
// run: HEDDLE_DEBUG=states=never,eager-confirm --scenario=use()|take()finish() => violated use-after-free
// run: HEDDLE_DEBUG=states=never,eager-confirm --scenario=take()finish()|use() => violated use-after-free
// run: HEDDLE_DEBUG=states=never,eager-confirm --scenario=use()|use()|take()finish() => violated use-after-free
// run: HEDDLE_DEBUG=states=never,eager-confirm --scenario=take()finish()|use()|use() => violated use-after-free
// run: HEDDLE_DEBUG=states=never,eager-confirm --scenario=finish()|take()|use() => violated use-after-free
// run: HEDDLE_DEBUG=states=never,eager-confirm --scenario=use()|take()|finish() => violated use-after-free
// run: HEDDLE_DEBUG=states=never,eager-confirm --model=sc --scenario=use()|take()finish() => violated use-after-free
// run: HEDDLE_DEBUG=states=never,eager-confirm --model=tso --scenario=use()|take()finish() => violated use-after-free
// run: HEDDLE_DEBUG=states=always --model=sc --scenario=use()|take()|finish() => violated use-after-free
// run: HEDDLE_DEBUG=states=always --model=tso --scenario=use()|take()|finish() => violated use-after-free
// run: HEDDLE_DEBUG=states=never,eager-confirm -DFOUND --scenario=use()|take()finish() => violated use-after-free
// run: HEDDLE_DEBUG=states=never,eager-confirm -DAGAIN --scenario=use()|take()finish() => violated use-after-free
// run: HEDDLE_DEBUG=states=never,eager-confirm -DTEXT --scenario=use()|take()finish() => violated use-after-free
// run: HEDDLE_DEBUG=states=never,eager-confirm -DATOMIC --scenario=use()|take()finish() => violated use-after-free
// run: HEDDLE_DEBUG=states=never,eager-confirm -DGUARDED --scenario=use()|use()|take()finish() => holds
// run: HEDDLE_DEBUG=states=never,eager-confirm -DGUARDED --scenario=take()finish()|use()|use() => holds
// run: HEDDLE_DEBUG=states=always -DGUARDED --model=tso --scenario=use()|use()|take()finish() => holds
#include <heddle.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct object {
    int plain;
    atomic_int atomic;
    char text[4];
};
static struct object *object;
static atomic_int count, mine, inside;
_Thread_local int seen;
static void look(void)
{
#if defined TEXT
    seen = (int)strlen(object->text);
#elif defined ATOMIC
    seen = atomic_load_explicit(&object->atomic, memory_order_relaxed);
#else
    seen = object->plain;
#endif
}
#ifdef GUARDED /* counts itself in, then looks at the count: the owner does it the other way round */
#define ORDER memory_order_seq_cst
#else
#define ORDER memory_order_acquire
#endif
static void use(void)
{
    for (;;) {
        int v = atomic_load_explicit(&count, ORDER);
#ifdef FOUND
        do {
            if (v == 0)
                look();
        } while (!atomic_compare_exchange_strong(&count, &v, v + 1));
        return;
#endif
        if (v == 0)
            look();
#ifdef AGAIN
        if (atomic_load_explicit(&count, ORDER) != v)
            continue;
#endif
        if (atomic_compare_exchange_strong_explicit(&count, &v, v + 1, memory_order_acq_rel, memory_order_relaxed))
            return;
    }
}
HD_INIT { object = calloc(1, sizeof *object); }
HD_OP(use)
{
#ifdef GUARDED
    atomic_fetch_add(&inside, 1);
#endif
    use();
#ifdef GUARDED
    atomic_fetch_sub(&inside, 1);
#endif
    return HD_VOID;
}
HD_OP(take)
{
    int v = atomic_load(&count);
    while (!atomic_compare_exchange_strong(&count, &v, v + 1))
        ;
    if (v == 0)
        atomic_store(&mine, 1);
    return HD_VOID;
}
HD_OP(finish)
{
    if (!atomic_exchange(&mine, 0))
        return HD_VOID;
#ifdef GUARDED
    while (atomic_load(&inside))
        ;
#endif
    free(object);
    return HD_VOID;
}
