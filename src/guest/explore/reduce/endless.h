/* endless.h: loops that read the same place again and again and change only the state of their own
 * thread. waiting.h can't show that such a loop waits, since no state comes back; but most of them
 * end by themselves (they count, or try a number of times), and those must be explored to their
 * end, however many rounds that takes.
 *
 * A thread that has gone LOOK rounds is tried: a ghost of it (waiting.h) runs on and finds every
 * location as it is now. If it leaves the loop, it ends by itself, and is looked at again only when
 * it has gone more rounds than the ghost did. If it is still there after many rounds it grows
 * without end, and its execution is given up. What is learnt of a loop is kept by its place in the
 * code. To give up is always sound: the answer is then inconclusive. */
#ifndef HEDDLE_EXPLORE_ENDLESS_H
#define HEDDLE_EXPLORE_ENDLESS_H
#include "guest/explore/search/explore.h"
#include "guest/explore/search/rules.h"

enum {
    ENDLESS_ROUNDS = 200000,          /* requests of a ghost after which its loop is given up */
    ENDLESS_EVENTS = EVENTS_OF_THREAD /* of a thread, even in a loop that ends by itself */
};

extern uint32_t endless_why; /* bits of OutcomeCut: why executions of this process were given up */
extern const Rule endless_rule;
/* T has made `request`. Is its execution to be given up: has it too many events, or is it in a loop
 * without end (--loop-bound: in a loop of so many rounds)? */
bool endless_look_at(int thread);
static inline bool endless_is(int thread)
{
    return UNLIKELY(threads[thread].count >= exploration.many_events) && endless_look_at(thread);
}
/* Fills `reply` with what Q finds when every location has its last value; false if it would have an
 * effect, or does not read. */
bool endless_answer_last(const Request *q);
#endif
