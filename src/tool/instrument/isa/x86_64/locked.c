#include "tool/instrument/isa/x86_64/locked.h"
#include "record/assembly_code.h"
#include "tool/instrument/isa/x86_64/lanes.h"
#include "tool/instrument/isa/x86_64/operand.h"

static const cs_x86_op *memory_of(const cs_insn *in)
{
    unsigned place;
    return x86_memory_of(in, &place);
}

/* Returns what it is without its operands, or ASSEMBLY_OP_COUNT. */
static AssemblyOp op_of(const cs_insn *in)
{
    static const struct {
        unsigned id;
        AssemblyOp op;
    } table[] = {{X86_INS_MFENCE, ASSEMBLY_FENCE},
                 {X86_INS_SFENCE, ASSEMBLY_FENCE_STORES},
                 {X86_INS_LFENCE, ASSEMBLY_FENCE_LOADS},
                 {X86_INS_RDTSC, ASSEMBLY_CLOCK},
                 {X86_INS_RDTSCP, ASSEMBLY_CLOCK_PLACE},
                 {X86_INS_XCHG, ASSEMBLY_EXCHANGE},
                 {X86_INS_CMPXCHG, ASSEMBLY_CAS},
                 {X86_INS_CMPXCHG16B, ASSEMBLY_CAS_WIDE},
                 {X86_INS_CMPXCHG8B, ASSEMBLY_CAS_PAIR},
                 {X86_INS_XADD, ASSEMBLY_FETCH_ADD},
                 {X86_INS_ADD, ASSEMBLY_ADD},
                 {X86_INS_SUB, ASSEMBLY_SUB},
                 {X86_INS_AND, ASSEMBLY_AND},
                 {X86_INS_OR, ASSEMBLY_OR},
                 {X86_INS_XOR, ASSEMBLY_XOR},
                 {X86_INS_INC, ASSEMBLY_INC},
                 {X86_INS_DEC, ASSEMBLY_DEC},
                 {X86_INS_NOT, ASSEMBLY_NOT},
                 {X86_INS_NEG, ASSEMBLY_NEGATE},
                 {X86_INS_BTS, ASSEMBLY_BIT_SET},
                 {X86_INS_BTR, ASSEMBLY_BIT_RESET},
                 {X86_INS_BTC, ASSEMBLY_BIT_FLIP}};
    for (unsigned i = 0; i < COUNT_OF(table); i++)
        if (table[i].id == in->id)
            return table[i].op;
    return ASSEMBLY_OP_COUNT;
}

static bool has_no_operand(AssemblyOp op)
{
    return op == ASSEMBLY_FENCE || op == ASSEMBLY_FENCE_STORES || op == ASSEMBLY_FENCE_LOADS ||
           op == ASSEMBLY_CLOCK || op == ASSEMBLY_CLOCK_PLACE;
}

bool x86_locked_is(const cs_insn *in)
{
    return in->detail->x86.prefix[0] == X86_PREFIX_LOCK || has_no_operand(op_of(in)) ||
           (in->id == X86_INS_XCHG && memory_of(in));
}

/* The number of a general register of any size, or -1; those like ah, a part that is not the
 * lowest, have none. */
static int number_of_any(unsigned reg)
{
    static const unsigned names[][3] = {
        {X86_REG_EAX, X86_REG_AX, X86_REG_AL},      {X86_REG_ECX, X86_REG_CX, X86_REG_CL},
        {X86_REG_EDX, X86_REG_DX, X86_REG_DL},      {X86_REG_EBX, X86_REG_BX, X86_REG_BL},
        {X86_REG_ESP, X86_REG_SP, X86_REG_SPL},     {X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
        {X86_REG_ESI, X86_REG_SI, X86_REG_SIL},     {X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
        {X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},    {X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
        {X86_REG_R10D, X86_REG_R10W, X86_REG_R10B}, {X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
        {X86_REG_R12D, X86_REG_R12W, X86_REG_R12B}, {X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
        {X86_REG_R14D, X86_REG_R14W, X86_REG_R14B}, {X86_REG_R15D, X86_REG_R15W, X86_REG_R15B}};
    for (unsigned i = 0; i < COUNT_OF(names); i++)
        for (unsigned k = 0; k < 3; k++)
            if (names[i][k] == reg)
                return (int)i;
    return x86_register(reg);
}

/* The register or the number that is not in memory; false if there is none that we know. */
static bool decode_other(const cs_insn *in, unsigned *reg, int32_t *number)
{
    const cs_x86 *x86 = &in->detail->x86;
    *reg = ASSEMBLY_IMMEDIATE;
    *number = 0;
    for (unsigned i = 0; i < x86->op_count; i++) {
        const cs_x86_op *operand = &x86->operands[i];
        int found = operand->type == X86_OP_REG ? number_of_any(operand->reg) : 0;
        if (found < 0 || (operand->type == X86_OP_REG && found == 4)) /* rsp is not kept */
            return false;
        if (operand->type == X86_OP_REG)
            *reg = (unsigned)found;
        else if (operand->type == X86_OP_IMM)
            *number = (int32_t)operand->imm;
    }
    return true;
}

bool x86_locked_decode(const cs_insn *in, LinkWatch *out)
{
    AssemblyOp op = op_of(in);
    unsigned reg;
    int32_t number;
    *out = (LinkWatch){.address = in->address, .length = (uint8_t)in->size, .base = -1};
    if (has_no_operand(op)) {
        out->assembly = ASSEMBLY_CODE(op, 0, ASSEMBLY_IMMEDIATE) + 1;
        return true;
    }
    const cs_x86_op *operand = memory_of(in);
    if (op == ASSEMBLY_OP_COUNT || !operand || !decode_other(in, &reg, &number))
        return false;
    /* a bit by its number in a register may lie beyond the operand, whose memory is judged */
    if (op >= ASSEMBLY_BIT_SET && op <= ASSEMBLY_BIT_FLIP && reg != ASSEMBLY_IMMEDIATE)
        return false;
    const x86_op_mem *memory = &operand->mem;
    unsigned size = op == ASSEMBLY_CAS_WIDE ? 16 : operand->size;
    int index = memory->index == X86_REG_INVALID ? -1 : x86_register(memory->index);
    if (size > 16 || (size & (size - 1)) || !x86_lanes_decode_base(in, memory, out) ||
        (index < 0 && memory->index != X86_REG_INVALID))
        return false;
    /* lock or $0, (%rsp) is how compilers write a fence */
    if (memory->base == X86_REG_RSP && reg == ASSEMBLY_IMMEDIATE && !number &&
        (op == ASSEMBLY_OR || op == ASSEMBLY_ADD))
        op = ASSEMBLY_FENCE;
    out->bytes = (uint16_t)size;
    out->index = (uint8_t)(index + 1);
    out->assembly = ASSEMBLY_CODE(op, size, reg) + 1;
    out->number = number;
    return true;
}
