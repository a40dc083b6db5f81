/* owned.h: loops in which a thread writes to an atomic that nobody else writes, and puts back what
 * was there: while (!flag) { alive = 1; } or { busy = 1; ... busy = 0; }, and loops with an atomic
 * variable on the thread's stack. Such rounds are found by sections.h. The statement, and why no
 * outcome is lost: doc/proofs/iterations.md. */
#ifndef HEDDLE_EXPLORE_WAITING_OWNED_H
#define HEDDLE_EXPLORE_WAITING_OWNED_H
#include "guest/explore/search/rules.h"

typedef enum Owned {
    OWNED_NOT,
    OWNED_KNOWN,   /* as far as is known, nobody else writes there */
    OWNED_PERHAPS, /* it is not looked at who writes there */
} Owned;

/* Accesses to what is watched are looked at: that may begin the exploration again. */
extern const Rule owned_rule, owned_noted_rule;

/* Is the location of E, an access, one that the thread of E alone writes? */
Owned owned_by_thread(const Event *e);
/* Have T's writes to such locations since its event number FROM, which E was one of, put back what
 * was there, seen from the location of E, and shown nothing else? */
bool owned_is_restored(int thread, int from, const Event *e);
/* The location of E is watched from now on: the exploration begins again. */
void owned_learn(const Event *e);
/* Have all other threads that there are ended before what T does now? */
bool owned_is_alone(int thread);
#endif
