#include "tool/instrument/liveness/walk.h"
#include <string.h>
#include "base/log.h"
#include "tool/instrument/liveness/calls.h"

/* gcc lets objects of this size share their place with others, even nameless ones, at -O0 too. */
#define SHARED_OBJECT 32

WalkValue walk_other(void)
{
    return (WalkValue){.kind = VALUE_OTHER};
}

WalkValue walk_address(int32_t place)
{
    return (WalkValue){.kind = VALUE_STACK, .count = 1, .certain = true, .place = {(int16_t)place}};
}

bool walk_same(const WalkValue *a, const WalkValue *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == VALUE_ENTRY)
        return a->reg == b->reg;
    return a->kind == VALUE_OTHER || (a->count == b->count && a->certain == b->certain &&
                                      !memcmp(a->place, b->place, a->count * sizeof a->place[0]));
}

StackObjects *walk_objects(LivenessWalk *w)
{
    if (!w->objects_known) {
        w->objects =
            objects_of(w->reader, image_functions(w->image)[w->frame->code.function].address);
        w->objects_known = true;
    }
    return &w->objects;
}

void walk_escape_all(LivenessWalk *w)
{
    if (w->frame->all_escaped)
        return;
    LOG(LOG_DEBUG, "%s: its frame escapes at %llx",
        image_functions(w->image)[w->frame->code.function].name,
        (unsigned long long)w->frame->code.code.at[w->at].address);
    w->frame->all_escaped = w->grew = true;
}

static void escape_bytes(LivenessWalk *w, int64_t from, int64_t end)
{
    DEBUG_ASSERT(from <= end);
    StackFrame *f = w->frame;
    for (int64_t b = MAX(from, -(int64_t)f->bytes); b < MIN(end, (int64_t)frame_end(w->isa)); b++)
        if (!frame_bit(f, f->escaped, (int32_t)b)) {
            frame_set_bit(f, f->escaped, (int32_t)b);
            w->grew = true;
        }
}

/* The address PLACE goes somewhere unknown. In code compiled without optimisation it is the address
 * of an object, or of a part of one, or the end of one (and the receiver may walk back from there):
 * all described objects that it may mean escape. An object without description, one so large that
 * it may share its place, and optimised code, where addresses are computed ahead: everything
 * escapes. */
static void escape_place(LivenessWalk *w, int32_t place)
{
    StackFrame *f = w->frame;
    if (place >= frame_end(w->isa)) {
        f->arguments = FRAME_ARGUMENTS_UNKNOWN;
        if (place < 0 || place == frame_end(w->isa)) /* an object may end there */
            walk_escape_all(w);
        return;
    }
    if (f->all_escaped)
        return;
    const StackObjects *o = walk_objects(w);
    bool inside = false, large = false;
    for (size_t i = 0; i < o->count; i++) {
        int64_t from = o->at[i].offset, end = from + (int64_t)o->at[i].bytes;
        inside |= from <= place && place < end;
        large |= from <= place && place <= end && o->at[i].bytes >= SHARED_OBJECT;
    }
    if (!o->plain || !inside || large) {
        walk_escape_all(w);
        return;
    }
    for (size_t i = 0; i < o->count; i++) {
        int64_t from = o->at[i].offset, end = from + (int64_t)o->at[i].bytes;
        if (from <= place && place <= end)
            escape_bytes(w, from, end);
    }
}

void walk_keep(LivenessWalk *w, const WalkValue *v)
{
    int a = v->kind == VALUE_ENTRY ? isa_argument_in(w->isa, v->reg) : -1;
    if (a < 0 || a >= FRAME_LENT_ARGUMENTS || (w->frame->lent.kept >> a & 1))
        return;
    LOG(LOG_DEBUG, "%s: argument %d is kept at %llx",
        image_functions(w->image)[w->frame->code.function].name, a,
        (unsigned long long)w->frame->code.code.at[w->at].address);
    w->frame->lent.kept |= (uint8_t)(1u << a);
}

void walk_escape(LivenessWalk *w, const WalkValue *v)
{
    walk_keep(w, v);
    for (int i = 0; v->kind == VALUE_STACK && i < v->count; i++)
        escape_place(w, v->place[i]);
}

/* The value goes where it is not followed. */
void walk_lose(LivenessWalk *w, const WalkValue *v)
{
    walk_escape(w, v);
    if (v->kind == VALUE_ENTRY)
        w->frame->entry_used |= REG_BIT(v->reg);
}

/* A value that is A or B. */
WalkValue walk_join(LivenessWalk *w, const WalkValue *a, const WalkValue *b)
{
    DEBUG_ASSERT(a->count <= FRAME_ADDRESSES && b->count <= FRAME_ADDRESSES);
    if (walk_same(a, b))
        return *a;
    walk_keep(w, a);
    walk_keep(w, b);
    if (a->kind != VALUE_STACK && b->kind != VALUE_STACK)
        return walk_other();
    WalkValue result = {.kind = VALUE_STACK,
                        .certain = a->kind == VALUE_STACK && b->kind == VALUE_STACK && a->certain &&
                                   b->certain};
    int i = 0, j = 0, na = a->kind == VALUE_STACK ? a->count : 0,
        nb = b->kind == VALUE_STACK ? b->count : 0;
    while (i < na || j < nb) {
        bool from_a = j >= nb || (i < na && a->place[i] <= b->place[j]);
        int16_t place = from_a ? a->place[i] : b->place[j];
        i += i < na && a->place[i] == place;
        j += j < nb && b->place[j] == place;
        if (result.count == FRAME_ADDRESSES) { /* a pointer that walks */
            walk_escape_all(w);
            return walk_other();
        }
        result.place[result.count++] = place;
    }
    return result;
}

WalkValue walk_shift(LivenessWalk *w, WalkValue v, int64_t by)
{
    DEBUG_ASSERT(v.count <= FRAME_ADDRESSES);
    for (int i = 0; v.kind == VALUE_STACK && i < v.count; i++) {
        int64_t place = v.place[i] + by;
        if (place < -MAX_FRAME || place > MAX_FRAME) {
            walk_escape_all(w);
            return walk_other();
        }
        v.place[i] = (int16_t)place;
    }
    walk_keep(w, &v);
    return v.kind == VALUE_ENTRY ? walk_other() : v;
}

/* ---- slots ---- */

WalkValue *walk_slot(LivenessWalk *w, int32_t place)
{
    DEBUG_ASSERT(w->frame->bytes <= MAX_FRAME);
    if (place < -w->frame->bytes || place >= 0)
        return NULL;
    return &walk_slots(w)[(size_t)(place + w->frame->bytes) / 8];
}

static bool slot_escaped(const LivenessWalk *w, int32_t place)
{
    if (w->frame->all_escaped)
        return true;
    int32_t start = place & ~7;
    for (int32_t b = start; b < start + 8; b++)
        if (frame_bit(w->frame, w->frame->escaped, b))
            return true;
    return false;
}

/* BYTES at PLACE get value V, perhaps (weak) or certainly. */
void walk_store(LivenessWalk *w, int32_t place, int32_t bytes, const WalkValue *v, bool weak)
{
    DEBUG_ASSERT(bytes > 0);
    if (place + bytes > frame_end(w->isa) && place < 0) {
        w->failed = true; /* its own return address */
        return;
    }
    if (place >= 0) {
        walk_lose(w, v);
        return;
    }
    if (place < -w->frame->bytes) {
        w->failed = true;
        return;
    }
    bool whole = bytes == 8 && !(place & 7);
    if (!whole)
        walk_lose(w, v);
    if (whole && slot_escaped(w, place))
        walk_escape(w, v);
    WalkValue nothing = walk_other();
    for (int32_t at = place & ~7; at < place + bytes; at += 8) {
        WalkValue *slot = walk_slot(w, at);
        bool covered = at >= place && at + 8 <= place + bytes;
        const WalkValue *fresh = whole ? v : &nothing;
        *slot = covered && !weak ? *fresh : walk_join(w, slot, fresh);
    }
}

/* The eight bytes at PLACE. */
WalkValue walk_load(LivenessWalk *w, int32_t place)
{
    const WalkValue *slot = place & 7 ? NULL : walk_slot(w, place);
    if (!slot || (slot->kind == VALUE_STACK && slot_escaped(w, place)))
        return walk_other();
    return *slot;
}

/* Something reads BYTES at PLACE and may pass on what it finds. */
void walk_lose_slots(LivenessWalk *w, int32_t place, int32_t bytes)
{
    DEBUG_ASSERT(bytes >= 0);
    for (int32_t at = MAX(place, -w->frame->bytes) & ~7; at < MIN(place + bytes, 0); at += 8)
        walk_escape(w, walk_slot(w, at));
}

/* ---- registers ---- */

void walk_forget_registers(LivenessWalk *w, RegSet which)
{
    for (int r = 0; r < w->registers; r++)
        if (which >> r & 1)
            w->state[r] = walk_other();
}

/* Values in registers that a call may overwrite. gcc knows which registers a function of the same
 * file leaves alone and may keep an address there (-fipa-ra): in optimised code it may survive. */
void walk_after_call(LivenessWalk *w, const Code *c, bool is_hook)
{
    DEBUG_ASSERT(c->kind == CODE_CALL);
    bool may_survive = false;
    WalkValue nothing = walk_other();
    for (int r = 0; r < w->registers; r++) {
        if (!(isa_caller_saved(w->isa) >> r & 1))
            continue;
        WalkValue *v = &w->state[r];
        if (v->kind != VALUE_OTHER && !is_hook && c->callee != IMAGE_NO_FUNCTION && !may_survive)
            may_survive = !walk_objects(w)->plain;
        if (may_survive && v->kind == VALUE_ENTRY && isa_argument_in(w->isa, v->reg) >= 0 &&
            !(isa_results(w->isa) >> r & 1))
            continue; /* an argument: nobody reads it if it is gone */
        if (may_survive)
            walk_keep(w, v);
        *v = may_survive && v->kind == VALUE_STACK ? walk_join(w, v, &nothing) : walk_other();
    }
}

/* Registers after an instruction of inline assembly was performed (performed.h): they are as
 * before, but for those that it changes. Addresses that are not callee-saved are not followed. */
void walk_keep_registers(LivenessWalk *w, const Code *c)
{
    for (int r = 0; r < w->registers; r++)
        if (isa_caller_saved(w->isa) >> r & 1) {
            walk_lose(w, &w->state[r]);
            w->state[r] = walk_other();
        } else if (c->reads >> r & 1 && r != w->isa->stack_pointer) {
            walk_lose(w, &w->state[r]);
        }
    walk_forget_registers(w, c->changes);
}
