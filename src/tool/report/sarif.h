/* sarif.h: an answer as a SARIF 2.1.0 log: one result, with the execution as a code flow, one
 * thread flow a thread. */
#ifndef HEDDLE_REPORT_SARIF_H
#define HEDDLE_REPORT_SARIF_H
#include "base/error.h"
#include "tool/report/dwarf/names.h"
#include "tool/answer/answer.h"

/* NAMES may be NULL: then there are no places. VERSION is the tool's. */
MUST_USE bool sarif_write(const char *path, const Answer *answer, Names *names, const char *version,
                          Error *error);
#endif
