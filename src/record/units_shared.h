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
#include "record/facts_shared.h"
#include "record/workers_shared.h"

#define UNITS_WAY_BYTES (64u << 10) /* numbers of 1 to 5 bytes, 7 bits each, low ones first */
#define UNITS_KNOWLEDGE_BYTES (256u << 10) /* facts_shared.h */
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

static inline size_t units_bytes(const UnitHead *head)
{
    return (sizeof *head + head->way_bytes + head->knowledge_bytes + 7) & ~(size_t)7;
}
#endif
