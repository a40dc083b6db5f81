/* outcome.h: what the calls of a test gave, a line a thread, as it stands in a record; and the same
 * for an outcome given as text. */
#ifndef HEDDLE_REPORT_OUTCOME_H
#define HEDDLE_REPORT_OUTCOME_H
#include "base/arena.h"
#include "base/vec.h"
#include "record/record.h"

typedef struct OutcomeCall {
    unsigned thread;
    const char *text;   /* "get() = none"; of a call that never returned "get() waits for ever" */
    uint32_t call, end; /* its events; end is RECORD_NONE if it never returned */
} OutcomeCall;
typedef Vec(OutcomeCall) OutcomeCalls; /* by thread, then in the order of the calls */

/* Appends the calls of RECORD; the texts live in ARENA. */
void outcome_of_record(Arena *arena, const Record *record, OutcomeCalls *calls);
#endif
