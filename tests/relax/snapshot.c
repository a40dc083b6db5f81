/* Two cells that are read one after the other: a scan may see a later write and miss an earlier
 * one. That fits an order of the writes if two threads make them; if it is one, the scan is at
 * fault, which quiescent consistency allows since the scan is there all the time. TWICE: it reads
 * until two collects are equal (Afek and others 1993): linearizable, as long as no value comes
 * back. */
#include <heddle.h>
#include <stdatomic.h>
static atomic_int cells[2];
HD_OP(first, int, v, 1)
{
    atomic_store(&cells[0], v);
    return HD_VOID;
}
HD_OP(second, int, v, 1)
{
    atomic_store(&cells[1], v);
    return HD_VOID;
}
HD_OP(scan)
{
    int a = atomic_load(&cells[0]), b = atomic_load(&cells[1]);
#ifdef TWICE
    for (int c = -1, d = -1; a != c || b != d;) {
        c = a;
        d = b;
        a = atomic_load(&cells[0]);
        b = atomic_load(&cells[1]);
    }
#endif
    return HD_INT(a * 10 + b);
}
