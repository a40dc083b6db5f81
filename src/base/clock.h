/* clock.h: real time, also inside the program under test, whose own clock_gettime is made up: there
 * the Makefile binds ours to guest/runtime/native.h. */
#ifndef HEDDLE_BASE_CLOCK_H
#define HEDDLE_BASE_CLOCK_H
#include "base/common.h"

double clock_seconds(void);  /* since some time in the past; never goes back */
uint64_t clock_cpu_ns(void); /* that this process has used */
#endif
