/* revisit.h: backward revisits, in place. A new write A may be what an older read R should have
 * read from (it did not exist when R was added). The graph is cut to what is older than R or in A's
 * porf prefix, R reads from A, and exploration goes on; afterwards the graph is put back exactly.
 * TruSt (Kokologiannakis, Marmanis, Gladstein, Vafeiadis, POPL 2022): done only if everything cut
 * was added in a maximal way, which makes every graph reached exactly once. */
#ifndef HEDDLE_EXPLORE_REVISIT_H
#define HEDDLE_EXPLORE_REVISIT_H
#include "guest/explore/graph/graph.h"

void revisit_setup(void);
/* Was E added maximally, from the view of the write A that would delete it? */
bool revisit_is_maximal(const Event *e, const Event *a);
/* Cuts the graph; the read at order[place] is replaced by a copy that reads from WRITE. Returns the
 * copy. Coherence of WRITE is the caller's business (it must not be placed). */
Event *revisit_begin(int place, EventId write);
/* Undoes the last revisit_begin; pool, log and snapshots are back at their marks of that time. */
void revisit_end(void);
/* Would another RMW on the write that A, the write of an RMW, has read survive the revisit of R by
 * A? Its write then stands directly behind that write, where A belongs, and graph_splits_rmw
 * refuses A's place. To know it before anything is cut changes no answer, but saves more than half
 * of the revisits of contended counters (7 increments: 5,039 instead of 11,358). */
bool revisit_breaks_rmw(const Event *a, const Event *r);
extern uint64_t revisit_count;
#endif
