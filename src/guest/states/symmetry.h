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
 * stacks in shared memory) is explored without symmetry. */
#ifndef HEDDLE_STATES_SYMMETRY_H
#define HEDDLE_STATES_SYMMETRY_H
#include "guest/states/memory.h"

enum { SYMMETRY_THREADS = 5, SYMMETRY_TURNS = 120 }; /* at most; turns of so many threads */

extern bool symmetry_used;    /* by the present search */
extern uint8_t symmetry_turn; /* that of the last key; 0, the identity, if it is not used */

/* Threads 1 to THREADS are interchangeable. */
void symmetry_begin(uint32_t threads);
/* Ends the search (op_begin_again): it begins again, without symmetry. */
NORETURN void symmetry_refuse(void);

/* Is THREAD idle as a thread before it is, which it could change places with? What THREAD does
 * leads to the same states, then. (A call that begins is on no cycle without a return of its
 * thread, which is all that progress.h asks about the thread itself.) */
bool symmetry_has_idle_double(uint32_t thread);

uint32_t turn_slot(uint8_t turn, uint32_t thread);
uint32_t turn_count(void);
uint8_t turn_number(const uint8_t *slot_of); /* by thread, from 1 on */
uint8_t turn_of_order(const uint8_t *order); /* the threads by slot, from 1 on */
uint8_t turn_inverse(uint8_t turn);
uint8_t turn_then(uint8_t first, uint8_t second);   /* both, one after the other */
uint32_t turn_bits(uint8_t turn, uint32_t threads); /* a set of threads, as slots */
#endif
