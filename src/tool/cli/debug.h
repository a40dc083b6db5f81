/* debug.h: a recorded execution under gdb, with its threads as kernel threads
 * (guest/runtime/fiber.h). */
#ifndef HEDDLE_CLI_DEBUG_H
#define HEDDLE_CLI_DEBUG_H
#include "tool/cli/session.h"

/* Starts gdb on the program of SESSION, which runs RECORD again and stops where the violation
 * shows, or after STOP events of the record if that is not 0. WORDS go to gdb. Ends when gdb does;
 * *status is gdb's. */
MUST_USE bool debug_run(Session *session, const Record *record, uint32_t stop, const Words *words,
                        int *status, Error *error);
#endif
