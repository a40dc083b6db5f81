/* sets.h: how the calls so far can be explained. A configuration is a state of the specification
 * and, for each thread, nothing, a call that it waits for, or the result that the specification has
 * given to its call already. A set holds all configurations that some serial order of the calls
 * leads to; it is closed under performing calls that wait. When a call returns, the configurations
 * that gave it this result stay; when none is left, no serial order explains the history. (As
 * refine/explain for models.) A call that may fail while it overlaps another (SetsSpec.may_fail) is
 * given its failure without a step of the specification once another call is under way beside it.
 * Where calls are ordered by happens-before (views/views.h), a call that has ended may still come
 * behind one that begins later: it stays, as one that waits for calls which come before it, until
 * all calls that are to begin come behind it.
 * Sets have numbers: equal sets have equal ones; steps of sets are
 * remembered. */
#ifndef HEDDLE_STATES_SETS_H
#define HEDDLE_STATES_SETS_H
#include "base/vec.h"
#include "judge/history/value.h"

#define SETS_THREADS 6
#define SETS_SLOTS 14 /* threads times calls of each that are not over */
#define SETS_NONE UINT32_MAX

typedef struct SetsStep {
    uint32_t state;
    Value result;
} SetsStep;
typedef Vec(SetsStep) SetsSteps;

/* The specification that histories are judged by, with its states as numbers. */
typedef struct SetsSpec {
    uint32_t (*initial)(void);
    /* Appends the steps of CALL by THREAD (1, 2, ...) in STATE; none: it waits. */
    void (*step)(uint32_t state, uint32_t thread, uint32_t call, SetsSteps *out);
    /* May CALL wait for ever in STATE? */
    bool (*waits)(uint32_t state, uint32_t thread, uint32_t call);
    /* Is the result SEEN of CALL the one that the specification has GIVEN? */
    bool (*fits)(uint32_t call, Value seen, Value given);
    /* May CALL, if it overlaps another call, do nothing and give *RESULT? NULL: no call may. */
    bool (*may_fail)(uint32_t call, Value *result);
} SetsSpec;

/* Forgets all sets. DEPTH calls of a thread may be under way at once: the last one, and some that
 * have ended but are not over for others (buffers.h). THREADS * DEPTH is at most SETS_SLOTS.
 * ORDERED: sets_call_behind begins calls, and sets_end ends them. */
void sets_begin(const SetsSpec *spec, uint32_t threads, uint32_t depth, bool ordered);
uint32_t sets_initial(void);
uint32_t sets_call(uint32_t set, uint32_t thread, uint32_t call);
/* Does that for a call that comes behind the oldest SEEN[t] calls of each thread, and behind no
 * other one that is there. */
uint32_t sets_call_behind(uint32_t set, uint32_t thread, uint32_t call, const uint8_t *seen);
/* The newest call of THREAD ends with RESULT; then the oldest one that has ended is over.
 * SETS_NONE: nothing explains that. */
uint32_t sets_end(uint32_t set, uint32_t thread, uint32_t call, Value result);
uint32_t sets_leave(uint32_t set, uint32_t thread);
/* Both at once, if the thread has no other call. */
uint32_t sets_return(uint32_t set, uint32_t thread, uint32_t call, Value result);
/* SET with the calls of each thread at its slot (symmetry.h); SETS_NONE stays. */
uint32_t sets_turn(uint32_t set, uint8_t turn);
/* Is every configuration of SMALL in LARGE? */
bool sets_include(uint32_t large, uint32_t small);
/* No call under way ever returns. Is there an explanation in which THREAD's CALL may wait for ever,
 * and the others that wait have done nothing (Line-Up, definition 3)? */
bool sets_may_wait(uint32_t set, uint32_t thread, uint32_t call);
uint32_t sets_count(void); /* how many have a number */
bool sets_are_full(void);  /* calls have as many different results as there can be */
uint64_t sets_bytes(void); /* memory in use */
#endif
