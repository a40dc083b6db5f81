/* observations.h: serial runs that are kept from one version to the next (--observations),
 * inside the program under test. The tool gives those of an earlier version, and takes those of
 * this one, as lines of run_text.h in files; it reads and writes the observation file itself. */
#ifndef HEDDLE_HARNESS_CHECK_OBSERVATIONS_H
#define HEDDLE_HARNESS_CHECK_OBSERVATIONS_H
#include "base/error.h"
#include "judge/history/value.h"

/* Opens the exchange of serial runs that options.check.exchange names. */
MUST_USE bool child_observations_setup(Error *error);
/* A serial run of the present test, operations by their numbers in serial_test; BLOCKED is
 * UINT32_MAX, or the operation that waits. A violation if it contradicts a kept one. */
void child_observations_run(const uint32_t *operations, const Value *results, uint32_t count,
                            uint32_t blocked);
/* All serial runs of the present test have been made. */
void child_observations_end_test(void);
/* No more tests that matter: what follows only makes a failing one smaller. */
void child_observations_end(void);
#endif
