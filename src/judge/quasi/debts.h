/* debts.h: what p and p' owe each other in one class, the core of quasi linearizability. A run p is
 * read place by place while p' is written in lockstep (relax_steps.c has the argument). Operations
 * that p has had and p' has not are late, those that p' has had and p has not are promised; there
 * are equally many. What stays late or promised gets one place older at every place of the class,
 * and at the age of the factor it must be gone.
 *
 * Three searches are made of this: the relaxed automaton (relax_steps.c), which must guess among
 * all calls that could ever come; the search along one history (quasi.c) and the one behind its end
 * (quasi_end.c), which know what can still be read in time. refine/relax.c has entries of its own,
 * and says why (refine/automaton.h). */
#ifndef HEDDLE_QUASI_DEBTS_H
#define HEDDLE_QUASI_DEBTS_H
#include "base/common.h"

#define DEBTS_LARGEST 63u /* factor */

/* Entries are label << 16 | age, sorted: equal labels stand together, the oldest last. */
typedef struct DebtList {
    uint32_t count;
    uint64_t at[DEBTS_LARGEST + 2];
} DebtList;
typedef struct Debts {
    DebtList late, promised;
} Debts;

static inline uint32_t debts_label(uint64_t entry)
{
    return (uint32_t)(entry >> 16);
}
static inline uint32_t debts_age(uint64_t entry)
{
    return (uint32_t)(entry & 0xFFFF);
}
/* Is there an older entry equal to entry I among the first COUNT? Only the oldest of equal ones
 * need be settled. */
static inline bool debts_repeats(const DebtList *list, uint32_t count, uint32_t i)
{
    return i + 1 < count && debts_label(list->at[i + 1]) == debts_label(list->at[i]);
}

void debts_copy(Debts *to, const Debts *from); /* copies what is there, not the whole room */
/* Appends a new entry, of age 0; false if there is no room. The list is sorted by debts_pass. */
MUST_USE bool debts_add(DebtList *list, uint32_t label);
void debts_remove(DebtList *list, uint32_t i);
void debts_sort(uint64_t *entries, uint32_t count); /* few of them */
/* Passes a place of the class: all entries get older but the one that was added there, the last of
 * its list (at most one of each list). False if an entry is not gone in time. */
bool debts_pass(Debts *debts, bool late_added, bool promised_added, uint32_t factor);

/* The words of a state: promised count << 32 | late count, the late entries, the promised ones. */
#define DEBTS_WORDS (1 + 2 * (DEBTS_LARGEST + 2))
static inline size_t debts_words(const uint64_t *words)
{
    return 1 + (size_t)(words[0] & UINT32_MAX) + (size_t)(words[0] >> 32);
}
void debts_read(const uint64_t *words, Debts *out);
size_t debts_write(const Debts *debts, uint64_t *to); /* returns how many words */
#endif
