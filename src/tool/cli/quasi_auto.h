/* quasi_auto.h: `heddle check --quasi=auto`: the smallest quasi factor of each group for which all
 * that is explored holds, with an execution that rejects one less. */
#ifndef HEDDLE_CLI_QUASI_AUTO_H
#define HEDDLE_CLI_QUASI_AUTO_H
#include "tool/cli/options.h"

/* Does the text of --quasi ask for it? "auto", "deq:auto,enq:0". */
bool quasi_auto_wanted(const char *quasi);
/* The whole command; frees OPTIONS; returns the exit status. */
int quasi_auto_command(RunOptions *options);
#endif
