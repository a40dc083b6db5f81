/* run.h: the driver of every exploration, inside the program under test. */
#ifndef HEDDLE_HARNESS_RUN_H
#define HEDDLE_HARNESS_RUN_H
#include "base/common.h"

/* Explores the program, or its declared operations, and leaves the process. */
NORETURN void run_driver(void);
#endif
