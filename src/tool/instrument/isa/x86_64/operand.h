/* operand.h: instructions of x86-64 with an operand in memory, as the runtime announces them
 * (record/link.h). */
#ifndef HEDDLE_INSTRUMENT_ISA_X86_64_OPERAND_H
#define HEDDLE_INSTRUMENT_ISA_X86_64_OPERAND_H
#include <capstone/capstone.h>
#include "base/common.h"
#include "record/link.h"

/* Fills *OUT for an instruction with one operand in memory, or one that moves or fills a string;
 * false if it has none, or if the runtime could not announce it. Locked instructions and accesses
 * by lanes are not for this function. */
bool x86_watch(const cs_insn *in, LinkWatch *out);
/* Does it name memory only to compute with its address, or to hint? */
bool x86_touches_nothing(const cs_insn *in);
/* Nobody can announce these with one operand: several operands in memory, addresses that a register
 * leads beyond the operand. MEMORY: it has an operand there that others may see. */
bool x86_is_beyond(const cs_insn *in, bool memory);
/* The operand in memory, and which one it is; NULL if there is none. */
const cs_x86_op *x86_memory_of(const cs_insn *in, unsigned *place);
/* Is it movs or stos, with or without rep? *STORES: stos. */
bool x86_is_string(const cs_insn *in, bool *stores);
#endif
