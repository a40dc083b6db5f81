/* unwind.h: where functions begin and how long they are, from the unwind tables (.eh_frame) that a
 * library needs for exceptions and backtraces, whether it has symbols or not. */
#ifndef HEDDLE_INSTRUMENT_SHARED_UNWIND_H
#define HEDDLE_INSTRUMENT_SHARED_UNWIND_H
#include <gelf.h>
#include "base/vec.h"

typedef struct UnwindRange {
    uint64_t from, size;
} UnwindRange;
typedef Vec(UnwindRange) UnwindRanges;

/* Fills RANGES, sorted and without overlaps; false if the tables are absent or not understood. */
bool unwind_ranges(Elf *elf, UnwindRanges *ranges);
#endif
