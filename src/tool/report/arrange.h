/* arrange.h: the same execution told in a better order. A weak execution has no order in which
 * every read sees the newest write; but many orders respect program order and reads-from, and the
 * one in which a record happens to stand may let reads look stale that need not be. Fewer reads
 * that miss a write leave the ones that matter. */
#ifndef HEDDLE_REPORT_ARRANGE_H
#define HEDDLE_REPORT_ARRANGE_H
#include "base/arena.h"
#include "record/record.h"

/* RECORD itself if no order with fewer missed writes is found, else a copy in that order, in
 * ARENA. */
const Record *arrange_record(Arena *arena, const Record *record);
#endif
