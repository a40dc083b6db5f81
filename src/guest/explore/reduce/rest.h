/* rest.h: the rest of main, where it only joins threads, looks at atomic variables and ends, is not
 * run again and again.
 *
 * Main's rest after one of its events e is silent if all that it does is to join threads and to
 * end, quietly (op_program_exit), and if on the way it touches no memory but its own stack. Then
 * what it does is a function of its state at e and of the results of the threads that it joins, if
 * it wants them. So as long as e stays in the graph, a later execution in which these threads have
 * the same results has the same rest, and in that
 * - nothing can be found: it was run once, and nothing was;
 * - nothing is done that other threads could see: no thread depends on it, no write of it could
 *   revisit a read, no access of it could race;
 * - no choice is made.
 * So main does not run while other threads can, and when all of them have ended the execution is
 * complete, without the events of its rest. If one of them has not ended, or if somebody wants to
 * see complete graphs, main runs as always.
 *
 * Loads. A rest may also load atomic variables once main has joined all other threads. Then every
 * event of the graph happens before the load, whatever the memory model: it reads the last write in
 * coherence order, can race with nothing, adds no edge but into itself, and nothing revisits it. So
 * the rest is a function of its state at e, the results of the threads and the last values of the
 * variables. Rests that load are remembered by these values, for one e at a time, a creation, and
 * for the joins after it: a later execution with the same threads, in which e is still there and
 * all variables of such a list have the same last values, has the same rest. If no list fits, main
 * runs. This is for static variables without plain accesses and parts (blocks.h), which some event
 * has written: what is asked of accesses to the heap, to stacks and of initial values depends on
 * more. And it is not for programs with equal threads (alike.h), where what main is told counts as
 * its past.
 *
 * An execution that is sampled (schedules/sample.h) begins with an empty graph, so that no event of
 * the one before stays. Its rest is known by main's state: the stack at the request of e, which is
 * the creation of a thread, with the answer to that and the heap cursor. What main does from there
 * on, it does by these and by the results, as above.
 *
 * What the rest depends on beside that is watched: a thread may be joined or detached by another
 * one, too, which is an error (op_note_claim), and the end of a program may call functions, for
 * which it is not quiet. Rests are not used any more, in this process, when another thread than
 * main has claimed one, or when a result differs. */
#ifndef HEDDLE_EXPLORE_REST_H
#define HEDDLE_EXPLORE_REST_H
#include "guest/explore/search/rules.h"

/* Notes main's rest where it was silent (ReduceNotes.rest), and says that main need not run there.
 */
extern const Rule rest_rule, rest_active_rule;
/* Executions that are sampled: forgets what is known, before the first one. */
void rest_forget_samples(void);
/* Notes main's rest, if none is known, when such an execution is complete. */
void rest_observe_sample(void);
/* Main has come to a join: returns whether that begins the rest that is known. */
bool rest_is_known_of_sample(void);
/* It does, and no other thread can run. Returns whether main need not run, either, since all have
 * ended: exploration.completes is set. */
bool rest_completes_sample(void);
#endif
