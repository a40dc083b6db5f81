/* aarch64.h: AArch64 (isa.h), and what its parts share. */
#ifndef HEDDLE_INSTRUMENT_ISA_AARCH64_AARCH64_H
#define HEDDLE_INSTRUMENT_ISA_AARCH64_AARCH64_H
#include "tool/instrument/isa/isa.h"

extern const Isa isa_aarch64;

/* Registers by their number in the machine code. In places where it can't be the stack pointer, 31
 * is a register that is always zero. */
enum {
    A64_RESULT_PLACE = 8, /* where a result is to stand that does not fit into registers */
    A64_CHAIN = 18,       /* the frame of the function around a nested one */
    A64_FIRST_SAVED = 19, /* by the callee; the last is the frame pointer */
    A64_FP = 29,
    A64_LR = 30,
    A64_SP = 31
};
#define A64_ALL UINT32_MAX
#define A64_CALLEE_SAVED ((RegSet)0x3ff80000) /* x19 to x29 */

/* The members of Isa. */
bool a64_decode(csh handle, const cs_insn *instruction, Code *code);
void a64_operand(const cs_insn *instruction, IsaOperand *out);
const char *a64_escape_in_text(Str instruction, bool from_source);
bool a64_left_behind(Str instruction, unsigned bytes);
bool a64_is_by_lanes(Str instruction);
void a64_escapes_in_code(const void *code, size_t bytes, uint64_t address, IsaFound found,
                         void *context);
void a64_open(csh *handle);
void a64_each_call(const uint8_t *code, size_t bytes, uint64_t address, bool alone,
                   IsaCalled called, void *context);
bool a64_calls_indirectly(const uint8_t *code, size_t bytes);
#endif
