/* observations.h: --observations=F: the observation file of Line-Up (its Figure 7) as a
 * specification that is kept: serial runs go to and from the program under test as lines
 * (judge/history/run_text.h). */
#ifndef HEDDLE_CLI_OBSERVATIONS_H
#define HEDDLE_CLI_OBSERVATIONS_H
#include "base/error.h"

/* Is there a file to compare with? */
bool observations_exist(const char *path);
/* The histories of observation file PATH, which must be serial, as lines of file EXCHANGE.kept. */
MUST_USE bool observations_give(const char *path, const char *exchange, Error *error);
/* The lines of EXCHANGE.learnt, of tests that are complete, as observation file PATH. *tests: how
 * many there are; if there are none, nothing is written. */
MUST_USE bool observations_take(const char *path, const char *exchange, size_t *tests,
                                Error *error);
#endif
