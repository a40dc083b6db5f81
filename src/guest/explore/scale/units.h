/* units.h: a part of an exploration as a list of small numbers, so that it can be written down,
 * sent and continued elsewhere with exact counts (record/units_shared.h has the data).
 *
 * The search is a tree: a frame is a node, the ways in which it can be advanced are its children,
 * in a fixed order; `taken` of a frame counts them. The *way* taken[0..n-1] says where the search
 * stands: frame 0 was advanced taken[0] times, then frame 1 was made, and so on. What is left
 * there, with a floor f, are the later children of the frames f..n-1: that is a unit.
 *
 * Claim: for a program that repeats its steps and equal facts (graph/facts.h), replaying
 * a way gives the frames, graph, memory and threads that the search had there. The search is
 * deterministic: threads are taken lowest first, `advance` depends on the graph only, and what an
 * alternative leads to does not depend on its elder siblings, since backtracking restores
 * everything. By induction over frames, frame i is made at the same request; advanced taken[i]
 * times, with the frames above it dropped in between, it passes through the same states as before,
 * less the subtrees, which leave nothing behind. A revisit is one of a write's alternatives, so a
 * revisited graph is a simple path of this tree, too. Nothing here knows which kinds of choices
 * there are.
 *
 * Splitting a unit divides the children of one frame: the current one stays, the later ones go. So
 * leaves are neither lost nor repeated, and totals are those of one process.
 *
 * Where the search is reduced by what it learns (confirm.h), it begins again several times, and
 * what it knows then depends on the order in which one process met things. So that a divided search
 * counts what one process would, a pass begins *alone*: one process goes through the tree in order,
 * and its unit, which nobody can divide, carries all that was learnt so far (facts/kept.h). After
 * some thousands of graphs that is fixed for all units into which the rest is divided. If nobody
 * meets anything new, every decision was the one that the process alone would have made, which
 * would have met nothing new either. Otherwise all is void: one process goes on alone from what was
 * fixed, until it begins again as it would have done by itself. While a pass is outdated (values.h)
 * nothing is written down: whoever went on from there would decide otherwise on the way. The unit
 * stays where it was before the new fact, and what is lost by a kill is a part that does not count.
 *
 * A share (--shard) is the leaves below those ways of `depth` frames whose hash falls to it. All
 * shares walk the tree down to that depth; what is counted there is counted by the share to which
 * the hash of the present way falls. What is explored alone is explored by all shares and counted
 * by the first. */
#ifndef HEDDLE_EXPLORE_UNITS_H
#define HEDDLE_EXPLORE_UNITS_H
#include "record/units_shared.h"

/* Fills in what this process has counted since it took its slot. */
typedef void UnitsCount(UnitCounts *all);

/* Once; SHARED may be in mode UNITS_OFF. FLAGS belongs to the driver. */
void units_setup(UnitsShared *shared, UnitsCount *count, uint32_t *flags);
bool units_on(void);                /* is anything written down at all? */
void units_use_slot(unsigned slot); /* this process has been forked, and has another slot */
void units_lock(void);              /* for microseconds, while slots or queue are changed */
void units_unlock(void);
void units_nap(void); /* before one looks again */

/* --- for explore/all.c --- */
/* Takes the next unit, with what was known there. False: there is none. */
bool units_begin(void);
void units_follow(
    void); /* explore_begin was called: the way of that unit is followed from now on */
void units_finish(void);  /* the present unit is done: its counts are final */
void units_publish(void); /* if asked to: writes down where the search stands */
void units_stop(void);    /* the search ends early: writes down where it stands */
/* The exploration begins again, with more knowledge. False: not here; wait for a unit. */
bool units_restart(void);
/* The exploration is to begin again because of what was learnt elsewhere; the same, once search has
 * returned for it. */
bool units_is_void(void);
bool units_abandon(void);
/* Do other processes, here or in another session, explore parts of the present pass, or could they?
 * Where searches are not reduced by what is learnt, they always could, so that restarts do not
 * depend on it. */
bool units_are_divided(void);

/* --- for sample.c --- */
typedef struct UnitsState {
    /* The exploration that comes is one that units are made of. */
    bool apply;
    /* Called, with the lock, whenever this process has written its slot: random executions have a
     * state of their own. NULL: nobody. */
    void (*on_write)(UnitsShared *shared, UnitSlot *mine);
} UnitsState;
extern UnitsState units_mode;
/* Takes the unit of all samples: what was known is known again. False: all are drawn, or nothing is
 * written down. */
bool units_begin_samples(void);
UnitSamples *units_samples(void); /* NULL: nothing is written down */

/* --- for harness/check --- */
/* The executions of a test of `check` are an exploration that one process makes. It is written down
 * as a unit of that test, and whoever makes the test next goes on from it. */
typedef struct UnitsTest {
    uint64_t number;   /* from 1 on */
    UnitsCount *count; /* adds what the driver has counted of the exploration */
    /* An earlier session has counted that of the exploration that is begun; nothing, if it is begun
     * again. */
    void (*resume)(const UnitCounts *before);
} UnitsTest;
/* Has an earlier session begun with the executions of test NUMBER? */
bool units_has_test(uint64_t number);
void units_enter_test(const UnitsTest *test); /* the exploration that comes is of TEST */
/* That is over. KEEP: it was stopped, and its unit stays in the slot. */
void units_leave_test(bool keep);

/* --- shares --- */
/* Unless it is known: calls SEARCH for growing depths until there are enough prefixes. False if it
 * was stopped. */
bool units_find_depth(void (*search)(void));

/* --- for workers.c --- */
/* The frames up to GIVEN go to a new worker in SLOT; exploration.floor is as before. False: they
 * can't be written down, or the slot has the unit of a worker that was stopped or has died. */
bool units_split(int given, unsigned slot);
void units_unsplit(unsigned slot); /* there was no process to be had */
#endif
