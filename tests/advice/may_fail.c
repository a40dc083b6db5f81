// daily
// asks: check --shape=2x1
// hint: It fails only while another call is open: if get may give none and do nothing then, HD_MAY_FAIL\(get, HD_NONE\) says so
// then: check --shape=2x2 -DFOLLOWED
// better: holds
#include <heddle.h>
#include <stdatomic.h>
static atomic_int lock, content;
HD_OP(put, int, v, 1, 2)
{
    while (atomic_exchange(&lock, 1))
        ;
    content = v;
    lock = 0;
    return HD_VOID;
}
HD_OP(get)
{
    if (atomic_exchange(&lock, 1))
        return HD_NONE;
    int v = content;
    lock = 0;
    return HD_INT(v);
}
#ifdef FOLLOWED
HD_MAY_FAIL(get, HD_NONE)
#endif
