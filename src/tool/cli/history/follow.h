/* follow.h: a log that grows while it is judged (`heddle history --follow`). What has been
 * written so far is a history of its own, with open operations pending; if it is violated, so is
 * every longer one. */
#ifndef HEDDLE_CLI_HISTORY_FOLLOW_H
#define HEDDLE_CLI_HISTORY_FOLLOW_H
#include "base/error.h"
#include "base/str.h"

typedef struct HistoryFollow HistoryFollow;
/* PATH "-" is standard input. NULL and a message if it can't be opened. */
HistoryFollow *history_follow_open(const char *path, Error *error);
void history_follow_close(HistoryFollow *follow); /* NULL is allowed */
/* Waits until there is more than LAST bytes of whole lines, and gives all of them; valid until the
 * next call. *ended: nothing will follow, because the pipe was closed or *stop is not 0 or
 * DEADLINE (0: none) passed. */
Str history_follow_next(HistoryFollow *follow, size_t last, double deadline,
                        const volatile int *stop, bool *ended);
#endif
