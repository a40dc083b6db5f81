/* progress.h: signs of life on stderr: on a terminal one line that updates, otherwise a plain line
 * after five seconds and then every ten. Nobody should look at a silent screen and wonder. */
#ifndef HEDDLE_CLI_PROGRESS_H
#define HEDDLE_CLI_PROGRESS_H
#include "base/common.h"

typedef struct Progress {
    const char *subject;
    bool terminal, quiet, shown;
    double start, last, last_rate;
    uint64_t last_executions;
    struct {
        double seconds, done;
    } marks[2]; /* of some time ago, and of longer ago */
} Progress;

typedef struct ProgressFigures {
    uint64_t executions, blocked, depth;
    uint64_t test, tests; /* check: the present one, and how many are planned; 0: does not apply */
    uint64_t memory_bytes;
    double time_limit; /* seconds; 0: none */
    double done;       /* estimated part of the search that is done, 0 to 1; negative: unknown */
} ProgressFigures;

void progress_begin(Progress *progress, const char *subject, bool quiet);
void progress_update(Progress *progress, const ProgressFigures *figures);
void progress_end(Progress *progress); /* takes the line away */
#endif
