/* trace.h: from what a search found to something that can be shown. */
#ifndef HEDDLE_REFINE_TRACE_H
#define HEDDLE_REFINE_TRACE_H
#include "refine/worker.h"

/* Fills verdict, message, place and the steps of a shortest path from the start to the finding of
 * workers[finder]. */
void trace_build(Arena *arena, const RefineOptions *options, Worker *workers, int finder,
                 RefineResult *result);
#endif
