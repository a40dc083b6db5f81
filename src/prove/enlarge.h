/* enlarge.h: another program, of which more is known and which has all the results of the first: if
 * every execution of it is explained by the specification, then every one of the first is.
 *
 * 1. Reads at the end of an operation are left out. A step that changes nothing, after the last one
 *    that does, and with a result that is known before (a compare-and-swap of a tail that others
 * may have moved already), only delays the return. (Not in models if it reads a field: that its
 * node is allocated has to be shown.) Every execution, without these steps, is one of
 *    the new program, in which each operation has the same arguments and result; it returns
 * earlier, so the order of operations that did not overlap has all its pairs and perhaps more, and
 * an order that explains the new execution explains the old one. An operation that had not returned
 *    but has now could have returned that result.
 * 2. A local that one step alone uses, and which is what that step read, is replaced by the read:
 *    `t = tail; assume h != t' is the same condition on the state and the other locals as `assume
 *    h != tail', and nobody can see t. As a local it would have to be the same in every order of
 * the steps, which asks for more than is needed. A read into a local that nothing uses is left out
 *    (with the same exception).
 * 3. Where a step appends a new node behind another (Z.next = X), a ghost field numbers the nodes
 *    (X.rank = Z.rank + 1). No step reads it, and Z is not NULL in a step that writes Z.next; so
 *    each execution has its counterpart with the numbers, and the other way round. What it is good
 *    for: that one pointer is never behind another is a matter of the whole list between them, but
 *    of the numbers it is a comparison, which steps keep or not (facts_rank.c).
 * 4. Where an operation frees a node in a later step than the last that changed something with it,
 *    or set the global that it was read from (took it out of a list), a ghost field says who will
 *    (X.owner = ID in that step, 0 in a new node). No step reads it. What it is good for: two
 *    operations that free nodes free different ones, and none that is in the list (facts_rank.c).
 * 5. Where an operation sets a global number and a later step of it sets that back to 0, a ghost
 *    global says who did (`lock.holder = ID', 0 where the number becomes 0). No step reads it. What
 *    it is good for: nobody else has a lock that says no more than that somebody has it.
 * 6. With IDLE, steps that only read, and of whose locals nothing else makes use, are emptied: one
 *    waits for a flag, or reads what nobody needs. Every execution, without what they ask for, is
 *    one of the new program, with the same arguments and results. In a model the exceptions of 1
 *    and 2
 *    fall: that nodes which are no longer read are allocated is shown of another program (prove.c).
 *    It is tried last, since what waiting is good for is lost.
 *
 * What is not proved of the new program may still hold of the first, and a violation of it may be
 * none. */
#ifndef HEDDLE_PROVE_ENLARGE_H
#define HEDDLE_PROVE_ENLARGE_H
#include "prove/ghost.h"

/* False if it would be the same program (with IDLE: as without): OUT is empty then. PROGRAM needs a
 * specification, which says what can be seen from outside. Not for programs by rank or with
 * operations that meet. */
bool enlarge_program(Arena *arena, const IrProgram *program, bool idle, Ghosted *out);
#endif
