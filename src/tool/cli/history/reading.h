/* reading.h: the logs of `heddle history`, read; and what their histories are judged by. */
#ifndef HEDDLE_CLI_HISTORY_READING_H
#define HEDDLE_CLI_HISTORY_READING_H
#include "tool/cli/history/settings.h"
#include "tool/cli/history/work.h"
#include "tool/cli/relax/failures.h"

/* The logs that were read so far. A log that can't be read is a problem of its own, which is
 * printed when it is met: the rest are judged. */
typedef struct HistoryReading {
    const HistorySettings *settings;
    Arena *arena; /* of the messages */
    Values *values;
    Histories histories;
    Vec(LogFormat) formats; /* of each history */
    Vec(HistoryProblem) problems;
    Failures failures; /* --may-fail */
} HistoryReading;

void history_reading_logs(HistoryReading *reading); /* every log that settings name */
/* Divides every history into parts, which work->spec judges; work->runs has room for all. A history
 * that makes no sense to the specification becomes a problem. */
void history_reading_plans(HistoryReading *reading, HistoryWork *work);
void history_reading_free(HistoryReading *reading);

/* Returns the specification that the formats or the operations of the logs make obvious, or NULL.
 */
const char *history_reading_default_spec(const HistoryReading *reading);
/* Makes the specification NAME, a built-in model or a C file, relaxed as --quasi says. */
MUST_USE bool history_make_spec(const HistorySettings *settings, Arena *arena, Values *values,
                                const char *name, Spec **out, Error *error);
/* 1 + the level that transactions are judged by, or 0: SPEC is another, or a search was asked for.
 */
unsigned history_isolation_level(const HistorySettings *settings, const Spec *spec);
/* Prints the error on stderr; returns the exit status of bad usage. */
int history_complain(const Error *error);
#endif
