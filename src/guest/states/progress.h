/* progress.h: the graph of all states, with the steps between them: which calls can never return,
 * and which promise of progress the graph proves. Cheap while states are explored (a few bytes a
 * step), worked out once at the end. */
#ifndef HEDDLE_STATES_PROGRESS_H
#define HEDDLE_STATES_PROGRESS_H
#include "guest/states/search.h"

void progress_begin(void);
#define PROGRESS_OVER 0x80u /* among the threads of a state: the program has ended */
/* A new state, the next number: these threads (bits) are inside a call; of these, BLOCKED can take
 * no step, and PERPETUAL ones, of a program, do not end by their code. TURN takes them to slots. */
void progress_add_state(uint8_t turn, uint32_t inside, uint32_t blocked, uint32_t perpetual);
/* THREAD's step leads from one state to another; the steps of a state follow each other, in the
 * order of their states, and stand for all visits of it. It BEGINS a call, RETURNS from one, or
 * both; it WRITES something else to
 * memory than was there, creates or ends a thread. In a program RETURNS means that it tried to
 * write, in vain (StatesDone). Where threads are interchangeable
 * (symmetry.h) they are named by their slots at the source, and TURN takes these to their slots at
 * the target.
 */
void progress_add_step(uint32_t from, uint32_t to, uint32_t thread, uint8_t turn, bool begins,
                       bool returns, bool writes);
uint32_t progress_inside(uint32_t state); /* its threads inside a call, by slots */
uint64_t progress_steps(void);
uint64_t progress_bytes(void);
/* Sets bit T of stuck[state] if thread T is inside a call there that returns on no path, unless
 * somebody begins another call: clients may stop calling, but for those whose CALLS_END. STUCK has
 * room for all states. Returns whether there is such a state. */
bool progress_find_stuck(uint32_t threads, bool calls_end, uint8_t *stuck);
/* Lists all steps, unless they are listed: the functions here do so, and progress_find_stuck leaves
 * the list. It lies in memory that was LENT, of progress_list_bytes, until progress_begin. */
void progress_list(void);
size_t progress_list_bytes(void);
void progress_lend(void *lent);
void progress_drop_list(void);
/* Works out the promise. The list of steps is dropped. */
StatesProgress progress_class(uint32_t threads);
/* Memory that these take at most, beside progress_bytes (progress_find_dead no more than the
 * first); of progress_class beside the list of steps, if progress_find_stuck has left it. */
uint64_t progress_stuck_bytes(void);
uint64_t progress_class_bytes(uint32_t threads);
/* The threads of a program: what is wrong with a state. What is asked is what can be reached from
 * there, so threads are scheduled fairly: who can go on for ever, does so. */
typedef enum ProgressDead {
    PROGRESS_ALIVE,
    PROGRESS_WAITS, /* a thread is blocked, whatever the others do */
    PROGRESS_QUIET, /* the program has not ended, and no step will ever change memory any more */
    PROGRESS_LOOPS, /* a thread that has an end, by its code, can't come to it any more */
    PROGRESS_TRIES  /* one that has none goes on with exchanges that change nothing, and never
                       does anything else that changes memory */
} ProgressDead;
/* Sets dead[state] to one of these and thread[state] to the thread (any that lives). Returns
 * whether there is a state from which the program does not end. */
bool progress_find_dead(uint8_t *dead, uint8_t *thread);
#endif
