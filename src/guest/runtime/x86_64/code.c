/* A reader for the few instructions that compilers put between two calls: moves, address
 * arithmetic, conversions, vector moves. */
#include "guest/runtime/code.h"
#include <string.h>

typedef struct Instruction {
    unsigned length;
    bool known;
    bool ends; /* a jump or return: no straight line */
    bool calls;
    bool reads;     /* memory */
    bool writes;    /* memory */
    bool updates;   /* it writes what depends on what was there */
    bool on_stack;  /* the memory operand is at the stack pointer, or */
    bool at_rbp;    /* at rbp */
    bool sets_rbp;  /* it may change rbp */
    bool relative;  /* the memory operand is at a distance from the next instruction: */
    uint64_t place; /* names the memory operand; of one that is relative the distance */
} Instruction;

enum { RSP = 4, RBP = 5 };

/* Returns the length of ModRM, SIB and displacement at P. REX.B: the base is one of r8 to r15, so
 * that what would be rsp or rbp is r12 or r13. */
static unsigned operand_length(const unsigned char *p, unsigned char rex, Instruction *out,
                               bool *memory)
{
    bool extended = rex & 1;
    unsigned mod = p[0] >> 6, rm = p[0] & 7, length = 1;
    *memory = mod != 3;
    if (mod == 3)
        return 1;
    unsigned base = rm;
    if (rm == 4) {
        base = p[1] & 7;
        length++;
    }
    bool no_base = base == 5 && mod == 0; /* rip-relative, or an absolute displacement */
    out->on_stack = !extended && base == RSP;
    out->at_rbp = !no_base && !extended && base == RBP;
    if (mod == 1)
        length += 1;
    else if (mod == 2 || no_base)
        length += 4;
    out->relative = mod == 0 && rm == 5;
    if (out->relative) {
        int32_t distance;
        memcpy(&distance, p + 1, sizeof distance);
        out->place = (uint64_t)(int64_t)distance;
        return length;
    }
    out->place = (rex & 3u) << 8 | (p[0] & 0xc7u); /* as it is written, but for the register */
    for (unsigned i = 1; i < length; i++)
        out->place = out->place << 8 | p[i];
    return length;
}

enum {
    READS = 1,
    WRITES = 2,
    IMM8 = 4,
    IMM32 = 8,
    COMPARES_AT_7 = 16
}; /* of an opcode with ModRM */

/* Returns what a one-byte opcode with ModRM does to its r/m operand, or 0. */
static unsigned one_byte(unsigned char opcode)
{
    switch (opcode) {
    case 0x01:
    case 0x09:
    case 0x21:
    case 0x29:
    case 0x31:
    case 0x88:
    case 0x89:
        return WRITES;
    case 0x03:
    case 0x0b:
    case 0x23:
    case 0x2b:
    case 0x33:
    case 0x39:
    case 0x3b:
    case 0x63:
    case 0x84:
    case 0x85:
    case 0x8a:
    case 0x8b:
    case 0x8d:
        return READS;
    case 0x6b:
        return READS | IMM8;
    case 0x69:
        return READS | IMM32;
    case 0x80:
    case 0x83:
        return WRITES | IMM8 | COMPARES_AT_7;
    case 0x81:
        return WRITES | IMM32 | COMPARES_AT_7;
    case 0xc0:
    case 0xc1:
    case 0xc6:
        return WRITES | IMM8;
    case 0xc7:
        return WRITES | IMM32;
    case 0xd1:
    case 0xd3:
    case 0xf7:
        return WRITES;
    default:
        return 0;
    }
}

static unsigned two_byte(unsigned char opcode)
{
    switch (opcode) {
    case 0x10:
    case 0x12:
    case 0x16:
    case 0x1f:
    case 0x28:
    case 0x6e:
    case 0x6f:
    case 0xaf:
    case 0xb6:
    case 0xb7:
    case 0xbe:
    case 0xbf:
    case 0xef:
    case 0x57:
    case 0x6c:
        return READS;
    case 0x11:
    case 0x13:
    case 0x17:
    case 0x29:
    case 0x7f:
    case 0xd6:
    case 0xe7:
    case 0x2b:
        return WRITES;
    case 0x7e: /* to or from a register, by its prefix: as a write, which is right for memory */
        return WRITES;
    default:
        return opcode >= 0x40 && opcode <= 0x4f ? READS : 0; /* cmov */
    }
}

/* May an instruction on general registers with this ModRM byte and effect change rbp? REX extends
 * the register and the r/m operand. (Comparisons count, too.) */
static bool may_set_rbp(unsigned char modrm, unsigned char rex, unsigned effect)
{
    bool to_register = effect & READS && (modrm >> 3 & 7) == RBP && !(rex & 4);
    bool to_operand = effect & WRITES && modrm >> 6 == 3 && (modrm & 7) == RBP && !(rex & 1);
    return to_register || to_operand;
}

static Instruction read_instruction(const unsigned char *start)
{
    Instruction out = {.known = true};
    const unsigned char *p = start;
    unsigned char rex = 0;
    bool repeated = false, word = false, vector = false;
    for (;; p++)
        if (*p == 0x66)
            word = true;
        else if (*p == 0xf2 || *p == 0xf3)
            repeated = true;
        else
            break;
    if ((*p & 0xf0) == 0x40)
        rex = *p++;
    bool wide = rex & 8, extended = rex & 1;
    unsigned char opcode = *p++;
    bool two_bytes = opcode == 0x0f;
    unsigned effect = 0;
    if (two_bytes) {
        opcode = *p++;
        out.ends = (opcode & 0xf0) == 0x80;
        if (out.ends)
            return out;
        if (repeated && opcode == 0x1e && *p == 0xfa) { /* endbr64 */
            out.length = (unsigned)(p + 1 - start);
            return out;
        }
        effect = two_byte(opcode);
        vector = (opcode & 0xf0) != 0x40 && opcode != 0xaf && (opcode & 0xf6) != 0xb6 &&
                 (opcode != 0x7e || repeated);
        if (repeated && opcode == 0x7e)
            effect = READS;
        if (!effect) {
            out.known = false;
            return out;
        }
    } else {
        effect = one_byte(opcode);
    }
    if (effect) {
        unsigned choice = *p >> 3 & 7;
        bool memory;
        out.sets_rbp = !vector && may_set_rbp(*p, rex, effect);
        p += operand_length(p, rex, &out, &memory);
        p += effect & IMM8 ? 1u : effect & IMM32 ? word ? 2u : 4u : 0u;
        if (opcode == 0xf7 && choice < 2) /* test with an immediate */
            p += word ? 2 : 4;
        bool compares = (effect & COMPARES_AT_7 && choice == 7) ||
                        (opcode == 0xf7 && choice != 2 && choice != 3);
        out.writes = memory && effect & WRITES && !compares;
        bool moves = two_bytes || (opcode & 0xfe) == 0x88 || (opcode & 0xfe) == 0xc6;
        out.updates = out.writes && !moves;
        out.reads = memory && effect & READS && (two_bytes ? opcode != 0x1f : opcode != 0x8d);
    } else if (opcode >= 0xb8 && opcode <= 0xbf) {
        out.sets_rbp = opcode == 0xb8 + RBP && !extended;
        p += wide ? 8 : word ? 2 : 4;
    } else if (opcode >= 0xb0 && opcode <= 0xb7) {
        out.sets_rbp = opcode == 0xb0 + RBP && rex && !extended;
        p += 1;
    } else if (opcode == 0x05 || opcode == 0x2d || opcode == 0x25 || opcode == 0x0d ||
               opcode == 0x3d) {
        p += word ? 2 : 4; /* arithmetic of eax with an immediate */
    } else if (opcode == 0x90 || opcode == 0x98 || opcode == 0x99 || (opcode & 0xf8) == 0x58) {
        out.sets_rbp = opcode == 0x58 + RBP && !extended; /* nop, sign extension, pop */
    } else if ((opcode & 0xf8) == 0x50) {                 /* push */
        out.writes = out.on_stack = true;
    } else if (opcode == 0xa4 || opcode == 0xa5 || opcode == 0xaa || opcode == 0xab) {
        out.writes = true; /* string moves and stores */
    } else if (opcode == 0xe8) {
        out.calls = true;
        p += 4;
    } else if (opcode == 0xff) { /* call or jump through a register or memory; inc, dec, push */
        out.ends = true;
    } else if (opcode == 0xe9 || opcode == 0xeb || (opcode & 0xf0) == 0x70 || opcode == 0xc3) {
        out.ends = true;
    } else {
        out.known = false;
    }
    out.length = (unsigned)(p - start);
    if (out.relative)
        out.place += (uintptr_t)p;
    return out;
}

CodeBetween code_between(const void *from, const void *to, bool stack_counts, bool rbp_on_stack)
{
    const unsigned char *at = from;
    bool stored_at_rbp = false;
    const ptrdiff_t most = 256; /* no address is computed in more */
    if ((const unsigned char *)to <= at || (const unsigned char *)to - at > most)
        return CODE_STORES; /* elsewhere: a branch lies between */
    while (at < (const unsigned char *)to) {
        Instruction next = read_instruction(at);
        if (!next.known)
            return CODE_UNKNOWN;
        bool on_stack = next.on_stack || (next.at_rbp && rbp_on_stack);
        if (next.ends || (next.writes && (stack_counts || !on_stack)))
            return CODE_STORES;
        stored_at_rbp |= next.writes && next.at_rbp;
        if (stored_at_rbp && next.sets_rbp)
            return CODE_UNKNOWN;
        at += next.length;
        if (next.calls)
            return at == to ? CODE_NOTHING : CODE_STORES;
    }
    return CODE_STORES;
}

/* Where the instruction AT jumps to, if it does so in any case; NULL if not. */
static const unsigned char *jump_target(const unsigned char *at)
{
    int32_t distance;
    if (*at == 0xeb)
        return at + 2 + (signed char)at[1];
    if (*at != 0xe9)
        return NULL;
    memcpy(&distance, at + 1, sizeof distance);
    return at + 5 + distance;
}

CodeBetween code_before(const void *from, const void *at, bool stack_counts, bool rbp_on_stack,
                        unsigned (*trapped)(const void *address))
{
    enum { MOST = 64, RETURN = 0xc3 }; /* instructions that are read */
    const unsigned char *next = from;
    bool stored_at_rbp = false;
    for (unsigned count = 0; next != at && count < MOST; count++) {
        unsigned length = trapped(next);
        const unsigned char *target = length ? next + length : jump_target(next);
        if (target) {
            next = target;
            continue;
        }
        Instruction in = read_instruction(next);
        bool on_stack = in.on_stack || (in.at_rbp && rbp_on_stack);
        if (*next == RETURN || (in.known && (in.calls || (in.writes && !on_stack))))
            return CODE_STORES;
        stored_at_rbp |= in.writes && in.at_rbp;
        if (!in.known || in.ends || (in.writes && stack_counts) || (stored_at_rbp && in.sets_rbp))
            return CODE_UNKNOWN;
        next += in.length;
    }
    return next == at ? CODE_NOTHING : CODE_UNKNOWN;
}

bool code_loads_first(const void *from, bool stack_counts)
{
    enum { MOST = 256, LOADS = 16 }; /* bytes of code; loads */
    uint64_t loaded[LOADS];
    unsigned count = 0;
    const unsigned char *at = from;
    while (at < (const unsigned char *)from + MOST) {
        Instruction next = read_instruction(at);
        if (next.known && (next.ends || next.calls))
            return false;
        bool counts = stack_counts || !next.on_stack; /* (at rbp, too: it may lead elsewhere) */
        if (!next.known || (next.updates && counts) || (next.reads && count == LOADS))
            return true;
        for (unsigned i = 0; i < count && next.writes && counts; i++)
            if (loaded[i] == next.place)
                return true;
        if (next.writes && !next.on_stack && !next.at_rbp)
            return false;
        if (next.reads)
            loaded[count++] = next.place;
        at += next.length;
    }
    return true;
}
