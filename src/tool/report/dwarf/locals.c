#include "tool/report/dwarf/locals.h"
#include <dwarf.h>
#include <stdlib.h>
#include "base/vec.h"
#include "tool/report/dwarf/types.h"
#include "record/layout.h"

typedef struct Frame {
    uint64_t pc, address;
    uint32_t event; /* the first of those in a row that met it */
} Frame;
struct LocalNames {
    Dwfl_Module *module;
    uint64_t load_base;
    Frame *frames; /* in the order of events */
    size_t count;
};

static uint64_t stack_of(uint64_t address)
{
    return (address - STACK_BASE) / STACK_SLOT;
}

static bool is_same_frame(const Frame *a, const Frame *b)
{
    return a->pc == b->pc && a->address == b->address;
}

LocalNames *locals_new(Arena *arena, Dwfl_Module *module, const Record *record, uint64_t load_base)
{
    Vec(Frame) frames = {0};
    for (uint32_t i = 0; record && i < record->event_count; i++) {
        Frame frame = {record->events[i].frame_pc, record->events[i].frame, i};
        size_t last = frames.count; /* of the same stack */
        if (!frame.pc)
            continue;
        while (last > 0 && stack_of(frames.at[last - 1].address) != stack_of(frame.address))
            last--;
        if (!last || !is_same_frame(&frames.at[last - 1], &frame))
            vec_push(&frames, frame);
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

/* A frame covers ADDRESS if it begins above; those of callers cover it, too, but have no variable
 * there. The last frame before MOMENT that has one counts, then the first after it. */
bool locals_find(const LocalNames *locals, uint64_t address, uint32_t moment, LocalVariable *out)
{
    uint64_t stack = address - STACK_BASE;
    if (!locals || stack >= (uint64_t)MAX_THREADS * STACK_SLOT)
        return false;
    size_t now = 0;
    while (now < locals->count && locals->frames[now].event <= moment)
        now++;
    for (size_t i = 0; i < locals->count; i++) {
        const Frame *frame = &locals->frames[i < now ? now - 1 - i : i];
        if (frame->address <= address || stack_of(frame->address) != stack_of(address) ||
            !find_in_frame(locals, frame, address, out))
            continue;
        out->thread = (unsigned)stack_of(address);
        return true;
    }
    return false;
}
