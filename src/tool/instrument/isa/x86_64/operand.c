#include "tool/instrument/isa/x86_64/operand.h"
#include <stdio.h>
#include <string.h>
#include "tool/instrument/isa/x86_64/lanes.h"
#include "tool/instrument/isa/x86_64/locked.h"
#include "tool/instrument/isa/x86_64/x86_64.h"

static bool starts(const cs_insn *in, const char *word)
{
    return !strncmp(in->mnemonic, word, strlen(word));
}

static bool is_any(const cs_insn *in, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (starts(in, words[i]))
            return true;
    return false;
}

bool x86_touches_nothing(const cs_insn *in)
{
    static const char *const words[] = {"lea", "nop", "prefetch", "endbr", "clflush", "pause"};
    return is_any(in, words, COUNT_OF(words));
}

/* With memory as its first operand: does it read that only? */
static bool only_reads(const cs_insn *in)
{
    static const char *const words[] = {"push",  "call",    "jmp",     "cmp",  "test",
                                        "mul",   "imul",    "div",     "idiv", "ucomis",
                                        "comis", "ldmxcsr", "vldmxcsr"};
    static const char *const stores[] = {"fst", "fist", "fnst", "fbst"};
    return is_any(in, words, COUNT_OF(words)) ||
           (in->mnemonic[0] == 'f' && !is_any(in, stores, COUNT_OF(stores)));
}

/* With memory as its first operand: does it overwrite that without a look? */
static bool only_writes(const cs_insn *in)
{
    static const char *const words[] = {"mov", "set", "f", "stmxcsr", "pext", "extract"};
    return is_any(in, words, COUNT_OF(words));
}

/* By its first byte that is no prefix of an address; and what moves masks. The disassembler does
 * not know all of these. */
static bool is_avx512(const cs_insn *in)
{
    unsigned at = 0;
    while (at + 1u < in->size && (in->bytes[at] == 0x64 || in->bytes[at] == 0x65 ||
                                  in->bytes[at] == 0x67 || in->bytes[at] == 0x2e))
        at++;
    return in->bytes[at] == 0x62 || in->mnemonic[0] == 'k';
}

/* Nobody can announce these with one operand: several operands in memory, addresses that a register
 * leads beyond the operand. */
bool x86_is_beyond(const cs_insn *in, bool memory)
{
    static const char *const always[] = {"syscall", "sysenter", "int",   "cpuid", "rdrand",
                                         "rdseed",  "xbegin",   "enter", "xlat"};
    static const char *const with_memory[] = {"xsave", "xrstor", "fxsave",  "fxrstor",
                                              "movnt", "vmovnt", "maskmov", "cmpxchg",
                                              "xadd",  "bt",     "fnsave",  "frstor"};
    uint8_t opcode = in->detail->x86.opcode[0]; /* cmps, lods, scas */
    bool compares = opcode == 0xa6 || opcode == 0xa7 || (opcode >= 0xac && opcode <= 0xaf);
    return compares || is_any(in, always, COUNT_OF(always)) || is_avx512(in) ||
           (memory && (in->id == X86_INS_POP || is_any(in, with_memory, COUNT_OF(with_memory))));
}

const cs_x86_op *x86_memory_of(const cs_insn *in, unsigned *place)
{
    const cs_x86 *x86 = &in->detail->x86;
    for (unsigned i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_MEM) {
            *place = i;
            return &x86->operands[i];
        }
    return NULL;
}

/* movs and stos, with or without rep. */
bool x86_is_string(const cs_insn *in, bool *stores)
{
    uint8_t opcode = in->detail->x86.opcode[0];
    *stores = opcode == 0xaa || opcode == 0xab;
    return *stores || opcode == 0xa4 || opcode == 0xa5;
}

/* The bytes of an operand; the disassembler takes those of some for more than they are. */
static unsigned bytes_of(const cs_insn *in, const cs_x86_op *operand)
{
    DEBUG_ASSERT(operand->type == X86_OP_MEM);
    const char *name = in->mnemonic + (in->mnemonic[0] == 'v');
    if (!strcmp(name, "comiss") || !strcmp(name, "ucomiss"))
        return 4;
    if (!strcmp(name, "comisd") || !strcmp(name, "ucomisd"))
        return 8;
    return starts(in, "fnstsw") ? 2 : operand->size;
}

bool x86_watch(const cs_insn *in, LinkWatch *out)
{
    bool stores = false;
    unsigned place = 0;
    *out = (LinkWatch){.address = in->address, .length = (uint8_t)in->size};
    if (x86_is_string(in, &stores)) {
        out->writes = stores;
        out->base = -2;
        return true;
    }
    const cs_x86_op *operand = x86_memory_of(in, &place);
    if (!operand || x86_is_beyond(in, true) || x86_locked_is(in) || x86_lanes_are_in(in))
        return false;
    unsigned bytes = bytes_of(in, operand);
    const x86_op_mem *memory = &operand->mem;
    bool relative = memory->base == X86_REG_RIP;
    int base = relative ? -2 : memory->base == X86_REG_INVALID ? -1 : x86_register(memory->base);
    int index = memory->index == X86_REG_INVALID ? -1 : x86_register(memory->index);
    if (!bytes || bytes > 32 || (base == -1 && memory->base != X86_REG_INVALID) ||
        (index == -1 && memory->index != X86_REG_INVALID))
        return false;                     /* 32-bit addresses */
    bool vector = in->mnemonic[0] == 'v'; /* with three operands: none of them is both */
    bool writes = place == 0 && !only_reads(in);
    out->displacement = memory->disp + (relative ? (int64_t)(in->address + in->size) : 0);
    out->bytes = (uint16_t)bytes;
    out->writes = writes ? (vector || only_writes(in) ? 1 : 2) : 0;
    out->goes = starts(in, "jmp") ? 1 : starts(in, "call") ? 2 : 0;
    out->base = (int8_t)base;
    out->index = (uint8_t)(index + 1);
    out->scale = (uint8_t)memory->scale;
    return true;
}

void x86_operand(const cs_insn *in, IsaOperand *out)
{
    out->is_elsewhere = x86_touches_nothing(in) || x86_lanes_are_in(in) || x86_locked_is(in) ||
                        x86_escape_in_text(str_of(out->text), false);
    out->is_known = out->can_watch = x86_watch(in, &out->watch);
}
