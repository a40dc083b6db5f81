/* mapping.h: the mapping that the program under test shares with the tool (record/link.h): made and
 * filled before the program starts, read when it has ended. Nothing in it is trusted then. */
#ifndef HEDDLE_CLI_SESSION_MAPPING_H
#define HEDDLE_CLI_SESSION_MAPPING_H
#include "tool/cli/supervise.h"

/* Returns the mapping for such a request, to be inherited by the program as file *fd; NULL on
 * error. The caller unmaps it and closes the file. */
Link *mapping_make(Arena *arena, const SuperviseRequest *request, int *fd, Error *error);
/* Adds up the counters of all processes. */
void mapping_add_counters(const Link *link, LinkCounters *total);
/* Takes the estimate of the number of executions over into *RESULT, if the program has made one. */
void mapping_take_estimate(const Link *link, SuperviseResult *result);
/* Takes outcome, counters, remarks and record over into *RESULT. */
void mapping_collect(Arena *arena, const Link *link, const SuperviseRequest *request,
                     SuperviseResult *result);
#endif
