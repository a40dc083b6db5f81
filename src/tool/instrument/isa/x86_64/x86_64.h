/* x86_64.h: x86-64 (isa.h), and what its parts share. */
#ifndef HEDDLE_INSTRUMENT_ISA_X86_64_X86_64_H
#define HEDDLE_INSTRUMENT_ISA_X86_64_X86_64_H
#include "tool/instrument/isa/isa.h"

extern const Isa isa_x86_64;

/* Registers by their number in the machine code. */
enum { REG_AX, REG_CX, REG_DX, REG_BX, REG_SP, REG_BP, REG_SI, REG_DI, REG_R8, REG_R10 = 10 };
#define X86_CALLEE_SAVED                                                                           \
    (REG_BIT(REG_BX) | REG_BIT(REG_BP) | REG_BIT(12) | REG_BIT(13) | REG_BIT(14) | REG_BIT(15))

/* The members of Isa. */
extern const IsaForeign x86_foreign;
bool x86_decode(csh handle, const cs_insn *instruction, Code *code);
const char *x86_escape_in_text(Str instruction, bool from_source);
bool x86_is_by_lanes(Str instruction);
void x86_escapes_in_code(const void *code, size_t bytes, uint64_t address, IsaFound found,
                         void *context);
void x86_open(csh *handle);
void x86_each_call(const uint8_t *code, size_t bytes, uint64_t address, bool alone,
                   IsaCalled called, void *context);
bool x86_calls_indirectly(const uint8_t *code, size_t bytes);
bool x86_stub_slot(const uint8_t *code, size_t count, uint64_t address, uint64_t *slot);
void x86_performed(Code *c, uint32_t code);
void x86_operand(const cs_insn *instruction, IsaOperand *out);
#endif
