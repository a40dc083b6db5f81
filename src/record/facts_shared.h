/* facts_shared.h: what an exploration has learnt about the program and keeps when it begins again,
 * as data that the tool and the program under test share (part of link.h). A fact is a kind, a key
 * and a value other than 0; values only grow, by `fact_join`. Units of work and journals carry
 * facts; guest/explore/graph/facts.h has the argument. */
#ifndef HEDDLE_RECORD_FACTS_SHARED_H
#define HEDDLE_RECORD_FACTS_SHARED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum FactJoin {
    FACT_BITS,   /* the union */
    FACT_MOST,   /* the greater one */
    FACT_THREAD, /* a thread, as its number plus 1; UINT8_MAX: several */
    FACT_FIRST   /* whichever was known first */
} FactJoin;

/* Where the facts of a kind stand while the program runs. */
typedef enum FactPlace {
    FACT_OF_ALL,     /* about the whole program: the key is 0 */
    FACT_OF_THREAD,  /* the key is a thread */
    FACT_OF_GRANULE, /* about 8 bytes of memory: the key is address / 8, the value a byte */
    FACT_OF_CELLS,   /* the same, but the value is eight bytes */
    FACT_OF_OBJECT   /* about an object at an address: the key */
} FactPlace;

/* Kind, place, join; does the search tree depend on it? (Others only spare a new beginning.) */
#define FACTS(X)                                                                                   \
    /* memory: racing locations that are explored as events, how many; a location of 16 bytes; */  \
    /* threads whose stack, or storage, others touch; threads after the first 31; re-execution; */ \
    /* threads that wait at a futex are moved to another one; loops that wait are looked for */    \
    X(races, ALL, MOST, false)                                                                     \
    X(wide, ALL, BITS, false)                                                                      \
    X(stacks_shared, ALL, BITS, false)                                                             \
    X(storage_shared, ALL, BITS, false)                                                            \
    X(many_threads, ALL, BITS, false)                                                              \
    X(replayed, ALL, BITS, true)                                                                   \
    X(moves, ALL, BITS, true)                                                                      \
    X(awaits, ALL, BITS, true)                                                                     \
    /* bytes whose plain accesses are events; where these begin; who touches a stack; blocks; */   \
    /* groups of bytes that are accessed together */                                               \
    X(promoted, GRANULE, BITS, true)                                                               \
    X(cuts, GRANULE, BITS, true)                                                                   \
    X(shared, GRANULE, BITS, false)                                                                \
    X(blocks, GRANULE, BITS, true)                                                                 \
    X(cells, CELLS, FIRST, false)                                                                  \
    /* reduce/symmetry: no two threads are alike; by thread, the first it may be like, plus 1 */   \
    X(told_apart, ALL, BITS, true)                                                                 \
    X(alike, THREAD, FIRST, false)                                                                 \
    /* reduce/waiting/reused: is memory that is used again noted; is all of it; are reads weak; */ \
    /* bytes written again, for the first time, touched before that, touched plainly in a round,   \
     */                                                                                            \
    /* accessed atomically; who writes them again, first, who frees the block, who reads */        \
    X(reuse_noted, ALL, BITS, false)                                                               \
    X(all_reused, ALL, BITS, true)                                                                 \
    X(weak_reads, ALL, BITS, true)                                                                 \
    X(again, GRANULE, BITS, true)                                                                  \
    X(first, GRANULE, BITS, true)                                                                  \
    X(blank, GRANULE, BITS, true)                                                                  \
    X(looked, GRANULE, BITS, false)                                                                \
    X(atomic, GRANULE, BITS, true)                                                                 \
    X(again_by, GRANULE, THREAD, true)                                                             \
    X(first_by, GRANULE, THREAD, true)                                                             \
    X(freed_by, GRANULE, THREAD, true)                                                             \
    X(read_by, GRANULE, THREAD, true)                                                              \
    /* reduce/waiting: threads that arrive at a barrier; may one look at its result; threads that  \
     */                                                                                            \
    /* try a lock; is a lock of atomics watched; threads that look at it */                        \
    X(arrivals, OBJECT, BITS, true)                                                                \
    X(arrival_looks, OBJECT, BITS, true)                                                           \
    X(tries, OBJECT, BITS, true)                                                                   \
    X(watched, OBJECT, BITS, true)                                                                 \
    X(looks, OBJECT, BITS, true)                                                                   \
    /* together: is the lock taken together with others; threads that look at it otherwise */      \
    X(together, OBJECT, BITS, true)                                                                \
    X(together_looks, OBJECT, BITS, true)                                                          \
    /* owned: is it watched; threads that write there, and that read there */                      \
    X(owned, OBJECT, BITS, true)                                                                   \
    X(owned_writes, OBJECT, BITS, true)                                                            \
    X(owned_reads, OBJECT, BITS, true)                                                             \
    /* counters: its size, first value, what is added, how many threads there may be; refused */   \
    X(counter, OBJECT, FIRST, true)                                                                \
    X(counter_initial, OBJECT, FIRST, true)                                                        \
    X(counter_step, OBJECT, FIRST, true)                                                           \
    X(counter_most, OBJECT, MOST, true)                                                            \
    X(counter_refused, OBJECT, BITS, true)

typedef enum FactKind {
#define X(kind, place, join, shapes) FACT_##kind,
    FACTS(X)
#undef X
        FACT_KINDS
} FactKind;

typedef struct FactTraits {
    FactPlace place;
    FactJoin join;
    bool shapes_tree;
} FactTraits;
static const FactTraits fact_traits[FACT_KINDS] = {
#define X(kind, place, join, shapes) {FACT_OF_##place, FACT_##join, shapes},
    FACTS(X)
#undef X
};

/* A fact as units carry it. */
typedef struct KnownFact {
    uint64_t kind : 8, key : 56; /* a FactKind */
    uint64_t value;
} KnownFact;

static inline uint64_t fact_join(FactKind kind, uint64_t a, uint64_t b)
{
    if (a == b || !b)
        return a;
    switch (fact_traits[kind].join) {
    case FACT_BITS:
        return a | b;
    case FACT_MOST:
        return a > b ? a : b;
    case FACT_THREAD:
        return a ? UINT8_MAX : b;
    default:
        return a ? a : b;
    }
}

/* A unit carries this head, then facts, then what explore/facts/kept.h has. */
typedef struct KnowledgeHead {
    uint32_t facts;         /* how many */
    uint32_t confirms;      /* how many bytes kept.h has; 0: the search is not reduced by it */
    uint32_t never_divided; /* the exploration must not be divided at all, if it is reduced so */
    uint32_t spare;
} KnowledgeHead;

/* The bytes of KNOWLEDGE that are its head and facts; 0 if it makes no sense. */
static inline size_t knowledge_fact_bytes(const unsigned char *knowledge, size_t bytes)
{
    KnowledgeHead head;
    if (bytes < sizeof head)
        return 0;
    __builtin_memcpy(&head, knowledge, sizeof head);
    size_t facts = sizeof head + (size_t)head.facts * sizeof(KnownFact);
    return facts + head.confirms == bytes ? facts : 0;
}
#endif
