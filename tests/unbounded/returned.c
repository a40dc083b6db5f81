// A call lends a local variable, and takes it back before it returns, or waits until the borrower is done: nothing that
// others notice. EARLY: it does not wait, and the borrower may look at a variable that is gone. To return is no access; so
// whether a step that looks at the variable can be followed must not be foreseen (guest/states/steps/taken.h).
// 37_unbounded.sh sees that executions, which states leave it to, find that in the test borrow() | lend().
// run: => holds
// run: HEDDLE_DEBUG=states=always,check-steps --model=sc --scenario=borrow()|lend() => holds
// run: HEDDLE_DEBUG=states=always,check-steps --model=tso --scenario=borrow()|lend() => holds
#include <heddle.h>
#include <stdatomic.h>
typedef struct Slot {
    int value;
    atomic_int done;
} Slot;
static _Atomic(Slot *) slot;
static atomic_int x;
HD_OP(borrow)
{
    Slot *lent = atomic_exchange(&slot, NULL);
    atomic_load(&x);
    if (lent) {
        lent->value++;
        atomic_store(&lent->done, 1);
    }
    return HD_VOID;
}
HD_OP(lend)
{
    Slot mine = {0}, *old = NULL;
    if (!atomic_compare_exchange_strong(&slot, &old, &mine))
        return HD_VOID;
    old = &mine;
    if (!atomic_compare_exchange_strong(&slot, &old, NULL)) {
#ifndef EARLY
        while (!atomic_load(&mine.done)) {
        }
#endif
    }
    return HD_VOID;
}
