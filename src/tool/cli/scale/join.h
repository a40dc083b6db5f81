/* join.h: the parts of a sharded exploration as one answer. */
#ifndef HEDDLE_CLI_SCALE_JOIN_H
#define HEDDLE_CLI_SCALE_JOIN_H
#include "tool/answer/answer.h"
#include "tool/cli/scale/ledger.h"

typedef struct JoinPart {
    const char *path;
    Ledger ledger;
} JoinPart;

typedef struct JoinKnowledge {
    const unsigned char *at;
    uint32_t bytes;
} JoinKnowledge;
/* Returns what any of these know (record/units_shared.h). */
const unsigned char *join_knowledge_of(Arena *arena, const JoinKnowledge *parts, size_t count,
                                       uint32_t *bytes);
/* Are these all the shares of one exploration, each once? They are sorted. */
MUST_USE bool join_check(Arena *arena, JoinPart *parts, size_t count, Error *error);
/* Do all parts count leaves of the same search tree? If not, *WHOLE is a ledger without any work
 * done that knows what all of them know: shares that begin with it do. */
bool join_same_tree(Arena *arena, const JoinPart *parts, size_t count, Ledger *whole);
void join_answer(Arena *arena, const JoinPart *parts, size_t count, Answer *answer);
#endif
