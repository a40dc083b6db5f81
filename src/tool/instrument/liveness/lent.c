#include "tool/instrument/liveness/lent.h"
#include <stdlib.h>
#include <string.h>

enum { NOTHING_RETURNED = -2 };

static uint64_t mask_of(int64_t offset, uint32_t bytes)
{
    uint64_t low = bytes >= 64 ? UINT64_MAX : (UINT64_C(1) << bytes) - 1;
    return low << offset;
}

/* The argument whose value on entry V is, or -1. */
static int argument_of(const LivenessWalk *w, const WalkValue *v)
{
    int a = v->kind == VALUE_ENTRY ? isa_argument_in(w->isa, v->reg) : -1;
    return a < FRAME_LENT_ARGUMENTS ? a : -1;
}

void lent_begin(LivenessWalk *w)
{
    for (int a = 0; a < FRAME_LENT_ARGUMENTS; a++) {
        int r = w->isa->arguments[a];
        w->state[r] = (WalkValue){.kind = VALUE_ENTRY, .reg = (int8_t)r};
    }
    w->frame->lent.returned = NOTHING_RETURNED;
}

void lent_access(LivenessWalk *w, const Code *c, FrameEffect *effect)
{
    const CodeMemory *m = &c->memory;
    effect->lent = -1;
    if (!m->bytes)
        return;
    if (m->index >= 0)
        walk_keep(w, &w->state[m->index]);
    int a = m->base >= 0 ? argument_of(w, &w->state[m->base]) : -1;
    if (a < 0 || (c->kind != CODE_ADDRESS && !m->reads && !m->writes))
        return;
    if (c->kind == CODE_ADDRESS || m->index != REG_NONE || m->displacement < 0 ||
        m->displacement + m->bytes > FRAME_LENT_BYTES) {
        walk_keep(w, &w->state[m->base]);
        return;
    }
    effect->lent = (int8_t)a;
    effect->lent_touched = mask_of(m->displacement, m->bytes);
    effect->lent_read = m->reads ? effect->lent_touched : 0;
    effect->lent_killed = m->kills ? effect->lent_touched : 0;
}

/* Finds out what a call does with argument A; false if nothing is known. */
static bool find_loan(LivenessWalk *w, const Code *c, const CallModel *model, int a,
                      FrameLoan *loan)
{
    *loan = (FrameLoan){.argument = -1, .passes = UINT64_MAX};
    if (model->copies || a >= FRAME_LENT_ARGUMENTS)
        return false;
    if (model->is_hook) {
        if (model->reads >> a & 1)
            loan->needs = loan->touched = mask_of(0, model->read_bytes);
        return (model->reads | model->touches) >> a & 1;
    }
    const FrameLent *lent =
        c->callee != IMAGE_NO_FUNCTION ? w->callees->lent(w->callees->context, c->callee) : NULL;
    if (!lent || (lent->kept >> a & 1))
        return false;
    loan->needs = lent->needs[a];
    loan->touched = lent->touched[a];
    if (c->landing == CODE_NOWHERE)
        loan->passes = lent->passes[a];
    return true;
}

static void add_loan(LivenessWalk *w, uint32_t i, FrameLoan *loan)
{
    loan->code = i;
    if (w->record && loan->touched)
        vec_push(&w->frame->loans, *loan);
}

/* Lends what is at V, an address in the frame. */
static bool lend_own(LivenessWalk *w, uint32_t i, const WalkValue *v, FrameLoan *loan)
{
    if (v->count != 1 || !v->certain)
        return false;
    int32_t place = v->place[0];
    int32_t bytes = loan->touched ? 64 - __builtin_clzll(loan->touched) : 0;
    if (place + bytes > frame_end(w->isa) || place < -w->frame->bytes)
        return false;
    loan->place = (int16_t)place;
    loan->bytes = (uint16_t)bytes;
    add_loan(w, i, loan);
    if (!bytes)
        return true;
    WalkValue nothing = walk_other();
    walk_lose_slots(w, place, bytes);
    walk_store(w, place, bytes, &nothing, true);
    return true;
}

bool lent_pass(LivenessWalk *w, const Code *c, uint32_t i, const CallModel *model, int a,
               const WalkValue *v)
{
    FrameLoan loan;
    bool known = find_loan(w, c, model, a, &loan);
    if (v->kind == VALUE_STACK)
        return known && lend_own(w, i, v, &loan);
    int mine = argument_of(w, v);
    if (mine >= 0 && known) {
        loan.argument = (int8_t)mine;
        add_loan(w, i, &loan);
    } else {
        walk_keep(w, v);
    }
    return true;
}

WalkValue lent_result(LivenessWalk *w, const Code *c)
{
    const FrameLent *lent = c->callee != IMAGE_NO_FUNCTION && !call_model(c->callee_name).is_hook
                                ? w->callees->lent(w->callees->context, c->callee)
                                : NULL;
    return lent && lent->returned >= 0 ? w->state[w->isa->arguments[lent->returned]] : walk_other();
}

void lent_return(LivenessWalk *w)
{
    FrameLent *lent = &w->frame->lent;
    int a = argument_of(w, &w->state[w->isa->result]);
    walk_keep(w, &w->state[w->isa->second_result]); /* the second half of a result, perhaps */
    if (lent->returned != NOTHING_RETURNED && lent->returned != a) {
        walk_keep(w, &w->state[w->isa->result]);
        if (lent->returned >= 0)
            lent->kept |= (uint8_t)(1u << lent->returned);
        a = -1;
    }
    lent->returned = (int8_t)a;
}

const FrameLoan *lent_loans(const StackFrame *frame, uint32_t i, size_t *count)
{
    size_t low = 0, high = frame->loans.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (frame->loans.at[middle].code < i)
            low = middle + 1;
        else
            high = middle;
    }
    for (high = low; high < frame->loans.count && frame->loans.at[high].code == i;)
        high++;
    *count = high - low;
    return *count ? &frame->loans.at[low] : NULL;
}

/* ---- what is read before it is written ---- */

typedef struct Lent { /* at one point of the function, by argument */
    uint64_t needs[FRAME_LENT_ARGUMENTS], passes[FRAME_LENT_ARGUMENTS];
} Lent;

static void join(Lent *into, const Lent *from)
{
    for (int a = 0; a < FRAME_LENT_ARGUMENTS; a++) {
        into->needs[a] |= from->needs[a];
        into->passes[a] |= from->passes[a];
    }
}

static void pass_all(Lent *lent)
{
    memset(lent->passes, 0xff, sizeof lent->passes);
}

/* At the end of instruction I, the last of its block. AT: at leaders. */
static void lent_after(const CodeFunction *f, uint32_t i, const Lent *at, Lent *lent)
{
    const Code *c = &f->code.at[i];
    memset(lent, 0, sizeof *lent);
    switch ((CodeFlow)c->flow) {
    case FLOW_BRANCH:
        join(lent, &at[c->target]);
        join(lent, &at[i + 1]);
        break;
    case FLOW_BRANCH_TAIL:
        pass_all(lent);
        join(lent, &at[i + 1]);
        break;
    case FLOW_NEXT:
        join(lent, &at[i + 1]);
        break;
    case FLOW_JUMP:
        join(lent, &at[c->target]);
        break;
    case FLOW_TABLE:
        for (size_t k = 0; k < f->labels.count; k++)
            join(lent, &at[f->labels.at[k]]);
        pass_all(lent);
        break;
    case FLOW_TAIL:
    case FLOW_RETURN:
        pass_all(lent);
        break;
    case FLOW_END:
        break;
    }
    if (c->landing != CODE_NOWHERE)
        join(lent, &at[c->landing]);
}

/* From after instruction I to before it. */
static void lent_before(const StackFrame *frame, uint32_t i, Lent *lent)
{
    const FrameEffect *effect = &frame->effects[i];
    size_t count;
    const FrameLoan *loans = lent_loans(frame, i, &count);
    if (!effect->reached) {
        memset(lent, 0xff, sizeof *lent);
        return;
    }
    for (size_t k = 0; k < count; k++)
        if (loans[k].argument >= 0) {
            lent->needs[loans[k].argument] &= loans[k].passes;
            lent->passes[loans[k].argument] &= loans[k].passes;
        }
    for (size_t k = 0; k < count; k++)
        if (loans[k].argument >= 0)
            lent->needs[loans[k].argument] |= loans[k].needs;
    if (effect->lent < 0)
        return;
    lent->needs[effect->lent] &= ~effect->lent_killed;
    lent->passes[effect->lent] &= ~effect->lent_killed;
    lent->needs[effect->lent] |= effect->lent_read;
}

static void find_touched(StackFrame *frame)
{
    FrameLent *lent = &frame->lent;
    memset(lent->touched, 0, sizeof lent->touched);
    for (size_t i = 0; i < frame->code.code.count; i++)
        if (frame->effects[i].reached && frame->effects[i].lent >= 0)
            lent->touched[frame->effects[i].lent] |= frame->effects[i].lent_touched;
    for (size_t k = 0; k < frame->loans.count; k++)
        if (frame->loans.at[k].argument >= 0)
            lent->touched[frame->loans.at[k].argument] |= frame->loans.at[k].touched;
}

void lent_conclude(StackFrame *frame)
{
    const CodeFunction *f = &frame->code;
    size_t count = f->code.count;
    Lent *at = calloc(count + 1, sizeof *at), lent;
    if (!at)
        die("out of memory");
    find_touched(frame);
    for (bool again = true; again;) {
        again = false;
        for (size_t end = count, start; end; end = start) {
            for (start = end - 1; !f->code.at[start].leader;)
                start--;
            lent_after(f, (uint32_t)(end - 1), at, &lent);
            for (size_t i = end; i-- > start;)
                lent_before(frame, (uint32_t)i, &lent);
            if (memcmp(&lent, &at[start], sizeof lent)) {
                at[start] = lent;
                again = true;
            }
        }
    }
    memcpy(frame->lent.needs, at[0].needs, sizeof at[0].needs);
    memcpy(frame->lent.passes, at[0].passes, sizeof at[0].passes);
    for (int a = 0; a < FRAME_LENT_ARGUMENTS; a++)
        if (frame->lent.kept >> a & 1)
            frame->lent.needs[a] = frame->lent.passes[a] = frame->lent.touched[a] = UINT64_MAX;
    free(at);
}
