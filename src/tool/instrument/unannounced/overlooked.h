/* overlooked.h: which accesses of our own code belong to a hook, by counting bytes. The compilers
 * put the hook of a plain access right before it, with no call between: after the hook of a read of
 * N bytes, N bytes of shared memory are loaded before the next call that is no hook of a write; and
 * after the hook of a write N bytes are stored. What is accessed beyond that was never announced:
 *  - a structure of up to 16 bytes that is given or returned by value in registers (gcc);
 *  - operands of built-in functions for vectors (gcc: lddqu, movhps; _addcarry_u64);
 *  - accesses of a size that clang's instrumentation passes over: long double, structures of 3
 *    bytes, vectors of more than 16 bytes.
 * To announce a load twice costs time, but changes no answer; so does a store, since the runtime
 * recognises one that is announced already (guest/entry/watch.c). So in doubt an access is watched.
 */
#ifndef HEDDLE_INSTRUMENT_UNANNOUNCED_OVERLOOKED_H
#define HEDDLE_INSTRUMENT_UNANNOUNCED_OVERLOOKED_H
#include <capstone/capstone.h>
#include <gelf.h>
#include "record/link.h"
#include "tool/instrument/machine/liveness_code.h"

typedef struct Rooms { /* bytes that the hooks so far allow to be accessed; 255: any number */
    uint8_t reads, writes;
} Rooms;
/* Changes ROOMS by a call of the function NAME, which may be NULL. */
void rooms_after_call(Rooms *rooms, const char *name);
/* Two paths meet. */
Rooms rooms_join(Rooms a, Rooms b);

/* Does ADDRESS lie in the table of addresses that the loader fills? */
bool overlooked_is_table(Elf *elf, uint64_t address);

/* An instruction of a function with an operand in memory that others may know. */
typedef struct Operand {
    LinkWatch watch; /* how to announce it, if the runtime can */
    bool can_watch;
    bool is_elsewhere; /* no access, or found by other means (x86.h, lanes.h) */
    char text[192];
} Operand;
void operand_decode(const Image *image, csh handle, cs_insn *scratch, const Code *code,
                    Operand *out);

/* Takes the bytes of the operand of instruction INDEX off ROOMS. Returns whether they were
 * announced. */
bool rooms_take(Rooms *rooms, const CodeFunction *function, uint32_t index, const Operand *operand);
#endif
