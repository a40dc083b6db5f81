/* lanes.h: vector instructions that access memory by lanes: gathers (vpgatherdd and its like) and
 * masked moves (vpmaskmovd, vmaskmovps). No compiler's instrumentation announces them: they come
 * from intrinsics, and from code that others compiled. The runtime performs them lane by lane
 * (guest/entry/watch.h). Scatters and the masks of AVX-512 are not decoded: their functions stay
 * escapes (escapes.h). */
#ifndef HEDDLE_INSTRUMENT_MACHINE_LANES_H
#define HEDDLE_INSTRUMENT_MACHINE_LANES_H
#include <capstone/capstone.h>
#include "tool/instrument/machine/escapes.h"

/* Returns the number of a general register in the machine code, or -1. */
int lanes_register(unsigned reg);
/* Fills in base, displacement and scale of the operand MEMORY; false for addresses of 32 bits and
 * for memory that a segment register names. */
bool lanes_decode_base(const cs_insn *instruction, const x86_op_mem *memory, LinkWatch *out);
/* Is it a vector instruction that accesses memory by lanes? */
bool lanes_are_in(const cs_insn *instruction);
/* Fills *OUT for such an instruction; false if the runtime could not perform it. */
bool lanes_decode(const cs_insn *instruction, LinkWatch *out);
/* Replaces the escapes of this kind in our own code by watches, where all of a function's can be
 * performed. */
void lanes_watch(const Build *build, Escapes *escapes, Watches *watches);
#endif
