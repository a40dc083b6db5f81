#include "tool/instrument/liveness/calls.h"
#include <stdlib.h>
#include <string.h>

static bool starts(const char *name, const char *with)
{
    return !strncmp(name, with, strlen(with));
}

/* A plain access of the thread's own stack is looked up by its address and nothing else: the native
 * instruction after the hook reads or writes. (Memory that other threads touch too is treated
 * otherwise, but then its address has escaped.) */
static bool is_plain_hook(const char *access)
{
    if (starts(access, "unaligned_"))
        access += strlen("unaligned_");
    if (starts(access, "volatile_"))
        access += strlen("volatile_");
    return starts(access, "read") || starts(access, "write") || !strcmp(access, "vptr_read");
}

CallModel call_model(const char *name)
{
    CallModel model = {.arguments = CALL_ARGUMENTS};
    if (!name)
        return model;
    if (starts(name, "__wrap_"))
        name += strlen("__wrap_");
    bool copies = !strcmp(name, "memcpy") || !strcmp(name, "memmove") || !strcmp(name, "memset");
    if (copies || !strcmp(name, "memcmp")) {
        model.copies = true;
        model.returns_first = copies;
        model.touches = 3;
        return model;
    }
    if (!starts(name, "__tsan_"))
        return model;
    name += strlen("__tsan_");
    if (is_plain_hook(name)) {
        model.is_hook = true;
        model.arguments = strstr(name, "_range") ? 2 : 1;
        model.touches = 1;
    } else if (!strcmp(name, "func_entry") || !strcmp(name, "func_exit")) {
        model.is_hook = true;
        model.arguments = 1;
    } else if (!strcmp(name, "vptr_update")) {
        model.is_hook = true;
        model.reads = 1;
        model.read_bytes = 8;
    } else if (starts(name, "atomic")) {
        model.is_hook = true;
        if (strstr(name, "_compare_exchange_strong") || strstr(name, "_compare_exchange_weak")) {
            model.reads = 2; /* `expected`: read before the request, written after a failure */
            model.read_bytes = (uint16_t)(atoi(name + strlen("atomic")) / 8);
        }
    }
    return model;
}

RegSet call_hook_reads(const Isa *isa, const char *name)
{
    int count = call_model(name).arguments; /* the last one is for functions of the program */
    RegSet registers = 0;
    if (starts(name, "__tsan_atomic") && !starts(name, "__tsan_atomic128"))
        count = strstr(name, "_load") ? 2 : strstr(name, "_compare_exchange") ? 5 : 3;
    for (int a = 0; a < MIN(count, isa->argument_count); a++)
        registers |= REG_BIT(isa->arguments[a]);
    return registers;
}

bool call_is_by_registers(const char *name)
{
    return call_model(name).is_hook && !starts(name, "__tsan_atomic128");
}

bool call_allocates(const char *name)
{
    static const char *const names[] = {
        "malloc", "calloc", "realloc", "_Znwm", "_Znam", "aligned_alloc", "_ZnwmSt11align_val_t"};
    if (name && !strncmp(name, "__wrap_", 7))
        name += 7;
    for (size_t i = 0; name && i < COUNT_OF(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Cuts the longest word of the list off *NAME; false if it begins with none. */
static bool take_any(const char **name, const char *const *words, size_t count)
{
    size_t longest = 0;
    for (size_t i = 0; i < count; i++)
        if (starts(*name, words[i]))
            longest = MAX(longest, strlen(words[i]));
    *name += longest;
    return longest > 0;
}

bool call_is_arithmetic(const char *name)
{
    static const char *const operations[] = {
        "abs",   "absv",    "add",  "addv",    "ashl",   "ashr",     "bswap", "clrsb", "clz",
        "cmp",   "ctz",     "div",  "divmod",  "eq",     "extend",   "ffs",   "fix",   "fixuns",
        "float", "floatun", "ge",   "gt",      "le",     "lshr",     "lt",    "mod",   "mul",
        "mulv",  "ne",      "neg",  "negv",    "parity", "popcount", "powi",  "sub",   "subv",
        "trunc", "ucmp",    "udiv", "udivmod", "umod",   "unord"};
    /* types: integers, binary, complex and decimal numbers */
    static const char *const modes[] = {"hi", "si", "di", "ti", "hf", "sf", "df", "xf", "tf",
                                        "hc", "sc", "dc", "xc", "tc", "sd", "dd", "td"};
    if (!name || !starts(name, "__"))
        return false;
    name += starts(name, "__bid_") ? strlen("__bid_") : strlen("__");
    if (!take_any(&name, operations, COUNT_OF(operations)) ||
        !take_any(&name, modes, COUNT_OF(modes)))
        return false;
    take_any(&name, modes, COUNT_OF(modes));
    name += *name >= '2' && *name <= '4';
    return !*name;
}

bool call_is_added(const char *name)
{
    return name && (call_is_arithmetic(name) || call_model(name).copies ||
                    !strcmp(name, "__wrap___stack_chk_fail"));
}

bool call_is_translated(const char *name)
{
    return name && !strcmp(name, "heddle__assembly");
}
