/* self.h: what this process knows of its unit; private to units.c and the files beside this one. */
#ifndef HEDDLE_EXPLORE_UNITS_SELF_H
#define HEDDLE_EXPLORE_UNITS_SELF_H
#include "guest/explore/search/explore.h"
#include "guest/explore/scale/units.h"
#include "guest/explore/search/way.h"

/* The state of this process. */
typedef struct UnitsSelf {
    uint32_t *way; /* search_way.taken, to be written */
    UnitsShared *shared;
    UnitSlot *mine;
    UnitsCount *count_all;
    uint32_t *driver_flags;
    UnitHead present;          /* of the unit that was taken and is not begun yet */
    bool has_present;          /* the unit that was taken brings a way along */
    int present_floor;         /* exploration.floor when the way is at its end */
    ExploreCounts kept_counts; /* while a way is followed */
    uint64_t kept_revisits;
    bool working; /* it has a unit */
    UnitAlone alone;
    bool never_divided;    /* the unit that was taken asks for that */
    bool is_put_back;      /* the present unit is in the queue again */
    uint32_t frozen_bytes; /* not alone: what confirm.h had learnt before; 0: it does not apply */
    unsigned char *frozen;
    UnitsTest test;    /* number 0: a unit is part of the whole program's exploration */
    uint64_t revisits; /* before the executions of the test */
} UnitsSelf;
extern UnitsSelf units_self;

/* In units.c. The unit at AT, in the queue, becomes that of our slot; with the lock. */
void units_take(const unsigned char *at);
void units_use_knowledge(void);    /* that of the unit that was taken */
UnitAlone units_first_state(void); /* how an exploration begins */
/* In tests.c, if units_self.test says that a test is explored. Its unit is taken, if there is one,
 * else it begins from its beginning. */
void units_begin_test(void);
void units_restart_test(void);         /* it begins again */
void units_count_test(UnitHead *head); /* writes down what was counted of it */
#endif
