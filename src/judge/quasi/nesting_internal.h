/* nesting_internal.h: what nesting.c (rules and guesses) and nesting_places.c (places in the order
 * of a class) share. */
#ifndef HEDDLE_QUASI_NESTING_INTERNAL_H
#define HEDDLE_QUASI_NESTING_INTERNAL_H
#include "base/vec.h"
#include "judge/quasi/nesting.h"

#define NESTING_NEVER UINT32_MAX

typedef struct NestingPair { /* x < y */
    uint16_t x, y;
} NestingPair;

typedef struct NestingRow {
    uint64_t word[NESTING_MOST / 64];
} NestingRow;

typedef struct NestingPlace {
    uint32_t first, last;
} NestingPlace;

typedef struct NestingGroup { /* the puts, or the takes, in the order of their calls */
    uint32_t ops[NESTING_MOST], count;
    uint32_t events[2 * NESTING_MOST]; /* index * 2, + 1 for a return, in the order of positions */
    uint32_t factor;
    bool changed; /* a pair was decided since places were looked at */
    NestingRow members;
    NestingPlace in_p[NESTING_MOST],
        in_spec[NESTING_MOST]; /* by index: where it can be in p, in p' */
} NestingGroup;

typedef struct Nesting {
    const NestingProblem *problem;
    const RanksOp *ops;
    uint32_t count, words;
    NestingRow after[NESTING_MOST], before[NESTING_MOST]; /* by x: y with x < y, with y < x */
    NestingGroup group[2];                                /* puts, takes */
    uint32_t put_of[NESTING_MOST], take_of[NESTING_MOST]; /* by element, or NEVER */
    bool unclear[NESTING_MOST]; /* by element: a call after the end may put it again */
    bool is_late[NESTING_MOST]; /* by take: a call after the end may take something before it */
    NestingPlace real[NESTING_MOST]; /* by operation: in p, by real time */
    Vec(NestingPair) trail;          /* pairs that are decided, in the order in which they were */
    size_t followed;                 /* of these, what they imply was looked at */
    NestingPair conflict;            /* guessed first; x = y: none */
    Vec(NestingPair) conflicts;      /* all of these */
    size_t patience;
    bool turned; /* pairs of one class are guessed the other way round first */
    uint64_t guesses, most;
    /* of nesting_places.c */
    uint32_t order[NESTING_MOST], held[2 * NESTING_MOST];
    bool placed[NESTING_MOST];
} Nesting;

static inline bool nesting_has(const NestingRow *row, uint32_t bit)
{
    return row->word[bit / 64] >> (bit % 64) & 1;
}

static inline uint32_t nesting_count_both(const Nesting *n, const NestingRow *a,
                                          const NestingRow *b)
{
    uint32_t count = 0;
    for (uint32_t w = 0; w < n->words; w++)
        count += (uint32_t)__builtin_popcountll(a->word[w] & b->word[w]);
    return count;
}

static inline bool nesting_precedes(const Nesting *n, uint32_t x, uint32_t y)
{
    return n->ops[x].returned < n->ops[y].called;
}

/* Decides that x < y. Returns false if y < x. */
bool nesting_decide_pair(Nesting *n, uint32_t x, uint32_t y);
/* Fills in the operations of the puts (0) or the takes (1), and their places by real time. */
void nesting_load_group(Nesting *n, int g);
/* Finds the places that the operations of a group can have, and decides pairs by them. Returns
 * false if no order of the group in p' or in p fits what is decided. */
bool nesting_places_fit(Nesting *n, NestingGroup *group);
/* All pairs of the group are decided: is there an order of it in p that respects real time, with no
 * operation displaced by more than the factor? A slow look at the result. */
bool nesting_order_is_found(Nesting *n, NestingGroup *group);
#endif
