/* sarif.h: an answer as results of a SARIF 2.1.0 log, with the execution as a code flow, one
 * thread flow a thread. */
#ifndef HEDDLE_REPORT_SARIF_H
#define HEDDLE_REPORT_SARIF_H
#include "base/error.h"
#include "tool/report/dwarf/names.h"
#include "tool/answer/answer.h"

typedef struct SarifLog SarifLog;
SarifLog *sarif_begin(void);
/* Adds a result unless the answer is `holds'. NAMES may be NULL: then there are no places. */
void sarif_add(SarifLog *log, const Answer *answer, Names *names);
/* Writes and frees the log. VERSION is the tool's. */
MUST_USE bool sarif_end(SarifLog *log, const char *path, const char *version, Error *error);
/* A log of one answer. */
MUST_USE bool sarif_write(const char *path, const Answer *answer, Names *names, const char *version,
                          Error *error);

#define SARIF_FINGERPRINT 17 /* 16 digits and a 0 */
#define SARIF_FINGERPRINT_NAME "heddle/v1"
/* Makes digits of the rule, the file, and the sentence without its numbers: the same ones for the
 * same finding after lines have moved. */
void sarif_fingerprint(const Answer *answer, char out[SARIF_FINGERPRINT]);
#endif
