#include "tool/instrument/isa/x86_64/x86_64.h"
#include <capstone/capstone.h>
#include <stdio.h>
#include <string.h>

static const char why_atomic[] = "an atomic access";
static const char why_fence[] = "a fence";
static const char why_stream[] = "a non-temporal store";
static const char why_chance[] = "a value that differs from run to run";
static const char why_system[] = "a system call";
static const char why_plain[] = "a memory access";
static const char why_transaction[] = "a hardware transaction";
static const char why_lanes[] = "an access by lanes";

/* By the start of the mnemonic. */
static const struct {
    const char *start, *why;
} kinds[] = {{"mfence", why_fence},     {"lfence", why_fence},       {"sfence", why_fence},
             {"movnt", why_stream},     {"maskmov", why_stream},     {"vmovnt", why_stream},
             {"rdtsc", why_chance},     {"cpuid", why_chance},       {"rdrand", why_chance},
             {"rdseed", why_chance},    {"rdpid", why_chance},       {"syscall", why_system},
             {"sysenter", why_system},  {"xbegin", why_transaction}, {"xabort", why_transaction},
             {"xend", why_transaction}, {"xacquire", why_atomic},    {"xrelease", why_atomic},
             {"xsave", why_plain},      {"xrstor", why_plain},       {"fxsave", why_plain},
             {"fxrstor", why_plain},    {"vmaskmovdqu", why_stream}, {"movdir", why_plain},
             {"enqcmd", why_plain}};

static bool has_memory_operand(Str operands)
{
    if (memchr(operands.at, '(', operands.length) || memchr(operands.at, '[', operands.length))
        return true;
    Str piece;
    while (str_next(&operands, ',', &piece)) {
        piece = str_trim(piece);
        /* a bare name is an absolute address; %fs:8 lies in thread-local memory */
        if (piece.length && piece.at[0] != '%' && piece.at[0] != '$')
            return true;
        if (memchr(piece.at, ':', piece.length))
            return true;
    }
    return false;
}

static bool is_one_of(Str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_starts(word, str_of(list[i])))
            return true;
    return false;
}

static Str mnemonic_of(Str instruction)
{
    size_t length = 0;
    while (length < instruction.length && instruction.at[length] != ' ' &&
           instruction.at[length] != '\t')
        length++;
    return (Str){instruction.at, length};
}

bool x86_is_by_lanes(Str instruction)
{
    static const char *const words[] = {"vgather",   "vpgather",  "vscatter",
                                        "vpscatter", "vmaskmovp", "vpmaskmov"};
    instruction = str_trim(instruction);
    Str word = mnemonic_of(instruction);
    if (!word.length || word.at[0] != 'v')
        return false;
    if (is_one_of(word, words, COUNT_OF(words)))
        return true;
    Str operands = {word.at + word.length, instruction.length - word.length};
    return (memmem(operands.at, operands.length, "{%k", 3) ||
            memmem(operands.at, operands.length, "{k", 2)) &&
           (memchr(operands.at, '(', operands.length) || memchr(operands.at, '[', operands.length));
}

const char *x86_escape_in_text(Str instruction, bool from_source)
{
    instruction = str_trim(instruction);
    Str word = mnemonic_of(instruction);
    Str operands = str_trim((Str){word.at + word.length, instruction.length - word.length});
    /* labels and directives make no instruction */
    if (!word.length || word.at[word.length - 1] == ':' || word.at[0] == '.')
        return NULL;
    if (str_is(word, "lock"))
        return why_atomic;
    static const char *const prefixes[] = {"rep", "data16", "notrack", "bnd", "addr32"};
    if (is_one_of(word, prefixes, COUNT_OF(prefixes))) {
        if (!operands.length || str_starts(operands, STR("nop")) ||
            str_starts(operands, STR("ret")))
            return NULL;
        return from_source ? why_plain : NULL; /* string instructions */
    }
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (str_starts(word, str_of(kinds[i].start)))
            return kinds[i].why;
    if (x86_is_by_lanes(instruction))
        return why_lanes;
    if (str_starts(word, STR("int")) && operands.length && operands.at[0] == '$' &&
        !str_starts(operands, STR("$3")))
        return why_system;
    static const char *const strings[] = {"stos", "lods", "scas", "movs", "cmps", "xlat"};
    if (from_source && !operands.length && is_one_of(word, strings, COUNT_OF(strings)))
        return why_plain;
    if (from_source && operands.length > 1 && operands.at[0] == '*' && operands.at[1] != '%')
        return why_plain; /* a jump to what memory holds */
    bool memory = operands.length && has_memory_operand(operands);
    if (str_starts(word, STR("xchg")) && memory)
        return why_atomic;
    /* jumps and calls name code; lea and nop only compute */
    static const char *const harmless[] = {"lea",      "j",       "call", "nop",
                                           "prefetch", "clflush", "loop"};
    if (!from_source || !memory || is_one_of(word, harmless, COUNT_OF(harmless)))
        return NULL;
    return why_plain;
}

/* Disassembly costs some hundred nanoseconds an instruction: skip code without a suspicious
 * byte. */
static bool may_escape(const unsigned char *code, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        unsigned char next = i + 1 < bytes ? code[i + 1] : 0;
        switch (code[i]) {
        case 0xF0: /* lock */
        case 0x86: /* xchg */
        case 0x87:
            return true;
        case 0xC7: /* xbegin */
        case 0xC6: /* xabort */
            if (next == 0xF8)
                return true;
            break;
        case 0xCD: /* int */
            return true;
        case 0x0F:
            switch (next) {
            case 0x01: /* xend, rdtscp */
            case 0x05: /* syscall */
            case 0x2B: /* movntps */
            case 0x31: /* rdtsc */
            case 0x34: /* sysenter */
            case 0xA2: /* cpuid */
            case 0xAE: /* fences */
            case 0xC3: /* movnti */
            case 0xC7: /* rdrand, rdseed, rdpid */
            case 0xE7: /* movntq, movntdq */
            case 0xF7: /* maskmovq */
                return true;
            default:
                break;
            }
            break;
        case 0xC4: /* AVX forms of the above */
        case 0xC5:
        case 0x62:
            return true;
        default:
            break;
        }
    }
    return false;
}

void x86_escapes_in_code(const void *code, size_t bytes, uint64_t address, IsaFound found,
                         void *context)
{
    if (!may_escape(code, bytes))
        return;
    csh handle;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
        die("the disassembler does not start");
    cs_option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
    cs_option(handle, CS_OPT_SKIPDATA, CS_OPT_ON); /* tables between functions */
    cs_insn *instruction = cs_malloc(handle);
    const uint8_t *at = code;
    while (cs_disasm_iter(handle, &at, &bytes, &address, instruction)) {
        char text[256];
        snprintf(text, sizeof text, "%s %s", instruction->mnemonic, instruction->op_str);
        const char *why = x86_escape_in_text(str_of(text), false);
        if (why)
            found(context, instruction->address, text, why);
    }
    cs_free(instruction, 1);
    cs_close(&handle);
}
