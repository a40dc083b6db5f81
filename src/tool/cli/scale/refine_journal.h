/* refine_journal.h: `heddle refine --journal`. The file begins as a ledger does, with what the
 * search is of; the pieces of refine/journal.h follow. It is locked while a search goes on. */
#ifndef HEDDLE_CLI_SCALE_REFINE_JOURNAL_H
#define HEDDLE_CLI_SCALE_REFINE_JOURNAL_H
#include "refine/journal.h"
#include "tool/cli/scale/ledger.h"

/* Opens PATH, or makes it, for a search with OPTIONS, whose factors are those before any is found;
 * QUASI is how the command gave them. Refuses a file of another search, naming the difference. */
MUST_USE bool refine_journal_open(Arena *arena, const char *path, const RefineOptions *options,
                                  const char *quasi, RefineJournal *journal, Error *error);
/* JOURNAL's file is closed; a person is told whether it can be gone on from, if ANSWERED is false,
 * and why it is older than the answer. */
void refine_journal_close(RefineJournal *journal, const char *path, bool answered);
#endif
