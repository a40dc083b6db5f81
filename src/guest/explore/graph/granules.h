/* granules.h: memory in granules of 8 bytes, found by address: each has the locations that begin in
 * it, and what memory/ and reduce/ know of its bytes. Finding one is on the way of every access,
 * and inline. */
#ifndef HEDDLE_EXPLORE_GRAPH_GRANULES_H
#define HEDDLE_EXPLORE_GRAPH_GRANULES_H
#include "guest/explore/graph/facts.h"
#include "guest/explore/graph/graph.h"

typedef struct Granule {
    uintptr_t key; /* address / 8 */
    uint32_t cells;
    LocationId locations;
    /* facts: granule_learn changes them */
    uint8_t promoted; /* bytes whose plain accesses are events */
    uint8_t cuts;     /* bit b: between bytes b - 1 and b, events of these end and begin */
    uint8_t shared;   /* of a stack: STACK_ATOMIC, STACK_FOREIGN */
    uint8_t blocks;   /* blocks.c */
    /* waiting/reused.c: bytes that are written again, written for the first time, touched
     * before that, touched plainly in a round, accessed atomically. Who does the first two, who
     * frees the block that begins here, and who reads what is written again: FACT_THREAD. */
    uint8_t again, first, blank, looked, atomic;
    uint8_t again_by, first_by, freed_by, read_by;
} Granule;

/* Where G has the fact KIND, one of granules; NULL for other kinds. */
static inline uint8_t *granule_fact(const Granule *g, FactKind kind)
{
#define FACT_CASE_ALL(kind)
#define FACT_CASE_THREAD(kind)
#define FACT_CASE_CELLS(kind)
#define FACT_CASE_OBJECT(kind)
#define FACT_CASE_GRANULE(kind)                                                                    \
    case FACT_##kind:                                                                              \
        return (uint8_t *)(uintptr_t)&g->kind;
#define X(kind, place, join, shapes) FACT_CASE_##place(kind)
    switch (kind) {
        FACTS(X)
    default:
        return NULL;
    }
#undef X
}
/* Joins VALUE with what is known of G. Returns whether it is news. */
static inline bool granule_learn(Granule *g, FactKind kind, uint8_t value)
{
    uint8_t *known = granule_fact(g, kind), joined = (uint8_t)fact_join(kind, *known, value);
    if (joined == *known)
        return false;
    *known = joined;
    facts_met[kind] |= joined;
    return true;
}

extern Granule *granules; /* 1..granule_count */
typedef struct GranuleMap {
    uint32_t count;
    uint32_t *table; /* open addressing: granule numbers */
    uint32_t mask;
} GranuleMap;
extern GranuleMap granule_map;

void granules_setup(void);
void granules_forget_all(void); /* locations and cells as well: they are forgotten before */
/* Makes the granule of KEY, which SLOT, the free one where its search ended, is to hold. */
uint32_t granules_make(uintptr_t key, uint32_t slot);

static inline uint32_t granule_slot(uintptr_t key)
{
    return (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 40) & granule_map.mask;
}

/* Returns the granule of ADDRESS, or 0 if there is none. */
static inline uint32_t granules_find(const void *address)
{
    uintptr_t key = (uintptr_t)address >> 3;
    uint32_t slot = granule_slot(key);
    while (granule_map.table[slot] && granules[granule_map.table[slot]].key != key)
        slot = (slot + 1) & granule_map.mask;
    return granule_map.table[slot];
}

/* Returns the granule of ADDRESS, which is made if need be. */
static inline uint32_t granules_get(const void *address)
{
    uintptr_t key = (uintptr_t)address >> 3;
    uint32_t slot = granule_slot(key);
    for (; granule_map.table[slot]; slot = (slot + 1) & granule_map.mask)
        if (LIKELY(granules[granule_map.table[slot]].key == key))
            return granule_map.table[slot];
    return granules_make(key, slot);
}
#endif
