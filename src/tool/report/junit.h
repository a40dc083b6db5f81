/* junit.h: answers as a JUnit XML file, a test case each, for continuous integration. */
#ifndef HEDDLE_REPORT_JUNIT_H
#define HEDDLE_REPORT_JUNIT_H
#include "base/error.h"
#include "tool/answer/answer.h"

typedef struct JunitCase {
    const char *name;
    const Answer *answer;
    const char *details; /* the text report, or NULL */
    const char *error;   /* there is no answer, and why; or NULL */
    bool passed;         /* the answer is what was expected */
} JunitCase;
/* A file with a suite a case. */
MUST_USE bool junit_write_all(const char *path, const JunitCase *cases, size_t count, Error *error);
/* Writes a file for one answer, which should be that it holds; or a suite for each of its cases. */
MUST_USE bool junit_write(const char *path, const Answer *answer, const char *details,
                          Error *error);
#endif
