#include "tool/instrument/liveness/performed.h"
#include <string.h>
#include "record/assembly_code.h"
#include "tool/instrument/liveness/calls.h"

/* ---- registers ---- */

static bool stores_number(const Code *c)
{
    return c->kind == CODE_SET && c->memory.kills && c->memory.bytes == 4 &&
           c->memory.base == REG_UNKNOWN && c->src == REG_NONE && !c->reads;
}

/* Finds the number that tells call I which instruction to perform: machine/assembly.c has it stored
 * before the stack pointer is moved, and an immediate operand behind it. */
static bool find_code(const CodeFunction *f, uint32_t i, uint32_t *code)
{
    DEBUG_ASSERT(i < f->code.count);
    if (i < 3 || !stores_number(&f->code.at[i - 2]))
        return false;
    for (uint32_t k = i - 2; k <= i; k++) /* control comes here from above only */
        if (f->code.at[k].leader)
            return false;
    const Code *store = &f->code.at[i - 2], *before = &f->code.at[i - 3];
    bool is_operand =
        stores_number(before) && before->memory.displacement + 4 == store->memory.displacement;
    *code = (uint32_t)(is_operand ? before : store)->immediate;
    return ASSEMBLY_CODE_OP(*code) < ASSEMBLY_OP_COUNT &&
           ASSEMBLY_CODE_REGISTER(*code) <= ASSEMBLY_IMMEDIATE;
}

void performed_describe(CodeFunction *f)
{
    for (uint32_t i = 0; i < f->code.count; i++) {
        Code *c = &f->code.at[i];
        uint32_t code;
        if (c->kind != CODE_CALL || !call_is_translated(c->callee_name))
            continue;
        if (find_code(f, i, &code))
            f->isa->performed(c, code);
        else /* it may be any instruction */
            c->reads = c->changes = f->isa->all & ~REG_BIT(f->isa->stack_pointer);
    }
}

static bool is_in(const CodeFunction *f)
{
    for (size_t i = 0; i < f->code.count; i++)
        if (f->code.at[i].kind == CODE_CALL && call_is_translated(f->code.at[i].callee_name))
            return true;
    return false;
}

/* ---- registers that calls read ---- */

bool performed_follows_abi(const Code *c)
{
    return c->kind == CODE_CALL && c->callee_name &&
           (!strncmp(c->callee_name, "__tsan_", 7) || !strncmp(c->callee_name, "pthread_", 8));
}

static RegSet vector_count(const Isa *isa)
{
    return isa->vector_count == REG_NONE ? 0 : REG_BIT(isa->vector_count);
}

/* The registers that are not callee-saved and that the function read by call or jump C may read. */
static RegSet callee_reads(const Isa *isa, const Code *c, const RegSet *reads)
{
    if (call_model(c->callee_name).is_hook)
        return call_hook_reads(isa, c->callee_name);
    if (performed_follows_abi(c))
        return isa_caller_saved(isa) & ~vector_count(isa);
    return c->callee == IMAGE_NO_FUNCTION ? isa_caller_saved(isa) : reads[c->callee];
}

static RegSet live_after(const CodeFunction *f, uint32_t i, const RegSet *reads, const RegSet *live)
{
    const Code *c = &f->code.at[i];
    RegSet after = c->landing != CODE_NOWHERE ? live[c->landing] : 0;
    switch ((CodeFlow)c->flow) {
    case FLOW_NEXT:
        return after | live[i + 1];
    case FLOW_BRANCH:
        return after | live[i + 1] | live[c->target];
    case FLOW_JUMP:
        return after | live[c->target];
    case FLOW_TABLE:
        return isa_caller_saved(f->isa);
    case FLOW_TAIL:
        return callee_reads(f->isa, c, reads);
    case FLOW_BRANCH_TAIL:
        return callee_reads(f->isa, c, reads) | live[i + 1];
    case FLOW_RETURN:
        return isa_results(f->isa);
    case FLOW_END:
        break;
    }
    return after;
}

/* Fills in what calls in F may read, by READS of the functions that they call, and returns what F
 * itself may read before it overwrites it, of the registers that are not callee-saved. LIVE has
 * room for all instructions. */
static RegSet find_reads(CodeFunction *f, const RegSet *reads, RegSet *live)
{
    RegSet others = isa_caller_saved(f->isa);
    for (size_t i = 0; i < f->code.count; i++) {
        Code *c = &f->code.at[i];
        live[i] = 0;
        if (c->kind == CODE_CALL && !call_is_translated(c->callee_name))
            c->callee_reads = callee_reads(f->isa, c, reads);
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = (uint32_t)f->code.count; i-- > 0;) {
            const Code *c = &f->code.at[i];
            RegSet kills = c->kills | (performed_follows_abi(c) ? others : 0);
            RegSet before = (live_after(f, i, reads, live) & ~kills) | c->reads | c->callee_reads;
            before &= others;
            again |= before != live[i];
            live[i] = before;
        }
    }
    return live[0];
}

/* ---- vector registers ---- */

static bool callee_leaves(const Code *c, const bool *leaves)
{
    return c->callee == IMAGE_NO_FUNCTION || leaves[c->callee];
}

static bool holds_after(const Code *c, bool before, const bool *leaves)
{
    if (c->kind != CODE_CALL)
        return before || !c->is_plain;
    if (call_is_translated(c->callee_name))
        return before;
    if (c->callee_name && !strncmp(c->callee_name, "__tsan_", 7))
        return false;
    return before || callee_leaves(c, leaves);
}

bool performed_find_vectors(const CodeFunction *f, bool at_entry, const bool *leaves, bool *holds)
{
    bool left = false;
    for (uint32_t i = 0; i < f->code.count; i++)
        holds[i] = i == 0 && at_entry;
    for (uint32_t i = 0; i < f->code.count; i++) {
        const Code *c = &f->code.at[i];
        if (c->landing != CODE_NOWHERE)
            holds[c->landing] = true;
        for (size_t k = 0; k < f->labels.count && c->flow == FLOW_TABLE; k++)
            holds[f->labels.at[k]] = true;
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < f->code.count; i++) {
            const Code *c = &f->code.at[i];
            bool after = holds_after(c, holds[i], leaves);
            bool goes_on =
                c->flow == FLOW_NEXT || c->flow == FLOW_BRANCH || c->flow == FLOW_BRANCH_TAIL;
            if (c->flow == FLOW_RETURN)
                left |= after;
            else if (c->flow == FLOW_TABLE)
                left = true;
            else if (c->flow == FLOW_TAIL || c->flow == FLOW_BRANCH_TAIL)
                left |= after || callee_leaves(c, leaves);
            if (!after)
                continue;
            if ((c->flow == FLOW_BRANCH || c->flow == FLOW_JUMP) && !holds[c->target])
                again = holds[c->target] = true;
            if (goes_on && !holds[i + 1])
                again = holds[i + 1] = true;
        }
    }
    return left;
}

/* ---- all functions ---- */

/* From nothing, for functions that are understood, up to the least solution. */
const bool *performed_find_others(Arena *arena, const Image *image, StackFrame *frames,
                                  size_t count, bool *performs)
{
    size_t most = 0, functions = image_function_count(image);
    RegSet *reads = arena_array_of(arena, RegSet, functions + 1);
    bool *leaves = arena_array_of(arena, bool, functions + 1);
    RegSet others = isa_caller_saved(image_isa(image));
    *performs = false;
    for (size_t f = 0; f < functions; f++) {
        leaves[f] = true;
        reads[f] = others;
    }
    for (size_t i = 0; i < count; i++) {
        *performs |= is_in(&frames[i].code);
        most = MAX(most, frames[i].code.code.count);
    }
    for (size_t i = 0; i < count && *performs; i++) {
        bool understood = frames[i].ok && !frames[i].code.has_handlers;
        leaves[frames[i].code.function] = !understood;
        reads[frames[i].code.function] = understood ? 0 : others;
    }
    bool *holds = arena_array_of(arena, bool, most + 1);
    RegSet *live = arena_array_of(arena, RegSet, most + 1);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < count; i++) {
            uint32_t f = frames[i].code.function;
            RegSet read = find_reads(&frames[i].code, reads, live) | reads[f];
            again |= read != reads[f];
            reads[f] = read;
            if (!leaves[f] && performed_find_vectors(&frames[i].code, false, leaves, holds))
                again = leaves[f] = true;
        }
    }
    return leaves;
}
