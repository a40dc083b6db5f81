/* values_table.h: the table behind values.h, which the processes of one exploration share. values.c
 * writes down what locations have held, places.c which places in the code are asked about; passes.c
 * decides when to begin again. */
#ifndef HEDDLE_EXPLORE_CONFIRM_VALUES_TABLE_H
#define HEDDLE_EXPLORE_CONFIRM_VALUES_TABLE_H
#include "guest/explore/graph/finding.h"
#include "guest/explore/facts/values.h"

#define MOST_PLACES 256
#define MOST_GUARDED 48 /* locations of which it is known what withholds their writes */
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

typedef struct Guarded { /* X, as it is called in passing.h */
    char *address;
    uint32_t size;
    uint32_t withheld[VALUES_LOCATIONS]; /* by Y's number: a mask of its values */
    uint32_t used[VALUES_LOCATIONS];     /* a decision rests on that */
    uint32_t stores, stores_used;        /* the same for Stores */
} Guarded;

typedef struct ValuesTable {
    uint32_t lock;
    uint32_t version; /* grows with every fact */
    /* the facts: values_parts says how much of that is used */
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
    uint64_t guarded_count;
    Guarded guarded[MOST_GUARDED];
} ValuesTable;
extern ValuesTable *values_table;

/* A part of the table that is in use: BYTES of ROOM. All facts are in these parts, and the rest is
 * zeros. */
typedef struct ValuesPart {
    char *at;
    size_t bytes, room;
} ValuesPart;
enum { VALUES_PARTS = 2 };
void values_parts(ValuesPart *to);

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

/* If a fact that a decision had used has grown since values_lock, the pass is outdated, and may
 * begin again at once. */
static inline void values_unlock(void)
{
    bool is_outdated = values_mode.used_grew;
    values_mode.used_grew = false;
    __atomic_store_n(&values_table->lock, 0, __ATOMIC_RELEASE);
    if (UNLIKELY(is_outdated))
        values_outdate();
}

/* A decision rests on facts BITS, as *USED says from now on; then it looks at them. This needs no
 * lock where it was said before: what was written down before that is seen now, and whoever learns
 * something later sees that it was said. */
static inline void values_uses(uint32_t *used, uint32_t bits)
{
    if (LIKELY(!(bits & ~__atomic_load_n(used, __ATOMIC_ACQUIRE))))
        return;
    values_lock();
    *used |= bits;
    values_unlock();
}

/* A fact is about to grow; call it with the lock. USED: a decision of this pass rests on it; then,
 * if it comes late, it is to be taken for all of its kind: returns true. Does not return while
 * `values_mode.strict`. */
static inline bool values_grows(bool used)
{
    if (UNLIKELY(values_mode.strict)) {
        values_unlock();
        finding_restart();
    }
    values_mode.used_grew |= used;
    return used && values_is_late();
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
