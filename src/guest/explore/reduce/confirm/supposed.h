/* supposed.h: answers of waiting_what_if, remembered with the plain memory that they rest on.
 *
 * A thread that would try again after another answer mostly touches plain memory on the way: the
 * next node of a stack, or its own node, whose link it writes. The same questions come again in
 * most graphs, and the answer is a function of
 *   - T's present request, its stack and heap cursor there, its stacks at its requests since its
 *     last effect (waiting_run_hash), which of these FIRST is, and the value;
 *   - what T has logged in that time: where, by which cell, what was there before, and what is
 *     there now. Ghosts begin with the one or the other, and are compared by it;
 *   - how granules are divided into cells, which only becomes finer;
 *   - T's past, if pasts are kept: the pasts of its ghosts follow from it;
 *   - and what plain memory holds wherever a ghost touches it, that it is allocated, and that no
 *     event is made of it.
 * The first four are a key. The last is known only afterwards: from the key on, a chain of entries
 * says where to look next, and what is found there is a part of the key of the next entry; the last
 * one holds the answer. So an answer is found only if memory holds, at every place that was touched
 * when it was worked out, what it held then. Each step of a ghost follows from the key and from
 * what it has found up to there, so it would touch these places again, and come to the same end.
 *
 * A place is looked at as memory is at present, which is what both ghosts find there unless T has
 * written it since its last effect. Such places are in the key, if they lie within one write. What
 * is refused: ghosts that fail (they may not do so elsewhere, and are rare), that use memory of the
 * runtime (it is logged as LOG_BYTES), a stack, mapped pages, places with locations, or parts of
 * what T has written; programs with racing bytes that are explored as events, or with locations of
 * 16 bytes. HEDDLE_DEBUG=validate works everything out and compares.
 *
 * What running the ghosts does besides answering (their pasts are noted) was done when the answer
 * was worked out, in the same exploration: another one remembers nothing. */
#ifndef HEDDLE_EXPLORE_CONFIRM_SUPPOSED_H
#define HEDDLE_EXPLORE_CONFIRM_SUPPOSED_H
#include "guest/explore/graph/graph.h"

/* Returns what waiting_what_if returns. FRESH: this is the first of several values that are asked
 * about at one request. T stands where its graph ends, not at a request that was only supposed. */
bool supposed_what_if(int thread, const Event *first, uint64_t v, bool fresh);
#endif
