/* follow.h: a log that grows while it is judged (`heddle history --follow`). What has been
 * written so far is a history of its own, with open operations pending; if it is violated, so is
 * every longer one. It is read once; looks at it are taken by processes that are forked off the one
 * that reads, one after the other, so that reading goes on meanwhile. */
#ifndef HEDDLE_CLI_HISTORY_FOLLOW_H
#define HEDDLE_CLI_HISTORY_FOLLOW_H
#include "base/error.h"
#include "tool/cli/history/reading.h"

/* Reads the only log ("-": standard input) until what was read is violated, or nothing will follow:
 * the pipe was closed, the user interrupted it, or settings->seconds have passed since START. A
 * file that takes the place of the one at the path goes on where that ends, as logs do that are
 * rotated. False and a message if the log can't be opened or read, or was truncated before it was
 * violated. */
MUST_USE bool history_follow(HistoryReading *reading, double start, Error *error);
#endif
