#include <heddle.h>
#include <stdatomic.h>
static atomic_int state, x; /* readers; 7: a writer */
HD_OP(get)
{
    int s = atomic_load(&state);
    for (;;) {
        if (s == 7)
            s = atomic_load(&state);
        else if (atomic_compare_exchange_strong(&state, &s, s + 1))
            break;
    }
    int v = atomic_load(&x);
    atomic_fetch_sub(&state, 1);
    return HD_INT(v);
}
static void set(int v)
{
    for (int s = 0; !atomic_compare_exchange_strong(&state, &s, 7);)
        s = 0;
    atomic_store(&x, v);
    atomic_store(&state, 0);
}
HD_OP(set1) { set(1); return HD_VOID; }
HD_OP(set2) { set(2); return HD_VOID; }
