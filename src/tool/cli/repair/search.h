/* search.h: which smallest sets of memory orders must be stronger for a program to hold?
 *
 * A place is an operation whose order may be raised, or where a fence may be put. An assignment
 * gives each place an order: its present one, or one of its levels. Assignments are ordered place
 * by place, and a stronger one admits no execution more: what holds with an assignment holds with
 * all that are stronger, what is violated is violated with all that are weaker. So most of the
 * lattice is decided by few questions; the program itself is behind a callback, asked for many
 * assignments at once.
 *
 * The sets that are found are minimal: with any weaker assignment the program is violated. */
#ifndef HEDDLE_CLI_REPAIR_SEARCH_H
#define HEDDLE_CLI_REPAIR_SEARCH_H
#include "base/arena.h"
#include "base/vec.h"
#include "record/kinds.h"

#define REPAIR_LEVELS 4

typedef struct RepairPlace {
    uint8_t present;               /* ORDER_*; of a fence that is not there: ORDER_RELAXED */
    uint8_t level_count;           /* 0: it can't be stronger */
    uint8_t levels[REPAIR_LEVELS]; /* weaker ones first */
    bool fence;                    /* it is a fence that is not there */
} RepairPlace;

typedef struct RepairSearch {
    Arena *arena;
    const RepairPlace *places; /* fences after all others */
    unsigned count, fences;    /* places in all; how many of them are fences */
    unsigned most;             /* changed accesses at most */
    bool first;                /* the sets of the smallest size that has any are enough */
    bool fences_anyway;        /* a fence may do what the strongest orders do not */
    /* Decides COUNT assignments, each with an order for every place. */
    void (*ask)(void *context, const uint8_t *const *assignments, size_t count, Verdict *verdicts);
    bool (*over)(void *context); /* is there no time for another question? May be NULL */
    void *context;
    /* what is found */
    Verdict strongest;         /* with every order at its strongest, and no new fence */
    Vec(const uint8_t *) sets; /* minimal assignments with which it holds, smaller ones first */
    unsigned decided;          /* all sets of up to so many accesses were decided */
    bool minimal;              /* nothing was left undecided that is weaker than a set */
    bool larger;               /* sets of more than MOST accesses were looked for, one at a time */
    bool with_fences;          /* sets with fences were looked for: a fence alone, and with one
                                  other place */
    /* inside */
    Vec(const uint8_t *) holding, violated;
    bool *essential;
} RepairSearch;

/* Fills the levels of a place for an operation that READS, WRITES or both (a fence does both). */
void repair_levels(RepairPlace *place, bool reads, bool writes);
/* Is order A at least as strong as B? */
bool repair_at_least(unsigned a, unsigned b);
void repair_search(RepairSearch *search);
void repair_search_free(RepairSearch *search);
/* How many places ASSIGNMENT changes. */
unsigned repair_changed(const RepairSearch *search, const uint8_t *assignment);
#endif
