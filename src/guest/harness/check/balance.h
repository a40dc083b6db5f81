/* balance.h: tests made well-formed. Where an element was put and not taken, a specification that
 * compares whole runs (slot and def4 of relax.h, serial runs) has nothing to say about what would
 * have come next; as many takes as puts, after the threads have ended, cure that (Round-Up, section
 * V.D). */
#ifndef HEDDLE_HARNESS_CHECK_BALANCE_H
#define HEDDLE_HARNESS_CHECK_BALANCE_H
#include "guest/harness/check/testcase.h"

typedef enum BalanceRole { BALANCE_OTHER, BALANCE_PUT, BALANCE_TAKE } BalanceRole;

typedef struct Balance {
    const uint8_t *role;       /* by call: BalanceRole */
    const uint16_t *operation; /* by call: which operation it calls; those of one stand together */
    uint32_t calls;
} Balance;

/* Adds takes to the column after the threads until there are as many as puts. False if there is no
 * take to add, or no room. */
MUST_USE bool balance_drain(const Balance *balance, TestCase *test);
/* Lets main make COUNT calls: puts before the threads and takes after them, such that the test has
 * as many takes as puts, or one more if it can't be otherwise. False if so few calls can't balance
 * it. */
MUST_USE bool balance_frame(const Balance *balance, uint32_t count, TestCase *test);
/* Are there as many takes as puts, or more? */
bool balance_holds(const Balance *balance, const TestCase *test);
/* Gives the puts of each operation the arguments of its first, second, ... call, in the order of
 * time for those of main: different values as far as there are any. */
void balance_spread(const Balance *balance, TestCase *test);
#endif
