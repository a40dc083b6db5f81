/* waiting.h: loops that wait, found without annotation, and threads that are stuck. The statement,
 * and why no outcome is lost: doc/proofs/waiting.md. */
#ifndef HEDDLE_EXPLORE_WAITING_H
#define HEDDLE_EXPLORE_WAITING_H
#include "base/hash.h"
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/graph/graph.h"
#include "guest/runtime/opaque.h"

#define MAX_GHOSTS 12

/* Are loops that wait looked for? Without checkpoints only where opaque calls are noted; a stretch
 * with such a call is then never taken for a round. */
static inline bool waiting_is_sought(void)
{
    return checkpoint_is_compared() && reduction_is_on(REDUCTION_waiting);
}

/* Is it a request of a kind that can be repeated by a loop that waits? */
static inline bool waiting_is_read(int kind)
{
    return kind == REQUEST_LOAD || kind == REQUEST_RMW || kind == REQUEST_CAS;
}

/* Is E never pure? (Others may be impure, too: see waiting_is_pure.) */
static inline bool waiting_is_effect(const Event *e)
{
    return e->kind == EVENT_CREATE || e->kind == EVENT_JOIN || (e->kind == EVENT_WRITE && !e->rmw);
}

extern const Rule waiting_rule;
/* For waiting_run_key: keeps what was computed of the state before E, an access, with it. */
void waiting_keep_state(Event *e);
/* Told that T was found waiting, with its events from FROM on droppable; NULL: nobody is. */
extern void (*waiting_on_round)(int thread, int from);
/* Thread T has made `request`: does it only wait? Returns the index where the droppable part
 * begins, or -1 if the request is to be met. */
int waiting_detect(int thread);
/* How often T has made this very read since it last had an effect: the rounds of a loop that
 * changes local state, so that it can't be shown to wait. Counts no further than MOST. */
uint32_t waiting_rounds(int thread, uint32_t most);
uint32_t waiting_run(int thread); /* events since the thread's last effect */
/* T stands at the request of a read of the location that its event FIRST has read, with pure events
 * between. Would it be found waiting if the answer were V, with its events from FIRST on droppable?
 * False also if it would then touch plain memory that it does not touch in this run of pure events,
 * nor if FIRST had that answer. */
bool waiting_what_if(int thread, const Event *first, uint64_t v);
/* Makes ANSWER the present request, of the location of FIRST, as a read that has got V and no
 * write. The fields of ANSWER that this does not set must be zero. */
void waiting_suppose(Event *answer, const Event *first, uint64_t v);
/* The event of T that its present request repeats (P0), or -1. */
int waiting_repeats(int thread);
/* Does T's present request repeat its event number I: P0, or a lock that it asks for once more?
 * Others may have written since where T wrote in vain. */
bool waiting_comes_back(int thread, int i);
/* Is T's event number I pure? */
bool waiting_is_pure(int thread, int i);
/* Where the pure events that end with T's last one begin. */
int waiting_pure_from(int thread);
/* Where those of them begin that come after T's last write to plain memory. */
int waiting_pure_state_from(int thread);
/* A hash of all that waiting_what_if rests on besides: T's request, and its stacks since event
 * number FROM, of its pure events; false if there is none, since T has written plain memory since.
 */
bool waiting_run_key(int thread, int from, Hash128 *key);
Hash128 waiting_run_hash(int thread, int from); /* the same, whatever T has written */
#endif
