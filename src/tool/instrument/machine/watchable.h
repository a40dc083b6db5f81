/* watchable.h: which instructions the runtime can stop at and announce (guest/entry/watch.h), as
 * the disassembler reads them. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_WATCHABLE_H
#define HEDDLE_INSTRUMENT_MACHINE_WATCHABLE_H
#include <capstone/capstone.h>
#include "record/link.h"

bool watchable_starts(const cs_insn *in, const char *word); /* the mnemonic begins so */
/* It only computes, or hints. */
bool watchable_touches_nothing(const cs_insn *in);
/* Nobody can announce these with one operand, or without more registers than are kept: locks,
 * vectors of AVX, several operands in memory, addresses that a register leads beyond the operand.
 * MEMORY: the operand is shared memory. */
bool watchable_is_beyond(const cs_insn *in, bool memory);
bool watchable_is_string(const cs_insn *in); /* movs or stos, with or without rep */
/* Returns the operand in memory and its place among the operands; NULL if there is none. */
const cs_x86_op *watchable_memory(const cs_insn *in, unsigned *place);
/* Makes the watch of an instruction that is a string instruction or has an operand in memory; false
 * if its operand can't be described. */
bool watchable_make(const cs_insn *in, LinkWatch *out);
#endif
