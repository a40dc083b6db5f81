/* liveness_decode.h: one instruction, for liveness_code.c. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_LIVENESS_DECODE_H
#define HEDDLE_INSTRUMENT_MACHINE_LIVENESS_DECODE_H
#include <capstone/capstone.h>
#include "tool/instrument/machine/liveness_code.h"

/* Fills CODE, but for `leader` and `target`; jumps and calls have their target's address as
 * immediate. False if the instruction defies analysis. */
bool decode_instruction(const Image *image, csh handle, const cs_insn *insn, Code *code);
#endif
