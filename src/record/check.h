/* check.h: is a record well formed? Asked of every record that comes from outside: a file, or the
 * memory of a program that may have scribbled over it. Afterwards all numbers in it can be used as
 * indexes without a further look. */
#ifndef HEDDLE_RECORD_CHECK_H
#define HEDDLE_RECORD_CHECK_H
#include "base/error.h"
#include "record/options.h"
#include "record/record.h"

MUST_USE bool record_check(const Record *record, Error *error);
/* Checks the options of a record: numbers are of their lists, strings have an end. */
MUST_USE bool record_check_options(const ExploreOptions *options, Error *error);
/* A string of the text area; offsets are valid after record_check. */
static inline const char *record_text(const Record *record, uint64_t offset)
{
    return record->text_bytes ? record->text + offset : "";
}
#endif
