/* units_shared.h: what is left of an exploration, as data that the tool and the program under test
 * share (part of link.h).
 *
 * A place in the search is a *way*: for each open frame, how often it was advanced (guest/explore/
 * units.h). A *work unit* is what is left at such a place. The slots of all workers and the queue
 * together are a *ledger*: at any moment at which nobody holds `lock`, the counts of the slots (and
 * those that the tool began with) plus the units in slots and queue are the whole exploration.
 * What a worker did since it last wrote its slot is counted nowhere; whoever goes on from the
 * ledger does it again. */
#ifndef HEDDLE_RECORD_UNITS_SHARED_H
#define HEDDLE_RECORD_UNITS_SHARED_H
#include "record/workers_shared.h"

#define UNITS_WAY_BYTES (64u << 10) /* numbers of 1 to 5 bytes, 7 bits each, low ones first */
#define UNITS_KNOWLEDGE_BYTES (256u << 10) /* see known_get */
#define UNITS_QUEUE_BYTES (16u << 20)
#define UNITS_LIBRARY_BYTES 8192
#define UNITS_TESTS (1u << 22)  /* of a check */
#define UNITS_HASHES (1u << 22) /* of different samples */

/* Everything that is added up. */
#define UNIT_COUNTS(X)                                                                             \
    X(executions)                                                                                  \
    X(blocked)                                                                                     \
    X(stuck)                                                                                       \
    X(cut)                                                                                         \
    X(left_out)                                                                                    \
    X(revisits)                                                                                    \
    X(tests)                                                                                       \
    X(histories)                                                                                   \
    X(serial_runs)                                                                                 \
    X(tests_by_states)                                                                             \
    X(test_states)                                                                                 \
    X(undecided)
typedef struct UnitCounts {
#define X(name) uint64_t name;
    UNIT_COUNTS(X)
#undef X
} UnitCounts;

/* Which threads arrive at which barriers (guest/explore/reduce/waiting/arrivals.h). */
#define KNOWN_BARRIERS 16
typedef struct KnownBarrier {
    uint64_t address; /* 0: none */
    uint64_t threads; /* a set */
    uint64_t looks;   /* 1: a thread may look at the result of its call */
} KnownBarrier;
/* Which threads try to take which locks (guest/explore/reduce/waiting/sections.h), or look at those
 * that are made of atomics (guest/explore/reduce/waiting/looks.h). */
#define KNOWN_TRIED 16
typedef struct KnownTried {
    uint64_t address; /* of the word; 0: none */
    uint64_t threads; /* a set */
} KnownTried;
/* Locations in which threads count themselves in and out (guest/explore/reduce/waiting/counters.h).
 */
#define KNOWN_COUNTERS 16
typedef struct KnownCounter {
    uint64_t address;       /* 0: none */
    uint64_t initial, step; /* its first value; what is added */
    uint8_t size;
    uint8_t most; /* how many threads there may be */
    uint8_t refused;
    uint8_t spare[5];
} KnownCounter;
typedef struct KnownArrivals {
    KnownBarrier barriers[KNOWN_BARRIERS];
    KnownTried tried[KNOWN_TRIED], watched[KNOWN_TRIED];
    KnownCounter counters[KNOWN_COUNTERS];
} KnownArrivals;

/* Facts that exploration has learnt and keeps when it begins again: the search tree depends on it.
 * One KnownMemory, then a KnownGranule for each 8 bytes of which there is something to say. */
typedef struct KnownMemory {
    uint64_t stacks_shared;
    uint32_t promoted, has_wide, checkpoints, many_threads;
    uint32_t granules; /* as many KnownGranules follow, and then what explore/facts/kept.h has */
    uint32_t confirms; /* how many bytes that is; 0: the search is not reduced by it */
    uint32_t never_divided; /* the exploration must not be divided at all, if it is reduced so */
    uint32_t told_apart;    /* no two threads are alike (guest/explore/reduce/symmetry/alike.h) */
    uint32_t reused_noted, all_reused, weak_reads,
        spare;         /* guest/explore/reduce/waiting/reused.c */
    uint8_t alike[64]; /* by thread: the first that it may be like, plus 1; no part of the tree, but
                          news makes the exploration begin again (symmetry/pasts.h) */
    KnownArrivals arrivals;
} KnownMemory;
typedef struct KnownGranule {
    uint64_t key;                   /* address / 8 */
    uint8_t promoted, cuts, shared; /* memory.c */
    uint8_t blocks;                 /* blocks.c */
    uint8_t cell_count;             /* cells are no part of the tree, but splitting one */
    uint8_t cells[8];               /* makes the exploration begin again */
    uint8_t again, first, blank, looked, atomic;   /* waiting/reused.c */
    uint8_t again_by, first_by, freed_by, read_by; /* see known_join_threads */
    uint8_t spare[2];
} KnownGranule;

/* A thread, as its number plus 1, or UINT8_MAX for several, or 0 for none: both A and B. */
static inline uint8_t known_join_threads(uint8_t a, uint8_t b)
{
    return a == b || !b ? a : a ? UINT8_MAX : b;
}

/* Whether a unit can be divided (guest/explore/scale/units.h). */
typedef enum UnitAlone {
    UNIT_IS_DIVISIBLE,
    UNIT_IS_LEARNING, /* not until enough is known */
    UNIT_IS_WHOLE     /* not until the exploration begins again */
} UnitAlone;

typedef struct UnitHead {
    uint32_t has_way;             /* 0: all of it, from its beginning */
    int32_t floor, length;        /* frames floor..length-1 of the way have alternatives left */
    uint32_t way_bytes;           /* follow the head */
    uint32_t knowledge_bytes;     /* follow the way */
    uint32_t flags;               /* what the driver has learnt, for the driver */
    uint32_t alone;               /* UnitAlone */
    uint64_t executions, blocked; /* alone: graphs of the pass before this place */
    double left;                  /* an estimate: which part of the whole exploration it is */
    /* check: the unit is what is left of the executions of a test, whose number (from 1 on) this
     * is, and these were counted before; nobody else counts them. 0: it is part of a run. */
    uint64_t test;
    UnitCounts before;
} UnitHead;

/* The tests of a check, by their numbers: a bit each. The counts of those that are done stand in
 * the slots; a test that is being made may have a unit (UnitHead.test), which says how far it has
 * come. */
typedef struct UnitTests {
    uint32_t all_done;
    /* UNITS_WAIT: the tests first..end-1 were given to this rank, and it has not taken them yet; it
     * wants more; there are no more; it has done all that it was given. Changed under the lock. */
    uint32_t wants, no_more, idle;
    uint64_t first, end;
    uint64_t count;  /* tests from this number on have not been begun */
    uint64_t budget; /* of the last round (guest/harness/check/rounds.h) */
    unsigned char done[UNITS_TESTS / 8], put_off[UNITS_TESTS / 8];
} UnitTests;

/* Random executions (guest/explore/schedules/sample.h), after `done` of them. The unit that goes
 * with it has knowledge, but no way. Written together with the slot. */
typedef struct UnitSamples {
    uint64_t state;         /* of the generator that they are drawn from */
    uint64_t longest, done; /* steps of the longest one; how many there are */
    uint64_t distinct, counts_all;
    /* of the first ones that differ; those after `distinct` are not there yet */
    uint64_t hash[UNITS_HASHES];
} UnitSamples;

typedef struct UnitSlot { /* one worker */
    uint32_t busy;        /* it has the unit below */
    uint32_t answered;    /* the value of `ask` when it last wrote its slot */
    UnitCounts counts;    /* of all that this slot's workers have finished */
    UnitHead head;
    unsigned char way[UNITS_WAY_BYTES];
    unsigned char knowledge[UNITS_KNOWLEDGE_BYTES];
} UnitSlot;

typedef enum UnitsMode {
    UNITS_OFF,
    UNITS_QUEUE, /* work on what is in the queue, then end */
    UNITS_WAIT   /* wait for more until `closed` is set */
} UnitsMode;

typedef struct UnitsShared {
    uint32_t mode;     /* UnitsMode */
    uint32_t lock;     /* atomic; held for microseconds */
    uint32_t ask;      /* atomic: the tool counts up when it wants the slots to be written */
    uint32_t epoch;    /* counts how often the exploration began again: other units are void then */
    uint32_t given_up; /* of these, so often only because a divided search was not to be divided */
    uint32_t want;     /* atomic: an idle worker elsewhere wants a unit; it is put into `gift` */
    uint32_t closed;   /* UNITS_WAIT: atomic: nothing more will come */
    uint32_t
        wanted_epoch; /* UNITS_WAIT: atomic: another than `epoch`: give up, and begin with it */
    uint32_t learnt;  /* UNITS_WAIT: the program must begin again, with the knowledge of slot 0 */
    uint32_t refuses_way;   /* the program has found that a way does not fit it */
    uint32_t shard, shards; /* 0 <= shard < shards: only leaves of this share; 0 shards: all */
    uint32_t depth;         /* of the prefixes by which leaves are shared out; set by the program */
    uint32_t resumed;       /* something was done before: by a journal */
    uint32_t longest;       /* of ways, in frames, that did not fit a slot; 0: all fitted */
    UnitCounts base;        /* what was done before, by a journal */
    uint64_t queue_read, queue_written; /* bytes */
    UnitSlot gift;                      /* busy: to be fetched by the tool */
    UnitSlot slots[WORKERS_MOST];
    char libraries[UNITS_LIBRARY_BYTES]; /* a line each: "libc.so.6 BUILDID" */
    UnitTests tests;
    UnitSamples samples;
    unsigned char queue[UNITS_QUEUE_BYTES]; /* units: a head, a way, knowledge, to multiples of 8 */
} UnitsShared;

/* How many bytes of KNOWLEDGE are about memory; 0 if it makes no sense. */
static inline size_t units_memory_bytes(const unsigned char *knowledge, size_t bytes)
{
    KnownMemory all;
    if (bytes < sizeof all)
        return 0;
    __builtin_memcpy(&all, knowledge, sizeof all);
    size_t memory = sizeof all + (size_t)all.granules * sizeof(KnownGranule);
    return memory + all.confirms == bytes ? memory : 0;
}

static inline size_t units_bytes(const UnitHead *head)
{
    return (sizeof *head + head->way_bytes + head->knowledge_bytes + 7) & ~(size_t)7;
}
#endif
