/* alike.h: states of a thread that differ in bytes which it will not look at.
 *
 * After a failed round, leftovers of it may stay in the stack that the next round overwrites before
 * it reads them: variables whose address was taken, registers that inline assembly saves, a result
 * that was written through a pointer. The liveness table (scrub.h) does not call these dead, and so
 * the thread's state is not the same as before the round (P0 and P1 of waiting.h). Here the two
 * states are run side by side with the same answers: every value that a location has had in any
 * graph (values.h) for a read of it, and every content that plain memory has had in any graph
 * (contents.h) for a plain read. A pair of states is *met* if such a way leads to it from the first
 * one. The two are alike if for each pair that is met both sides make the same request, have
 * accessed the same memory on the way, and have written the same to it; and, where they have
 * written something or the request is neither a read nor a fence nor a light mark, are the same.
 * A side may also fail, by an access to the first page of memory, if the other one does.
 *
 * The pairs that are met, with the states that are the same, are a bisimulation: whatever the
 * thread does from one state, it does from the other with the same answers, for as long as it runs.
 * (Pairs need not become the same. A loop leads to a pair that was met before, and ends there.) The
 * answers are all that can come; where a value or a content comes that was not known, the
 * exploration begins again. So an execution in which the thread goes on from the later state is
 * also one without what it did since the earlier one, which is pure, and has the same outcome,
 * races and failures: what waiting.h says of equal states. It may be that the thread was not found
 * waiting before its end in such an execution, as its states never became equal: then there are
 * fewer complete executions.
 *
 * Nothing is concluded from other failures (they may depend on the graph), where a part of a stack
 * is read that several threads touch, or where there are too many pairs or steps. Apart from these
 * numbers, whether states are alike depends on them and on what is known of values and contents
 * alone, and is remembered. Only where plain memory is read that nothing is known of, but that the
 * thread touches in its run of pure events as well (then nobody else writes it without a race), it
 * depends on the graph. */
#ifndef HEDDLE_EXPLORE_CONFIRM_ALIKE_H
#define HEDDLE_EXPLORE_CONFIRM_ALIKE_H
#include "guest/explore/graph/graph.h"

typedef struct AlikeQuestions {
    uint64_t steps; /* that all questions have taken */
    /* Are questions asked in depth: may they take many steps, and begin the exploration again
     * because the contents of plain memory are to be known? */
    bool in_depth;
    bool was_cut; /* one was given up that might be answered in depth; cleared by others */
} AlikeQuestions;
extern AlikeQuestions alike_questions;
/* T stands at the request of a read of the location that its event FIRST has read, with pure events
 * between. Would it, answered V, come to a state that is alike to one at a request of its own that
 * is not younger than FIRST, or to the one that it would have come to had FIRST got that answer? */
bool alike_what_if(int thread, const Event *first, uint64_t v);
#endif
