/* junit.h: an answer as a JUnit XML file, one test case, for continuous integration. */
#ifndef HEDDLE_REPORT_JUNIT_H
#define HEDDLE_REPORT_JUNIT_H
#include "base/error.h"
#include "verdict/answer.h"

/* DETAILS is the text report, or NULL. */
MUST_USE bool junit_write(const char *path, const Answer *answer, const char *details,
                          Error *error);
#endif
