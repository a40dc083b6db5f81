/* values_table.h: the table behind values.h, which the processes of one exploration share. values.c
 * writes down what locations have held, places.c which places in the code are asked about; passes.c
 * decides when to begin again. */
#ifndef HEDDLE_EXPLORE_CONFIRM_VALUES_TABLE_H
#define HEDDLE_EXPLORE_CONFIRM_VALUES_TABLE_H
#include "guest/explore/graph/finding.h"
#include "guest/explore/facts/values.h"

#define MOST_PLACES 256
#define SLOTS (2u * VALUES_LOCATIONS) /* of locations; half of them are used at most */

typedef struct Known { /* one location; every word is written once or only grows */
    char *address;
    uint32_t size;
    uint32_t count;
    uint32_t used;                      /* ValuesUse bits */
    uint32_t returns[2];                /* by ValuesReturn, bit i: value[i] returns so */
    uint32_t once[2];                   /* bit i: a decision rests on that it does not */
    uint32_t wide;                      /* it has too many values, or they come too late */
    uint32_t late;                      /* so many of them came late (values.h) */
    uint32_t plain;                     /* contents.c: it is no location, but plain memory */
    uint32_t written;                   /* bit i: value[i] was written */
    uint32_t between[MOST_VALUES];      /* bit j of i: value[j] between two writes of value[i] */
    uint32_t between_used;              /* bit i: a decision rests on between[i] */
    EventIndex last_write[FEW_THREADS]; /* by thread: its last effect that wrote here */
    uint64_t value[MOST_VALUES];
    uint8_t times[MOST_VALUES][FEW_THREADS]; /* by value and thread: how often it wrote it */
} Known;

typedef struct LearntPlace {
    uint64_t first, second;
    uint32_t asked, good, remembered; /* see values_count_place */
    uint32_t is_new;                  /* learnt late in this pass, which does not ask about it */
    uint64_t steps;
    uint32_t given_up;
    uint32_t cut, depth; /* see values_count_cut; depth: a PlaceDepth */
    uint32_t deep_good;
    uint64_t deep_steps, vain_steps;
} LearntPlace;

typedef struct ValuesTable {
    uint32_t lock;
    uint32_t version; /* grows with every fact */
    /* values_image is what follows */
    uint32_t filled, place_count;
    uint64_t blocked;
    uint32_t late_passes;       /* that were outdated late (values.h) */
    uint32_t late_wishes;       /* passes that began again for places that were learnt late */
    uint32_t kinds, kinds_used; /* ValuesKind bits */
    uint32_t effects_used;      /* by thread: a decision rests on that it has no more effects */
    uint32_t spare;
    EventIndex last_effect[FEW_THREADS];
    LearntPlace place[MOST_PLACES];
    uint16_t slot[SLOTS]; /* 0: free, else number in known */
    Known known[VALUES_LOCATIONS];
} ValuesTable;
extern ValuesTable *values_table;

/* The entry of these bytes, made if there is none; NULL if the table is full. Call it with the
 * lock. */
Known *values_entry_at(char *address, uint32_t size);
void values_begin_work(void);    /* a pass begins, in passes.c */
void values_ask_about_new(void); /* the same, in places.c */
/* There is something that the next pass would ask about: this one goes on as if it were outdated.
 */
void values_wish(void);
/* Takes all values of K to return, and any of them to come between. Call it with the lock. */
void values_expect_returns(Known *k);

static inline void values_lock(void)
{
    while (__atomic_exchange_n(&values_table->lock, 1, __ATOMIC_ACQUIRE))
        ;
}

static inline void values_unlock(void)
{
    __atomic_store_n(&values_table->lock, 0, __ATOMIC_RELEASE);
}

/* A fact is about to be written down that was not known; call it with the lock. Does not return
 * while `values_strict`. */
static inline void values_meet_fact(void)
{
    if (LIKELY(!values_strict))
        return;
    values_unlock();
    finding_restart();
}

/* The number of V among the values of K, or K->count. */
static inline uint32_t values_find_value(const Known *k, uint64_t v)
{
    uint32_t i = 0;
    while (i < k->count && k->value[i] != v)
        i++;
    return i;
}
#endif
