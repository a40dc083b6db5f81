/* forecast.h: how large is the search? Knuth's estimate (Estimating the efficiency of backtrack
 * programs, Math. Comp. 29, 1975). The search is a tree whose nodes are frames (units.h). A probe
 * walks from the root to a leaf and takes each alternative of a frame with the same probability;
 * the product of the numbers of alternatives on its way, or 0 if the leaf is no complete execution,
 * is an unbiased estimate of the number of complete executions. The mean of many probes is the
 * forecast, their standard deviation divided by the root of their number its error. It is an
 * estimate for a person who waits, no verdict rests on it.
 *
 * The distribution is skewed: few probes carry most of the sum, and as long as these have not been
 * met the mean is too small and its error with it (11 atomic increments without reductions: of 234
 * probes four carry most of the sum, 9e5 +- 49 % instead of 4e7). Two things can be said without
 * knowing the distribution.
 *
 * At least. Let N be the number of executions, and the probes be dealt out to k batches. The mean
 * of a batch is not negative and has the expectation N, so by Markov's inequality it is 2 N or more
 * with a probability of at most 1/2; and all k are, since they are independent, with at most 2^-k.
 * So N is more than half of the least batch mean but for a probability of 2^-k: 1/128 for k = 7.
 * (That the number of probes depends on the work that they take changes it by the last probe.)
 *
 * About. With n probes of weights w let e = (sum of w)^2 / (sum of w^2): so many equal probes would
 * be worth as much, and the square of the relative error is (1/e - 1/n) n / (n - 1). A small e
 * shows a heavy tail, and an error that is derived from a few probes is worth nothing. So an
 * estimate is said with its error if e is 25 or more, which makes that a fifth at most. Otherwise
 * only "at least" is said. (A part of the tree that no probe has met can't be told by any figure of
 * the probes.) */
#ifndef HEDDLE_EXPLORE_SCHEDULES_FORECAST_H
#define HEDDLE_EXPLORE_SCHEDULES_FORECAST_H
#include "base/common.h"

typedef struct Forecast {
    uint64_t probes;   /* 0: there is none */
    double executions; /* complete ones */
    double variance;   /* of that: the square of its standard error */
    double least;      /* half of the least mean of a batch */
} Forecast;

/* Makes a forecast of the exploration that options and knowledge describe, with the work of about
 * REQUESTS requests of threads. Destroys the search that is going on. The result has no probes if
 * something was found on the way. */
Forecast forecast_make(uint64_t requests);
#endif
