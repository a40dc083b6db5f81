/* arrivals.h: the order in which threads arrive at a barrier is not explored. The statement, and
 * why no outcome is lost: doc/proofs/barriers.md. */
#ifndef HEDDLE_EXPLORE_WAITING_ARRIVALS_H
#define HEDDLE_EXPLORE_WAITING_ARRIVALS_H
#include "guest/explore/graph/graph.h"
#include "guest/explore/search/rules.h"

extern const Rule barriers_rule;

/* A search begins, or has ended: turns are given in it alone. */
extern bool arrivals_have_turns;
/* Does no other thread than T look at the lock X without waiting? Has anybody tried it
 * (sections.c)? */
bool arrivals_nobody_looks(const Location *x, int thread);
bool arrivals_is_tried(const Location *x);
/* Adds THREAD, with all that may be like it, to those that look at WORD: KIND is FACT_tries or
 * FACT_looks. False if it was known, or there is no room. */
bool arrivals_add_thread(FactKind kind, const void *word, int thread);
#endif
