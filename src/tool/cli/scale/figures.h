/* figures.h: how far a ledger has come, as numbers: for `heddle status` and `heddle serve`. */
#ifndef HEDDLE_CLI_SCALE_FIGURES_H
#define HEDDLE_CLI_SCALE_FIGURES_H
#include <jansson.h>
#include "tool/cli/scale/ledger.h"

/* The part of the whole that is left, from 0 to 1: an estimate that takes all alternatives of a
 * choice for equally large. Of tests only those that are begun are known in detail. */
double figures_part_left(const Ledger *ledger);
/* The object that `heddle status --json` prints; the caller drops the reference. */
json_t *figures_json(const char *path, const Ledger *ledger);
#endif
