/* ordering.h: from ordering points to sequential histories (CDSSpec, section 5.3).
 *
 * An ordering point is an atomic access that a call names as what orders it. The paper's five rules
 * relate two points X and Y of one location: X before Y if Y reads from X; if X precedes Y in
 * modification order; if X reads a write that precedes Y; if X precedes the write that Y reads; if
 * X reads a write that precedes the one that Y reads. With modification order numbered, put a write
 * with number w at place 2w, and a read of the write with number w at place 2w+1: the rules say
 * exactly that X is before Y iff place(X) < place(Y). (Rule 1: 2w < 2w+1; rule 2: 2w < 2w'; rule 3:
 * 2r+1 < 2w' iff r < w'; rule 4: 2w < 2r'+1 iff w <= r', where w = r' is rule 1; rule 5: 2r+1 <
 * 2r'+1.) A read-modify-write is the write: nothing comes between its read, which stands at
 * 2(w-1)+1, and its write at 2w.
 *
 * Calls are ordered as some of their points are; the relation on calls may have cycles. Pure: no
 * memory is allocated, nothing is known of graphs or specifications. */
#ifndef HEDDLE_GRAPH_ORDERING_H
#define HEDDLE_GRAPH_ORDERING_H
#include "base/common.h"

#define ORDERING_MOST 64 /* calls of one execution: sets of calls are words */

typedef struct OrderingPoint {
    uint32_t call, location;
    int32_t write; /* its number in modification order, from 1; -1: it writes nothing */
    int32_t
        read; /* the number of the write that it reads, 0: the initial one; -1: it reads nothing */
} OrderingPoint;

typedef struct Ordering {
    uint32_t count;                /* calls */
    uint64_t next[ORDERING_MOST];  /* bit j of next[i]: a point of i is before one of j */
    uint64_t after[ORDERING_MOST]; /* its transitive closure */
} Ordering;

void ordering_relate(Ordering *ordering, uint32_t calls, const OrderingPoint *points,
                     uint32_t count);
/* Does the same in near-linear time, for many points; sorts them. */
void ordering_relate_many(Ordering *ordering, uint32_t calls, OrderingPoint *points,
                          uint32_t count);
/* Makes `after` the transitive closure of `next`, to which the caller has added pairs. */
void ordering_close(Ordering *ordering);
/* A shortest cycle of calls, each before the next and the last before the first: its length, 0 if
 * there is none. */
uint32_t ordering_cycle(const Ordering *ordering, uint32_t cycle[ORDERING_MOST]);

/* The sequential histories of the calls in MEMBERS: all orders that agree with the relation, which
 * must have no cycle. STEP is asked at each history and each beginning of one; the last call of it
 * is new. */
typedef enum OrderingStep {
    ORDERING_ON,    /* try what continues it */
    ORDERING_PRUNE, /* leave out all that continue it */
    ORDERING_STOP   /* enough */
} OrderingStep;
typedef OrderingStep OrderingVisitor(void *context, const uint32_t *history, uint32_t length);
/* False if it was stopped. */
bool ordering_histories(const Ordering *ordering, uint64_t members, OrderingVisitor *step,
                        void *context);
/* How many there are; MOST stands for that many or more, or too many to count. */
uint64_t ordering_count(const Ordering *ordering, uint64_t members, uint64_t most);

/* The five rules one by one, and the closure by trying until nothing changes: the slow, obvious
 * twin. */
void ordering_relate_slowly(Ordering *ordering, uint32_t calls, const OrderingPoint *points,
                            uint32_t count);
#endif
