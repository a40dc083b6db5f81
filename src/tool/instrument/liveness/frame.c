#include "tool/instrument/liveness/frame.h"
#include <stdlib.h>
#include <string.h>
#include "tool/instrument/liveness/calls.h"
#include "tool/instrument/liveness/lent.h"
#include "tool/instrument/liveness/walk.h"

#define MAX_STATE_BYTES (32u << 20)

/* ---- instructions ---- */

static WalkValue *reg(LivenessWalk *w, int r)
{
    return &w->state[r];
}

static int32_t stack_pointer(LivenessWalk *w)
{
    const WalkValue *sp = reg(w, w->isa->stack_pointer);
    if (sp->kind != VALUE_STACK || sp->count != 1 || !sp->certain || (sp->place[0] & 7) ||
        sp->place[0] < -w->frame->bytes + 128) {
        w->failed = true;
        return frame_end(w->isa);
    }
    return sp->place[0];
}

/* The address of the memory operand: STACK with its places, or OTHER. */
static WalkValue operand_address(LivenessWalk *w, const CodeMemory *m)
{
    const WalkValue *base = m->base >= 0 ? reg(w, m->base) : NULL;
    const WalkValue *index = m->index >= 0 ? reg(w, m->index) : NULL;
    if ((base && base->kind == VALUE_ENTRY) || (index && index->kind == VALUE_ENTRY))
        w->frame->entry_used |= (base && base->kind == VALUE_ENTRY ? REG_BIT(base->reg) : 0) |
                                (index && index->kind == VALUE_ENTRY ? REG_BIT(index->reg) : 0);
    if (index && index->kind == VALUE_STACK) {
        walk_escape_all(w);
        w->frame->arguments = FRAME_ARGUMENTS_UNKNOWN;
        return walk_other();
    }
    if (!base || base->kind != VALUE_STACK)
        return walk_other();
    if (m->index != REG_NONE) { /* an array, which may begin before this place */
        walk_escape_all(w);
        w->frame->arguments = FRAME_ARGUMENTS_UNKNOWN;
        return walk_other();
    }
    return walk_shift(w, *base, m->displacement);
}

static void note_read(LivenessWalk *w, FrameEffect *effect, const WalkValue *address,
                      uint16_t bytes)
{
    for (int i = 0; i < address->count; i++) {
        int32_t end = address->place[i] + bytes;
        if (end > 0 && w->frame->arguments < end)
            w->frame->arguments = end;
    }
    memcpy(effect->read, address->place, sizeof effect->read);
    effect->read_count = address->count;
    effect->read_bytes = bytes;
}

static void note_kill(FrameEffect *effect, int32_t place, uint16_t bytes)
{
    effect->kill = (int16_t)place;
    effect->kill_bytes = bytes;
}

static void store_all(LivenessWalk *w, const WalkValue *address, uint16_t bytes, const WalkValue *v)
{
    if (address->kind != VALUE_STACK) {
        walk_lose(w, v);
        return;
    }
    bool weak = address->count != 1 || !address->certain;
    if (!address->certain)
        walk_lose(w, v);
    for (int i = 0; i < address->count && !w->failed; i++)
        walk_store(w, address->place[i], bytes, v, weak);
}

static void note_places(FrameEffect *effect, const WalkValue *address, uint16_t bytes)
{
    memcpy(effect->write, address->place, sizeof effect->write);
    effect->write_count = address->count;
    effect->write_bytes = bytes;
}

/* The unwinder may read what the function saves there for its caller. */
static void keep_for_unwinder(LivenessWalk *w, int32_t place, int32_t bytes)
{
    for (int32_t byte = MAX(place, -w->frame->bytes); byte < MIN(place + bytes, 0); byte++)
        frame_set_bit(w->frame, w->frame->escaped, byte);
}

static void step_memory(LivenessWalk *w, const Code *c, FrameEffect *effect, WalkValue *address)
{
    const CodeMemory *m = &c->memory;
    *address = walk_other();
    lent_access(w, c, effect);
    if (!m->bytes || (c->kind != CODE_ADDRESS && !m->reads && !m->writes))
        return;
    *address = operand_address(w, m);
    if (c->kind == CODE_ADDRESS)
        return;
    if (address->kind != VALUE_STACK || !address->certain)
        effect->elsewhere = m->writes || m->base >= 0 || m->index >= 0;
    else if (m->writes)
        note_places(effect, address, m->bytes);
    if (address->kind != VALUE_STACK)
        return;
    if (m->reads)
        note_read(w, effect, address, m->bytes);
    if (m->kills && address->certain && address->count == 1)
        note_kill(effect, address->place[0], m->bytes);
    if (w->record && c->saves_vectors)
        for (int i = 0; i < address->count; i++)
            keep_for_unwinder(w, address->place[i], m->bytes);
    if (c->kind == CODE_OTHER) {
        for (int i = 0; i < address->count; i++)
            walk_lose_slots(w, address->place[i], m->bytes);
        if (m->writes) {
            WalkValue nothing = walk_other();
            for (int i = 0; i < address->count && !w->failed; i++)
                walk_store(w, address->place[i], m->bytes, &nothing, true);
        }
    }
}

/* Eight bytes are loaded from ADDRESS. */
static WalkValue load_from(LivenessWalk *w, const WalkValue *address)
{
    if (address->kind == VALUE_STACK && address->certain && address->count == 1)
        return walk_load(w, address->place[0]);
    for (int p = 0; address->kind == VALUE_STACK && p < address->count; p++)
        walk_lose_slots(w, address->place[p], 8);
    return walk_other();
}

static void step_pair(LivenessWalk *w, const Code *c, const WalkValue *address)
{
    WalkValue at[2] = {*address, walk_shift(w, *address, 8)}, v[2];
    for (int k = 0; k < 2; k++)
        v[k] = c->memory.reads  ? load_from(w, &at[k])
               : c->pair[k] < 0 ? walk_other()
                                : *reg(w, c->pair[k]);
    for (int k = 0; k < 2 && !w->failed; k++)
        if (!c->memory.reads)
            store_all(w, &at[k], 8, &v[k]);
        else if (c->pair[k] >= 0)
            *reg(w, c->pair[k]) = v[k];
}

static void pop_into(LivenessWalk *w, int r, FrameEffect *effect)
{
    int32_t sp = stack_pointer(w);
    WalkValue v = walk_load(w, sp), address = walk_address(sp);
    note_read(w, effect, &address, 8);
    *reg(w, w->isa->stack_pointer) = walk_address(sp + 8);
    *reg(w, r) = v;
}

static void step_string(LivenessWalk *w, const Code *c, FrameEffect *effect)
{
    const WalkValue *from = reg(w, c->string_from), *to = reg(w, c->string_to);
    bool touches = from->kind == VALUE_STACK || to->kind == VALUE_STACK;
    walk_lose(w, reg(w, w->isa->result));
    walk_keep(w, from);
    walk_keep(w, to);
    if (!touches)
        return;
    effect->reads_all = true;
    w->frame->arguments = FRAME_ARGUMENTS_UNKNOWN; /* a struct passed by value */
    WalkValue nothing = walk_other();
    for (size_t i = 0; i < w->slot_count; i++) {
        WalkValue *slot = &walk_slots(w)[i];
        walk_escape(w, slot); /* it may be copied */
        if (slot->kind == VALUE_STACK)
            *slot = walk_join(w, slot, &nothing);
    }
}

static void record_call(LivenessWalk *w, uint32_t i)
{
    FrameCall call = {.code = i, .sp = (int16_t)stack_pointer(w)};
    for (int r = 0; r < w->registers; r++) {
        int s = w->isa->saved_index(r);
        if (s < 0)
            continue;
        if (reg(w, r)->kind == VALUE_ENTRY && reg(w, r)->reg == r && r != w->isa->link)
            call.entry |= REG_BIT(r);
        int leads_to = w->isa->frame_pointer_place;
        if (r == w->isa->frame_pointer && reg(w, r)->kind == VALUE_STACK &&
            (!leads_to || reg(w, r)->place[0] == leads_to))
            call.frame_pointer = REG_BIT(r);
        call.saved[s] = FRAME_NOWHERE;
        for (size_t k = 0; k < w->slot_count; k++) {
            const WalkValue *slot = &walk_slots(w)[k];
            int32_t place = (int32_t)(8 * k) - w->frame->bytes;
            if (slot->kind != VALUE_ENTRY || slot->reg != r || place < call.sp)
                continue;
            call.saved[s] = (int16_t)place;
            keep_for_unwinder(w, place, 8);
        }
    }
    vec_push(&w->frame->calls, call);
}

/* Bytes of stack arguments that the callee of C may read. */
static int32_t callee_arguments(const LivenessWalk *w, const Code *c)
{
    if (code_never_returns(c->callee_name) || call_is_translated(c->callee_name))
        return 0;
    return c->callee != IMAGE_NO_FUNCTION ? w->callees->arguments(w->callees->context, c->callee)
                                          : FRAME_ARGUMENTS_UNKNOWN;
}

static void step_call(LivenessWalk *w, const Code *c, uint32_t i, FrameEffect *effect)
{
    int32_t sp = stack_pointer(w);
    CallModel model = call_model(c->callee_name);
    if (w->record)
        record_call(w, i);
    for (int a = 0; a < w->isa->passed_count; a++) {
        WalkValue *v = reg(w, w->isa->arguments[a]);
        if (v->kind == VALUE_OTHER || a >= model.arguments)
            continue;
        if (v->kind == VALUE_ENTRY) {
            if (model.touches >> a & 1)
                effect->lent = (int8_t)isa_argument_in(w->isa, v->reg);
            lent_pass(w, c, i, &model, a, v);
            continue;
        }
        if (v->certain && (model.touches >> a & 1)) {
            effect->own |= (uint16_t)(1u << a);
            note_places(effect, v, 1);
        }
        if (model.touches >> a & 1) {
            for (int p = 0; p < v->count; p++)
                if (model.copies && v->place[p] >= frame_end(w->isa))
                    w->frame->arguments = FRAME_ARGUMENTS_UNKNOWN;
            continue;
        }
        if (model.reads >> a & 1) {
            note_read(w, effect, v, model.read_bytes);
            WalkValue nothing = walk_other(); /* and it may be written */
            for (int p = 0; p < v->count && !w->failed; p++)
                walk_store(w, v->place[p], model.read_bytes, &nothing, true);
        } else if (!lent_pass(w, c, i, &model, a, v)) {
            walk_escape(w, v);
        } else if (v->certain) {
            effect->own |= (uint16_t)(1u << a);
        }
    }
    if (model.copies) {
        effect->reads_all = true;
        WalkValue nothing = walk_other();
        for (size_t k = 0; k < w->slot_count; k++) {
            WalkValue *slot = &walk_slots(w)[k];
            walk_escape(w, slot);
            if (slot->kind == VALUE_STACK)
                *slot = walk_join(w, slot, &nothing);
        }
    } else if (!model.is_hook) { /* addresses among the arguments on the stack */
        int32_t bytes = callee_arguments(w, c);
        walk_lose_slots(w, sp, MIN(bytes, -sp));
    }
    for (int32_t at = -w->frame->bytes; at < sp; at += 8) /* the callee's frame */
        *walk_slot(w, at) = walk_other();
    if (call_is_translated(c->callee_name)) {
        walk_keep_registers(w, c);
        return;
    }
    WalkValue result = model.returns_first ? *reg(w, w->isa->arguments[0]) : lent_result(w, c);
    walk_after_call(w, c, model.is_hook || model.copies);
    *reg(w, w->isa->result) = result;
}

static void step(LivenessWalk *w, uint32_t i)
{
    const Code *c = &w->frame->code.code.at[i];
    FrameEffect scratch, *effect = w->record ? &w->frame->effects[i] : &scratch;
    memset(effect, 0, sizeof *effect);
    effect->reached = true;
    w->at = i;
    WalkValue address, stepped = walk_other();
    step_memory(w, c, effect, &address);
    if (c->step)
        stepped = walk_shift(w, *reg(w, c->memory.base), c->step);
    switch ((CodeKind)c->kind) {
    case CODE_NOTHING:
    case CODE_COMPARE:
        break;
    case CODE_MOVE:
        if (c->dst >= 0) {
            *reg(w, c->dst) = c->src >= 0 ? *reg(w, c->src) : load_from(w, &address);
        } else {
            WalkValue v = *reg(w, c->src);
            store_all(w, &address, 8, &v);
        }
        break;
    case CODE_PAIR:
        step_pair(w, c, &address);
        break;
    case CODE_SET: {
        WalkValue nothing = walk_other();
        for (int r = 0; r < w->registers; r++)
            if (c->flows >> r & 1)
                walk_lose(w, reg(w, r));
        if (c->memory.writes && address.kind == VALUE_STACK)
            store_all(w, &address, c->memory.bytes, &nothing);
        walk_forget_registers(w, c->changes);
        break;
    }
    case CODE_ADDRESS:
        *reg(w, c->dst) = address;
        break;
    case CODE_ADD:
        if (reg(w, c->dst)->kind == VALUE_ENTRY)
            walk_lose(w, reg(w, c->dst));
        *reg(w, c->dst) = walk_shift(w, *reg(w, c->dst), c->immediate);
        break;
    case CODE_PUSH: {
        WalkValue v = c->src >= 0 ? *reg(w, c->src) : walk_other();
        if (c->src < 0 && address.kind == VALUE_STACK)
            for (int p = 0; p < address.count; p++)
                walk_lose_slots(w, address.place[p], 8);
        int32_t sp = stack_pointer(w) - 8;
        *reg(w, w->isa->stack_pointer) = walk_address(sp);
        walk_store(w, sp, 8, &v, false);
        note_kill(effect, sp, 8);
        break;
    }
    case CODE_POP:
        pop_into(w, c->dst, effect);
        break;
    case CODE_LEAVE:
        *reg(w, w->isa->stack_pointer) = *reg(w, w->isa->frame_pointer);
        pop_into(w, w->isa->frame_pointer, effect);
        break;
    case CODE_STRING:
        step_string(w, c, effect);
        walk_forget_registers(w, c->changes);
        break;
    case CODE_CALL:
        step_call(w, c, i, effect);
        break;
    case CODE_OTHER:
        for (int r = 0; r < w->registers; r++)
            if (c->flows >> r & 1)
                walk_lose(w, reg(w, r));
        walk_forget_registers(w, c->changes);
        break;
    }
    if (c->step)
        *reg(w, c->memory.base) = stepped;
    stack_pointer(w); /* fails if it was lost */
}

/* ---- the fixpoint ---- */

static void enter(LivenessWalk *w, uint32_t leader)
{
    size_t count = (size_t)w->registers + w->slot_count;
    WalkValue *into = w->states + (size_t)w->state_of[leader] * count;
    bool changed = !w->entered[leader];
    if (changed) {
        memcpy(into, w->state, count * sizeof *into);
        w->entered[leader] = true;
    } else {
        const WalkValue *a = &into[w->isa->stack_pointer], *b = reg(w, w->isa->stack_pointer);
        if (!walk_same(a, b)) {
            w->failed = true;
            return;
        }
        for (size_t k = 0; k < count; k++) {
            if (!memcmp(&into[k], &w->state[k], sizeof into[k]))
                continue;
            WalkValue joined = walk_join(w, &into[k], &w->state[k]);
            if (!walk_same(&joined, &into[k])) {
                into[k] = joined;
                changed = true;
            }
        }
    }
    w->pending[leader] |= changed;
}

/* Control leaves the function: its frame must be gone and its caller's registers back. */
static void leave_function(LivenessWalk *w)
{
    if (stack_pointer(w) != frame_end(w->isa))
        w->failed = true;
    for (int r = 0; r < w->registers; r++)
        if ((isa_restored(w->isa) >> r & 1) &&
            (reg(w, r)->kind != VALUE_ENTRY || reg(w, r)->reg != r))
            w->failed = true;
}

static void leave_for(LivenessWalk *w, const Code *c)
{
    leave_function(w);
    for (int a = 0; a < w->isa->passed_count; a++)
        walk_escape(w, reg(w, w->isa->arguments[a]));
    int32_t bytes = callee_arguments(w, c);
    w->frame->arguments = MAX(w->frame->arguments, bytes);
}

static bool moves_stack_pointer(const LivenessWalk *w, const Code *c)
{
    return c->kind == CODE_POP ||
           ((c->kind == CODE_ADD || c->kind == CODE_ADDRESS) && c->dst == w->isa->stack_pointer);
}

/* The callee throws: the frame is as the call left it, registers that are not saved hold something
 * else. If the caller had pushed arguments they are gone as well; such calls are not followed. All
 * landing pads see one and the same stack pointer. */
static void enter_landing(LivenessWalk *w, const Code *c, uint32_t i)
{
    const CodeFunction *f = &w->frame->code;
    int32_t sp = stack_pointer(w);
    int32_t arguments = callee_arguments(w, c);
    bool may_pop = arguments && (c->flow == FLOW_END || moves_stack_pointer(w, &f->code.at[i + 1]));
    if (may_pop || (w->landing_sp && w->landing_sp != sp)) {
        w->lost_landing = w->failed = true;
        return;
    }
    w->landing_sp = sp;
    WalkValue kept[2] = {*reg(w, w->isa->result), *reg(w, w->isa->second_result)};
    *reg(w, w->isa->result) = *reg(w, w->isa->second_result) = walk_other();
    enter(w, c->landing);
    *reg(w, w->isa->result) = kept[0];
    *reg(w, w->isa->second_result) = kept[1];
}

static void walk_block(LivenessWalk *w, uint32_t i)
{
    const CodeFunction *f = &w->frame->code;
    size_t count = (size_t)w->registers + w->slot_count;
    memcpy(w->state, w->states + (size_t)w->state_of[i] * count, count * sizeof *w->state);
    for (;; i++) {
        const Code *c = &f->code.at[i];
        step(w, i);
        if (c->landing != CODE_NOWHERE && !w->failed)
            enter_landing(w, c, i);
        if (w->failed)
            return;
        switch ((CodeFlow)c->flow) {
        case FLOW_NEXT:
            break;
        case FLOW_BRANCH:
            enter(w, c->target);
            break;
        case FLOW_JUMP:
            enter(w, c->target);
            return;
        case FLOW_TABLE:
            for (size_t k = 0; k < f->labels.count; k++)
                enter(w, f->labels.at[k]);
            if (!f->labels.count || reg(w, w->isa->stack_pointer)->place[0] == frame_end(w->isa))
                leave_for(w, c);
            return;
        case FLOW_BRANCH_TAIL:
            leave_for(w, c);
            break;
        case FLOW_TAIL:
            leave_for(w, c);
            return;
        case FLOW_RETURN:
            leave_function(w);
            lent_return(w);
            return;
        case FLOW_END:
            return;
        }
        if (f->code.at[i + 1].leader) {
            enter(w, i + 1);
            return;
        }
    }
}

static void walk_all(LivenessWalk *w)
{
    const CodeFunction *f = &w->frame->code;
    size_t count = (size_t)w->registers + w->slot_count;
    memset(w->entered, 0, f->code.count);
    memset(w->pending, 0, f->code.count);
    for (size_t k = 0; k < count; k++)
        w->state[k] = walk_other();
    for (int r = 0; r < w->registers; r++)
        if (isa_restored(w->isa) >> r & 1)
            *reg(w, r) = (WalkValue){.kind = VALUE_ENTRY, .reg = (int8_t)r};
    lent_begin(w);
    *reg(w, w->isa->stack_pointer) = walk_address(frame_end(w->isa));
    enter(w, 0);
    for (bool again = true; again && !w->failed;) {
        again = false;
        for (uint32_t i = 0; i < f->code.count && !w->failed; i++)
            if (w->pending[i]) {
                w->pending[i] = false;
                again = true;
                walk_block(w, i);
            }
    }
}

/* An upper bound of the frame, with what lies below the stack pointer of a function without
 * calls. */
static int64_t frame_limit(const CodeFunction *f)
{
    int sp = f->isa->stack_pointer;
    int64_t bytes = 8 + 128 + 128;
    for (size_t i = 0; i < f->code.count; i++) {
        const Code *c = &f->code.at[i];
        if (c->kind == CODE_PUSH)
            bytes += 8;
        if (c->kind == CODE_ADD && c->dst == sp && c->immediate < 0)
            bytes -= c->immediate;
        if (c->kind == CODE_ADDRESS && c->dst == sp && c->memory.displacement < 0)
            bytes -= c->memory.displacement;
        if (c->step < 0 && c->memory.base == sp)
            bytes -= c->step;
    }
    return (bytes + 63) & ~63;
}

void frame_analyse(Arena *arena, StackFrame *frame, const Image *image, ObjectReader *reader,
                   const FrameCallees *callees)
{
    CodeFunction *f = &frame->code;
    LivenessWalk w = {.arena = arena,
                      .frame = frame,
                      .image = image,
                      .isa = f->isa,
                      .reader = reader,
                      .callees = callees,
                      .registers = __builtin_popcountll(f->isa->all)};
    frame->ok = false;
    int64_t bytes = frame_limit(f);
    size_t leaders = 0;
    for (size_t i = 0; i < f->code.count; i++)
        leaders += f->code.at[i].leader;
    w.slot_count = (size_t)bytes / 8;
    size_t count = (size_t)w.registers + w.slot_count;
    if (bytes > MAX_FRAME || leaders * count * sizeof(WalkValue) > MAX_STATE_BYTES)
        return;
    frame->bytes = (int32_t)bytes;
    if (!frame->escaped)
        frame->escaped = arena_array_of(arena, uint64_t, (size_t)bytes / 64);
    w.state = calloc(count, sizeof(WalkValue));
    w.states = calloc(leaders * count, sizeof(WalkValue));
    w.state_of = calloc(f->code.count, sizeof *w.state_of);
    w.pending = calloc(f->code.count, 1);
    w.entered = calloc(f->code.count, 1);
    if (!w.state || !w.states || !w.state_of || !w.pending || !w.entered)
        die("out of memory");
    for (uint32_t i = 0, next = 0; i < f->code.count; i++)
        w.state_of[i] = f->code.at[i].leader ? next++ : 0;
    do { /* what escapes late may have been followed before */
        w.grew = false;
        walk_all(&w);
        if (w.lost_landing) { /* once more, without knowing where exceptions go on */
            for (size_t i = 0; i < f->code.count; i++)
                f->code.at[i].landing = CODE_NOWHERE;
            f->has_handlers = true;
            w.lost_landing = w.failed = false;
            w.grew = true;
        }
    } while (w.grew && !w.failed);
    if (!w.failed) {
        if (!frame->effects)
            frame->effects = arena_array_of(arena, FrameEffect, f->code.count);
        vec_clear(&frame->calls);
        vec_clear(&frame->loans);
        w.record = true;
        for (uint32_t i = 0; i < f->code.count && !w.failed; i++)
            if (f->code.at[i].leader && w.entered[i])
                walk_block(&w, i);
    }
    frame->ok = !w.failed && !w.grew;
    if (frame->ok)
        lent_conclude(frame);
    const ImageFunction *function = &image_functions(image)[f->function];
    if (frame->ok && frame->arguments == FRAME_ARGUMENTS_UNKNOWN &&
        !strchr(function->name, '.') && /* a clone can have other parameters than the source */
        objects_in_registers(reader, function->address))
        frame->arguments = 0;
    free(w.state);
    free(w.states);
    free(w.state_of);
    free(w.pending);
    free(w.entered);
}

void frame_free(StackFrame *frame)
{
    code_free(&frame->code);
    vec_free(&frame->calls);
    vec_free(&frame->loans);
}
