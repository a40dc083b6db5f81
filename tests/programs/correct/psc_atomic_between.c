// expect: holds
// psc_plain_between.c with a relaxed store to another location in between: x = 1 ->po≠loc a = 1 ->hb r1 == 2 ->po≠loc z == 0 ->fr
// z = 1 ->po x == 0 ->fr x = 1 is a cycle of psc, so that RC11 forbids the outcome.
#define BETWEEN atomic_store_explicit(&a, 1, memory_order_relaxed)
#include "../wrong/psc_plain_between.c"
