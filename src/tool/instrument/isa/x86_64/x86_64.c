#include "tool/instrument/isa/x86_64/x86_64.h"
#include <elf.h>
#include <string.h>
#include "base/log.h"
#include "record/liveness_table.h"

void x86_open(csh *handle)
{
    if (cs_open(CS_ARCH_X86, CS_MODE_64, handle) != CS_ERR_OK)
        die("the disassembler does not start");
    cs_option(*handle, CS_OPT_DETAIL, CS_OPT_ON);
}

static int saved_index(int r)
{
    switch (r) {
    case REG_BX:
        return LIVENESS_RBX;
    case REG_BP:
        return LIVENESS_RBP;
    default:
        return r >= 12 ? 15 - r : -1;
    }
}

bool x86_stub_slot(const uint8_t *code, size_t count, uint64_t address, uint64_t *slot)
{
    const uint8_t *p = code;
    if (count < 16)
        return false;
    if (!memcmp(p, "\xf3\x0f\x1e\xfa", 4)) /* endbr64 */
        p += 4;
    if (*p == 0xf2) /* bnd */
        p++;
    if (p[0] != 0xff || p[1] != 0x25) /* jmp *displacement(%rip) */
        return false;
    int32_t displacement;
    memcpy(&displacement, p + 2, 4);
    *slot = address + (uint64_t)(p + 6 - code) + (uint64_t)(int64_t)displacement;
    return true;
}

/* Others are plain loads. */
static bool left_behind(Str instruction, unsigned bytes)
{
    if (str_starts(instruction, STR("lock")))
        instruction = str_trim((Str){instruction.at + 4, instruction.length - 4});
    return bytes == 16 && str_starts(instruction, STR("cmpxchg16b"));
}

const Isa isa_x86_64 = {.name = "x86-64",
                        .machine = EM_X86_64,
                        .foreign = &x86_foreign,
                        .all = UINT16_MAX,
                        .callee_saved = X86_CALLEE_SAVED,
                        .stack_pointer = REG_SP,
                        .frame_pointer = REG_BP,
                        .link = REG_NONE,
                        .return_bytes = 8,
                        .frame_pointer_place = -16,
                        .result = REG_AX,
                        .second_result = REG_DX,
                        .result_place = REG_DI,
                        .arguments = {REG_DI, REG_SI, REG_DX, REG_CX, REG_R8, 9, REG_R10},
                        .argument_count = 6,
                        .passed_count = 7,
                        .vector_count = REG_AX,
                        .saved_index = saved_index,
                        .open = x86_open,
                        .decode = x86_decode,
                        .operand = x86_operand,
                        .performed = x86_performed,
                        .stub_slot = x86_stub_slot,
                        .comment = "#",
                        .escape_in_text = x86_escape_in_text,
                        .left_behind = left_behind,
                        .is_by_lanes = x86_is_by_lanes,
                        .each_call = x86_each_call,
                        .calls_indirectly = x86_calls_indirectly,
                        .escapes_in_code = x86_escapes_in_code};
