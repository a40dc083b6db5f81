/* estimate.h: how many complete executions there are, as random probes of the search tell
 * (guest/explore/schedules/forecast.h has the derivation). */
#ifndef HEDDLE_RECORD_ESTIMATE_H
#define HEDDLE_RECORD_ESTIMATE_H
#include "base/common.h"

typedef struct Estimate {
    double executions; /* 0: there is none */
    double error;      /* its standard error; worth something only if it is_sure */
    double least;      /* there are more, with a probability of 99 % */
    bool is_sure;      /* not few of the probes carry most of the sum */
} Estimate;
#endif
