/* constants.h: addresses that code computes in parts, as on processors whose instructions are too
 * short for one: the page of a variable by one instruction, its place in that by another, perhaps
 * far behind and in a loop; and memory of the thread's own, which is named from a register.
 *
 * Constants are propagated along the ways of control (Kildall, POPL 1973). An operand whose address
 * is known is then named by that, as a processor does that can: memory.base is REG_UNKNOWN, and
 * `displacement` the address or, if is_thread_local, nothing of interest. Where control comes from
 * places that are not known, no register has a known value. */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_CONSTANTS_H
#define HEDDLE_INSTRUMENT_LIVENESS_CONSTANTS_H
#include "tool/instrument/liveness/code.h"

/* Resolves the operands of a function whose ways are known; leaves code alone that has none in
 * parts. */
void constants_resolve(CodeFunction *function);
#endif
