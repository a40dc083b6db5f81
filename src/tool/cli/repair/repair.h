/* repair.h: with which stronger memory orders does a program hold that is violated? The engine of
 * `heddle repair', and of what `run' and `check' add to a violation. */
#ifndef HEDDLE_CLI_REPAIR_REPAIR_H
#define HEDDLE_CLI_REPAIR_REPAIR_H
#include "tool/answer/repair.h"
#include "tool/cli/session.h"

typedef struct RepairWish {
    double seconds; /* at most, for all of it */
    unsigned most;  /* accesses of a set */
    bool first;     /* the sets of the smallest size that has any are enough */
    bool one_test;  /* check: only the test in the session's scenario */
} RepairWish;

/* The session's program is violated under its model, which is not sc. Everything that *REPAIR names
 * lives in the session's arena. */
MUST_USE bool repair_find(const Session *session, const RepairWish *wish, Repair *repair,
                          Error *error);
/* For `run' and `check': fills answer->repair if the violation is one that orders may mend and
 * there is time for it. What can't be found out is left out. */
void repair_answer(const Session *session, Answer *answer);
#endif
