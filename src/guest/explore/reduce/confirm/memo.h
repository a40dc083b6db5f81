/* memo.h: remembers what was decided about threads, by a hash of all that the decision rests on:
 * 128 bits, since a wrong answer would lose executions. An answer may be forgotten at any time. */
#ifndef HEDDLE_EXPLORE_CONFIRM_MEMO_H
#define HEDDLE_EXPLORE_CONFIRM_MEMO_H
#include "base/hash.h"

void memo_begin(void); /* a new exploration: nothing is remembered */
/* The kinds of decisions; each has keys of its own. */
typedef enum MemoKind { MEMO_CONFIRMS = 1, MEMO_DOOMED, MEMO_ALIKE, MEMO_SUPPOSED } MemoKind;
/* Completes KEY for a decision of this kind. */
Hash128 memo_key(MemoKind kind, Hash128 key);
bool memo_find(Hash128 key, int *answer);
void memo_keep(Hash128 key, int answer);
#endif
