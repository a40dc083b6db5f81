#include <heddle.h>
#include <stdatomic.h>
static atomic_uint next; /* the two lowest bits count */
static atomic_uchar serving;
static atomic_int v;
HD_OP(add)
{
    unsigned mine = atomic_load(&next);
    while (!atomic_compare_exchange_strong(&next, &mine, (mine + 1) % 4))
        ;
    while (atomic_load(&serving) != mine)
        ;
    int x = atomic_load(&v);
    atomic_store(&v, (x + 1) % 3);
    atomic_store(&serving, (unsigned char)((mine + 1) % 4));
    return HD_INT(x);
}
