/* common.h: options that mean the same in every command: --quiet, --verbose, --color. */
#ifndef HEDDLE_CLI_OUTPUT_COMMON_H
#define HEDDLE_CLI_OUTPUT_COMMON_H
#include <argp.h>

/* A child parser; its input is a bool * that --quiet sets. --color and --verbose act on the
 * process, by the environment: NO_COLOR, CLICOLOR_FORCE, HEDDLE_LOG. */
extern const struct argp common_argp;
#endif
