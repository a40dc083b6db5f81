// Reads that are made late (guest/states/steps/late.h), where a single test shows what a clause of the rule is for.
// Which states with threads that are late are the same: `wait` and `look` come to one place whichever way they go, with
// nothing left of what they have read; but if they have passed the gate, and `close` (`end`) says so, the history is
// another one. Then the only order is `open` (`let`), the thread, `close` (`end`), and the thread must return 0.
// `wait`: it stands there because of its write, or is late behind its read of `shut`, which only `open` writes. If
// the two are taken for the same, its own step is not made from there before that of `open`.
// `look`: it is late behind its read of y, or behind that of x. If the two are taken for the same, `set_y` does not follow.
// A thread is late while a store is in its buffer: `hide` reads x = 0, then y = 1, which `seek` has written because it did
// not see the store. Under sc it sees it, or `hide` reads x = 1.
// run: HEDDLE_DEBUG=states=always,check-steps --model=sc --scenario=close()|open()|wait() => violated linearizability
// run: HEDDLE_DEBUG=states=always,check-steps --model=tso --scenario=close()|open()|wait() => violated linearizability
// run: HEDDLE_DEBUG=states=always,check-steps --model=sc --scenario=let()|end()set_x()|look()|set_y() => violated linearizability
// run: HEDDLE_DEBUG=states=always,check-steps --model=tso --scenario=let()|end()set_x()|look()|set_y() => violated linearizability
// run: HEDDLE_DEBUG=states=always,check-steps --model=tso --scenario=hide()|seek() => violated linearizability
// run: HEDDLE_DEBUG=states=always,check-steps --model=sc --scenario=hide()|seek() => holds
// run: HEDDLE_DEBUG=states=never --model=tso --scenario=hide()|seek() => violated linearizability
// run: HEDDLE_DEBUG=states=never --model=sc --scenario=close()|open()|wait() => violated linearizability
// run: HEDDLE_DEBUG=states=never --model=sc --scenario=let()|end()set_x()|look()|set_y() => violated linearizability
#include <heddle.h>
#include <stdatomic.h>
static atomic_int gate, passed, closed, shut, x, y, mine;
HD_OP(close)
{
    int somebody = atomic_exchange(&passed, 0);
    atomic_exchange(&gate, 0);
    atomic_exchange(&closed, 1);
    return HD_BOOL(somebody);
}
HD_OP(open)
{
    atomic_exchange(&gate, 1);
    atomic_exchange(&shut, 1);
    return HD_BOOL(0);
}
HD_OP(wait)
{
    if (atomic_load(&gate))
        atomic_exchange(&passed, 1);
    else
        (void)atomic_load(&shut);
    return HD_BOOL(atomic_load(&closed) && !atomic_load(&shut));
}
HD_OP(let) /* the gate is 1 when it is open, 2 when it was closed for ever */
{
    int shut_so_far = 0;
    atomic_compare_exchange_strong(&gate, &shut_so_far, 1);
    return HD_BOOL(0);
}
HD_OP(end)
{
    int somebody = atomic_exchange(&passed, 0);
    atomic_exchange(&gate, 2);
    atomic_exchange(&closed, 1);
    return HD_BOOL(somebody);
}
HD_OP(set_x)
{
    return HD_BOOL(atomic_exchange(&x, 1) > 1);
}
HD_OP(set_y)
{
    if (atomic_load(&closed))
        atomic_exchange(&y, 1);
    return HD_BOOL(0);
}
HD_OP(look)
{
    int seen;
    if (atomic_load(&gate) == 1) {
        atomic_exchange(&passed, 1);
        if (!atomic_load(&closed))
            return HD_BOOL(0);
        seen = atomic_load(&y);
    } else {
        seen = atomic_load(&x);
    }
    return HD_BOOL(!seen && atomic_load(&y) && !atomic_load(&x));
}
HD_OP(hide)
{
    atomic_store_explicit(&mine, 1, memory_order_release);
    int seen = atomic_load(&x);
    return HD_BOOL(!seen && atomic_load(&y));
}
HD_OP(seek)
{
    atomic_exchange(&x, 1);
    if (!atomic_load(&mine))
        atomic_exchange(&y, 1);
    return HD_BOOL(0);
}
