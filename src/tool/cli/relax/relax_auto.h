/* relax_auto.h: `heddle check --relax=auto`: the strongest promise that everything explored keeps,
 * with executions that break the stronger ones. */
#ifndef HEDDLE_CLI_RELAX_AUTO_H
#define HEDDLE_CLI_RELAX_AUTO_H
#include "tool/cli/options.h"

/* The whole command; frees OPTIONS; returns the exit status: 0 if some promise holds. */
int relax_auto_command(RunOptions *options);
#endif
