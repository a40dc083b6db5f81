/* nested.h: variables that GNU C's nested functions share with the function around them, which gcc
 * does not announce.
 *
 * gcc moves such variables into one object, FRAME.N, on the stack of the outer function, and hands
 * its address to the nested functions as CHAIN.N. A member of it whose address the source does not
 * take is marked as one that can't have an address (DECL_NONADDRESSABLE_P), and the thread
 * instrumentation passes over what can't have an address: in the nested functions and in the outer
 * one alike. If another thread runs the nested function, its accesses race unseen.
 *
 * Which accesses these are is known to the compiler alone, so it is asked: a source with nested
 * functions is compiled once more, with comments in the assembly text that name each operand
 * (-fverbose-asm) and with two dumps. The dump behind the pass of the instrumentation tells which
 * members a function accesses without a hook before; the last dump before machine code tells which
 * of its variables point to frames. Each instruction with an operand that is such a member gets a
 * label whose address is kept in a section of the program, and the runtime stops there
 * (guest/entry/watch.h). An operand of which only the frame is known counts as such a member, as do
 * the string instructions of the function. */
#ifndef HEDDLE_INSTRUMENT_NESTED_H
#define HEDDLE_INSTRUMENT_NESTED_H
#include "tool/instrument/compiler.h"
#include "tool/instrument/machine/escapes.h"

/* Does the file of assembly text, made by gcc, define nested functions? */
bool nested_functions_in(const char *assembly);
/* Adds the options that nested_mark needs: the compiler leaves dumps beside ASSEMBLY. */
void nested_flags(Arena *arena, const char *assembly, Words *out);
/* Marks the instructions in ASSEMBLY, in place, and takes the comments out. */
MUST_USE bool nested_mark(Arena *arena, const char *assembly, Error *error);
/* Puts the instructions that are marked in PROGRAM on WATCHES; what the runtime can't stop at goes
 * to OUT. */
MUST_USE bool nested_watch(Arena *arena, const char *program, Escapes *out, Watches *watches,
                           Error *error);
#endif
