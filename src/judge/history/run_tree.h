/* run_tree.h: serial runs of an implementation as a tree: what a call gave after the calls before
 * it. They must be deterministic: if the same calls once gave one result and once another, or once
 * waited for ever and once did not, adding the run says so. Depends on libc only. */
#ifndef HEDDLE_HISTORY_RUN_TREE_H
#define HEDDLE_HISTORY_RUN_TREE_H
#include "base/arena.h"
#include "judge/history/run_text.h"

typedef struct RunTree RunTree;
RunTree *run_tree_new(Arena *arena); /* free with run_tree_free, before the arena */
void run_tree_free(RunTree *tree);
/* Adds a run; what CALLS points to need not live on. False if it contradicts an earlier one: call
 * *place is the first that differs. */
MUST_USE bool run_tree_add(RunTree *tree, const RunCall *calls, size_t count, size_t *place);
/* Follows CALL (its result is ignored) from *state, 0 for the beginning, to the state after it.
 * *result is what it gave, VALUE_UNKNOWN if it waited. False if no run called it here. */
bool run_tree_find(const RunTree *tree, uint32_t *state, const RunCall *call, Value *result);
#endif
