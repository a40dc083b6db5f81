// A volatile read, and then a plain write of the same variable: what the write leaves must stay, whatever the hook
// of the read has put into memory for the native instruction.
// run: => holds
// run: -O2 => holds
// run: --model=tso => holds
// run: -DLOST => violated
// run: -DLOST -O2 => violated
#include <assert.h>
#include <heddle.h>
#include <stdatomic.h>
static atomic_flag lock;
static atomic_int visits;
static long turn, *heap;
#include <stdlib.h>
HD_INIT { turn = 0; heap = malloc(sizeof *heap); *heap = *(volatile long *)&turn; turn = 1; visits = 0; }
HD_OP(flip)
{
    while (atomic_flag_test_and_set(&lock))
        ;
    long old = *(volatile long *)&turn, older = *(volatile long *)heap;
    turn = 1 - old;
    atomic_store(&visits, 1);
    assert(turn == 1 - old);
    long read = *(volatile long *)heap;
    *heap = 1 - read;
    long seen = *heap;
    assert(seen == 1 - read && older == read);
#ifdef LOST
    turn = old;
#endif
    atomic_flag_clear(&lock);
    return HD_INT((int)old);
}
HD_OP(look)
{
    while (atomic_flag_test_and_set(&lock))
        ;
    int is = (int)*(volatile long *)&turn;
    assert((is == 1) == (*heap == 0));
    atomic_flag_clear(&lock);
    return HD_INT(is);
}
