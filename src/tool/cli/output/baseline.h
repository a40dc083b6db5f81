/* baseline.h: violations that are known: a SARIF log of an earlier run, as --sarif wrote it. */
#ifndef HEDDLE_CLI_OUTPUT_BASELINE_H
#define HEDDLE_CLI_OUTPUT_BASELINE_H
#include "base/error.h"
#include "tool/answer/answer.h"

/* Does the log at PATH have a result with the fingerprint of ANSWER? *KNOWN is false for answers
 * that are not violated. Fails if the log can't be read or is none. */
MUST_USE bool baseline_knows(const char *path, const Answer *answer, bool *known, Error *error);
#endif
