/* keep_going.h: `heddle check --keep-going` and `--all`: all tests are made, those that fail are
 * counted and told apart by their causes, and each cause is shown by an execution of its own. */
#ifndef HEDDLE_CLI_KEEP_GOING_H
#define HEDDLE_CLI_KEEP_GOING_H
#include "tool/cli/options.h"

/* The whole command; frees OPTIONS; returns the exit status. */
int keep_going_command(RunOptions *options);
#endif
