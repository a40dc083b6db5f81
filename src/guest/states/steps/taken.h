/* taken.h: the steps that a search has taken from each state, so that most are not made again. A
 * step costs a microsecond or two (native code, a key, a copy); what is known of it, a tenth.
 *
 * A STATE THAT IS MET AGAIN, with other explanations, takes the same steps: which there are, where
 * they lead and what they return is a function of the state (key.h). Nodes are expanded in the
 * order of their numbers, so that the first node of a state has been expanded before the others
 * are: these need no copy of the state at all.
 *
 * STEPS THAT COMMUTE. Thread B's step has led from state P to X. Let A be another thread, whose
 * step from P leads to Y, and let the two steps touch nothing in common that one of them writes.
 * Then A's step from X reads what it read from P, so it does and returns the same, and leads to the
 * state Z that B's step leads to from Y: which is known if Y has been expanded before X.
 *   - A step touches the memory of its visible access, and of the plain accesses behind it, which
 *     are the thread's prints (memory.h) when it stops. Prints on memory that no other thread can
 *     reach by then are dropped: B could have come there from P only by a word that A's step has
 *     changed, and what is changed in reach of B is in the prints, or is the visible access.
 *   - A store that goes to the thread's buffer is in none of these, but whether it races is asked
 *     when it is made: a step touches all that is in the buffer when it stops.
 *   - A step that stops before a wait has looked at it, if that would have been its visible access.
 *   - A block that A's step allocates may lie elsewhere after B's step, even where B has put
 *     something by then. That is the same state (key.h). A's accesses to it are noted with the
 *     address that it had from P: for nothing, since no step of others from P or X can get to a
 *     block that is not there yet; at worst two steps count as dependent that are not.
 *   - A step that writes what is the runtime's own touches everything: the runtime reads that
 *     without an access. So does a step with a second visible access, which it makes inside a
 *     futex.
 *   - Where threads share stacks, every step touches everything: a call that returns ends the life
 *     of its variables, which is no access.
 *   - A thread that waits in P, or whose next access B has changed, is not foreseen. Threads that
 *     have no step in P and do not wait have none in X.
 *   - No race is missed: A's accesses from X could only be in conflict with B's prints, which are
 *     part of what B's step touches; those of others are the same in P.
 * What a step does depends on which blocks only its thread can reach, too (step.h): it runs past
 * accesses to those, makes no print of them, and its stores to them wait in no buffer. A step that
 * touches nothing of a block may still let go of the last pointer that another thread has to it.
 *   - A may have let go of a block that B's step asks about. So Z is known only if B has got the
 *     same answers from Y as from P (StatesTouched.decisions), which are part of a step's kind.
 *   - B may have let go of a block that A's step asks about: from X, A's would be the only thread
 *     that reaches it. To treat it as shared, as A's step from P has done, is right as well: a step
 *     may stop before any access, nobody is in conflict with a print of such a block, and a store
 *     to it may wait. It only makes more states of one.
 *   - Neither can gain a pointer to a block that only the other could reach.
 *   - Who lets go of a block may settle a store of the other thread (buffers.h), which makes other
 *     steps then. So both must have as many stores in their buffers after the other's step as in P.
 *     The same are settled in Z, whose step comes last.
 *
 * Steps are those of the first copy of a state, whose blocks lie where the step that has led there
 * has left them: so addresses of P are those of X, and so are the names of threads. Where threads
 * are interchangeable (symmetry.h), those of Y may be others. A's step from P puts thread T at the
 * slot turn(T) of Y, whose first copy has thread T' there, and B's step from Y is one of B'. It
 * puts T' at the slot of Z that T has after A's step from X. */
#ifndef HEDDLE_STATES_STEPS_TAKEN_H
#define HEDDLE_STATES_STEPS_TAKEN_H
#include "guest/states/step.h"

typedef struct TakenStep {
    uint32_t thread, way;
    uint32_t to;  /* a state, */
    uint8_t turn; /* in which threads of this one are at these slots (symmetry.h) */
    StatesDone done;
    bool apart;             /* not to be foreseen, nor are others by it (late.h) */
    uint32_t kind, touched; /* what it is like, by numbers: of one that is known */
} TakenStep;

extern bool taken_used; /* by this search; the rest is not called if it is not */
void taken_begin(bool used);
/* STATE, which is being expanded for the first time, has taken STEP: natively, just now (these
 * are found out then), or as it was foreseen. */
void taken_add(uint32_t state, const TakenStep *step, bool foreseen);
/* All steps of STATE were taken. WAITING: threads (bits) inside a call that can't go on. */
void taken_end_state(uint32_t state, uint32_t waiting);
bool taken_has_ended(uint32_t state);
uint8_t taken_turn(uint32_t state); /* of its first copy */
/* Steps of a state that has ended are numbered from 0, in the order in which they were taken. */
uint32_t taken_count(uint32_t state);
TakenStep taken_step(uint32_t state, uint32_t index);
/* Leaves in STEPS, which has room for TAKEN_WAYS, the steps of THREAD from STATE, whose steps are
 * being taken, and in *COUNT how many there are. False: they have to be taken. */
enum { TAKEN_WAYS = 16 };
bool taken_foresee(uint32_t state, uint32_t thread, TakenStep *steps, uint32_t *count);
/* The state whose steps these are, if they are foreseen. */
uint32_t taken_parent(uint32_t state);
uint64_t taken_decisions(const TakenStep *step); /* StatesTouched.decisions of it */
/* Did the step that was made last make the same visible access as STEP? */
bool taken_is_alike(const TakenStep *step);
uint64_t taken_bytes(void);
#endif
