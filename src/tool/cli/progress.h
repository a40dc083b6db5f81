/* progress.h: signs of life on stderr: on a terminal one line that updates, otherwise a plain line
 * after five seconds and then every ten. Nobody should look at a silent screen and wonder.
 *
 * How long an exhaustive search will take is not known, and not guessed. The share of the choices
 * on its path that are behind it (Knuth's weights; with counts of what explored siblings led to,
 * too) was off by factors of 5 to a million, both ways, for most of the time on lock, queue and
 * permutation programs: which alternatives there are, and how much lies behind them, shows only
 * when later writes revisit earlier reads. */
#ifndef HEDDLE_CLI_PROGRESS_H
#define HEDDLE_CLI_PROGRESS_H
#include "base/common.h"

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
} ProgressFigures;

void progress_begin(Progress *progress, const char *subject, bool quiet);
void progress_update(Progress *progress, const ProgressFigures *figures);
void progress_end(Progress *progress); /* takes the line away */
#endif
