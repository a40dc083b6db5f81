/* x86.h: which x86-64 instructions the compiler's instrumentation does not see, in assembly text
 * and in machine code. The only file of the tool that knows the machine. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_X86_H
#define HEDDLE_INSTRUMENT_MACHINE_X86_H
#include "base/str.h"

/* Why one instruction ("lock; incl x(%rip)", without comment) escapes, or NULL if it does not.
 * FROM_SOURCE: it stands in inline assembly, where plain memory operands escape too. */
const char *x86_escape_in_text(Str instruction, bool from_source);

/* Does this instruction access memory by lanes (lanes.h)? */
bool x86_is_by_lanes(Str instruction);

typedef void (*X86Found)(void *context, uint64_t address, const char *instruction, const char *why);
/* Disassembles CODE and calls FOUND for every escaping instruction. */
void x86_escapes_in_code(const void *code, size_t bytes, uint64_t address, X86Found found,
                         void *context);
#endif
