/* scenario.h: the text of a test, "put(1) / get() | get() / get()", column by column with its
 * title: before, T1, T2, after. */
#ifndef HEDDLE_REPORT_SCENARIO_H
#define HEDDLE_REPORT_SCENARIO_H
#include "base/str.h"

typedef struct Scenario {
    Str rest, calls; /* calls: of the present column */
    char title[16];
    bool framed; /* main calls something, too */
    uint32_t thread;
    int part; /* of framed ones: 0 before, 1 threads, 2 after */
} Scenario;
void scenario_begin(Scenario *scenario, const char *text);
bool scenario_next(
    Scenario *scenario); /* false after the last; columns without calls are left out */
#endif
