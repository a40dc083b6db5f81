/* overlooked.h: which accesses of our own code belong to a hook, by counting bytes. The compilers
 * put the hook of a plain access right before it, with no call between: after the hook of a read of
 * N bytes, N bytes of shared memory are loaded before the next call that is no hook of a write; and
 * after the hook of a write N bytes are stored. What is accessed beyond that was never announced:
 *  - a structure of up to 16 bytes that is given or returned by value in registers (gcc);
 *  - operands of built-in functions for vectors (gcc: lddqu, movhps; _addcarry_u64);
 *  - accesses of a size that clang's instrumentation passes over: long double, structures of 3
 *    bytes, vectors of more than 16 bytes.
 * To announce a load twice costs time, but changes no answer; so does a store, since the runtime
 * recognises one that is announced already (guest/entry/x86_64/watch.c). So in doubt an access is
 * watched.
 *
 * Optimised code has the accesses of a statement in any order, so that the one for which no bytes
 * are left may be the one that the hook announced, while another came before it. Among the accesses
 * after one hook the announced one is therefore told by how its address is named, there and where
 * the hook got it (leaq x(%rip), %rdi; movq %rbx, %rdi): the others were not announced. Where that
 * can't be told, the order counts (without optimisation it is that of the source). A hook whose own
 * access the compiler has dropped still excuses another of at most its size. */
#ifndef HEDDLE_INSTRUMENT_UNANNOUNCED_OVERLOOKED_H
#define HEDDLE_INSTRUMENT_UNANNOUNCED_OVERLOOKED_H
#include <capstone/capstone.h>
#include <gelf.h>
#include "record/link.h"
#include "tool/instrument/machine/escapes.h"
#include "tool/instrument/liveness/code.h"

typedef struct Rooms { /* bytes that the hooks so far allow to be accessed; 255: any number */
    uint16_t reads, writes;
    uint16_t left_behind; /* without optimisation clang leaves a load behind that of an atomic
                             object, of as many bytes, whose value nobody uses */
    uint32_t read_hook, write_hook; /* indexes of these calls, or CODE_NOWHERE */
} Rooms;
/* Changes ROOMS by a call, at INDEX, of the function NAME, which may be NULL. CLANG: which
 * compiler. */
void rooms_after_call(Rooms *rooms, const char *name, uint32_t index, bool clang);
/* Two paths meet. */
Rooms rooms_join(Rooms a, Rooms b);

/* Does ADDRESS lie in the table of addresses that the loader fills? */
bool overlooked_is_table(Elf *elf, uint64_t address);

/* Is the operand of CODE in memory that never changes? */
bool overlooked_is_constant(const Image *image, const Code *code);
/* Follows the stack pointer, from its value on entry; a call leaves it as it was. */
#define SP_UNKNOWN INT32_MIN
int32_t overlooked_sp_after(const Isa *isa, int32_t sp, const Code *code);

/* Describes an instruction of a function with an operand in memory that others may know. */
void operand_decode(const Image *image, csh handle, cs_insn *scratch, const Code *code,
                    IsaOperand *out);

bool overlooked_is_watched(const Watches *watches, const Code *code);
/* Can the runtime stop at CODE, which STORES or loads, and announce it? It is put on the list
 * then. */
bool overlooked_watch(Watches *watches, const Image *image, csh handle, cs_insn *scratch,
                      const Code *code, bool stores);

/* Takes the bytes of the operand of instruction INDEX off ROOMS. Returns whether they were
 * announced; if not, *HOOK is the index of the hook whose bytes do not suffice, or CODE_NOWHERE. */
bool rooms_take(Rooms *rooms, const CodeFunction *function, uint32_t index,
                const IsaOperand *operand, uint32_t *hook);
/* Is the instruction at INDEX an access of BYTES to the very address that the hook at index HOOK
 * got, by the registers that hold it, and of no more bytes? */
bool overlooked_is_of(const CodeFunction *function, uint32_t hook, uint32_t index, unsigned bytes);
/* Is its load one that hooks do not announce, but need not: of a bit field that is stored again, or
 * of a virtual function's address? */
bool overlooked_is_excused(const CodeFunction *function, uint32_t index);

/* Returns whether a function was instrumented: then it calls __tsan_func_entry, if it calls
 * anything. */
bool overlooked_is_instrumented(const CodeFunction *function);
#endif
