/* kept.h: `heddle history --journal` and `--shard`. A log is the unit that shares divide; the parts
 * of its histories (judge/library/parts.h) are the units that a journal writes down: those that
 * hold are not judged again. The others are, so that their evidence is there. */
#ifndef HEDDLE_CLI_HISTORY_KEPT_H
#define HEDDLE_CLI_HISTORY_KEPT_H
#include <pthread.h>
#include "judge/library/parts.h"
#include "tool/cli/history/report.h"
#include "tool/cli/history/settings.h"
#include "tool/cli/scale/ledger.h"

typedef struct HistoryKept {
    const HistorySettings *settings;
    Arena *arena;
    const char *path;
    int fd;
    Ledger ledger;
    uint64_t contents; /* a hash of the logs of this share */
    const Parts *parts;
    double start, before;
    pthread_t writer; /* while parts are judged */
    bool has_writer, is_over;
    pthread_mutex_t lock;
    pthread_cond_t over;
    char failure[256]; /* why it could not be written the last time, or "" */
} HistoryKept;

/* Is log number INDEX of this share? Without shares it is. */
bool history_kept_owns(const HistorySettings *settings, size_t index);
/* Opens the file, or makes it; refuses one of other logs or options, naming the difference. */
MUST_USE bool history_kept_open(HistoryKept *kept, const HistorySettings *settings, Arena *arena,
                                Error *error);
/* Parts that held in an earlier session are done. False if the file does not fit. */
MUST_USE bool history_kept_resume(HistoryKept *kept, Parts *parts, Error *error);
/* From now on a thread writes the file every second; until history_kept_rest. No process is forked
 * in between. */
void history_kept_work(HistoryKept *kept);
void history_kept_rest(HistoryKept *kept); /* the table of parts may go */
/* Writes the answer, if there is one, and closes. */
void history_kept_close(HistoryKept *kept, const HistorySummary *summary);
#endif
