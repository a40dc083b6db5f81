#include "tool/instrument/isa/aarch64/aarch64.h"
#include <elf.h>
#include <string.h>
#include "base/log.h"

void a64_open(csh *handle)
{
    if (cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, handle) != CS_ERR_OK)
        die("the disassembler does not start");
    cs_option(*handle, CS_OPT_SKIPDATA, CS_OPT_ON); /* words that it does not know */
}

/* Returns what an index register is multiplied by, or 0 if it is extended before: by the WORD of a
 * load or store with one. */
static uint8_t scale_of(uint32_t word)
{
    bool wide = (word >> 13 & 7) == 3, scaled = word >> 12 & 1, quad = word >> 26 & word >> 23 & 1;
    return (uint8_t)(!wide ? 0 : !scaled ? 1 : 1u << (quad ? 4 : word >> 30));
}

void a64_operand(const cs_insn *instruction, IsaOperand *out)
{
    enum { MOST = 32 }; /* bytes */
    Code code;
    bool described = a64_decode(0, instruction, &code);
    const CodeMemory *m = &code.memory;
    uint32_t word = 0;
    memcpy(&word, instruction->bytes, MIN(instruction->size, sizeof word));
    out->is_elsewhere =
        code.is_locked || !described || a64_escape_in_text(str_of(out->text), false) != NULL;
    out->is_known = described && m->bytes && !code.is_locked;
    out->watch = (LinkWatch){.address = code.address,
                             .length = code.length,
                             .bytes = m->bytes,
                             .writes = m->writes,
                             .base = m->base,
                             .index = (uint8_t)(m->index + 1),
                             .scale = m->index == REG_NONE ? 0 : scale_of(word),
                             .displacement = m->displacement};
    out->can_watch = out->is_known && !out->is_elsewhere && m->bytes <= MOST && m->base >= 0 &&
                     m->reads != m->writes && (m->index == REG_NONE || out->watch.scale);
}

static int saved_index(int r)
{
    return r >= A64_FIRST_SAVED && r <= A64_LR ? r - A64_FIRST_SAVED : -1;
}

/* adrp x16, page; ldr x17, [x16, offset]; add x16, x16, offset; br x17 */
static bool stub_slot(const uint8_t *code, size_t count, uint64_t address, uint64_t *slot)
{
    const uint32_t bti_c = 0xd503245f;
    uint32_t words[2];
    if (count < 16)
        return false;
    memcpy(words, code, sizeof words);
    if (words[0] == bti_c) {
        address += 4;
        memcpy(words, code + 4, sizeof words);
    }
    if ((words[0] & 0x9f00001f) != 0x90000010 || (words[1] & 0xffc003ff) != 0xf9400211)
        return false;
    uint64_t high = (words[0] >> 5 & 0x7ffff) << 2 | (words[0] >> 29 & 3);
    int64_t pages = (int64_t)(high << 43) >> 43;
    *slot = (address & ~UINT64_C(4095)) + (uint64_t)pages * 4096 +
            (uint64_t)(words[1] >> 10 & 0xfff) * 8;
    return true;
}

const Isa isa_aarch64 = {.name = "AArch64",
                         .machine = EM_AARCH64,
                         .all = A64_ALL,
                         .callee_saved = A64_CALLEE_SAVED,
                         .stack_pointer = A64_SP,
                         .frame_pointer = A64_FP,
                         .link = A64_LR,
                         .result = 0,
                         .second_result = 1,
                         .result_place = A64_RESULT_PLACE,
                         .arguments = {0, 1, 2, 3, 4, 5, 6, 7, A64_RESULT_PLACE, A64_CHAIN},
                         .argument_count = 8,
                         .passed_count = 10,
                         .vector_count = REG_NONE,
                         .saved_index = saved_index,
                         .open = a64_open,
                         .decode = a64_decode,
                         .operand = a64_operand,
                         .stub_slot = stub_slot,
                         .comment = "//",
                         .escape_in_text = a64_escape_in_text,
                         .outlined = "__aarch64_",
                         .left_behind = a64_left_behind,
                         .is_by_lanes = a64_is_by_lanes,
                         .each_call = a64_each_call,
                         .calls_indirectly = a64_calls_indirectly,
                         .escapes_in_code = a64_escapes_in_code};
