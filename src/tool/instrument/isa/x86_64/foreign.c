/* foreign.c: code of x86-64 that heddle did not compile (isa.h, IsaForeign). */
#include <elf.h>
#include <string.h>
#include "tool/instrument/isa/x86_64/lanes.h"
#include "tool/instrument/isa/x86_64/locked.h"
#include "tool/instrument/isa/x86_64/operand.h"
#include "tool/instrument/isa/x86_64/x86_64.h"

static bool is_filling(uint8_t byte)
{
    static const uint8_t bytes[] = {0x90, 0x66, 0x0f, 0x1f, 0x2e, 0x84,
                                    0x40, 0x44, 0x80, 0x00, 0xcc};
    return memchr(bytes, byte, sizeof bytes) != NULL;
}

static bool starts(const cs_insn *in, const char *word)
{
    return !strncmp(in->mnemonic, word, strlen(word));
}

/* Is it an access that others can't see: to the function's own frame, or to what is the thread's?
 */
static bool is_own(const IsaSight *sight, const cs_insn *in, const x86_op_mem *memory)
{
    if (memory->segment == X86_REG_FS || memory->segment == X86_REG_GS)
        return true;
    if (sight->copied && memory->base == X86_REG_RSP)
        return true;
    bool frame = memory->base == X86_REG_RSP || (memory->base == X86_REG_RBP && sight->frame);
    if (frame)
        return !sight->exposed;
    if (memory->base == X86_REG_RIP)
        return sight->is_constant(sight->context, in->address + in->size + (uint64_t)memory->disp);
    /* a table by its address */
    return memory->base == X86_REG_INVALID && memory->disp > 0 &&
           sight->is_constant(sight->context, (uint64_t)memory->disp);
}

static IsaLook look_at_locked(const cs_insn *in, LinkWatch *out)
{
    unsigned place;
    const cs_x86_op *operand = x86_memory_of(in, &place);
    if (operand && operand->mem.segment != X86_REG_INVALID)
        return ISA_PASSED; /* thread-local */
    return x86_locked_decode(in, out) ? ISA_WATCHED : ISA_BEYOND;
}

static IsaLook look_at_lanes(const cs_insn *in, LinkWatch *out)
{
    if (!x86_lanes_are_in(in))
        return ISA_PASSED;
    return x86_lanes_decode(in, out) ? ISA_WATCHED : ISA_BEYOND;
}

static IsaLook look(const IsaSight *sight, const cs_insn *in, LinkWatch *out)
{
    bool stores = false, string = x86_is_string(in, &stores);
    unsigned place = 0;
    if (x86_touches_nothing(in))
        return ISA_PASSED;
    if (!string && x86_lanes_are_in(in))
        return look_at_lanes(in, out);
    const cs_x86_op *operand = x86_memory_of(in, &place);
    bool shared = operand && !is_own(sight, in, &operand->mem);
    if (!string && x86_locked_is(in))
        return look_at_locked(in, out);
    if (!string && x86_is_beyond(in, shared))
        return ISA_BEYOND;
    if (!string && !shared)
        return ISA_PASSED;
    return x86_watch(in, out) ? ISA_WATCHED : ISA_BEYOND;
}

/* rbp is set up as a frame pointer; an address of the stack is computed. */
static void look_at_frame(const cs_insn *in, IsaSight *sight)
{
    const cs_x86 *x86 = &in->detail->x86;
    bool from_stack = false;
    if (starts(in, "mov") && x86->op_count == 2 && x86->operands[1].type == X86_OP_REG &&
        x86->operands[1].reg == X86_REG_RSP) {
        sight->frame |= x86->operands[0].reg == X86_REG_RBP;
        from_stack = x86->operands[0].reg != X86_REG_RBP;
    }
    if (starts(in, "lea") && x86->op_count == 2) {
        unsigned base = x86->operands[1].mem.base;
        from_stack =
            (base == X86_REG_RSP || base == X86_REG_RBP) && x86->operands[0].reg != X86_REG_RSP;
    }
    sight->exposed |= from_stack;
}

static bool look_at_leap(const cs_insn *in, LinkWatch *out)
{
    bool jumps = in->id == X86_INS_JMP, calls = in->id == X86_INS_CALL;
    const cs_x86_op *operand = &in->detail->x86.operands[0];
    if ((!jumps && !calls) || !in->detail->x86.op_count || operand->type != X86_OP_REG)
        return false;
    *out = (LinkWatch){.address = in->address,
                       .length = (uint8_t)in->size,
                       .goes = jumps ? 3 : 4,
                       .base = (int8_t)x86_register(operand->reg)};
    return true;
}

static bool find_displacement(const cs_insn *in, unsigned *at)
{
    unsigned place;
    const cs_x86_op *operand = x86_memory_of(in, &place);
    int32_t displacement;
    *at = 0;
    if (!operand || operand->mem.base != X86_REG_RIP)
        return true;
    *at = in->detail->x86.encoding.disp_offset;
    if (!*at || *at + sizeof displacement > in->size)
        return false;
    memcpy(&displacement, in->bytes + *at, sizeof displacement);
    return displacement == operand->mem.disp;
}

static bool is_jump(csh handle, const cs_insn *in, uint64_t *target)
{
    const cs_x86_op *operand = &in->detail->x86.operands[0];
    *target = (uint64_t)operand->imm;
    return cs_insn_group(handle, in, X86_GRP_JUMP) && operand->type == X86_OP_IMM;
}

const IsaForeign x86_foreign = {.is_filling = is_filling,
                                .look_at_frame = look_at_frame,
                                .look = look,
                                .look_at_lanes = look_at_lanes,
                                .look_at_leap = look_at_leap,
                                .find_displacement = find_displacement,
                                .is_jump = is_jump,
                                .links = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_64},
                                .folders = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu"};
