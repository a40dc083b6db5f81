/* An integer that is accessed as a whole and by its bytes, in tests that are decided by states after executions: these
 * take accesses to less than the integer for ones to a part of it, states know bytes only. Two calls of `mark' that see the
 * same are wrong, whatever was set before: the second one, in whichever order, sees the mark of the first. ONCE: `mark'
 * is one step, and each call sees another number of marks or fewer bits set: that holds. */
// run: HEDDLE_DEBUG=states=always --model=sc --scenario=set();mark()|mark() => violated linearizability
// run: HEDDLE_DEBUG=states=always --model=tso --scenario=set();mark()|mark() => violated linearizability
// run: HEDDLE_DEBUG=states=always -DONCE --model=sc --scenario=set();mark()|mark() => holds
// run: HEDDLE_DEBUG=states=always -DONCE --model=tso --scenario=set();mark()|mark() => holds
#include <heddle.h>
static union {
    int whole;
    unsigned char byte[4];
} both;
HD_OP(set)
{
    __atomic_store_n(&both.byte[0], 1, __ATOMIC_RELEASE);
    return HD_VOID;
}
HD_OP(mark)
{
#ifdef ONCE
    return HD_INT(__atomic_fetch_or(&both.whole, 1 << 24, __ATOMIC_SEQ_CST));
#else
    int seen = __atomic_load_n(&both.whole, __ATOMIC_ACQUIRE);
    __atomic_store_n(&both.byte[3], 1, __ATOMIC_RELEASE);
    return HD_INT(seen);
#endif
}
