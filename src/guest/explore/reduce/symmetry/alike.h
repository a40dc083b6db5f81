/* alike.h: threads that nothing tells apart, so that one execution stands for all that differ only
 * in which of them did what (copies.h).
 *
 * Main creates them one directly after the other, to run the same function with the same argument;
 * or they make the same calls in a test of `check`. Exchange two of them in an execution, as a
 * whole: the graph that results is one of the program, with the same verdict, if
 * - main does nothing between the creations that the threads could notice: it touches no memory but
 *   its own stack, which no other thread touches plainly, and the variables that get the threads'
 *   names, which none of the threads touches;
 * - main joins them in a row, touching nothing meanwhile, and learns nothing from their results,
 *   since they are equal or not asked for; nobody else joins or detaches one of them, and nobody
 *   asks whether one has ended (pthread_tryjoin_np);
 * - none of them asks for its own name, for random numbers (each thread has its own sequence), or
 *   sleeps in a set of threads, whose members the runtime numbers.
 * The first is decided when a thread is created. The others are watched; when one of them fails,
 * the exploration begins again and takes all threads for different. Watching the
 * executions that are explored is enough: let F be a smallest one in which a condition fails. Up to
 * the failing step the threads could be exchanged, so the copy of F that is explored has that step,
 * made by another of them, and fails, too.
 *
 * Addresses on the heaps and stacks of the threads, and of their thread-local variables, tell them
 * apart as well, if somebody looks at
 * them: whether anybody does is found by running what they did again elsewhere (placements.h).
 * Where two of the threads have had the same answers so far and then make different requests, they
 * are not alike, and it begins again. */
#ifndef HEDDLE_EXPLORE_SYMMETRY_ALIKE_H
#define HEDDLE_EXPLORE_SYMMETRY_ALIKE_H
#include "guest/explore/search/rules.h"

/* Does the search that runs leave out copies? */
extern bool alike_active;
/* Has it met threads that are alike, since the graph was empty? */
extern bool alike_met;
/* The threads that have ever been like another one. */
extern ThreadSet alike_ever;
/* How many threads that are alike it has met at most in one execution, in all its searches. */
extern uint32_t alike_most;
/* Threads are told apart, so that symmetry is not used, in the present exploration. Part of what
 * units know (scale/known.c). */
extern bool alike_refused;

/* Set before an exploration whose visitor tells threads apart: then none are alike. */
extern bool alike_names_matter;

/* Decides at the beginning of each search whether threads may be alike; watches whether they stay
 * so. */
extern const Rule alike_rule, alike_active_rule, alike_met_rule;
void alike_end(void); /* until the next search no threads are alike */
/* Returns the thread that was created directly before T and is like it; 0: there is none. */
static inline int alike_before(int t)
{
    const Event *create = &pool[threads[t].create];
    return create->test ? (int)thread_event(0, create->index - 1)->other : 0;
}
/* Is there another thread like T? */
bool alike_has_others(int thread);
/* Takes all threads for different from now on, and begins again. */
NORETURN void alike_refuse(void);
#endif
