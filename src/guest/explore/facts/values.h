/* values.h: which values a location has had in any graph of the present exploration, initial ones
 * included, and which of them came twice in a coherence order (ValuesReturn). confirm.h decides by
 * them what need not be explored; when a value comes that a decision did not know, the exploration
 * begins again with what was learnt (values_outdated), so that a pass that ends was right.
 *
 * The table is shared by the processes of one exploration (workers.h); tests that are shared out
 * (workers_split) have a table a process. Why the last pass is right, why there is one, and what is
 * done about facts that come late: doc/proofs/facts.md. */
#ifndef HEDDLE_EXPLORE_VALUES_H
#define HEDDLE_EXPLORE_VALUES_H
#include "guest/explore/graph/graph.h"

#define MOST_VALUES 32        /* of a location that decisions are made about */
#define VALUES_LOCATIONS 4096 /* Location.known is less */

/* The facts that decisions about a location rest on. */
typedef enum ValuesUse {
    VALUES_ALL = 1,     /* on the set of its values */
    VALUES_WRITERS = 2, /* on which events of which threads write it */
    VALUES_WRITTEN = 4, /* on which of its values were written */
    VALUES_COMING = 8   /* on which of them which threads write how often */
} ValuesUse;

/* How a value returns to a location. */
typedef enum ValuesReturn {
    VALUES_TWICE, /* two writes of it are in one coherence order */
    VALUES_AGAIN /* a write of it is added after another one, which a read that is no RMW's reads */
} ValuesReturn;

/* Kinds of events that decisions may rest on the absence of. */
typedef enum ValuesKind {
    VALUES_WEAK_RACE = 1,   /* of ordered.h, fences included */
    VALUES_STRONG_FENCE = 2 /* a seq_cst fence */
} ValuesKind;

void values_setup(void);
void values_unshare(void);   /* this process explores something else than the others from now on */
void values_keep_copy(void); /* the same, but it goes on with what is known now */
void values_reset(void);     /* a new exploration: nothing is known */
/* The exploration begins again, in this process alone: no decision rests on anything yet. What was
 * decided before must not be remembered. */
void values_begin_pass(void);
/* X has the value V now; may begin the exploration again. Called for every initial value and for
 * every write that is put into a coherence order, while `values_mode.noted`. */
void values_note(Location *x, uint64_t v);
/* Write W has been put into X's coherence order. */
void values_note_write(Location *x, EventId write);
/* A fact came that a decision of this pass did not know: it will begin again. New facts come in
 * clusters, so it goes on first for a quarter of the leaves that it has had, and learns more of
 * them. What it meets meanwhile is real (a wrong decision leaves executions out, it makes none up),
 * but its counts are worth nothing, and that threads are stuck is not believed. */
extern bool values_outdated;
uint64_t values_leaves(void); /* complete and blocked graphs of this pass, in all its sessions */
void values_outdate(void);    /* may begin the exploration again at once */
/* At a leaf, or AT_END of the search: begins again if it is time. So may a stretch of COUNT
 * branches that were cut without a leaf. */
void values_end_outdated(bool at_end);
void values_count_cut_branches(unsigned count);
bool values_is_late(void);         /* does a fact that comes now come late? */
unsigned values_late_passes(void); /* how many passes were outdated by a fact that came late */
/* The values of X, for a decision that rests on USE; NULL if X can't be decided about. Valid until
 * the next call. */
const uint64_t *values_use(Location *x, ValuesUse use, int *count);
/* For decisions that rest on that V, one of these values, never returns to X so: true if that was
 * not met. An initial value that nobody may read does not count. */
bool values_use_once(Location *x, uint64_t v, ValuesReturn how);
/* The place in the coherence order of X of its first value that somebody may read. */
int values_first(const Location *x);
/* Does the same with VALUES_ALL for a location that perhaps no graph of this process has had. */
const uint64_t *values_use_at(char *address, unsigned size, int *count);
/* Effects of a thread are its writes and the threads that it creates. E, such an event, has been
 * added. */
void values_note_effect(Event *e);
int values_effects(int thread); /* how many T has in the present graph */
/* How many of T's first COUNT events are effects. */
EventIndex values_effects_among(int thread, int count);
/* Has thread T more effects than COUNT in any graph? */
bool values_may_affect(int thread, int count);
/* The number of V among those that values_use returns; MOST_VALUES or more if it is none of them.
 */
uint32_t values_number(Location *x, uint64_t v);
/* The locations that are known have the numbers 1 to values_locations(). */
uint32_t values_locations(void);
char *values_location(uint32_t number, uint32_t *size);
/* Grows whenever anything new is known about values. */
uint32_t values_version(void);
/* The values of X that a thread other than READER writes, in any graph, more often than in PREFIX,
 * hence by a write that is not there: bit i for value number i. False if nothing can be decided.
 * Rests on what is noted while `values_mode.closely`. Once that was wrong for a value of X, all
 * values of X that threads other than main have written are taken to come at any time. */
bool values_use_coming(Location *x, int reader, const Clock *prefix, uint32_t *coming);
/* How values are noted and used. */
typedef struct ValuesMode {
    bool noted; /* values_note and values_note_write are called */
    /* Tests want all that can be learnt at once: the first blocked graph is enough
     * (confirming.after).
     */
    bool eager;
    /* While set, the table stays as it is: a fact that is not in it begins the exploration again
     * before it is written down (units.h). */
    bool strict;
    bool closely;   /* see values_use_coming */
    bool used_grew; /* since this process took the lock */
} ValuesMode;
extern ValuesMode values_mode;
/* KIND was met in a graph; may begin the exploration again. */
void values_note_kind(ValuesKind kind);
/* For decisions that rest on that no graph has KIND: true if none was met. */
bool values_use_absent(ValuesKind kind);
/* Which of those that values_use returned were ever written, rather than initial: bit i for value
 * number i. */
uint32_t values_use_written(Location *x);
/* For decisions that rest on who writes X: call it before values_may_write; false if nothing can be
 * decided. */
bool values_use_writers(Location *x);
/* Does, in any graph, an effect of T write X that is not among its first COUNT? Threads other than
 * main are taken to write at any time what they, or threads that are like them, have written once.
 * (What is taken to be written and is not makes fewer things certain, never wrong ones.) */
bool values_may_write(const Location *x, int thread, int count);
/* One more blocked graph, of all processes: true if WANTED have been counted now. */
bool values_count_blocked(uint64_t wanted);
/* Pairs of places in the code, and single ones (SECOND 0), of which something was learnt. */
bool values_knows_place(uint64_t first, uint64_t second);
bool values_knows_places(void); /* any? Decisions of confirm.h are made at such places only. */
/* Learns it and begins the exploration again; or, late in a pass, goes on with it first. Returns
 * also if there is no room. */
void values_learn_place(uint64_t first, uint64_t second);
/* A question about a pair of places that is known was answered at length, in so many STEPS. Pairs
 * of which few answers are GOOD, or which take long although few good answers are remembered (as
 * where pointers carry counts), cost more than they save: such a pair is given up and never learnt
 * again in this exploration, which begins anew. (Which pairs are asked about never decides what is
 * found.) To be called only while the exploration is learning (confirm_is_learning). */
void values_count_place(uint64_t first, uint64_t second, bool good, int steps);
/* A good answer was remembered. To be called only then, too. */
void values_count_remembered(uint64_t first, uint64_t second);
/* A question about a pair of places was given up although it could be asked in depth (alike.h). If
 * that has happened often it is, and the exploration begins again. */
void values_count_cut(uint64_t first, uint64_t second);
bool values_place_is_deep(uint64_t first, uint64_t second);
/* A question that is asked in depth was answered in so many STEPS; where that costs more than it
 * saves it is not asked so any more, and the exploration begins again. Both as above: while the
 * exploration is learning. */
void values_count_deep(uint64_t first, uint64_t second, bool good, uint64_t steps);
/* For kept.c: forgets what this process has written into the table before. */
void values_forget_locations(void);
#endif
