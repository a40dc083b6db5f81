/* blocked.h: threads that wait: to join another one, in a call of the runtime for a value that is
 * not there, or (reduce/waiting) in a loop. */
#ifndef HEDDLE_EXPLORE_SEARCH_BLOCKED_H
#define HEDDLE_EXPLORE_SEARCH_BLOCKED_H
#include "guest/explore/graph/graph.h"

/* Returns the thread that T waits to join, or -1. */
static inline int blocked_joins(int t)
{
    uint8_t waits = threads[t].count ? last_event(t)->waits : WAITS_NOT;
    if (LIKELY(waits >= 1 && waits <= MAX_THREADS))
        return waits - 1;
    if (waits == WAITS_BLOCKED || waits == WAITS_CUT)
        return -1; /* its next request may be a join, but it does not get there */
    if (threads[t].live == LIVE_PENDING && threads[t].pending.kind == REQUEST_JOIN)
        return (int)threads[t].pending.operand;
    return -1;
}

/* T's last events from FROM on are droppable. False if T could never be freed again, because its
 * last read was not added maximally or nobody writes what it waits for (a rule says so): the graph
 * is a dead end, backtrack. Else T is marked blocked.
 *
 * The last read r may be that of a silent RMW. T is freed only if a revisit deletes r, or gives r
 * another write; for that r must have been added maximally, which an older write z after rf(r)
 * forbids for ever. But other threads may read the write of the RMW, so a revisit A1 -> r1 may keep
 * r although r1, and perhaps z, are older: r is then in A1's prefix, with all of T, since the RMW
 * is T's last event. From then on no revisit A deletes r: A would have to delete A1 as well, and so
 * r1, which reads from the younger A1, and which is maximal only if A has A1, and r with it, in its
 * prefix. (An earlier RMW of T's round does not do instead: others may read its write, so that a
 * revisit keeps it and deletes what T has read after it.) No stuck execution is lost: let the
 * threads that wait make their last rounds one after the other, then each of them reads the last
 * write that is there. That is why leads_nowhere (hopeless.c) asks about no RMW: the silent write
 * of the next thread makes the read of the one before it outdated. */
bool blocked_enter(int thread, int from);
/* T's last read that had a choice, if nothing but fences, light marks and reads that confirm
 * (confirm.h: whatever they read, a revisit may delete them) follows it, else NULL. */
const Event *blocked_last_read(int thread);
/* Was read R added maximally: did it read the last of the writes that were there? */
bool blocked_was_maximal(const Event *read);
/* T waits (its last event is WAITS_BLOCKED): do its reads see the last values? */
bool blocked_sees_last(int thread);
/* Does one of the threads that wait look at a clock that has stopped (CHOICE_TIME_OVER)? */
bool blocked_by_time(void);
/* No thread can run. Is this a real deadlock: does every waiting thread see the last values? */
bool blocked_is_stuck(void);
#endif
