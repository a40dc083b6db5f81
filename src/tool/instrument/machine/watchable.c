#include "tool/instrument/machine/watchable.h"
#include <string.h>

bool watchable_starts(const cs_insn *in, const char *word)
{
    return !strncmp(in->mnemonic, word, strlen(word));
}

static bool is_any(const cs_insn *in, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (watchable_starts(in, words[i]))
            return true;
    return false;
}

/* The number of a general register in the machine code, or -1. */
static int number_of(unsigned reg)
{
    static const unsigned numbers[] = {X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RBX,
                                       X86_REG_RSP, X86_REG_RBP, X86_REG_RSI, X86_REG_RDI,
                                       X86_REG_R8,  X86_REG_R9,  X86_REG_R10, X86_REG_R11,
                                       X86_REG_R12, X86_REG_R13, X86_REG_R14, X86_REG_R15};
    for (unsigned i = 0; i < COUNT_OF(numbers); i++)
        if (numbers[i] == reg)
            return (int)i;
    return -1;
}

bool watchable_touches_nothing(const cs_insn *in)
{
    static const char *const words[] = {"lea", "nop", "prefetch", "endbr", "clflush", "pause"};
    return is_any(in, words, COUNT_OF(words));
}

/* With memory as its first operand: does it read that only? */
static bool only_reads(const cs_insn *in)
{
    static const char *const words[] = {"cmp",  "test",   "mul",   "imul",   "div",
                                        "idiv", "ucomis", "comis", "ldmxcsr"};
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

bool watchable_is_beyond(const cs_insn *in, bool memory)
{
    static const char *const always[] = {"v",      "syscall", "sysenter", "int",    "rdtsc",
                                         "cpuid",  "rdrand",  "rdseed",   "xbegin", "mfence",
                                         "lfence", "sfence",  "enter"};
    static const char *const with_memory[] = {"xsave",   "xrstor",  "fxsave", "fxrstor", "movnt",
                                              "maskmov", "cmpxchg", "xadd",   "bt",      "xchg",
                                              "call",    "jmp",     "push",   "pop"};
    uint8_t opcode = in->detail->x86.opcode[0]; /* cmps, lods, scas */
    bool compares = opcode == 0xa6 || opcode == 0xa7 || (opcode >= 0xac && opcode <= 0xaf);
    return in->detail->x86.prefix[0] == X86_PREFIX_LOCK || compares ||
           is_any(in, always, COUNT_OF(always)) ||
           (memory && is_any(in, with_memory, COUNT_OF(with_memory)));
}

const cs_x86_op *watchable_memory(const cs_insn *in, unsigned *place)
{
    const cs_x86 *x86 = &in->detail->x86;
    for (unsigned i = 0; i < x86->op_count; i++)
        if (x86->operands[i].type == X86_OP_MEM) {
            *place = i;
            return &x86->operands[i];
        }
    return NULL;
}

static bool stores_string(const cs_insn *in)
{
    uint8_t opcode = in->detail->x86.opcode[0];
    return opcode == 0xaa || opcode == 0xab;
}

bool watchable_is_string(const cs_insn *in)
{
    uint8_t opcode = in->detail->x86.opcode[0];
    return stores_string(in) || opcode == 0xa4 || opcode == 0xa5;
}

bool watchable_make(const cs_insn *in, LinkWatch *out)
{
    unsigned place = 0;
    if (watchable_is_string(in)) {
        *out = (LinkWatch){.address = in->address,
                           .length = (uint8_t)in->size,
                           .writes = stores_string(in),
                           .base = -2};
        return true;
    }
    const cs_x86_op *operand = watchable_memory(in, &place);
    if (!operand || !operand->size || operand->size > 16)
        return false;
    const x86_op_mem *memory = &operand->mem;
    bool relative = memory->base == X86_REG_RIP;
    int base = relative ? -2 : memory->base == X86_REG_INVALID ? -1 : number_of(memory->base);
    int index = memory->index == X86_REG_INVALID ? -1 : number_of(memory->index);
    if ((base == -1 && memory->base != X86_REG_INVALID) ||
        (index == -1 && memory->index != X86_REG_INVALID))
        return false; /* 32-bit addresses */
    bool writes = place == 0 && !only_reads(in);
    *out = (LinkWatch){.address = in->address,
                       .displacement =
                           memory->disp + (relative ? (int64_t)(in->address + in->size) : 0),
                       .bytes = operand->size,
                       .length = (uint8_t)in->size,
                       .writes = writes ? (only_writes(in) ? 1 : 2) : 0,
                       .base = (int8_t)base,
                       .index = (uint8_t)(index + 1),
                       .scale = (uint8_t)memory->scale};
    return true;
}
