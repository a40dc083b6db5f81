/* escapes.c: instructions of AArch64 that the compiler's instrumentation does not announce, in text
 * and in machine code. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "tool/instrument/isa/aarch64/aarch64.h"

static const char why_atomic[] = "an atomic access";
static const char why_fence[] = "a fence";
static const char why_stream[] = "a non-temporal access";
static const char why_chance[] = "a value that differs from run to run";
static const char why_system[] = "a system call";
static const char why_plain[] = "a memory access";
static const char why_state[] = "a change of a system register";
static const char why_lanes[] = "an access by lanes";

/* ---- text ---- */

/* By the start of the mnemonic; "=" before it: all of it. */
static const struct {
    const char *why;
    const char *starts[32];
} kinds[] = {{why_atomic, {"ldxr",  "ldxp",  "ldax",  "stxr",  "stxp", "stlx",  "ldar",   "ldap",
                           "ldlar", "stlr",  "stlur", "stllr", "stl1", "stilp", "cas",    "swp",
                           "ldadd", "ldclr", "ldeor", "ldset", "ldsm", "ldum",  "ldiapp", "stadd",
                           "stclr", "steor", "stset", "stsm",  "stum", "rcw",   "ld64b",  "st64b"}},
             {why_fence, {"dmb", "dsb", "isb", "=sb"}},
             {why_stream, {"ldnp", "stnp"}},
             {why_system, {"svc", "hvc", "smc", "hlt"}},
             {why_chance, {"wfit", "wfet"}},
             /* copies and fills of memory, tags, caches, one of whose instructions fills memory */
             {why_plain,
              {"cpyf", "cpym", "cpyp", "cpye", "setp", "setm", "sete", "setg", "stg", "st2g", "stz",
               "ldg", "=dc", "sys"}}};

/* Registers of which a read tells the same in every run, or the thread's own. */
static const char *const known_registers[] = {"tpidr_el0", "nzcv",      "fpcr",      "fpsr",
                                              "ctr_el0",   "dczid_el0", "tpidr2_el0"};

static Str mnemonic_of(Str instruction)
{
    size_t length = 0;
    while (length < instruction.length && instruction.at[length] != ' ' &&
           instruction.at[length] != '\t')
        length++;
    return (Str){instruction.at, length};
}

static bool mentions(Str text, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= text.length; i++)
        if (!strncasecmp(text.at + i, word, length))
            return true;
    return false;
}

static bool starts(Str word, const char *with)
{
    size_t length = strlen(with);
    return word.length >= length && !strncasecmp(word.at, with, length);
}

static bool is_named(Str word, const char *start)
{
    return *start == '=' ? starts(word, start + 1) && word.length == strlen(start + 1)
                         : starts(word, start);
}

/* Are there scalable vectors or predicates among the operands of a load or store? */
bool a64_is_by_lanes(Str instruction)
{
    instruction = str_trim(instruction);
    Str word = mnemonic_of(instruction);
    Str operands = {word.at + word.length, instruction.length - word.length};
    if (!memchr(operands.at, '[', operands.length))
        return false;
    for (size_t i = 0; i + 2 < operands.length; i++) {
        char before = operands.at[i], c = operands.at[i + 1], digit = operands.at[i + 2];
        if ((before == ' ' || before == '\t' || before == '{' || before == ',') &&
            (c == 'z' || c == 'p' || c == 'Z' || c == 'P') && digit >= '0' && digit <= '9')
            return true;
    }
    return false;
}

bool a64_left_behind(Str instruction, unsigned bytes)
{
    static const char *const loads[] = {"ldar", "ldarb", "ldarh", "ldapr", "ldaprb", "ldaprh"};
    static const char *const wide[] = {"ldxp", "ldaxp", "stxp",  "stlxp",
                                       "casp", "caspa", "caspl", "caspal"};
    Str word = mnemonic_of(instruction);
    for (size_t i = 0; bytes < 16 && i < COUNT_OF(loads); i++)
        if (str_is(word, loads[i]))
            return true;
    for (size_t i = 0; bytes == 16 && i < COUNT_OF(wide); i++)
        if (str_is(word, wide[i]))
            return true;
    return bytes == 16 && str_is(word, "bl") && mentions(instruction, "__aarch64_cas16_");
}

static const char *escape_of_register(Str word, Str operands)
{
    if (starts(word, "msr"))
        return mentions(operands, "fpcr") || mentions(operands, "fpsr") ||
                       mentions(operands, "nzcv")
                   ? NULL
                   : why_state;
    for (size_t i = 0; i < COUNT_OF(known_registers); i++)
        if (mentions(operands, known_registers[i]))
            return NULL;
    return why_chance;
}

const char *a64_escape_in_text(Str instruction, bool from_source)
{
    instruction = str_trim(instruction);
    Str word = mnemonic_of(instruction);
    Str operands = str_trim((Str){word.at + word.length, instruction.length - word.length});
    if (!word.length || word.at[word.length - 1] == ':' || word.at[0] == '.' || word.at[0] == '/')
        return NULL;
    if (starts(word, "mrs") || starts(word, "msr"))
        return escape_of_register(word, operands);
    if (a64_is_by_lanes(instruction))
        return why_lanes;
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        for (size_t k = 0; k < COUNT_OF(kinds[i].starts) && kinds[i].starts[k]; k++)
            if (is_named(word, kinds[i].starts[k]))
                return kinds[i].why;
    if (!from_source)
        return NULL;
    bool memory = memchr(operands.at, '[', operands.length) != NULL;
    bool literal = starts(word, "ldr") && !memory; /* ldr x0, =name; ldr x0, name */
    return (memory && !starts(word, "prf")) || literal ? why_plain : NULL;
}

/* ---- machine code ---- */

static bool is_system_register(uint32_t word)
{
    static const uint16_t known[] = {0x5e82, 0x5a10, 0x5a20, 0x5a21, 0x5801, 0x5807, 0x5e85};
    uint32_t number = word >> 5 & 0x7fff; /* op0 op1 CRn CRm op2, without the highest bit of op0 */
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (known[i] == number)
            return true;
    return false;
}

static const char *escape_of(uint32_t word)
{
    bool vector = word >> 26 & 1;
    if ((word & 0x3f000000) == 0x08000000 || (word & 0x3f000000) == 0x19000000)
        return why_atomic; /* exclusive, ordered, compare and swap; tags and copies of memory */
    if ((word & 0x3f200c00) == 0x38200000 && !vector)
        return why_atomic;
    if ((word & 0x3b800000) == 0x28000000)
        return why_stream;
    if ((word & 0xfffff000) == 0xd5033000 && (word >> 5 & 7) >= 4)
        return why_fence;
    if ((word & 0xffe0001f) == 0xd4000001 || (word & 0xffe0001f) == 0xd4000002 ||
        (word & 0xffe0001f) == 0xd4000003)
        return why_system;
    if ((word & 0xfff80000) == 0xd5080000) /* caches and the like, one of which fills memory */
        return why_plain;
    if ((word & 0xfff00000) == 0xd5300000 && !is_system_register(word))
        return why_chance;
    if ((word & 0xfff00000) == 0xd5100000 &&
        (!is_system_register(word) || (word & 0xffffffe0) == 0xd51bd040))
        return why_state;
    if ((word & 0x9e000000) == 0x84000000)
        return why_lanes; /* scalable vectors */
    return NULL;
}

void a64_escapes_in_code(const void *code, size_t bytes, uint64_t address, IsaFound found,
                         void *context)
{
    csh handle = 0;
    for (size_t at = 0; at + 4 <= bytes; at += 4) {
        uint32_t word;
        memcpy(&word, (const char *)code + at, sizeof word);
        const char *why = escape_of(word);
        if (!why)
            continue;
        char text[256];
        cs_insn *in = NULL;
        if (!handle)
            a64_open(&handle);
        size_t read = cs_disasm(handle, (const uint8_t *)code + at, 4, address + at, 1, &in);
        if (read)
            snprintf(text, sizeof text, "%s %s", in->mnemonic, in->op_str);
        else
            snprintf(text, sizeof text, ".inst 0x%08x", (unsigned)word);
        cs_free(in, read);
        found(context, address + at, text, why);
    }
    if (handle)
        cs_close(&handle);
}
