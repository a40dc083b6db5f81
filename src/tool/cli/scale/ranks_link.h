/* ranks_link.h: what a rank says about its program: the state of its mapping as one message, and
 * back. All of this is between processes of one job on machines of one kind: structures go as they
 * are. */
#ifndef HEDDLE_CLI_SCALE_RANKS_LINK_H
#define HEDDLE_CLI_SCALE_RANKS_LINK_H
#include "tool/cli/scale/ledger.h"

typedef enum RankTag {
    RANK_JOB = 1,  /* 0 to all: RankJob, then the program; one a rank and exploration */
    RANK_UNIT,     /* 0 to one: a unit */
    RANK_TESTS,    /* 0 to one: RankTests, then units of these tests */
    RANK_WANT,     /* 0 to one: give something away */
    RANK_EPOCH,    /* 0 to all: the number of the new epoch */
    RANK_QUIT,     /* 0 to all */
    RANK_STATE,    /* to 0: RankState, its unit, the unit given away */
    RANK_FOUND,    /* to 0: RankFound, then the evidence */
    RANK_FAILED,   /* to 0: why, as text */
    RANK_LIBRARIES /* to 0: host and libraries, as text */
} RankTag;

typedef struct RankState {
    uint32_t epoch, busy, learnt, has_gift, remark_count, received;
    uint32_t wants_tests, is_idle; /* check: UnitTests */
    uint32_t tests_bytes;          /* of each of the two lists of tests, which follow at the end */
    uint64_t tests_budget, tests_planned;
    UnitCounts counts;
} RankState;

typedef struct RankTests { /* check: tests FIRST..END-1 for a rank; NO_MORE: they are the last */
    uint64_t first, end;
    uint32_t no_more, spare;
} RankTests;

typedef Vec(unsigned char) Bytes;

typedef struct RankUnit { /* a unit that is kept: way and knowledge follow each other in `bytes` */
    UnitHead head;
    unsigned char *bytes;
} RankUnit;

/* The state of LINK, to be sent; takes the gift out of it. False if the lock can't be had. */
MUST_USE bool rank_state_take(Link *link, Bytes *to);
/* Reads such a message; UNIT and GIFT are valid if the state says so. False if it is damaged.
 * Remarks are added to LINK; the tests that are done, and those that were put off, to TESTS. */
MUST_USE bool rank_state_read(const unsigned char *from, size_t bytes, Link *link, RankState *state,
                              RankUnit *unit, RankUnit *gift, UnitTests *tests);
void rank_tests_give(const RankTests *tests, Link *link);
void rank_unit_put(const RankUnit *unit, Bytes *to);
MUST_USE bool rank_unit_get(const unsigned char **from, size_t *left, RankUnit *unit);
void rank_unit_free(RankUnit *unit);
/* Into the queue of LINK, which is empty. */
void rank_unit_give(const RankUnit *unit, Link *link);
/* The unit of a test, behind others; without it, if there is no room, the test is made whole. */
void rank_unit_append(const RankUnit *unit, Link *link);
/* Was a unit given that is not taken yet? Those of tests wait until their test is made. */
bool rank_is_queued(const UnitsShared *units);
/* The outcome of LINK's program, with its record; and into another link. */
void rank_found_take(const Link *link, Bytes *to);
MUST_USE bool rank_found_give(const unsigned char *from, size_t bytes, Link *link);
#endif
