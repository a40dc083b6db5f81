#include "tool/instrument/isa/aarch64/aarch64.h"
#include <elf.h>

/* Whatever stands in inline assembly may access memory; what the compiler itself wrote is part of
 * what nobody reads. */
static const char *escape_in_text(Str instruction, bool from_source)
{
    instruction = str_trim(instruction);
    bool is_none = !instruction.length || instruction.at[0] == '.' ||
                   instruction.at[instruction.length - 1] == ':' ||
                   str_starts(instruction, STR("//")) || str_is(instruction, "nop") ||
                   str_is(instruction, "yield");
    return from_source && !is_none ? "an instruction" : NULL;
}

static bool is_by_lanes(Str instruction)
{
    (void)instruction;
    return false;
}

static void escapes_in_code(const void *code, size_t bytes, uint64_t address, IsaFound found,
                            void *context)
{
    (void)code, (void)bytes;
    found(context, address, "its machine code", "not read yet");
}

const Isa isa_aarch64 = {.name = "AArch64",
                         .machine = EM_AARCH64,
                         .escape_in_text = escape_in_text,
                         .is_by_lanes = is_by_lanes,
                         .escapes_in_code = escapes_in_code};
