#include "tool/instrument/liveness/live.h"
#include <string.h>
#include "tool/instrument/liveness/lent.h"
#include "tool/instrument/liveness/performed.h"

/* The registers of which it is known whether they are live; those that a return reads. */
static RegSet tracked(const StackFrame *frame)
{
    return frame->code.isa->all & ~REG_BIT(frame->code.isa->stack_pointer);
}
static RegSet returned(const StackFrame *frame)
{
    return frame->code.isa->callee_saved | isa_results(frame->code.isa);
}

static void live_all(const StackFrame *frame, FrameLive *live)
{
    live->registers = live->passed = tracked(frame);
    live->flags = true;
    memset(live->bytes, 0xff, (size_t)frame->bytes / 8);
}

static void set_range(const StackFrame *frame, uint64_t *bits, int32_t place, int32_t count,
                      bool value)
{
    int32_t end = MIN(place + count, 0);
    for (int32_t b = MAX(place, -frame->bytes); b < end; b++) {
        uint32_t bit = (uint32_t)(b + frame->bytes);
        uint64_t mask = UINT64_C(1) << (bit % 64);
        bits[bit / 64] = value ? bits[bit / 64] | mask : bits[bit / 64] & ~mask;
    }
}

/* The bytes of MASK, of an object of the frame that is lent, are live or not. */
static void set_mask(const StackFrame *frame, uint64_t *bits, const FrameLoan *loan, uint64_t mask,
                     bool value)
{
    for (; loan->argument < 0 && mask; mask &= mask - 1)
        set_range(frame, bits, loan->place + __builtin_ctzll(mask), 1, value);
}

void live_before(const StackFrame *frame, uint32_t i, FrameLive *live)
{
    const Code *c = &frame->code.code.at[i];
    const FrameEffect *effect = &frame->effects[i];
    if (!effect->reached) {
        live_all(frame, live);
        return;
    }
    bool is_call = c->kind == CODE_CALL && !call_is_translated(c->callee_name);
    RegSet kills = c->kills | (performed_follows_abi(c) ? isa_caller_saved(frame->code.isa) : 0);
    live->registers &= ~kills;
    live->passed &= ~kills;
    live->registers |= (c->reads | c->callee_reads) & tracked(frame);
    live->flags &= !is_call && c->kind != CODE_COMPARE;
    live->flags |= c->reads_flags || (c->kind != CODE_CALL && !c->is_plain);
    if (effect->kill_bytes)
        set_range(frame, live->bytes, effect->kill, effect->kill_bytes, false);
    size_t count;
    const FrameLoan *loans = lent_loans(frame, i, &count);
    for (size_t k = 0; k < count; k++)
        set_mask(frame, live->bytes, &loans[k], loans[k].touched & ~loans[k].passes, false);
    for (size_t k = 0; k < count; k++)
        set_mask(frame, live->bytes, &loans[k], loans[k].needs, true);
    if (effect->reads_all)
        memset(live->bytes, 0xff, (size_t)frame->bytes / 8);
    for (int k = 0; k < effect->read_count; k++)
        set_range(frame, live->bytes, effect->read[k], effect->read_bytes, true);
}

static void live_join(const StackFrame *frame, FrameLive *into, const FrameLive *from)
{
    into->registers |= from->registers;
    into->passed |= from->passed;
    into->flags |= from->flags;
    for (size_t k = 0; k < (size_t)frame->bytes / 64; k++)
        into->bytes[k] |= from->bytes[k];
}

void live_copy(const StackFrame *frame, FrameLive *into, const FrameLive *from)
{
    into->registers = from->registers;
    into->passed = from->passed;
    into->flags = from->flags;
    memcpy(into->bytes, from->bytes, (size_t)frame->bytes / 8);
}

void live_after(const StackFrame *frame, uint32_t i, FrameLive *const *at, FrameLive *live)
{
    DEBUG_ASSERT(i < frame->code.code.count);
    const CodeFunction *f = &frame->code;
    const Code *c = &f->code.at[i];
    live->registers = live->passed = 0;
    live->flags = false;
    memset(live->bytes, 0, (size_t)frame->bytes / 8);
    switch ((CodeFlow)c->flow) {
    case FLOW_BRANCH:
        live_join(frame, live, at[c->target]);
        live_join(frame, live, at[i + 1]);
        break;
    case FLOW_NEXT:
        live_join(frame, live, at[i + 1]);
        break;
    case FLOW_BRANCH_TAIL:
        live_join(frame, live, at[i + 1]);
        live->registers = tracked(frame);
        break;
    case FLOW_JUMP:
        live_join(frame, live, at[c->target]);
        break;
    case FLOW_TABLE:
        for (size_t k = 0; k < f->labels.count; k++)
            live_join(frame, live, at[f->labels.at[k]]);
        live->registers = tracked(frame);
        break;
    case FLOW_TAIL:
        live->registers = tracked(frame);
        break;
    case FLOW_RETURN:
        live->registers = returned(frame);
        live->passed = tracked(frame);
        break;
    case FLOW_END:
        break;
    }
    if (c->landing != CODE_NOWHERE)
        live_join(frame, live, at[c->landing]);
}
