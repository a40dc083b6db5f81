/* leaks.h: memory that the program allocates and never frees.
 *
 * By default the first complete execution tells of it, as a note: everything that is not freed.
 * With --leaks=error every complete execution is looked at, and one in which a live object of the
 * program is left that nothing points to is a violation. What points: words of static memory, of
 * the stacks and the thread-local storage of threads that have not ended, and of objects that are
 * pointed to themselves; atomic variables by their last values. A pointer may carry tags in its
 * low bits, or above its 48, and may lead into an object; one that is hidden otherwise (xor) is
 * none. Objects that a library allocates for itself are not the program's. */
#ifndef HEDDLE_HARNESS_LEAKS_H
#define HEDDLE_HARNESS_LEAKS_H
#include "record/options.h"
#include "record/outcome.h"

/* Ends a complete execution with a violation if something leaks; exploration.on_complete, and the
 * last step of a replay. */
void leaks_look(void);
/* Has the executions looked at as POLICY says, by exploration.on_complete; the first one tells
 * OUTCOME. RESUMED: the first complete execution was another session's. */
void leaks_begin(LeakPolicy policy, OutcomeMessage *outcome, bool resumed);
#endif
