/* tries.h: programs with other memory orders than their own, explored, several at once: what
 * the search for a repair (search.h) asks. Each is the program that the session has built; a
 * violation is replayed before it counts, as always. */
#ifndef HEDDLE_CLI_REPAIR_TRIES_H
#define HEDDLE_CLI_REPAIR_TRIES_H
#include "tool/cli/repair/search.h"
#include "tool/cli/session.h"
#include "tool/cli/weaken/sites.h"

typedef struct RepairPlaceOf { /* whose place is it? */
    uint32_t order;            /* an index of the sites' */
    uint8_t kind;              /* RepairKind */
} RepairPlaceOf;

typedef struct RepairTries {
    const Session *session;  /* its options say how long a try may take */
    const OrderTable *table; /* with the ranges of the system's code; nothing replaced */
    const WeakenSites *sites;
    const RepairPlaceOf *places;
    const RepairPlace *levels; /* the same places, for their present orders */
    unsigned count;
    OrderTable *met; /* in memory that processes share: what all tries met */
    double deadline; /* by process_seconds */
    unsigned jobs;
    bool quiet;
    uint64_t *made; /* how many, in memory that processes share */
} RepairTries;

/* Memory that processes started later share; munmap gives it back. */
void *repair_share(size_t bytes);
/* For RepairSearch.over. */
bool repair_tries_over(void *context);
/* For RepairSearch.ask: CONTEXT is a RepairTries. What is left when the time is over or a
 * person interrupts is inconclusive. */
void repair_tries_ask(void *context, const uint8_t *const *assignments, size_t count,
                      Verdict *verdicts);
/* One try in this process, with MODEL in place of the session's if it is given: the whole answer.
 * *COPY is the session that explored. */
MUST_USE bool repair_try(const RepairTries *tries, const uint8_t *assignment, const uint32_t *model,
                         Session *copy, Answer *answer, Error *error);
void repair_try_end(Session *copy, Answer *answer);
#endif
