/* arrivals.h: the order in which threads arrive at a barrier is not explored. The statement, and
 * why no outcome is lost: doc/proofs/barriers.md. */
#ifndef HEDDLE_EXPLORE_WAITING_ARRIVALS_H
#define HEDDLE_EXPLORE_WAITING_ARRIVALS_H
#include "record/units_shared.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/search/rules.h"

extern const Rule barriers_rule;

/* A search begins, or has ended: turns are given in it alone. */
extern bool arrivals_have_turns;
/* Does no other thread than T look at the lock X without waiting? Has anybody tried it, or any
 * lock? (sections.h) */
bool arrivals_nobody_looks(const Location *x, int thread);
bool arrivals_is_tried(const Location *x);
bool arrivals_any_tried(void);
/* The entry of a word that is watched, or the free one that may become its own; NULL: there is no
 * room (looks.h). */
KnownTried *arrivals_watched(const void *word);
extern bool arrivals_any_watched; /* is any word watched? */
extern bool arrivals_any_counted; /* is any location known to be counted (counters.h)? */
/* LOCK, a free entry of arrivals_watched, becomes that of WORD. */
void arrivals_watch(KnownTried *lock, const void *word);
/* Adds THREAD to those that look at a lock, with all that may be like it. False if it was there. */
bool arrivals_add_thread(KnownTried *lock, int thread);
/* The entry of the counter at ADDRESS (counters.h), or the one that will be its own, with address
 * 0; NULL: there is no room. The one that has a byte of these SIZE bytes; NULL: there is none. */
KnownCounter *arrivals_counter(uintptr_t address);
KnownCounter *arrivals_counter_at(uintptr_t address, unsigned size);
/* The table as units carry it; and back again, in a process that knows less. */
void arrivals_get(KnownArrivals *to);
void arrivals_put(const KnownArrivals *from);
bool arrivals_know_more(const KnownArrivals *from);
#endif
