/* late.h: reads that are made as late as possible. A thread in the middle of a round of reads is a
 * state of its own only where what it has read changes before the round is over.
 *
 * A step is SILENT if it writes nothing that others can see: of all that it touches (taken.h) it
 * only reads. It can be made in one way only, does not wait, and ends no call, neither for its
 * thread nor for others (buffers.h). The RUN of a thread from a state are its silent steps up to
 * the first other one, the END of the run; a MOVE makes them all. A flush of the thread's store
 * buffer is a move, too. The end DEPENDS on a silent step of another thread if it writes something
 * that this one touches, or the other way round.
 *
 * WHAT IS EXPLORED. From a state in which nobody is late, every thread makes its move, in all ways.
 * Besides, a thread may make a first part of its silent steps and stop there, if the end of another
 * thread's run depends on the last step of that part. It is LATE then. The next move must be that
 * of a thread which is not, and its end must depend on the last steps of all who are late; or else
 * another thread, with a higher number, becomes late as well. After the move nobody is late.
 *
 * WHY NOTHING IS LOST. Let a path lead from state P, in which nobody is late, to something that is
 * wrong; a step that shows it is not silent. Up to the first end on the path, which thread F makes,
 * all steps are silent, so that nothing changes which they read: they belong to the runs from P,
 * and commute with each other. If the end does not depend on the last one that thread T has made,
 * it commutes with the end, too, and can be made after it; then the one before is the last. What is
 * left of T's steps, if any, is a first part of its run: T is late. So the same is wrong at the end
 * of a path that begins with the parts of those who are late, in the order of their numbers, and
 * the move of F. That is explored, and the rest is a shorter path from the state that it leads to.
 *   - A call that begins with a silent step begins later. So more calls have returned before it: if
 *     that history can be explained, the one before can (step.h). Steps in which calls return are
 *     ends, which keep their order.
 *   - A race, or another access that is wrong, is found in a step, which is an end for that reason:
 *     from each state in which nobody is late all runs are made. The end depends on the prints
 *     (memory.h) of a silent step, too, and meets them while its thread is late.
 *   - A thread that becomes late may let go of a block, so that only F reaches it. Then F's run
 * from there passes accesses at which its run from P stops. To stop is right as well (taken.h), and
 *     the run from P tells who may be late, and whose move may follow. So that the move from there
 *     makes no more than the one from P, it ends with the first step that depends on somebody who
 *     is late, where accesses to what only F can reach count, which are hidden otherwise.
 *   - A thread reads the newest store in its buffer, or memory if that was flushed, with the same
 *     value: its silent steps commute with its own flushes. So it flushes from P itself, not behind
 *     its silent steps, and does not flush while it is late. Where it waits for a flush behind
 * them, its run has no end: after the flush it has.
 *   - Where somebody is late, stores are not settled (buffers.h): a thread that is late may have
 * read what another is about to flush, and let go of it since. That flush is an end, which depends
 *     on the last step of who is late; it must be there to be made.
 *   - Of a thread that reads for ever some steps are taken for ends, though they are silent. No
 * part of the argument needs ends to write.
 *   - A call that never returns from some state: let each thread that has made silent steps there
 * go on to its end, one after the other. The call has not returned; the path that is explored
 *     instead leads to the same state, since nobody has silent steps left that come later. So some
 *     state in which nobody is late shows it: graph_may_be_stuck (answer/graph.h) is asked about
 *     these. Whether the call may wait there (sets.h) may have changed. So if any call does not
 *     return, the search begins again without all this.
 * A state in which somebody is late is another one than the same state in which nobody is, or in
 * which they have read something else (late_meet). From each of them other moves are made, and the
 * ones that are left out are made from the states before it: but those were met with other
 * explanations (sets.h), which may excuse what is wrong here (tests/unbounded/late_tests.c).
 * Whatever is wrong is found again, and told about, by a search without this (late_refuse).
 *
 * Where threads are interchangeable (symmetry.h), states in which somebody is late have the names
 * of the state before: their keys list threads by their numbers. So "a higher number" means the
 * same for all that come from one state. They are as few as those.
 *
 * Moves are steps for taken.h, which touch what all their steps touch. From a state in which
 * somebody is late not all moves are made: they are not foreseen, nor are others by them.
 * It is used where steps that are taken are kept: by tests of `check`, whose graphs of states are
 * asked for nothing else. */
#ifndef HEDDLE_STATES_STEPS_LATE_H
#define HEDDLE_STATES_STEPS_LATE_H
#include "guest/states/key.h"
#include "guest/states/step.h"

extern bool late_used; /* by this search; the rest is not called if it is not */
void late_begin(bool used);
/* The search begins again without it, and all that follow until late_allow. */
NORETURN void late_refuse(void);
void late_allow(void);

/* ---- states ---- */

bool late_is_plain(uint32_t state); /* nobody is late there */
/* The steps of STATE are taken from here on. */
void late_begin_state(uint32_t state);
/* May a move of THREAD from that state end with a step that depends on all who are late? */
bool late_may_move(uint32_t thread);
/* The run of THREAD is the one that it has from state PARENT. */
void late_foresee(uint32_t parent, uint32_t thread);
void late_end_state(uint32_t state);

/* ---- moves ---- */

/* The next states_step makes a move of THREAD: it begins in this way, and the request of THREAD
 * has so many WAYS. When it has ended, states_step makes as many steps again, until late_end_move.
 */
void late_begin_move(uint32_t thread, uint32_t way, uint32_t ways);
void late_end_move(void);
/* Does the move that was learnt last end with a step, which depends on all threads that are late?
 */
bool late_accepts(void);
/* Leaves in OUT what its silent steps have touched; returns how many accesses these are, or
 * UINT32_MAX if there is no ROOM. */
uint32_t late_list_chain(StatesAccess *out, uint32_t room);
typedef struct LateStay { /* a move after which the thread is late */
    uint32_t thread, way;
    uint32_t more; /* steps behind the first one */
} LateStay;
/* When all other moves of the state, which is that of COPY, are known: finds those after which a
 * thread is late, and returns how many there are. The present state is lost. */
uint32_t late_find_stays(const char *copy);
LateStay late_stay(uint32_t index);
void late_begin_stay(const LateStay *stay); /* it is made as a move is */
/* THREAD has made such a move, to the state with *KEY, which was just made. Returns a number for
 * who is late there, and makes *KEY that of the state in which they are. Or 0: the state in which
 * nobody is late has been met, and stands for it. */
uint32_t late_meet(uint32_t thread, StatesKey *key);
/* STATE is new: threads are late there like that. */
void late_note(uint32_t state, uint32_t late);
uint64_t late_bytes(void);

/* ---- for step.h and memory.h ---- */

/* The step has allocated a block. */
static inline void late_note_block(uint64_t at)
{
    StatesTouched *touched = &states_touched;
    if (late_used && touched->new_blocks < COUNT_OF(touched->new_block))
        touched->new_block[touched->new_blocks++] = at;
    else
        touched->everything |= late_used;
}

extern bool late_learns;   /* how many steps the move has */
extern uint32_t late_more; /* that it makes behind the first one, else */
bool late_settles(void);   /* stores (buffers.h) when the move is over */
bool late_decides(uint32_t behind, const StatesDone *done);
/* The move has made BEHIND steps behind the first one: does it make one more? */
static inline bool late_goes_on(uint32_t behind, const StatesDone *done)
{
    return UNLIKELY(late_learns || late_more) && late_decides(behind, done);
}
#endif
