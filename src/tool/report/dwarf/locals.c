#include "tool/report/dwarf/locals.h"
#include <dwarf.h>
#include <stdlib.h>
#include "base/vec.h"
#include "tool/report/dwarf/types.h"
#include "record/layout.h"

typedef struct Frame {
    uint64_t pc, address;
} Frame;
struct LocalNames {
    Dwfl_Module *module;
    uint64_t load_base;
    Frame *frames; /* each once, innermost of a stack first */
    size_t count;
};

LocalNames *locals_new(Arena *arena, Dwfl_Module *module, const Record *record, uint64_t load_base)
{
    Vec(Frame) frames = {0};
    for (uint32_t i = 0; record && i < record->event_count; i++) {
        Frame frame = {record->events[i].frame_pc, record->events[i].frame};
        size_t at = 0;
        while (at < frames.count && frames.at[at].address < frame.address)
            at++;
        bool known = at < frames.count && frames.at[at].address == frame.address;
        if (!frame.pc || known)
            continue;
        vec_push(&frames, frame);
        for (size_t k = frames.count - 1; k > at; k--)
            frames.at[k] = frames.at[k - 1];
        frames.at[at] = frame;
    }
    LocalNames *locals = NULL;
    if (frames.count && module) {
        locals = arena_new_of(arena, LocalNames);
        *locals = (LocalNames){.module = module, .load_base = load_base, .count = frames.count};
        locals->frames = (void *)arena_copy(arena, frames.at, frames.count * sizeof *frames.at);
    }
    vec_free(&frames);
    return locals;
}

/* Where the frame base of a function is, seen from the canonical frame address: gcc uses that
 * itself, clang the frame pointer, which is pushed below the return address. */
static bool base_of(Dwarf_Die *function, int64_t *base)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *expression;
    size_t count;
    if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) ||
        dwarf_getlocation(&attribute, &expression, &count) != 0 || count != 1)
        return false;
    *base = expression->atom == DW_OP_reg6 ? -16 : 0;
    return expression->atom == DW_OP_call_frame_cfa || expression->atom == DW_OP_reg6;
}

/* The offset of a variable that has one place in the frame all the time. */
static bool offset_of(Dwarf_Die *variable, int64_t *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *expression;
    size_t count;
    if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &expression, &count) != 0 || count != 1 ||
        expression->atom != DW_OP_fbreg)
        return false;
    *offset = (int64_t)expression->number;
    return true;
}

/* The variable or parameter below SCOPE that covers OFFSET from the frame base. The innermost
 * blocks come last and win: their variables may share places with others, but these are the ones
 * that are used. */
static bool find_in(Dwarf_Die *scope, int64_t offset, LocalVariable *out)
{
    Dwarf_Die child;
    bool found = false;
    if (dwarf_child(scope, &child) != 0)
        return false;
    do {
        int tag = dwarf_tag(&child);
        int64_t start;
        Dwarf_Die type;
        if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) {
            found |= find_in(&child, offset, out);
        } else if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
                   offset_of(&child, &start) && types_of(&child, &type) && offset >= start &&
                   (uint64_t)(offset - start) < MAX(types_size(&type), (uint64_t)1) &&
                   dwarf_diename(&child)) {
            *out = (LocalVariable){
                .name = dwarf_diename(&child), .type = type, .offset = (uint64_t)(offset - start)};
            found = true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return found;
}

static bool find_in_frame(const LocalNames *locals, const Frame *frame, uint64_t address,
                          LocalVariable *out)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = dwfl_module_addrdie(locals->module, frame->pc - 1 - locals->load_base, &bias);
    Dwarf_Die *scopes = NULL;
    int count = unit ? dwarf_getscopes(unit, frame->pc - 1 - locals->load_base - bias, &scopes) : 0;
    bool found = false;
    for (int i = 0; i < count && !found; i++) {
        int64_t base;
        if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram && base_of(&scopes[i], &base))
            found = find_in(&scopes[i], (int64_t)(address - frame->address) - base, out);
    }
    free(scopes);
    return found;
}

bool locals_find(const LocalNames *locals, uint64_t address, LocalVariable *out)
{
    uint64_t stack = address - STACK_BASE;
    if (!locals || stack >= (uint64_t)MAX_THREADS * STACK_SLOT)
        return false;
    for (size_t i = 0; i < locals->count; i++) {
        const Frame *frame = &locals->frames[i];
        if (frame->address <= address ||
            (frame->address - STACK_BASE) / STACK_SLOT != stack / STACK_SLOT)
            continue;
        if (find_in_frame(locals, frame, address, out)) {
            out->thread = (unsigned)(stack / STACK_SLOT);
            return true;
        }
    }
    return false;
}
