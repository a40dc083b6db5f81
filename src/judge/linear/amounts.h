/* amounts.h: what each operation of a group does to the numbers of which the state consists, such
 * as the accounts of a bank. Where the result can be read in two ways, the way that is possible;
 * nothing if both are. Depends on libc only. */
#ifndef HEDDLE_LINEAR_AMOUNTS_H
#define HEDDLE_LINEAR_AMOUNTS_H
#include "judge/linear/plan.h"

typedef struct Amount {
    uint32_t member;             /* of the group */
    uint32_t number;             /* index */
    int64_t change, least, most; /* as in SpecAmount */
} Amount;
typedef struct Amounts {
    Vec(Amount) all;     /* by member */
    Vec(uint32_t) first; /* of member m: all.at[first.at[m] .. first.at[m + 1]) */
    Vec(int64_t) start;  /* by number */
    /* private */
    HashMap numbers; /* word of a place -> number; only of those that some operation changes */
    SpecAmounts told;
} Amounts;
/* Fills *amounts, reusing its memory; false if the specification has no numbers, or nothing changes
 * them. */
bool amounts_find(Amounts *amounts, const Plan *plan, const PlanGroup *group);
void amounts_free(Amounts *amounts);
#endif
