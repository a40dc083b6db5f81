/* whole.h: `heddle run' and `heddle check' from their options to their exit status. */
#ifndef HEDDLE_CLI_WHOLE_H
#define HEDDLE_CLI_WHOLE_H
#include "tool/cli/options.h"

/* A whole command: opens a session with OPTIONS (and frees them), explores, presents. Returns the
 * exit status. */
int session_command(const char *command, RunOptions *options);
#endif
