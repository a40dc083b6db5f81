/* annotated.h: which options of check mean something for a program that is judged by its
 * annotations (heddle-annotations(7)). */
#ifndef HEDDLE_CLI_SESSION_ANNOTATED_H
#define HEDDLE_CLI_SESSION_ANNOTATED_H
#include "tool/cli/options.h"

/* False and a message if OPTIONS has one that makes tests of operations, or that says how their
 * histories are judged: nothing of that would be done. */
MUST_USE bool annotated_take_options(const RunOptions *options, Error *error);
#endif
