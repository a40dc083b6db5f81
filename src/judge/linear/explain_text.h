/* explain_text.h: the evidence for a violation as text that fits 100 columns. */
#ifndef HEDDLE_LINEAR_EXPLAIN_TEXT_H
#define HEDDLE_LINEAR_EXPLAIN_TEXT_H
#include "judge/linear/checker.h"

#define EXPLAIN_TEXT_OPERATION 60u /* characters of an operation */

/* `put("k", 1)`, at most LONGEST characters (a transaction: all of it), and the name of a process.
 */
void explain_text_operation(const History *history, uint32_t op, size_t longest, Buffer *out);
void explain_text_process(const History *history, uint32_t process, Buffer *out);
/* Where it ends, which operations contradict each other, and each order that goes as far as any.
 * GROUP is the violated one. */
void explain_text_violation(const Plan *plan, uint32_t group, const GroupVerdict *verdict,
                            const Explanation *explanation, Buffer *out);
#endif
