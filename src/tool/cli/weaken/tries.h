/* tries.h: the program again and again, each time with one memory order weakened, in several
 * processes. What each try finds is confirmed like any other violation (tool/cli/session.h). */
#ifndef HEDDLE_CLI_WEAKEN_TRIES_H
#define HEDDLE_CLI_WEAKEN_TRIES_H
#include "tool/cli/session.h"
#include "tool/cli/weaken/kept.h"
#include "tool/cli/weaken/sites.h"

typedef struct WeakenPlan {
    const Session *session;
    const OrderTable *table; /* with the ranges; nothing replaced */
    const WeakenSites *sites;
    WeakenOrder *orders; /* results, in memory that processes share */
    unsigned jobs;
    double deadline; /* of all tries together, by process_seconds; 0: none */
    bool quiet;
    WeakenKept *kept; /* tries are written down; NULL: they are not */
} WeakenPlan;

/* COUNT orders in memory that processes started later share; weaken_tries_release gives it back. */
WeakenOrder *weaken_tries_share(const WeakenSites *sites);
void weaken_tries_release(WeakenOrder *orders, size_t count);
/* Makes all tries and judges. False if processes could not be started; interrupted tries are not
 * done. */
MUST_USE bool weaken_tries_run(const WeakenPlan *plan, Error *error);
/* One try, in this process: the whole answer, for a report. */
MUST_USE bool weaken_tries_one(const WeakenPlan *plan, Session *copy, uint32_t index, unsigned to,
                               Answer *answer, Error *error);
#endif
