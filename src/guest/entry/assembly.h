/* assembly.h: instructions performed as events, on the registers and flags of the program in
 * memory: those of inline assembly, and of objects that heddle did not compile (watch.h). */
#ifndef HEDDLE_ENTRY_ASSEMBLY_H
#define HEDDLE_ENTRY_ASSEMBLY_H
#include "base/common.h"
#include "record/assembly_code.h"

typedef struct AssemblyState { /* as heddle__assembly lays it out */
    uint64_t registers[16];    /* by the processor's numbers; that of rsp is not used */
    void *address;
    uint64_t flags;
} AssemblyState;

/* Performs the instruction CODE (record/assembly_code.h) with the operand at state->address.
 * Registers of *state are read before another thread may run, and only written afterwards: where
 * the program will not read one behind the instruction it may be lost meanwhile
 * (LivenessEntry.performed). [switch] */
void assembly_perform(AssemblyState *state, uint32_t code, int32_t immediate, const void *pc);
#endif
