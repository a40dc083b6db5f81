/* decode.c: from the words of AArch64 instructions to our view of them (isa/code.h), by the tables
 * of encodings of the architecture's manual (Arm DDI 0487, C4). The disassembler is asked for text
 * only. What is not told apart here is no memory access, or one of unknown size. */
#include <string.h>
#include "tool/instrument/isa/aarch64/aarch64.h"

static uint32_t bits(uint32_t word, int high, int low)
{
    return word >> low & ((UINT32_C(2) << (high - low)) - 1);
}

static int64_t signed_bits(uint32_t word, int high, int low)
{
    int unused = 63 - (high - low);
    return (int64_t)((uint64_t)bits(word, high, low) << unused) >> unused;
}

/* Field 31 is the stack pointer in some places, and in others a register that is always zero. */
static RegSet register_at(uint32_t word, int low)
{
    uint32_t r = bits(word, low + 4, low);
    return r == A64_SP ? 0 : REG_BIT(r);
}
static RegSet pointer_at(uint32_t word, int low)
{
    return REG_BIT(bits(word, low + 4, low));
}
static int8_t number_at(uint32_t word, int low)
{
    return (int8_t)bits(word, low + 4, low);
}

/* The instruction writes register R and only that, reading SOURCES. */
static void set_destination(Code *code, int8_t r, RegSet sources)
{
    code->kind = CODE_SET;
    code->dst = r;
    code->changes = code->kills = REG_BIT(r);
    code->reads = sources;
    code->is_plain = true;
}

/* It writes R, the register of zero or a general one, by computing with SOURCES. */
static void compute(Code *code, int8_t r, RegSet sources)
{
    code->is_plain = true;
    code->reads = code->flows = sources;
    if (r == A64_SP)
        return;
    code->dst = r;
    code->changes = code->kills = REG_BIT(r);
}

static void compare(Code *code, RegSet sources)
{
    code->kind = CODE_COMPARE;
    code->reads = sources;
    code->is_plain = true;
}

/* dst = BASE + DISPLACEMENT, of 8 bytes; both may be the stack pointer. */
static void add_number(Code *code, int8_t dst, int8_t base, int64_t displacement)
{
    set_destination(code, dst, REG_BIT(base));
    if (!displacement) {
        code->kind = CODE_MOVE;
        code->src = base;
    } else if (dst == base) {
        code->kind = CODE_ADD;
        code->kills = 0;
        code->immediate = displacement;
    } else {
        code->kind = CODE_ADDRESS;
        code->memory =
            (CodeMemory){.base = base, .index = REG_NONE, .bytes = 8, .displacement = displacement};
    }
}

static void set_address(Code *code, int8_t dst, uint64_t address)
{
    set_destination(code, dst, 0);
    code->kind = CODE_ADDRESS;
    code->memory = (CodeMemory){
        .base = REG_UNKNOWN, .index = REG_NONE, .bytes = 8, .displacement = (int64_t)address};
}

/* ---- computations ---- */

static bool decode_immediate(uint32_t word, Code *code)
{
    int8_t dst = number_at(word, 0), src = number_at(word, 5);
    bool wide = word >> 31;
    uint32_t operation = bits(word, 30, 29);
    int64_t number = signed_bits(word, 23, 5) * 4 + bits(word, 30, 29);
    switch (bits(word, 25, 23)) {
    case 0: /* adr, adrp */
    case 1:
        if (dst == A64_SP)
            code->kind = CODE_NOTHING;
        else if (!wide)
            set_address(code, dst, code->address + (uint64_t)number);
        else { /* a page; what is meant in it, another instruction adds (liveness/constants.h) */
            set_destination(code, dst, 0);
            code->is_page = true;
            code->immediate =
                (int64_t)((code->address & ~UINT64_C(4095)) + (uint64_t)number * 4096);
        }
        return true;
    case 2: /* add, sub */
        number = (int64_t)bits(word, 21, 10) << (bits(word, 22, 22) ? 12 : 0);
        code->writes_flags = operation & 1;
        if (code->writes_flags && dst == A64_SP)
            compare(code, pointer_at(word, 5));
        else if (wide)
            add_number(code, dst, src, operation & 2 ? -number : number);
        else
            compute(code, dst, pointer_at(word, 5));
        return true;
    case 4: /* logical; the stack pointer may be the result */
        code->writes_flags = operation == 3;
        if (operation == 3 && dst == A64_SP) {
            compare(code, register_at(word, 5));
        } else {
            set_destination(code, dst, register_at(word, 5));
            code->kind = CODE_OTHER;
            code->flows = code->reads;
        }
        return true;
    case 5: /* movn, movz, movk */
        if (operation == 1)
            return false;
        if (operation == 3)
            compute(code, dst, register_at(word, 0));
        else if (dst != A64_SP)
            set_destination(code, dst, 0);
        code->is_plain = true;
        return true;
    case 6: /* bit fields: bfm keeps a part of its destination */
        compute(code, dst, register_at(word, 5) | (operation == 1 ? register_at(word, 0) : 0));
        return true;
    case 7: /* extr */
        compute(code, dst, register_at(word, 5) | register_at(word, 16));
        return true;
    default:
        return false;
    }
}

/* A sum of two registers, of which either may be an address. */
static void add_registers(uint32_t word, Code *code)
{
    code->kind = CODE_ADDRESS;
    code->flows = 0;
    code->memory =
        (CodeMemory){.base = number_at(word, 5), .index = number_at(word, 16), .bytes = 8};
}

static bool decode_sum(uint32_t word, Code *code)
{
    bool extended = bits(word, 21, 21), wide = word >> 31, subtracts = bits(word, 30, 30);
    int8_t dst = number_at(word, 0);
    RegSet first = extended ? pointer_at(word, 5) : register_at(word, 5),
           sources = first | register_at(word, 16);
    code->writes_flags = bits(word, 29, 29);
    if (dst == A64_SP && code->writes_flags)
        compare(code, sources);
    else if (dst == A64_SP && extended) {
        compute(code, 0, sources);
        code->dst = dst;
        code->changes = code->kills = REG_BIT(dst);
    } else {
        compute(code, dst, sources);
        if (wide && !subtracts && dst != A64_SP && first && register_at(word, 16))
            add_registers(word, code);
    }
    return true;
}

static bool decode_logical(uint32_t word, Code *code)
{
    int8_t dst = number_at(word, 0);
    RegSet sources = register_at(word, 5) | register_at(word, 16);
    bool is_move = bits(word, 30, 29) == 1 && number_at(word, 5) == A64_SP && !bits(word, 21, 21) &&
                   !bits(word, 15, 10);
    code->writes_flags = bits(word, 30, 29) == 3;
    if (code->writes_flags && dst == A64_SP) {
        compare(code, sources);
    } else if (is_move && dst != A64_SP) {
        set_destination(code, dst, sources);
        if (word >> 31 && number_at(word, 16) != A64_SP) {
            code->kind = CODE_MOVE;
            code->src = number_at(word, 16);
        }
    } else {
        compute(code, dst, sources);
    }
    return true;
}

static bool decode_registers(uint32_t word, Code *code)
{
    int8_t dst = number_at(word, 0);
    RegSet two = register_at(word, 5) | register_at(word, 16);
    if (!bits(word, 28, 28))
        return bits(word, 24, 24) ? decode_sum(word, code) : decode_logical(word, code);
    if (bits(word, 24, 24)) { /* three sources */
        compute(code, dst, two | register_at(word, 10));
        return true;
    }
    switch (bits(word, 23, 21)) {
    case 0: /* with carry */
        if (bits(word, 15, 10))
            return false;
        compute(code, dst, two);
        code->reads_flags = true;
        code->writes_flags = bits(word, 29, 29);
        return true;
    case 2: /* conditional compare: with a number in place of the second register, perhaps */
        compare(code, bits(word, 11, 11) ? register_at(word, 5) : two);
        code->reads_flags = code->writes_flags = true;
        return true;
    case 4: /* conditional select */
        compute(code, dst, two);
        code->reads_flags = true;
        return true;
    case 6: /* two sources, or one */
        compute(code, dst, bits(word, 30, 30) ? register_at(word, 0) | register_at(word, 5) : two);
        code->writes_flags = bits(word, 29, 29);
        return true;
    default:
        return false;
    }
}

/* Vectors and floating point: a few read or write a general register. */
static bool decode_vectors(uint32_t word, Code *code)
{
    bool converts = (word & 0x7f20fc00) == 0x1e200000 || (word & 0x7f200000) == 0x1e000000;
    bool copies = (word & 0xbfe08400) == 0x0e000400;
    uint32_t conversion = bits(word, 18, 16), copy = bits(word, 14, 11);
    bool from_general = converts ? conversion == 2 || conversion == 3 || conversion == 7
                                 : copies && (copy == 1 || copy == 3);
    bool to_general = converts ? !from_general : copies && (copy == 5 || copy == 7);
    code->reads_flags = code->writes_flags = true;
    code->reads = code->flows = from_general ? register_at(word, 5) : 0;
    code->changes = to_general ? register_at(word, 0) : 0;
    return true;
}

/* ---- branches ---- */

static void jump(Code *code, CodeFlow flow, int64_t words)
{
    code->kind = CODE_NOTHING;
    code->flow = (uint8_t)flow;
    code->is_direct = true;
    code->is_plain = true;
    code->immediate = (int64_t)(code->address + (uint64_t)words * 4);
}

static void call(Code *code)
{
    code->kind = CODE_CALL;
    code->changes = code->kills = REG_BIT(A64_LR);
}

static bool decode_branch_to_register(uint32_t word, Code *code)
{
    uint32_t operation = bits(word, 24, 21); /* bit 24: signed addresses */
    RegSet target = pointer_at(word, 5);
    code->reads = target;
    if ((operation & 7) == 1) {
        call(code);
        return true;
    }
    if ((operation & 7) != 0 && (operation & 7) != 2)
        return false;
    bool returns = (operation & 7) == 2 && (target & REG_BIT(A64_LR) || bits(word, 11, 11));
    code->kind = CODE_NOTHING;
    code->is_plain = true;
    code->flow = returns ? FLOW_RETURN : FLOW_TABLE;
    if (returns)
        code->reads = A64_CALLEE_SAVED | REG_BIT(A64_LR);
    return true;
}

/* Barriers, hints, system registers. */
static bool decode_system(uint32_t word, Code *code)
{
    bool reads_register = (word & 0xfff00000) == 0xd5300000;
    bool writes_register = (word & 0xfff00000) == 0xd5100000;
    code->kind = CODE_NOTHING;
    if (reads_register && number_at(word, 0) != A64_SP) {
        set_destination(code, number_at(word, 0), 0);
        code->is_thread_pointer = (word & 0xffffffe0) == 0xd53bd040; /* tpidr_el0 */
        code->reads_flags = true;
    } else if (writes_register) {
        code->kind = CODE_OTHER;
        code->reads = register_at(word, 0);
        code->writes_flags = true;
    } else if ((word & 0xfffff01f) == 0xd503201f) { /* signing of the return address */
        uint32_t hint = bits(word, 11, 5);
        code->is_plain = hint == 0 || hint == 1 || (hint & ~6u) == 32; /* nop, yield, bti */
        bool signs = hint == 8 || hint == 10 || hint == 12 || hint == 14;
        if (signs)
            compute(code, 17, REG_BIT(16) | REG_BIT(17));
        else if (hint == 7 || (hint >= 24 && hint <= 31))
            compute(code, A64_LR, REG_BIT(A64_LR));
    }
    return true;
}

static bool decode_branch(uint32_t word, Code *code)
{
    switch (word >> 29) {
    case 0: /* b, bl */
    case 4:
        jump(code, FLOW_JUMP, signed_bits(word, 25, 0));
        if (word >> 31) {
            call(code);
            code->flow = FLOW_NEXT;
            code->is_plain = false;
        }
        return true;
    case 1: /* cbz, cbnz, tbz, tbnz */
    case 5:
        jump(code, FLOW_BRANCH,
             bits(word, 25, 25) ? signed_bits(word, 18, 5) : signed_bits(word, 23, 5));
        code->reads = register_at(word, 0);
        return true;
    case 2:
        jump(code, FLOW_BRANCH, signed_bits(word, 23, 5));
        code->reads_flags = true;
        return bits(word, 25, 24) == 0;
    case 6:
        if (bits(word, 25, 24) == 0) { /* svc, brk, ... */
            bool is_break = bits(word, 23, 21) == 1 || bits(word, 23, 21) == 2;
            code->kind = is_break ? CODE_NOTHING : CODE_OTHER;
            code->flow = is_break ? FLOW_END : FLOW_NEXT;
            return is_break;
        }
        return bits(word, 25, 25) ? decode_branch_to_register(word, code)
                                  : decode_system(word, code);
    default:
        return false;
    }
}

/* ---- memory ---- */

/* How a load or store names its operand. */
static void name_memory(uint32_t word, Code *code, unsigned bytes, bool loads, bool stores)
{
    CodeMemory *m = &code->memory;
    *m = (CodeMemory){.base = number_at(word, 5),
                      .index = REG_NONE,
                      .bytes = (uint16_t)bytes,
                      .reads = loads,
                      .writes = stores,
                      .kills = stores && !loads};
    code->reads |= pointer_at(word, 5);
}

/* It adds NUMBER to the base: before the access, or behind it. */
static void step_base(Code *code, int64_t number, bool before)
{
    if (before)
        code->memory.displacement = number;
    code->step = number;
    code->changes |= REG_BIT(code->memory.base);
    code->is_plain = false;
}

/* Atomic accesses of all kinds: they are escapes (escapes.c) whatever they do in detail. Registers
 * in all fields may change. Loads that acquire are told apart, since clang leaves them behind
 * (machine/escapes.c): ldar, ldlar, ldapr. */
static bool decode_atomic(uint32_t word, Code *code)
{
    code->is_locked = true;
    if ((word & 0x3fff7c00) == 0x08df7c00 || (word & 0x3ffffc00) == 0x38bfc000) {
        name_memory(word, code, 1u << bits(word, 31, 30), true, false);
        if (number_at(word, 0) != A64_SP)
            set_destination(code, number_at(word, 0), code->reads);
        code->is_plain = true;
        return true;
    }
    RegSet all = register_at(word, 0) | register_at(word, 10) | register_at(word, 16);
    name_memory(word, code, 64, true, true);
    code->memory.kills = false;
    code->reads |= all;
    code->flows = all;
    code->changes = all;
    if (bits(word, 29, 24) == 8 && bits(word, 23, 21) == 3) /* pairs that are compared */
        code->changes |= all << 1 & ~REG_BIT(A64_SP);
    return true;
}

static bool decode_literal(uint32_t word, Code *code)
{
    uint32_t size = bits(word, 31, 30);
    bool vector = bits(word, 26, 26);
    if (!vector && size == 3) { /* a hint */
        code->kind = CODE_NOTHING;
        return true;
    }
    if (!vector && number_at(word, 0) != A64_SP) {
        set_destination(code, number_at(word, 0), 0);
        code->kind = size == 1 ? CODE_MOVE : CODE_SET;
    }
    unsigned bytes = vector ? 4u << size : size == 1 ? 8 : 4;
    code->memory = (CodeMemory){
        .base = REG_UNKNOWN,
        .index = REG_NONE,
        .bytes = (uint16_t)bytes,
        .reads = true,
        .displacement = (int64_t)(code->address + (uint64_t)signed_bits(word, 23, 5) * 4)};
    return true;
}

/* Calls preserve the low halves of v8 to v15. */
static bool is_kept_vector(uint32_t word, int low)
{
    return bits(word, low + 4, low + 3) == 1;
}

static bool decode_pair(uint32_t word, Code *code)
{
    uint32_t size = bits(word, 31, 30), way = bits(word, 24, 23);
    bool vector = bits(word, 26, 26), loads = bits(word, 22, 22);
    unsigned each = vector ? 4u << size : size == 2 ? 8 : 4;
    RegSet both = vector ? 0 : register_at(word, 0) | register_at(word, 10);
    if (size == 3)
        return false;
    if (!vector && size == 1 && !loads) /* stgp: tags */
        return decode_atomic(word, code);
    name_memory(word, code, 2 * each, loads, !loads);
    if (loads) {
        code->changes = code->kills = both;
        code->kind = vector ? CODE_OTHER : CODE_SET;
    } else {
        code->reads |= both;
        code->kind = CODE_SET;
        code->saves_vectors = vector && (is_kept_vector(word, 0) || is_kept_vector(word, 10));
    }
    if (!vector && size == 2) {
        code->kind = CODE_PAIR;
        for (int k = 0; k < 2; k++)
            if (number_at(word, 10 * k) != A64_SP)
                code->pair[k] = number_at(word, 10 * k);
    }
    code->is_plain = !vector;
    int64_t number = signed_bits(word, 21, 15) * each;
    if (way & 1)
        step_base(code, number, way == 3);
    else
        code->memory.displacement = number;
    return true;
}

/* A load or a store of one register: CODE_MOVE if it is an address, perhaps. */
static bool decode_single(uint32_t word, Code *code)
{
    uint32_t size = bits(word, 31, 30), operation = bits(word, 23, 22), way = bits(word, 11, 10);
    bool vector = bits(word, 26, 26), by_number = bits(word, 24, 24), other = bits(word, 21, 21);
    if (!by_number && other && !vector && way != 2) {
        if (way == 0)
            return decode_atomic(word, code);
        name_memory(word, code, 8, true, false); /* by a signed address */
        code->changes = register_at(word, 0) | (bits(word, 11, 11) ? pointer_at(word, 5) : 0);
        return true;
    }
    if (!by_number && other && way != 2)
        return false;
    if (!vector && size == 3 && operation == 2) { /* a hint */
        code->kind = CODE_NOTHING;
        return true;
    }
    bool stores = operation == 0 || (vector && operation == 2);
    unsigned scale = vector && operation & 2 ? 4 : size;
    int8_t r = number_at(word, 0);
    name_memory(word, code, 1u << scale, !stores, stores);
    code->is_plain = !vector;
    code->saves_vectors = vector && stores && is_kept_vector(word, 0);
    if (!vector && stores && r != A64_SP) {
        code->reads |= REG_BIT(r);
        code->kind = CODE_SET;
        if (size == 3) {
            code->kind = CODE_MOVE;
            code->src = r;
        }
    } else if (!vector && !stores && r != A64_SP) {
        RegSet base = code->reads;
        set_destination(code, r, base);
        code->kind = size == 3 ? CODE_MOVE : CODE_SET;
    } else {
        code->kind = stores ? CODE_SET : CODE_OTHER;
    }
    if (by_number) {
        code->memory.displacement = (int64_t)bits(word, 21, 10) << scale;
    } else if (other) {
        code->memory.index = number_at(word, 16) == A64_SP ? REG_NONE : number_at(word, 16);
        code->reads |= register_at(word, 16);
    } else if (way & 1) {
        step_base(code, signed_bits(word, 20, 12), way == 3);
    } else {
        code->memory.displacement = signed_bits(word, 20, 12);
    }
    return true;
}

/* Structures of vectors, as many registers as the instruction says, or a lane of each. */
static bool decode_structures(uint32_t word, Code *code)
{
    static const uint8_t registers[16] = {4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2};
    bool loads = bits(word, 22, 22), lane = bits(word, 24, 24), steps = bits(word, 23, 23);
    unsigned bytes = registers[bits(word, 15, 12)] * (bits(word, 30, 30) ? 16u : 8u);
    if (lane) {
        unsigned scale = bits(word, 15, 14), size = bits(word, 11, 10);
        unsigned count = (bits(word, 13, 13) << 1 | bits(word, 21, 21)) + 1;
        scale = scale == 3 ? size : scale == 2 && size & 1 ? 3 : scale;
        bytes = count << scale;
    }
    if (!bytes)
        return false;
    name_memory(word, code, bytes, loads, !loads);
    if (steps && bits(word, 20, 16) == 31)
        step_base(code, bytes, false);
    else if (steps) { /* by a register: how far is not known */
        code->reads |= register_at(word, 16);
        code->changes |= pointer_at(word, 5);
        return !(code->changes >> A64_SP & 1);
    }
    return true;
}

static bool decode_memory(uint32_t word, Code *code)
{
    uint32_t kind = bits(word, 29, 28);
    bool vector = bits(word, 26, 26), high = bits(word, 24, 24);
    if (kind == 0 && !vector)
        return decode_atomic(word, code);
    if (kind == 0)
        return bits(word, 31, 31) ? false : decode_structures(word, code);
    if (kind == 1 && !high)
        return decode_literal(word, code);
    if (kind == 1) { /* ordered at an offset, tags, copies of memory */
        (void)decode_atomic(word, code);
        code->changes |= register_at(word, 5);
        return !vector;
    }
    return kind == 2 ? decode_pair(word, code) : decode_single(word, code);
}

/* Scalable vectors: their loads and stores have operands of any size, anywhere. */
static bool decode_scalable(uint32_t word, Code *code)
{
    code->changes = A64_ALL & ~A64_CALLEE_SAVED & ~REG_BIT(A64_SP);
    if (word >> 31) {
        name_memory(word, code, 64, true, true);
        code->memory.base = REG_UNKNOWN;
        code->memory.kills = false;
        code->is_locked = true;
    }
    return true;
}

static bool describe(uint32_t word, Code *code)
{
    uint32_t group = bits(word, 28, 25);
    if ((group & 5) == 4)
        return decode_memory(word, code);
    if ((group & 14) == 8)
        return decode_immediate(word, code);
    if ((group & 14) == 10)
        return decode_branch(word, code);
    if ((group & 7) == 5)
        return decode_registers(word, code);
    if ((group & 7) == 7)
        return decode_vectors(word, code);
    if (group == 2)
        return decode_scalable(word, code);
    if (word >> 16 == 0) { /* udf */
        code->kind = CODE_NOTHING;
        code->flow = FLOW_END;
        return true;
    }
    return false;
}

bool a64_decode(csh handle, const cs_insn *instruction, Code *code)
{
    uint32_t word = 0;
    (void)handle;
    memcpy(&word, instruction->bytes, MIN(instruction->size, sizeof word));
    *code = (Code){.address = instruction->address,
                   .length = (uint8_t)instruction->size,
                   .dst = REG_NONE,
                   .src = REG_NONE,
                   .string_from = REG_NONE,
                   .string_to = REG_NONE,
                   .pair = {REG_NONE, REG_NONE},
                   .memory = {.base = REG_NONE, .index = REG_NONE},
                   .landing = CODE_NOWHERE};
    if (instruction->size != sizeof word)
        return false;
    bool described = describe(word, code);
    code->memory.loaded = code->memory.bytes;
    return described;
}
