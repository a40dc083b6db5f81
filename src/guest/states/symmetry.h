/* symmetry.h: threads that may make the same calls are interchangeable, unless the code looks at
 * which of them it runs in. Then a state in which T1 stands where T2 stands in another one, and T2
 * where T1 does, is the same state: keys (key.h) list threads in an order that does not depend on
 * their numbers. The place of a thread in that order is its slot; a turn is the permutation that
 * takes threads to their slots. States themselves are never permuted: a copy is what native steps
 * have led to, and so is each path of copies. What is known about a state (sets of explanations,
 * steps to other states) is kept by slots.
 *
 * Why it is right: equal keys mean that one state becomes the other when its threads, as a whole,
 * change places, and its blocks. If each step of a thread could be taken by another thread in its
 * place, what can be reached from both is the same, up to their names. That is tested
 * (elsewhere.h): a step is taken a second time with its thread and another one exchanged. Code for
 * which the two differ (thread-local variables, numbers of threads, owners of locks, addresses of
 * stacks in shared memory) is explored without symmetry.
 *
 * In a test of `check` threads are interchangeable as long as the same calls are left to them: a
 * place (StatesClient.next_place) is part of what a thread stands at. Steps that are known
 * (steps/taken.h) are those of the first copy of their state, and a node of that state which was
 * met later has no copy of its own: its threads go by the names that they have in the first one.
 * So paths of nodes change names on the way, and none is shown: whatever is found is found again
 * without all this (steps/late.h). */
#ifndef HEDDLE_STATES_SYMMETRY_H
#define HEDDLE_STATES_SYMMETRY_H
#include "guest/states/present.h"

enum { SYMMETRY_THREADS = 5, SYMMETRY_TURNS = 120 }; /* at most; turns of so many threads */

extern bool symmetry_used;    /* by the present search */
extern uint8_t symmetry_turn; /* that of the last key; 0, the identity, if it is not used */

/* Before a search of THREADS threads, which are interchangeable from the start if they are ALIKE,
 * or, if it GOES_ON, were at the end of the one before. */
void symmetry_enter(uint32_t threads, bool alike, bool goes_on);
void symmetry_leave(void);
/* So many nodes were expanded and met: if interchangeable threads are worth it now, the search
 * begins again with them (op_begin_again), once. Small searches are shown as they are, with every
 * thread by its own name. */
void symmetry_try(uint32_t threads, uint32_t expanded, uint32_t nodes);
/* Ends the search (op_begin_again): it begins again, without symmetry. */
NORETURN void symmetry_refuse(void);

/* Is THREAD idle as a thread before it is, which it could change places with? What THREAD does
 * leads to the same states, then. (A call that begins is on no cycle without a return of its
 * thread, which is all that progress.h asks about the thread itself.) */
bool symmetry_has_idle_double(uint32_t thread);

/* While a key is made, and blocks that words lead to are numbered: leaves in ORDER, by slot, the
 * threads in an order that does not depend on their numbers, and in BY, by thread, hashes that it
 * follows. Returns whether it is one of several orders; these all follow BY. */
bool symmetry_order(uint8_t *order, uint64_t *by);
bool symmetry_is_in_order(const uint8_t *order, const uint64_t *by); /* does ORDER follow BY? */

uint32_t turn_slot(uint8_t turn, uint32_t thread);
uint32_t turn_count(void);
uint8_t turn_number(const uint8_t *slot_of); /* by thread, from 1 on */
uint8_t turn_of_order(const uint8_t *order); /* the threads by slot, from 1 on */
uint8_t turn_inverse(uint8_t turn);
uint8_t turn_then(uint8_t first, uint8_t second);   /* both, one after the other */
uint32_t turn_bits(uint8_t turn, uint32_t threads); /* a set of threads, as slots */
#endif
