#include "tool/instrument/isa/x86_64/lanes.h"
#include <stdio.h>
#include <string.h>
#include "tool/instrument/isa/x86_64/x86_64.h"

int x86_register(unsigned reg)
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

/* The number of a vector register of 16 or 32 bytes, or -1. */
static int vector_number(unsigned reg, unsigned *bytes)
{
    *bytes = reg >= X86_REG_YMM0 && reg <= X86_REG_YMM15 ? 32 : 16;
    if (*bytes == 32)
        return (int)(reg - X86_REG_YMM0);
    return reg >= X86_REG_XMM0 && reg <= X86_REG_XMM15 ? (int)(reg - X86_REG_XMM0) : -1;
}

bool x86_lanes_are_in(const cs_insn *in)
{
    char text[sizeof in->mnemonic + sizeof in->op_str + 2];
    snprintf(text, sizeof text, "%s %s", in->mnemonic, in->op_str);
    return x86_is_by_lanes(str_of(text));
}

bool x86_lanes_decode_base(const cs_insn *in, const x86_op_mem *memory, LinkWatch *out)
{
    bool relative = memory->base == X86_REG_RIP;
    int base = relative ? -2 : memory->base == X86_REG_INVALID ? -1 : x86_register(memory->base);
    out->base = (int8_t)base;
    out->displacement = memory->disp + (relative ? (int64_t)(in->address + in->size) : 0);
    out->scale = (uint8_t)memory->scale;
    return memory->segment == X86_REG_INVALID && (base != -1 || memory->base == X86_REG_INVALID);
}

/* vpgatherqd xmm1, [rax + ymm2*4], xmm3: four lanes of 4 bytes, by indexes of 8. */
static bool decode_gather(const cs_insn *in, LinkWatch *out)
{
    const cs_x86_op *operands = in->detail->x86.operands;
    const char *kind = strstr(in->mnemonic, "gather") + strlen("gather");
    unsigned data_bytes, mask_bytes, index_bytes;
    if (in->detail->x86.op_count != 3 || operands[1].type != X86_OP_MEM)
        return false;
    int data = vector_number(operands[0].reg, &data_bytes);
    int mask = vector_number(operands[2].reg, &mask_bytes);
    int index = vector_number(operands[1].mem.index, &index_bytes);
    if (data < 0 || mask < 0 || index < 0 || !x86_lanes_decode_base(in, &operands[1].mem, out))
        return false;
    out->lane_index_bytes = kind[0] == 'q' ? 8 : 4;
    out->lane_bytes = kind[1] == 'q' || !strcmp(kind + 1, "pd") ? 8 : 4;
    out->lanes = (uint8_t)MIN(data_bytes / out->lane_bytes, index_bytes / out->lane_index_bytes);
    out->bytes = (uint16_t)data_bytes;
    out->index = (uint8_t)(index + 1);
    out->lane_data = (uint8_t)data;
    out->lane_mask = (uint8_t)mask;
    return true;
}

/* vpmaskmovd ymm1, ymm2, [rax] loads, vpmaskmovd [rax], ymm2, ymm1 stores; ymm2 is the mask. */
static bool decode_masked(const cs_insn *in, LinkWatch *out)
{
    const cs_x86_op *operands = in->detail->x86.operands;
    const char *kind = strstr(in->mnemonic, "maskmov") + strlen("maskmov");
    if (in->detail->x86.op_count != 3 || in->mnemonic[0] != 'v' || !strcmp(kind, "dqu"))
        return false;
    bool stores = operands[0].type == X86_OP_MEM;
    unsigned bytes;
    int data = vector_number(operands[stores ? 2 : 0].reg, &bytes);
    int mask = vector_number(operands[1].reg, &bytes);
    const x86_op_mem *memory = &operands[stores ? 0 : 2].mem;
    int index = memory->index == X86_REG_INVALID ? -1 : x86_register(memory->index);
    if (operands[stores ? 0 : 2].type != X86_OP_MEM || data < 0 || mask < 0 ||
        (index < 0 && memory->index != X86_REG_INVALID) || !x86_lanes_decode_base(in, memory, out))
        return false;
    out->writes = stores;
    out->lane_bytes = kind[0] == 'q' || !strcmp(kind, "pd") ? 8 : 4;
    out->lanes = (uint8_t)(bytes / out->lane_bytes);
    out->bytes = (uint16_t)bytes;
    out->index = (uint8_t)(index + 1);
    out->lane_data = (uint8_t)data;
    out->lane_mask = (uint8_t)mask;
    return true;
}

bool x86_lanes_decode(const cs_insn *in, LinkWatch *out)
{
    *out = (LinkWatch){.address = in->address, .length = (uint8_t)in->size};
    if (strchr(in->op_str, '{') || strstr(in->op_str, "zmm")) /* AVX-512 */
        return false;
    return strstr(in->mnemonic, "gather")    ? decode_gather(in, out)
           : strstr(in->mnemonic, "maskmov") ? decode_masked(in, out)
                                             : false;
}
