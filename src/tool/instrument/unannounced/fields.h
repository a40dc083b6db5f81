/* fields.h: parts of local variables, which clang's thread instrumentation passes over.
 *
 * clang announces no access to a local variable (an alloca of its intermediate language, LLVM IR)
 * unless the address of the variable may be known to others. Before version 21 (LLVM's pull request
 * 132756) it asks that of the address of the access instead: local.field and local[i] have
 * addresses of their own, which are seldom handed on, even if that of `local` is. So what the owner
 * of a structure on its stack does to its members is announced by no hook, while other threads have
 * a pointer to the whole.
 *
 * clang therefore compiles in two steps. The first optimises as asked for, but announces nothing,
 * and writes LLVM IR as text. There each local variable whose address is used for more than loads,
 * stores and copies gets a name that passes through an empty assembly statement,
 *     %heddle.x = alloca T
 *     %x = call T* asm "", "=r,0"(T* %heddle.x)
 * behind which clang does not look: to the second step, which instruments, an access by %x or what
 * is computed of it is one to memory that others may know. What a variable's bytes are does not
 * change. Of the variable itself its debug information still speaks; marks of its lifetime go, so
 * that its place is used for nothing else.
 *
 * Variables whose address stays in the function remain as they are: all names that are computed of
 * it by getelementptr, bitcast and addrspacecast are followed, and any use that is not known to
 * keep the address counts as one that hands it on. */
#ifndef HEDDLE_INSTRUMENT_UNANNOUNCED_FIELDS_H
#define HEDDLE_INSTRUMENT_UNANNOUNCED_FIELDS_H
#include "base/error.h"
#include "base/str.h"

/* Appends TEXT, of LLVM IR, to *OUT with the names changed. */
void fields_reveal(Str text, Buffer *out);
/* Does so with a file. */
MUST_USE bool fields_reveal_file(const char *path, Error *error);
#endif
