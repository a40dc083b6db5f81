/* locked.h: instructions of objects that heddle did not compile which order threads, or differ from
 * run to run: locked ones and exchanges, fences, the clock. The runtime performs them as it
 * performs those of inline assembly (record/assembly_code.h). */
#ifndef HEDDLE_INSTRUMENT_ISA_X86_64_LOCKED_H
#define HEDDLE_INSTRUMENT_ISA_X86_64_LOCKED_H
#include <capstone/capstone.h>
#include "base/common.h"
#include "record/link.h"

/* Is it one of these? */
bool x86_locked_is(const cs_insn *instruction);
/* Fills *OUT for one of these; false if the runtime can't perform it. */
bool x86_locked_decode(const cs_insn *instruction, LinkWatch *out);
#endif
