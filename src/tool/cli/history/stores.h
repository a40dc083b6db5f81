/* stores.h: folders of Jepsen's store among the logs of `heddle history`. */
#ifndef HEDDLE_CLI_HISTORY_STORES_H
#define HEDDLE_CLI_HISTORY_STORES_H
#include "base/arena.h"
#include "tool/cli/history/settings.h"

/* Puts histories in the place of folders in settings->logs: a run's folder stands for its history,
 * the store and a test's folder for those of all runs below, in the order of their names. Links
 * below (latest, current) name runs twice and are passed over. A run without a history, and a
 * folder without runs, stay as they are, for the reader to complain of; so do all with --follow,
 * which wants the log itself. */
void history_stores_expand(HistorySettings *settings, Arena *arena);
#endif
