/* early.h: objects that constructors have allocated before main. They are no blocks (memory.h):
 * what they hold, and whether they are freed, are words at fixed addresses. One that nothing leads
 * to any more, and that was changed, is forgotten all the same: its words get their first values,
 * and it counts as freed. Else the first node of a queue that leaks would keep all nodes after it,
 * and no search would end.
 *
 * What leads to such an object: every word that a thread has written (memory.h), stacks, requests,
 * stores in buffers and blocks, as they are now; and words of static memory and of other such
 * objects that led there before main, if they still do. Who looks at the object without one of
 * these has a pointer that is hidden, or in memory that nobody knows. As for blocks, that does not
 * give a wrong answer: the access is to an object that is freed, which an execution does not show
 * again. An object that nothing led to before main is never forgotten: there must be such a
 * pointer.
 *
 * It is a function of the state, and changes nothing that a step can see: so states are the same
 * whenever this is done, and steps that commute (steps/taken.h) still do. */
#ifndef HEDDLE_STATES_EARLY_H
#define HEDDLE_STATES_EARLY_H
#include "base/common.h"

/* Finds the objects; memory is as it was before main. Once in a process. */
void early_begin(void);
extern uint32_t early_objects; /* that can be forgotten */
/* Forgets those of the present state that nothing leads to, if there are early_objects. */
void early_forget(void);
#endif
