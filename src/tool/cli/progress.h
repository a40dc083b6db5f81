/* progress.h: signs of life on stderr: on a terminal one line that updates, otherwise a plain line
 * after five seconds and then every ten. Nobody should look at a silent screen and wonder.
 *
 * How long an exhaustive search will take is not known. An estimate of its size is shown, with its
 * error, or how large it is at least, once the program has made one
 * (guest/explore/schedules/forecast.h). The share of the choices on the path of the search that are
 * behind it is no estimate: it was off by factors of 5 to a million, both ways, on lock, queue and
 * permutation programs. */
#ifndef HEDDLE_CLI_PROGRESS_H
#define HEDDLE_CLI_PROGRESS_H
#include "record/estimate.h"

typedef struct Progress {
    const char *subject;
    bool terminal, quiet, shown;
    double start, last, last_rate;
    uint64_t last_executions;
} Progress;

typedef struct ProgressFigures {
    uint64_t states; /* explored instead of executions, or 0 */
    uint64_t executions, blocked, depth;
    uint64_t test, tests; /* check: the present one, and how many are planned; 0: does not apply */
    uint64_t memory_bytes;
    double time_limit; /* seconds; 0: none */
    uint64_t wanted;   /* executions, if that many are drawn; 0: all there are */
    Estimate estimate; /* of executions that there are (of the present test) */
} ProgressFigures;

void progress_begin(Progress *progress, const char *subject, bool quiet);
void progress_update(Progress *progress, const ProgressFigures *figures);
void progress_end(Progress *progress); /* takes the line away */
#endif
