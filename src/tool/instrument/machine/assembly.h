/* assembly.h: inline assembly that the runtime can perform. The compiler's instrumentation does not
 * see it, but its text is there: an atomic instruction, a load, a store or a fence between #APP and
 * #NO_APP is replaced by a call of the runtime (guest/entry/x86_64/assembly.c), which does the same
 * to registers, flags and memory, as an event.
 *
 * What an instruction means to other threads is the processor's business: under sc and tso that is
 * known (locked instructions are seq_cst and full fences, moves the loads and stores of the model).
 * C11 has no word for it, so under rc11 only fences are translated: mfence is what
 * atomic_thread_fence(seq_cst) becomes. What is not translated stays as it is and is found by
 * escapes.h. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_ASSEMBLY_H
#define HEDDLE_INSTRUMENT_MACHINE_ASSEMBLY_H
#include "base/error.h"
#include "base/str.h"
#include "record/assembly_code.h"

/* Appends TEXT, the compiler's output, to OUT, with such instructions replaced. True if there were
 * any. */
bool assembly_translate(Str text, AssemblyMeaning meaning, Buffer *out);
/* Does the same with a file, in place. */
MUST_USE bool assembly_translate_file(const char *path, AssemblyMeaning meaning, Error *error);
/* Is LINE, without blanks around it, where a compiler says that inline assembly begins or ends?
 * Sets *inside accordingly. gcc and clang write #APP and #NO_APP; clang writes a comment around
 * assembly at file scope. */
bool assembly_is_mark(Str line, bool *inside);
#endif
