/* lanes.h: vector instructions of x86-64 that access memory by lanes (machine/lanes.h). */
#ifndef HEDDLE_INSTRUMENT_ISA_X86_64_LANES_H
#define HEDDLE_INSTRUMENT_ISA_X86_64_LANES_H
#include <capstone/capstone.h>
#include "base/common.h"
#include "record/link.h"

/* Returns the number of a general register in the machine code, or -1. */
int x86_register(unsigned reg);
/* Fills in base, displacement and scale of the operand MEMORY; false for addresses of 32 bits and
 * for memory that a segment register names. */
bool x86_lanes_decode_base(const cs_insn *instruction, const x86_op_mem *memory, LinkWatch *out);
/* Is it a vector instruction that accesses memory by lanes? */
bool x86_lanes_are_in(const cs_insn *instruction);
/* Fills *OUT for such an instruction; false if the runtime could not perform it. */
bool x86_lanes_decode(const cs_insn *instruction, LinkWatch *out);
#endif
