/* run_text.h: a serial run as one line, for the exchange between the tool, which reads and writes
 * observation files, and the program under test, which makes the runs:
 *
 *     0:put(i1)= 1:get()=i1 1:get()#
 *
 * Thread, operation, arguments, result (nothing for none), # for one that waits for ever and ends
 * the run. Values are i and a number, t, f, or s and the bytes of a text in hexadecimal: what an
 * observation file can hold (run_text_value). Depends on libc only. */
#ifndef HEDDLE_HISTORY_RUN_TEXT_H
#define HEDDLE_HISTORY_RUN_TEXT_H
#include "base/error.h"
#include "judge/history/value.h"

#define RUN_TEXT_CALLS 32u
#define RUN_TEXT_ARGUMENTS 4u
#define RUN_TEXT_MAIN 8u /* the thread that calls before and after the others */

typedef struct RunCall {
    uint32_t thread;
    Str name;
    uint32_t count;
    Value arguments[RUN_TEXT_ARGUMENTS];
    Value result; /* VALUE_UNKNOWN: it waits for ever */
} RunCall;

/* Prints it as an observation file has it: an array is text; "no value" is the text "none", since
 * an operation without a result has none there. DONE is the word of the latter. */
Value run_text_value(Values *values, Value value, uint64_t done);
void run_text_print(Values *values, const RunCall *calls, size_t count, Buffer *out);
/* At most RUN_TEXT_CALLS calls; names point into LINE. The error says what is wrong with it. */
MUST_USE bool run_text_parse(Values *values, Str line, RunCall *calls, size_t *count, Error *error);
#endif
