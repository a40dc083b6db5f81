/* decode.c: from the disassembler's view of an x86-64 instruction to ours (isa/code.h). */
#include <string.h>
#include "tool/instrument/isa/x86_64/x86_64.h"

/* ---- registers ---- */

typedef struct RegisterName {
    int8_t number;
    uint8_t bytes;
} RegisterName;

static RegisterName register_of(x86_reg r)
{
    static const uint16_t names[16][5] = {
        {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
        {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
        {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
        {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
        {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, 0},
        {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, 0},
        {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, 0},
        {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, 0},
        {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, 0},
        {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B, 0},
        {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B, 0},
        {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B, 0},
        {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, 0},
        {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B, 0},
        {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B, 0},
        {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B, 0}};
    static RegisterName by_name[X86_REG_ENDING];
    static bool filled;
    if (!filled) {
        static const uint8_t widths[5] = {8, 4, 2, 1, 1};
        for (int i = 0; i < X86_REG_ENDING; i++)
            by_name[i].number = REG_NONE;
        for (int i = 0; i < 16; i++)
            for (int w = 0; w < 5; w++)
                if (names[i][w])
                    by_name[names[i][w]] = (RegisterName){(int8_t)i, widths[w]};
        filled = true;
    }
    return (unsigned)r < X86_REG_ENDING ? by_name[r] : (RegisterName){REG_NONE, 0};
}

static RegSet bit_of(x86_reg r)
{
    RegisterName name = register_of(r);
    if (name.number < 0)
        return 0;
    return REG_BIT(name.number);
}

/* ---- one instruction ---- */

/* Bytes of memory that a vector move reads or writes, or 0 if it is none. The disassembler's
 * operand sizes of vector instructions are not relied on. */
static uint16_t vector_bytes(const cs_insn *insn)
{
    switch (insn->id) {
    case X86_INS_MOVAPS:
    case X86_INS_MOVUPS:
    case X86_INS_MOVAPD:
    case X86_INS_MOVUPD:
    case X86_INS_MOVDQA:
    case X86_INS_MOVDQU:
        return 16;
    case X86_INS_MOVQ:
    case X86_INS_MOVSD: /* the string instruction of this name was sorted out before */
    case X86_INS_MOVLPS:
    case X86_INS_MOVHPS:
    case X86_INS_MOVLPD:
    case X86_INS_MOVHPD:
        return 8;
    case X86_INS_MOVD:
    case X86_INS_MOVSS:
        return 4;
    default:
        return 0;
    }
}

static bool is_string(const cs_insn *insn)
{
    switch (insn->id) {
    case X86_INS_MOVSB:
    case X86_INS_MOVSW:
    case X86_INS_MOVSQ:
    case X86_INS_STOSB:
    case X86_INS_STOSW:
    case X86_INS_STOSD:
    case X86_INS_STOSQ:
    case X86_INS_LODSB:
    case X86_INS_LODSW:
    case X86_INS_LODSD:
    case X86_INS_LODSQ:
    case X86_INS_CMPSB:
    case X86_INS_CMPSW:
    case X86_INS_CMPSQ:
    case X86_INS_SCASB:
    case X86_INS_SCASW:
    case X86_INS_SCASD:
    case X86_INS_SCASQ:
        return true;
    case X86_INS_MOVSD: /* also names of vector instructions: opcode a5, a7 are the strings */
    case X86_INS_CMPSD:
        return insn->detail->x86.opcode[0] == 0xa5 || insn->detail->x86.opcode[0] == 0xa7;
    default:
        return false;
    }
}

/* Instructions that touch far more memory than their operand says, or move the stack pointer in
 * ways that are not followed. */
static bool is_forbidden(const cs_insn *insn)
{
    switch (insn->id) {
    case X86_INS_ENTER:
    case X86_INS_PUSHF:
    case X86_INS_PUSHFQ:
    case X86_INS_POPF:
    case X86_INS_POPFQ:
    case X86_INS_PUSHAW:
    case X86_INS_POPAW:
    case X86_INS_FXSAVE:
    case X86_INS_FXSAVE64:
    case X86_INS_FXRSTOR:
    case X86_INS_FXRSTOR64:
    case X86_INS_FNSAVE:
    case X86_INS_FRSTOR:
    case X86_INS_XSAVE:
    case X86_INS_XSAVE64:
    case X86_INS_XSAVEC:
    case X86_INS_XSAVEC64:
    case X86_INS_XSAVEOPT:
    case X86_INS_XSAVEOPT64:
    case X86_INS_XRSTOR:
    case X86_INS_XRSTOR64:
    case X86_INS_SYSCALL:
    case X86_INS_SYSENTER:
    case X86_INS_INT:
    case X86_INS_IRET:
    case X86_INS_IRETD:
    case X86_INS_IRETQ:
    case X86_INS_RETF:
    case X86_INS_RETFQ:
    case X86_INS_LJMP:
    case X86_INS_LCALL:
    case X86_INS_XBEGIN:
    case X86_INS_MASKMOVDQU:
    case X86_INS_VMASKMOVDQU:
    case X86_INS_MASKMOVQ:
    case X86_INS_LOOP:
    case X86_INS_LOOPE:
    case X86_INS_LOOPNE:
        return true;
    default:
        return false;
    }
}

/* An instruction of the x87 names its operand in memory first, whether it loads or stores. Returns
 * false for loads. */
static bool may_store(const cs_x86 *x86)
{
    unsigned way = x86->modrm >> 3 & 7;
    switch (x86->opcode[0]) {
    case 0xd8:
    case 0xda:
    case 0xdc:
    case 0xde:
        return false;
    case 0xd9:
        return way == 2 || way == 3 || way >= 6;
    case 0xdb:
    case 0xdd:
    case 0xdf:
        return way != 0 && way != 4 && way != 5;
    default:
        return true;
    }
}

static void read_memory_operand(const cs_insn *insn, Code *code)
{
    const cs_x86 *x86 = &insn->detail->x86;
    for (unsigned i = 0; i < x86->op_count; i++) {
        const cs_x86_op *op = &x86->operands[i];
        if (op->type != X86_OP_MEM)
            continue;
        CodeMemory *m = &code->memory;
        RegisterName base = register_of(op->mem.base), index = register_of(op->mem.index);
        m->base = base.bytes == 8 ? base.number : op->mem.base ? REG_UNKNOWN : REG_NONE;
        m->index = op->mem.index == X86_REG_INVALID ? REG_NONE
                   : index.number >= 0              ? index.number
                                                    : REG_UNKNOWN;
        if (op->mem.segment == X86_REG_FS || op->mem.segment == X86_REG_GS)
            m->base = REG_UNKNOWN;
        m->displacement = op->mem.disp;
        if (op->mem.base == X86_REG_RIP)
            m->displacement += (int64_t)(insn->address + insn->size);
        /* Reading is overestimated: vector and floating-point operands by the largest there is. */
        bool integer = op->size <= 8 && x86->opcode[0] != 0x0f &&
                       !(x86->opcode[0] >= 0xd8 && x86->opcode[0] <= 0xdf) && !x86->xop_cc &&
                       op->size;
        m->bytes = integer ? op->size : 64;
        m->reads = true;
        /* the destination comes first */
        m->writes = (i == 0 && may_store(x86)) || insn->id == X86_INS_XCHG;
        code->reads |= bit_of(op->mem.base) | bit_of(op->mem.index);
    }
}

static void read_registers(const cs_insn *insn, Code *code)
{
    const cs_detail *detail = insn->detail;
    for (unsigned i = 0; i < detail->regs_read_count; i++) {
        code->reads |= bit_of(detail->regs_read[i]);
        code->flows |= bit_of(detail->regs_read[i]);
    }
    for (unsigned i = 0; i < detail->regs_write_count; i++)
        code->changes |= bit_of(detail->regs_write[i]);
    for (unsigned i = 0; i < detail->x86.op_count; i++)
        if (detail->x86.operands[i].type == X86_OP_IMM) {
            code->immediate = detail->x86.operands[i].imm;
        } else if (detail->x86.operands[i].type == X86_OP_REG) {
            RegSet bit = bit_of(detail->x86.operands[i].reg);
            code->reads |= bit;
            code->flows |= bit;
            code->changes |= bit;
        }
}

/* The instruction writes register NAME and only that, reading none but those of its memory operand
 * and SRC. */
static void set_destination(Code *code, RegisterName name, RegSet sources)
{
    code->dst = name.number;
    code->changes = REG_BIT(name.number);
    code->kills = name.bytes >= 4 ? code->changes : 0;
    code->reads = sources;
    code->flows = 0;
}

static void classify_move(const cs_insn *insn, Code *code)
{
    const cs_x86_op *ops = insn->detail->x86.operands;
    CodeMemory *m = &code->memory;
    RegSet addressing =
        m->bytes ? (m->base >= 0 ? REG_BIT(m->base) : 0) | (m->index >= 0 ? REG_BIT(m->index) : 0)
                 : 0;
    bool wide = ops[0].size == 8 && (insn->id == X86_INS_MOV || insn->id == X86_INS_MOVABS);
    if (ops[0].type == X86_OP_REG) {
        RegisterName to = register_of(ops[0].reg);
        if (to.number < 0)
            return; /* a segment register */
        if (ops[1].type == X86_OP_MEM) {
            m->writes = false;
            m->bytes = insn->id == X86_INS_MOV || ops[1].size <= 8 ? ops[1].size : 64;
            set_destination(code, to, addressing);
            code->kind = wide ? CODE_MOVE : CODE_SET;
        } else if (ops[1].type == X86_OP_REG) {
            RegisterName from = register_of(ops[1].reg);
            if (from.number < 0)
                return;
            set_destination(code, to, REG_BIT(from.number));
            code->src = from.number;
            code->kind = wide ? CODE_MOVE : CODE_SET;
            if (from.bytes < 8)
                code->src = REG_NONE;
        } else {
            set_destination(code, to, 0);
            code->kind = CODE_SET;
            code->immediate = ops[1].imm;
        }
        return;
    }
    m->reads = false;
    m->kills = true;
    m->bytes = ops[0].size;
    code->changes = code->flows = 0;
    code->reads = addressing;
    code->kind = CODE_SET;
    if (ops[1].type == X86_OP_IMM)
        code->immediate = ops[1].imm;
    if (ops[1].type == X86_OP_REG) {
        RegisterName from = register_of(ops[1].reg);
        if (from.number < 0) { /* a segment register */
            code->kind = CODE_OTHER;
            return;
        }
        code->reads |= REG_BIT(from.number);
        if (wide) {
            code->kind = CODE_MOVE;
            code->src = from.number;
        }
    }
}

static void classify(const cs_insn *insn, Code *code)
{
    const cs_x86 *x86 = &insn->detail->x86;
    const cs_x86_op *ops = x86->operands;
    switch (insn->id) {
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVZX:
    case X86_INS_MOVSX:
    case X86_INS_MOVSXD:
        if (x86->op_count == 2)
            classify_move(insn, code);
        return;
    case X86_INS_LEA: {
        RegisterName to = register_of(ops[0].reg);
        const CodeMemory *m = &code->memory;
        RegSet addressing =
            (m->base >= 0 ? REG_BIT(m->base) : 0) | (m->index >= 0 ? REG_BIT(m->index) : 0);
        set_destination(code, to, addressing);
        code->memory.reads = code->memory.writes = false;
        code->kind = to.bytes == 8 ? CODE_ADDRESS : CODE_SET;
        return;
    }
    case X86_INS_ADD:
    case X86_INS_SUB:
        if (ops[0].type == X86_OP_REG && ops[0].size == 8 && ops[1].type == X86_OP_IMM) {
            code->kind = CODE_ADD;
            code->dst = register_of(ops[0].reg).number;
            code->immediate = insn->id == X86_INS_ADD ? ops[1].imm : -ops[1].imm;
            code->flows = 0;
            return;
        }
        /* Capstone takes `add %rbp, %rax' for one that changes both */
        if (ops[0].type == X86_OP_REG && ops[1].type == X86_OP_REG && ops[0].reg != ops[1].reg &&
            register_of(ops[1].reg).number >= 0)
            code->changes &= ~REG_BIT(register_of(ops[1].reg).number);
        if (insn->id == X86_INS_ADD)
            return;
        /* fall through */
    case X86_INS_XOR:
        if (ops[0].type == X86_OP_REG && ops[1].type == X86_OP_REG && ops[0].reg == ops[1].reg &&
            ops[0].size >= 4 && register_of(ops[0].reg).number >= 0) {
            set_destination(code, register_of(ops[0].reg), 0);
            code->kind = CODE_SET;
        }
        return;
    case X86_INS_CMP:
    case X86_INS_TEST:
        code->kind = CODE_COMPARE;
        code->memory.writes = false;
        code->changes = code->flows = 0;
        return;
    case X86_INS_NOP:
    case X86_INS_ENDBR64:
    case X86_INS_PAUSE:
        code->kind = CODE_NOTHING;
        memset(&code->memory, 0, sizeof code->memory);
        code->reads = code->changes = code->flows = 0;
        return;
    case X86_INS_PUSH:
        code->kind = CODE_PUSH;
        code->src = ops[0].type == X86_OP_REG ? register_of(ops[0].reg).number : REG_NONE;
        code->memory.writes = false;
        code->changes = code->flows = 0;
        return;
    case X86_INS_POP:
        code->kind = CODE_POP;
        set_destination(code, register_of(ops[0].reg), REG_BIT(REG_SP));
        return;
    case X86_INS_LEAVE:
        code->kind = CODE_LEAVE;
        code->reads = REG_BIT(REG_BP);
        code->changes = code->flows = 0;
        code->kills = REG_BIT(REG_BP);
        return;
    default: {
        uint16_t bytes = vector_bytes(insn);
        if (bytes && code->memory.bytes) {
            code->memory.bytes = bytes;
            if (ops[0].type == X86_OP_MEM) {
                code->kind = CODE_SET;
                code->memory.reads = false;
                code->memory.kills = true;
            }
        }
    }
    }
}

static bool is_general(const cs_x86 *x86)
{
    for (unsigned i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_REG && register_of(x86->operands[i].reg).number < 0)
            return false;
    return true;
}

static bool writes_flags(unsigned id)
{
    switch (id) {
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVZX:
    case X86_INS_MOVSX:
    case X86_INS_MOVSXD:
    case X86_INS_LEA:
    case X86_INS_PUSH:
    case X86_INS_POP:
    case X86_INS_LEAVE:
    case X86_INS_NOP:
    case X86_INS_PAUSE:
        return false;
    default:
        return true;
    }
}

/* Instructions of which `reads`, `changes`, the flags and the memory operand tell everything. */
static bool is_plain(const cs_insn *insn)
{
    unsigned id = insn->id;
    switch (id) {
    case X86_INS_ADD:
    case X86_INS_SUB:
    case X86_INS_ADC:
    case X86_INS_SBB:
    case X86_INS_INC:
    case X86_INS_DEC:
    case X86_INS_NEG:
    case X86_INS_NOT:
    case X86_INS_AND:
    case X86_INS_OR:
    case X86_INS_XOR:
    case X86_INS_SHL:
    case X86_INS_SAL:
    case X86_INS_SHR:
    case X86_INS_SAR:
    case X86_INS_ROL:
    case X86_INS_ROR:
    case X86_INS_IMUL:
    case X86_INS_MUL:
    case X86_INS_CMP:
    case X86_INS_TEST:
    case X86_INS_CDQ:
    case X86_INS_CQO:
    case X86_INS_CWDE:
    case X86_INS_CDQE:
    case X86_INS_ENDBR64:
    case X86_INS_RET:
        return is_general(&insn->detail->x86);
    default:
        return (!writes_flags(id) || (id >= X86_INS_CMOVA && id <= X86_INS_CMOVS) ||
                (id >= X86_INS_SETAE && id <= X86_INS_SETS)) &&
               is_general(&insn->detail->x86);
    }
}

static bool reads_flags(const cs_detail *detail)
{
    for (unsigned i = 0; i < detail->regs_read_count; i++)
        if (detail->regs_read[i] == X86_REG_EFLAGS)
            return true;
    return false;
}

static bool describe(csh handle, const cs_insn *insn, Code *code)
{
    const cs_x86 *x86 = &insn->detail->x86;
    if (is_forbidden(insn))
        return false;
    if (is_string(insn)) {
        uint8_t opcode = insn->bytes[insn->size - 1] & 0xfe;
        code->kind = CODE_STRING;
        code->string_from = REG_SI;
        code->string_to = REG_DI;
        code->copies = opcode == 0xa4;
        code->fills = opcode == 0xaa;
        code->reads = REG_BIT(REG_SI) | REG_BIT(REG_DI) | REG_BIT(REG_CX) | REG_BIT(REG_AX);
        code->changes = code->reads;
        return true;
    }
    read_memory_operand(insn, code);
    bool is_call = insn->id == X86_INS_CALL;
    bool is_jump = cs_insn_group(handle, insn, CS_GRP_JUMP);
    if (is_call || is_jump) {
        bool direct = x86->operands[0].type == X86_OP_IMM;
        uint64_t to = direct ? (uint64_t)x86->operands[0].imm : 0;
        if (!direct) {
            read_registers(insn, code);
            code->changes = code->flows = 0;
            code->memory.writes = false;
        }
        code->is_direct = direct;
        code->kind = is_call ? CODE_CALL : CODE_NOTHING;
        code->is_plain = is_jump;
        code->reads_flags = is_jump && direct && insn->id != X86_INS_JMP;
        if (insn->id == X86_INS_JRCXZ || insn->id == X86_INS_JECXZ || insn->id == X86_INS_JCXZ)
            code->reads |= REG_BIT(REG_CX);
        code->immediate = (int64_t)to;
        code->flow = is_call                   ? FLOW_NEXT
                     : !direct                 ? FLOW_TABLE
                     : insn->id == X86_INS_JMP ? FLOW_JUMP
                                               : FLOW_BRANCH;
        if (is_jump && !direct && insn->id != X86_INS_JMP)
            return false;
        return true;
    }
    read_registers(insn, code);
    code->is_plain = is_plain(insn);
    code->reads_flags = reads_flags(insn->detail);
    code->writes_flags = writes_flags(insn->id);
    switch (insn->id) {
    case X86_INS_RET:
        code->flow = FLOW_RETURN;
        code->kind = CODE_NOTHING;
        code->reads = X86_CALLEE_SAVED;
        code->changes = code->flows = 0;
        return x86->op_count == 0;
    case X86_INS_UD2:
    case X86_INS_HLT:
        code->flow = FLOW_END;
        code->kind = CODE_NOTHING;
        return true;
    case X86_INS_PUSH:
    case X86_INS_POP:
        if (x86->operands[0].size != 8 && x86->operands[0].type != X86_OP_IMM)
            return false;
        if (x86->operands[0].type == X86_OP_REG && register_of(x86->operands[0].reg).number < 0)
            return false;
        if (insn->id == X86_INS_POP && x86->operands[0].type != X86_OP_REG)
            return false;
        break;
    default:
        break;
    }
    classify(insn, code);
    return true;
}

bool x86_decode(csh handle, const cs_insn *insn, Code *code)
{
    uint8_t first = insn->bytes[0];
    *code = (Code){.address = insn->address,
                   .length = (uint8_t)insn->size,
                   .dst = REG_NONE,
                   .src = REG_NONE,
                   .string_from = REG_NONE,
                   .string_to = REG_NONE,
                   .is_thread_local = first == 0x64 || first == 0x65,
                   .is_locked = first == 0xf0,
                   .memory = {.base = REG_NONE, .index = REG_NONE},
                   .landing = CODE_NOWHERE};
    bool described = describe(handle, insn, code);
    bool wide = first == 0xc4 || first == 0xc5 || first == 0x62;
    CodeMemory *m = &code->memory;
    m->loaded = (uint16_t)(m->bytes <= 16 ? m->bytes : wide ? 32 : 8);
    return described;
}
