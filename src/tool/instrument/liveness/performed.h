/* performed.h: calls of heddle__assembly, which stand for one instruction of inline assembly
 * (machine/assembly.h). Unlike a call they keep every register and flag that the instruction does
 * not change, and they read registers that are no arguments. For the liveness analysis
 * (liveness.h). */
#ifndef HEDDLE_INSTRUMENT_LIVENESS_PERFORMED_H
#define HEDDLE_INSTRUMENT_LIVENESS_PERFORMED_H
#include "tool/instrument/liveness/frame.h"

/* Fills in what calls of heddle__assembly in FUNCTION read, change and overwrite. */
void performed_describe(CodeFunction *function);

/* Is C a call of a function that follows the ABI, whose code the compiler does not know, and that
 * takes no number of vector registers in %al? It overwrites all registers that are not
 * callee-saved. */
bool performed_follows_abi(const Code *c);
/* Fills in the registers that calls in all FRAMES may read, and returns, by function, whether
 * vector registers may hold something when it is left though they held nothing on entry. That is
 * wanted of programs with inline assembly, which PERFORMS tells; in others all functions count as
 * not understood. */
const bool *performed_find_others(Arena *arena, const Image *image, StackFrame *frames,
                                  size_t count, bool *performs);

/* Leaves in HOLDS, by instruction, whether x87 or vector registers may hold something before it, if
 * they do so on entry (AT_ENTRY). They hold nothing after a function that the compiler announces
 * accesses with: such a function may overwrite all of them, and returns nothing there. A call of
 * function F may leave something there if LEAVES[F] is set, and other calls may; what was there
 * before may still be (-fipa-ra). Returns whether they may hold something when the function is
 * left. */
bool performed_find_vectors(const CodeFunction *function, bool at_entry, const bool *leaves,
                            bool *holds);
#endif
