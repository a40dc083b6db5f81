/* checkpoint.h: threads as things that can be put back. At every request the thread's stack is
 * copied; to go back to an event, the copy taken at its request is restored and the event's answer
 * given again. Restoring is lazy: a thread that lost events is only marked, and put back when it
 * runs next. Without checkpoints (options.checkpoints = 0) all threads are re-executed from the
 * start instead; the stacks are then copied for comparison only (waiting.h). */
#ifndef HEDDLE_EXPLORE_CHECKPOINT_H
#define HEDDLE_EXPLORE_CHECKPOINT_H
#include <string.h>
#include "guest/explore/search/ghost.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/memory/scrub.h"
#include "guest/explore/search/rules.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/opaque.h"

/* Slots of a frame that were not written yet must not differ between two runs that reach the same
 * state (waiting.c compares stacks), also not between a search and one that goes on from where it
 * was written down (units.h). So what lies below the stack pointer is cleared: as far as any thread
 * has reached down at a request, and at least a little. */
#define CHECKPOINT_CLEARED 512
typedef struct CheckpointState {
    uint32_t deepest; /* bytes of the largest stack at a request so far */
    /* Without checkpoints: the graph was cut or a read was revisited since, so that memory and
     * threads are those of another graph. Nothing may run or be looked up there before
     * checkpoint_replay_all.
     */
    bool outdated;
    char *stacks; /* of threads at their requests (Event.snapshot), used up to `top` */
    uint32_t top;
} CheckpointState;
extern CheckpointState checkpoints;

void checkpoint_setup(void);
void checkpoint_reset(void);
/* Are stacks compared (reduce/waiting), so that they are kept? Without checkpoints only where each
 * call is noted that may leave something behind which a stack does not show. */
static inline bool checkpoint_is_compared(void)
{
    return options.checkpoints || (opaque_is_watched && options.foreign_code != FOREIGN_CODE_ANY);
}
void checkpoint_save(Event *e); /* the thread of E stands at the request that E is made from */
/* Puts thread T to where it goes on, with the answer to its last request; false if it has made its
 * next one already, which is then in `request`. */
bool checkpoint_prepare(int thread);
/* Clears what CHECKPOINT_CLEARED is about, below the stack pointer of FIBER. (By plain stores:
 * memset of this size is an instruction that takes longer to start than these take together;
 * volatile keeps it away.) */
static inline void checkpoint_clear_below(const Fiber *fiber)
{
    typedef long long Pair __attribute__((vector_size(16)));
    char *sp = fiber->sp;
    size_t used = (size_t)(fiber->base - sp), bytes = CHECKPOINT_CLEARED;
    if (UNLIKELY(checkpoints.deepest > used + CHECKPOINT_CLEARED))
        bytes = (checkpoints.deepest - used + 127) & ~(size_t)127;
    uintptr_t end = (uintptr_t)sp & ~(uintptr_t)15; /* no store goes across a line of the cache */
    volatile Pair *at = (volatile Pair *)(end - bytes);
    const Pair zero = {0, 0};
    _Static_assert(CHECKPOINT_CLEARED % (8 * sizeof zero) == 0, "eight at a time");
    for (; (uintptr_t)at < end; at += 8) {
        at[0] = zero, at[1] = zero, at[2] = zero, at[3] = zero;
        at[4] = zero, at[5] = zero, at[6] = zero, at[7] = zero;
    }
    if ((uintptr_t)sp > end)
        memset((void *)end, 0, 8); /* a stack pointer is a multiple of 8 */
}
/* T has its answer and runs to its next request. */
static inline void checkpoint_run(int t)
{
    if (options.reductions || UNLIKELY(facts_met[FACT_awaits]))
        checkpoint_clear_below(&fibers[t]);
    rules_begin_stretch(t);
    ghost_resume(t);
    rules_end_stretch(t);
    if (UNLIKELY(scrub.torture) && request.kind != REQUEST_STOP)
        scrub_spoil(t);
    if (UNLIKELY(!options.checkpoints) && opaque_ran(t))
        threads[t].opaque_at = threads[t].count;
}
/* Runs thread T from its last event to its next request, which is then in `request`. Inline for the
 * reason that fiber_resume is. */
static inline void checkpoint_resume(int t)
{
    Thread *thread = &threads[t];
    if (thread->live == LIVE_PENDING && LIKELY(thread->pending.kind != REQUEST_STALL)) {
        thread->live = LIVE_YES;
        request = thread->pending;
        return;
    }
    if (checkpoint_prepare(t))
        checkpoint_run(t);
}
/* After a cut: puts the stacks back at once that other threads look into. */
void checkpoint_restore_shared(void);
/* The answer that event E gives to its request, into `reply`. */
void checkpoint_answer(const Event *e);
/* Without checkpoints: runs everything from the start up to the present graph. Meanwhile the graph
 * holds events that the re-execution has not reached: to plain accesses they do not exist yet. */
void checkpoint_replay_all(void);
static inline void checkpoint_note_cut(void)
{
    if (UNLIKELY(!options.checkpoints))
        checkpoints.outdated = true;
}
/* READ, its thread's newest, is checked (explore_check_read) when memory is that of its graph. */
void checkpoint_put_off(const Event *read);
#endif
