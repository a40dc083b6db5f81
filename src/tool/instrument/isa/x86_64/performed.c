#include "record/assembly_code.h"
#include "tool/instrument/isa/x86_64/x86_64.h"

void x86_performed(Code *c, uint32_t code)
{
    unsigned number = ASSEMBLY_CODE_REGISTER(code);
    RegSet operand = number < 16 ? REG_BIT(number) : 0;
    const RegSet pair = REG_BIT(REG_AX) | REG_BIT(REG_DX);
    c->reads = REG_BIT(REG_DI); /* the address */
    switch ((AssemblyOp)ASSEMBLY_CODE_OP(code)) {
    case ASSEMBLY_LOAD:
    case ASSEMBLY_LOAD_OWN:
        c->changes = operand;
        if (ASSEMBLY_CODE_SIZE(code) >= 4)
            c->kills = operand;
        else
            c->reads |= operand; /* a part of it changes */
        break;
    case ASSEMBLY_EXCHANGE:
    case ASSEMBLY_FETCH_ADD:
        c->reads |= operand;
        c->changes = operand;
        break;
    case ASSEMBLY_CAS:
        c->reads |= operand | REG_BIT(REG_AX);
        c->changes = REG_BIT(REG_AX);
        break;
    case ASSEMBLY_CAS_WIDE:
    case ASSEMBLY_CAS_PAIR:
        c->reads |= pair | REG_BIT(REG_BX) | REG_BIT(REG_CX);
        c->changes = pair;
        break;
    case ASSEMBLY_CLOCK:
    case ASSEMBLY_CLOCK_PLACE:
        c->kills = ASSEMBLY_CODE_OP(code) == ASSEMBLY_CLOCK ? pair : pair | REG_BIT(REG_CX);
        c->changes = c->kills;
        break;
    case ASSEMBLY_FENCE:
    case ASSEMBLY_FENCE_STORES:
    case ASSEMBLY_FENCE_LOADS:
    case ASSEMBLY_STORE:
    case ASSEMBLY_ADD:
    case ASSEMBLY_SUB:
    case ASSEMBLY_AND:
    case ASSEMBLY_OR:
    case ASSEMBLY_XOR:
    case ASSEMBLY_INC:
    case ASSEMBLY_DEC:
    case ASSEMBLY_NOT:
    case ASSEMBLY_NEGATE:
    case ASSEMBLY_COMPARE:
    case ASSEMBLY_BIT_TEST:
    case ASSEMBLY_BIT_SET:
    case ASSEMBLY_BIT_RESET:
    case ASSEMBLY_BIT_FLIP:
    case ASSEMBLY_OP_COUNT:
        c->reads |= operand;
        break;
    }
}
