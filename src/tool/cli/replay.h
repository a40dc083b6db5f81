/* replay.h: from a record to an answer: `heddle replay` prints it, `heddle report` draws it. */
#ifndef HEDDLE_CLI_REPLAY_H
#define HEDDLE_CLI_REPLAY_H
#include "tool/cli/options.h"

typedef struct ReplayOptions {
    RunOptions run; /* filled from the record; its .output from the command line */
    const char *path, *folder;
    bool all, gdb;
    uint64_t step;   /* where gdb stops; 0: where the violation shows */
    Words gdb_words; /* what follows "--" */
} ReplayOptions;

/* Reads the record at options->path, goes where its sources are, builds and runs it again, presents
 * the answer as options->run.output wants. Returns the exit status; frees options->run. */
int replay_record(ReplayOptions *options);
#endif
