/* settings.h: what the command line of `heddle history` asks for. */
#ifndef HEDDLE_CLI_HISTORY_SETTINGS_H
#define HEDDLE_CLI_HISTORY_SETTINGS_H
#include "base/vec.h"
#include "judge/history/log.h"

enum { HISTORY_EXIT_USAGE = 2, HISTORY_EXIT_INCONCLUSIVE = 3 };

/* The texts are the command line's own; NULL: the option was not given. */
typedef struct HistorySettings {
    const char *spec, *quasi, *semantics, *cc, *html, *may_fail, *journal;
    uint32_t shard, shards; /* 0 <= shard < shards: only this share of the logs; 0 shards: all */
    LogOptions reading;
    bool partition, monitors, json, quiet, witness, sequential, follow;
    unsigned session; /* guarantees (judge/linear/session.h), or 0 */
    const char *consistency;
    unsigned isolation; /* 1 + the level (judge/isolation/levels.h), or 0 */
    long jobs;
    double seconds; /* 0: no limit */
    size_t memory;  /* bytes */
    Vec(const char *) logs;
} HistorySettings;

/* Changes *settings, which holds the defaults, as the words behind argv[0] ask. A word that makes
 * no sense ends the program with status 2, as argp does. The caller frees settings->logs. */
void history_settings_parse(int argc, char **argv, HistorySettings *settings);
#endif
