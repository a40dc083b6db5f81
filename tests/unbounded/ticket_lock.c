/* A ticket lock whose tickets count modulo 4, and one whose tickets count for ever. M1: a ticket is
 * taken by a load and a store. M2: it counts modulo 2, so that with three threads two hold the same
 * ticket. */
// run: --unbounded=3 => holds
// run: --model=tso --unbounded=3 => holds
// run: -DM1 --unbounded=2 => violated assertion
// run: -DM2 --unbounded=2 => holds
// run: -DM2 --unbounded=3 => violated assertion
// run: -DFOR_EVER --unbounded=2 => inconclusive
// run: -DFOR_EVER -DTICKETS --unbounded=3 => holds
// run: -DFOR_EVER -DTICKETS -DHEAP --unbounded=2 => holds
// run: -DFOR_EVER -DTICKETS -DM1 --unbounded=2 => violated assertion
#include "lock.h"
#ifdef M2
#define NEXT(x) (((x) + 1) % 2)
#elif defined FOR_EVER
#define NEXT(x) ((x) + 1)
#else
#define NEXT(x) (((x) + 1) % 4)
#endif
#ifdef HEAP
#include <stdlib.h>
static struct Words {
    atomic_uint next, serving;
} *words;
HD_INIT
{
    words = malloc(sizeof *words);
    atomic_init(&words->next, HD_TICKET(0));
    atomic_init(&words->serving, HD_TICKET(0));
}
#define next words->next
#define serving words->serving
#elif defined TICKETS
static atomic_uint next = HD_TICKET(0), serving = HD_TICKET(0);
#else
static atomic_uint next, serving;
#endif
HD_OP(enter)
{
    unsigned mine = atomic_load(&next);
#ifdef M1
    atomic_store(&next, NEXT(mine));
#elif defined TICKETS
    mine = atomic_fetch_add(&next, 1);
#else
    while (!atomic_compare_exchange_strong(&next, &mine, NEXT(mine)))
        ;
#endif
    while (atomic_load(&serving) != mine)
        ;
    int was = critical();
    atomic_store(&serving, NEXT(mine));
    return HD_INT(was);
}
