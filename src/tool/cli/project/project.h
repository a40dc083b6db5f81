/* project.h: `heddle check' without files: all tests of heddle.toml, one after the other, and a
 * table. */
#ifndef HEDDLE_CLI_PROJECT_PROJECT_H
#define HEDDLE_CLI_PROJECT_PROJECT_H
#include "tool/cli/options.h"

/* OPTIONS as given on the command line, WORDS the same as they were typed: they are added to those
 * of every test. Returns the exit status: the worst of all tests, where a test that gives what is
 * expected of it counts 0. */
int project_run(const RunOptions *options, const Words *words);
#endif
