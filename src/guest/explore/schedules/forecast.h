/* forecast.h: how large is the search? Knuth's estimate (Estimating the efficiency of backtrack
 * programs, Math. Comp. 29, 1975). The search is a tree whose nodes are frames (units.h). A probe
 * walks from the root to a leaf and takes each alternative of a frame with the same probability;
 * the product of the numbers of alternatives on its way, or 0 if the leaf is no complete execution,
 * is an unbiased estimate of the number of complete executions. The mean of many probes is the
 * forecast, their standard deviation divided by the root of their number its error. The
 * distribution is skewed: a few probes carry most of the sum, so that the error itself is too small
 * as long as these have not been met. It is an estimate for a person who waits, no verdict rests on
 * it. */
#ifndef HEDDLE_EXPLORE_SCHEDULES_FORECAST_H
#define HEDDLE_EXPLORE_SCHEDULES_FORECAST_H
#include "base/common.h"

typedef struct Forecast {
    uint64_t probes;   /* 0: there is none */
    double executions; /* complete ones */
    double variance;   /* of that: the square of its standard error */
} Forecast;

/* Makes a forecast of the exploration that options and knowledge describe, with the work of about
 * REQUESTS requests of threads. Destroys the search that is going on. The result has no probes if
 * something was found on the way. */
Forecast forecast_make(uint64_t requests);
#endif
