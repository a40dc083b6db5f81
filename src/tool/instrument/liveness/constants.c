#include "tool/instrument/liveness/constants.h"
#include <stdlib.h>
#include <string.h>

/* A register holds a number that is none of these, or */
enum {
    UNREACHED, /* nothing yet */
    ANYTHING,
    THREAD, /* an address in memory of the thread's own */
    NUMBERS
};

typedef struct Values {
    uint64_t at[REG_COUNT];
} Values;

typedef struct Constants {
    CodeFunction *function;
    Values *leaders; /* by instruction: at those where control may come from elsewhere */
    bool again;
} Constants;

static bool is_needed(const CodeFunction *f)
{
    for (size_t i = 0; i < f->code.count; i++)
        if (f->code.at[i].is_page || f->code.at[i].is_thread_pointer)
            return true;
    return false;
}

static bool adds(const Code *code)
{
    return code->kind == CODE_ADDRESS || code->kind == CODE_ADD;
}

static uint64_t sum(uint64_t value, int64_t number)
{
    uint64_t result = value < NUMBERS ? value : value + (uint64_t)number;
    return value >= NUMBERS && result < NUMBERS ? ANYTHING : result;
}

/* Returns what instruction CODE sets its destination to. */
static uint64_t value_of(const Values *values, const Code *code)
{
    const CodeMemory *m = &code->memory;
    if (code->is_page)
        return sum(NUMBERS, code->immediate - NUMBERS);
    if (code->is_thread_pointer)
        return THREAD;
    if (code->kind == CODE_ADD)
        return sum(values->at[code->dst], code->immediate);
    if (code->kind == CODE_MOVE && code->src >= 0 && !m->bytes)
        return values->at[code->src];
    if (code->kind != CODE_ADDRESS)
        return ANYTHING;
    if (m->base == REG_UNKNOWN)
        return sum(NUMBERS, m->displacement - NUMBERS);
    uint64_t base = values->at[m->base];
    if (m->index >= 0)
        return base == THREAD || values->at[m->index] == THREAD ? THREAD : ANYTHING;
    return sum(base, m->displacement);
}

static void perform(const Isa *isa, Values *values, const Code *code)
{
    uint64_t value = code->dst >= 0 ? value_of(values, code) : ANYTHING;
    RegSet changes = code->kind == CODE_CALL ? isa_caller_saved(isa) : code->changes;
    for (int r = 0; r < REG_COUNT; r++)
        if (changes >> r & 1)
            values->at[r] = ANYTHING;
    if (code->dst >= 0)
        values->at[code->dst] = value;
}

static void flow(Constants *c, uint32_t to, const Values *values)
{
    Values *there = &c->leaders[to];
    for (int r = 0; r < REG_COUNT; r++) {
        uint64_t joined = !there->at[r] || there->at[r] == values->at[r] ? values->at[r] : ANYTHING;
        c->again |= joined != there->at[r];
        there->at[r] = joined;
    }
}

static void forget(Values *values)
{
    for (int r = 0; r < REG_COUNT; r++)
        values->at[r] = ANYTHING;
}

static void leave(Constants *c, const Code *code, const Values *values)
{
    const CodeFunction *f = c->function;
    if ((code->flow == FLOW_BRANCH || code->flow == FLOW_JUMP) && code->target != CODE_NOWHERE)
        flow(c, code->target, values);
    if (code->flow == FLOW_TABLE)
        for (size_t i = 0; i < f->labels.count; i++)
            flow(c, f->labels.at[i], values);
    if (code->kind == CODE_CALL && code->landing != CODE_NOWHERE)
        flow(c, code->landing, values);
}

static void resolve(Values *values, Code *code)
{
    CodeMemory *m = &code->memory;
    int8_t dst = code->dst;
    uint64_t value = dst >= 0 ? value_of(values, code) : ANYTHING;
    bool moves = code->kind == CODE_MOVE && code->src >= 0 && !m->bytes;
    if (value >= NUMBERS && !code->is_page && (adds(code) || moves)) {
        code->kind = CODE_ADDRESS;
        code->src = REG_NONE;
        code->kills = code->changes;
        *m = (CodeMemory){
            .base = REG_UNKNOWN, .index = REG_NONE, .bytes = 8, .displacement = (int64_t)value};
        return;
    }
    if (!m->bytes || adds(code) || m->base < 0)
        return;
    uint64_t base = values->at[m->base];
    code->is_thread_local |= base == THREAD || (m->index >= 0 && values->at[m->index] == THREAD);
    if (base >= NUMBERS && m->index == REG_NONE && !code->step) {
        m->displacement = (int64_t)sum(base, m->displacement);
        m->base = REG_UNKNOWN;
    } else if (code->is_thread_local) {
        m->base = REG_UNKNOWN;
    }
}

/* One look at all instructions, in order; the last one changes them. */
static void sweep(Constants *c, bool last)
{
    CodeFunction *f = c->function;
    Values now;
    forget(&now);
    bool comes = false; /* from the instruction before */
    for (uint32_t i = 0; i < f->code.count; i++) {
        Code *code = &f->code.at[i];
        if (code->leader) {
            if (comes && !last)
                flow(c, i, &now);
            now = c->leaders[i];
        }
        bool reached = now.at[0] != UNREACHED;
        if (last && reached)
            resolve(&now, code);
        if (reached) {
            perform(f->isa, &now, code);
            if (!last)
                leave(c, code, &now);
        }
        comes = reached && (code->flow == FLOW_NEXT || code->flow == FLOW_BRANCH ||
                            code->flow == FLOW_BRANCH_TAIL);
    }
}

void constants_resolve(CodeFunction *f)
{
    uint32_t count = (uint32_t)f->code.count, next = 0;
    if (!is_needed(f))
        return;
    Constants c = {.function = f, .leaders = calloc(count, sizeof(Values))};
    if (!c.leaders)
        die("out of memory");
    bool unknown_ways = f->has_handlers;
    for (uint32_t i = 0; i < count; i++)
        unknown_ways |= f->code.at[i].flow == FLOW_TABLE && !f->labels.count;
    for (uint32_t i = 0; i < count; i++) /* control may come to any of these from anywhere */
        if (i == 0 || (unknown_ways && f->code.at[i].leader))
            forget(&c.leaders[i]);
    while (next < count) {
        do {
            c.again = false;
            sweep(&c, false);
        } while (c.again);
        while (next < count && (!f->code.at[next].leader || c.leaders[next].at[0] != UNREACHED))
            next++;
        if (next < count)
            forget(&c.leaders[next]);
    }
    sweep(&c, true);
    free(c.leaders);
}
