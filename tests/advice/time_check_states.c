// asks: check --shape=4x4 --samples=1 --time=2s --no-reductions --model=sc
// reason: the time limit of 2 s was reached
// advice: all tests of any length at once, by states instead of executions: --unbounded
// then: check --model=sc --spec=register @--unbounded
// better: holds
#include <heddle.h>
#include <stdatomic.h>
static atomic_int value;
HD_OP(write, int, v, 1, 2)
{
    atomic_store(&value, v);
    return HD_VOID;
}
HD_OP(read)
{
    int seen = atomic_load(&value);
    return seen ? HD_INT(seen) : HD_NONE;
}
