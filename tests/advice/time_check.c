// asks: check --shape=4x4 --samples=1 --time=4s --no-reductions
// reason: the time limit of 4 s was reached
// advice: a smaller test, like --scenario='.*', which was tried: it holds
// then: check --no-reductions @--scenario
// better: holds
#include <heddle.h>
#include <stdatomic.h>
static atomic_int value;
HD_OP(put, int, v, 1, 2)
{
    atomic_store(&value, v);
    return HD_VOID;
}
HD_OP(get)
{
    return HD_INT(atomic_load(&value));
}
