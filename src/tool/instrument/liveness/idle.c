#include "tool/instrument/liveness/idle.h"
#include <string.h>
#include "tool/instrument/liveness/lent.h"
#include "tool/instrument/liveness/calls.h"

#define MOST_BLOCKS 4000

typedef enum Knowledge { UNKNOWN, IN_WORK, DELAYS, ACTS } Knowledge;

struct Idle {
    const Image *image;
    const void *context;
    const StackFrame *(*frame_of)(const void *context, uint32_t function);
    uint8_t *known;   /* by function: Knowledge */
    uint8_t *through; /* by function that delays: the arguments through which it accesses memory */
};

Idle *idle_new(Arena *arena, const Image *image, const void *context,
               const StackFrame *(*frame_of)(const void *context, uint32_t function))
{
    size_t count = image_function_count(image);
    Idle *idle = arena_new_of(arena, Idle);
    *idle = (Idle){image, context, frame_of, arena_array_of(arena, uint8_t, count + 1),
                   arena_array_of(arena, uint8_t, count + 1)};
    return idle;
}

/* ---- effects ---- */

static bool is_own(const StackFrame *frame, int32_t place, int32_t bytes)
{
    if (frame->all_escaped || place < -frame->bytes || place + bytes > frame_end(frame->code.isa))
        return false;
    for (int32_t b = place; b < place + bytes; b++)
        if (frame_bit(frame, frame->escaped, b))
            return false;
    return true;
}

/* Are all places that instruction I writes, or a hook announces, the function's own? */
static bool writes_own(const StackFrame *frame, uint32_t i)
{
    const FrameEffect *effect = &frame->effects[i];
    for (int k = 0; k < effect->write_count; k++)
        if (!is_own(frame, effect->write[k], effect->write_bytes))
            return false;
    return true;
}

/* The runtime's way to sleep has no effect (guest/entry/library/time.c), nor have the marks at the
 * begin and the end of functions. (sched_yield may be the program's own: its code tells.) */
static bool only_waits(const char *name)
{
    static const char *const names[] = {"__wrap_usleep", "__wrap_sleep", "__tsan_func_entry",
                                        "__tsan_func_exit"};
    for (size_t k = 0; name && k < COUNT_OF(names); k++)
        if (!strcmp(name, names[k]))
            return true;
    return false;
}

static bool only_delays(Idle *idle, uint32_t function);

/* Does call I, or a jump out of the function, do nothing but delay? THROUGH gets the arguments of
 * the function by whose addresses memory is accessed. */
static bool call_delays(Idle *idle, const StackFrame *frame, uint32_t i, uint8_t *through)
{
    const Code *c = &frame->code.code.at[i];
    const FrameEffect *effect = &frame->effects[i];
    if (only_waits(c->callee_name))
        return true;
    CallModel model = call_model(c->callee_name);
    if (model.is_hook) {
        if (model.touches != 1)
            return false;
        if (effect->lent >= 0) {
            *through |= (uint8_t)(1u << effect->lent);
            return true;
        }
        return (effect->own & 1) && writes_own(frame, i);
    }
    return c->callee != IMAGE_NO_FUNCTION && c->landing == CODE_NOWHERE &&
           only_delays(idle, c->callee) && !(idle->through[c->callee] & ~effect->own);
}

/* Has instruction I an effect outside of the function, or one that is not followed, other than by
 * leaving it? THROUGH gets the arguments by whose addresses it accesses memory instead. */
static bool acts(Idle *idle, const StackFrame *frame, uint32_t i, uint8_t *through)
{
    const Code *c = &frame->code.code.at[i];
    const FrameEffect *effect = &frame->effects[i];
    if (c->kind == CODE_CALL)
        return !call_delays(idle, frame, i, through);
    if (!c->is_plain || c->flow == FLOW_TABLE || c->flow == FLOW_TAIL ||
        c->flow == FLOW_BRANCH_TAIL || c->flow == FLOW_END || effect->reads_all)
        return true;
    if (effect->elsewhere && effect->lent >= 0) {
        *through |= (uint8_t)(1u << effect->lent);
        return false;
    }
    return effect->elsewhere || !writes_own(frame, i);
}

static bool delays_by_code(Idle *idle, uint32_t function)
{
    const StackFrame *frame = idle->frame_of(idle->context, function);
    if (!frame || !frame->ok || frame->code.has_handlers)
        return false;
    uint8_t through = 0;
    for (uint32_t i = 0; i < frame->code.code.count; i++) {
        const Code *c = &frame->code.code.at[i];
        if (!frame->effects[i].reached)
            continue;
        if (c->flow == FLOW_TAIL ? !call_delays(idle, frame, i, &through)
                                 : acts(idle, frame, i, &through))
            return false;
    }
    idle->through[function] = through;
    return true;
}

/* Nothing is known of a function that calls itself: it counts as one that acts. */
static bool only_delays(Idle *idle, uint32_t function)
{
    if (idle->known[function] == UNKNOWN) {
        idle->known[function] = IN_WORK;
        idle->known[function] = delays_by_code(idle, function) ? DELAYS : ACTS;
    }
    return idle->known[function] == DELAYS;
}

/* ---- the flow of control ---- */

typedef struct Block {
    uint32_t first, last;  /* instructions */
    uint32_t to[3], count; /* blocks that may follow */
    bool ends;             /* the function may end here, or is taken to: it has to end somewhere */
    bool reaches_end;
    bool matters;       /* one of its instructions does, or ways that never end meet here */
    uint64_t *all_ways; /* the set of blocks that all ways from here come to; itself is one */
    uint64_t *decides;  /* the set of blocks that are control dependent on how it ends, or NULL */
} Block;

typedef struct Flow {
    Idle *idle;
    Arena *scratch;
    const StackFrame *frame;
    Block *blocks;
    uint32_t count;
    size_t words;   /* of a set of blocks */
    bool *matters;  /* by instruction */
    FrameLive *at;  /* by block: at its begin */
    bool *flags_at; /* by block: are the flags live there? */
    FrameLive live;
    bool flags, changed;
} Flow;

static bool has(const uint64_t *set, uint32_t b)
{
    return set[b / 64] >> (b % 64) & 1;
}

static void add_way(Block *block, uint32_t to)
{
    block->to[block->count++] = to;
}

/* False if there are jumps that are not followed. */
static bool find_blocks(Flow *flow)
{
    const CodeFunction *f = &flow->frame->code;
    uint32_t *block_of = arena_array_of(flow->scratch, uint32_t, f->code.count + 1);
    for (uint32_t i = 0; i < f->code.count; i++) {
        flow->count += f->code.at[i].leader || !i;
        block_of[i] = flow->count - 1;
    }
    if (!flow->count || flow->count > MOST_BLOCKS)
        return false;
    flow->words = flow->count / 64 + 1;
    flow->blocks = arena_array_of(flow->scratch, Block, flow->count);
    for (uint32_t i = (uint32_t)f->code.count; i-- > 0;)
        flow->blocks[block_of[i]].first = i;
    for (uint32_t i = 0; i < f->code.count; i++)
        flow->blocks[block_of[i]].last = i;
    for (uint32_t b = 0; b < flow->count; b++) {
        Block *block = &flow->blocks[b];
        const Code *c = &f->code.at[block->last];
        CodeFlow way = (CodeFlow)c->flow;
        for (uint32_t i = block->first; i < block->last; i++)
            if (f->code.at[i].landing != CODE_NOWHERE || f->code.at[i].flow != FLOW_NEXT)
                return false;
        if (way == FLOW_TABLE)
            return false;
        block->ends =
            way == FLOW_TAIL || way == FLOW_BRANCH_TAIL || way == FLOW_RETURN || way == FLOW_END;
        if (way == FLOW_BRANCH || way == FLOW_JUMP)
            add_way(block, block_of[c->target]);
        if (way == FLOW_BRANCH || way == FLOW_BRANCH_TAIL || way == FLOW_NEXT)
            add_way(block, b + 1);
        if (c->landing != CODE_NOWHERE)
            add_way(block, block_of[c->landing]);
        for (uint32_t k = 0; k < block->count; k++)
            if (block->to[k] >= flow->count)
                return false;
    }
    return true;
}

static void find_what_reaches_end(Flow *flow)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = flow->count; b-- > 0;) {
            Block *block = &flow->blocks[b];
            bool reaches = block->ends;
            for (uint32_t k = 0; k < block->count; k++)
                reaches |= flow->blocks[block->to[k]].reaches_end;
            again |= reaches && !block->reaches_end;
            block->reaches_end |= reaches;
        }
    }
}

/* The set of blocks that can be reached from block B. */
static void reach(const Flow *flow, uint32_t b, uint64_t *set, uint32_t *stack)
{
    uint32_t depth = 0;
    memset(set, 0, flow->words * sizeof *set);
    stack[depth++] = b;
    while (depth) {
        const Block *block = &flow->blocks[stack[--depth]];
        for (uint32_t k = 0; k < block->count; k++) {
            uint32_t to = block->to[k];
            if (has(set, to))
                continue;
            set[to / 64] |= UINT64_C(1) << (to % 64);
            stack[depth++] = to;
        }
    }
}

/* Each cycle that can't be left is taken to end at one of its blocks: whatever decides that control
 * gets there matters, since it stays. */
static void end_cycles(Flow *flow)
{
    uint64_t *from_here = arena_array_of(flow->scratch, uint64_t, flow->words);
    uint64_t *from_there = arena_array_of(flow->scratch, uint64_t, flow->words);
    uint32_t *stack = arena_array_of(flow->scratch, uint32_t, flow->count + 1);
    find_what_reaches_end(flow);
    for (uint32_t b = 0; b < flow->count; b++) {
        if (flow->blocks[b].reaches_end)
            continue;
        uint32_t here = b;
        for (bool again = true; again;) { /* down to a cycle that can't be left */
            again = false;
            reach(flow, here, from_here, stack);
            for (uint32_t v = 0; v < flow->count && !again; v++) {
                if (!has(from_here, v))
                    continue;
                reach(flow, v, from_there, stack);
                if (!has(from_there, here)) {
                    here = v;
                    again = true;
                }
            }
        }
        flow->blocks[here].ends = flow->blocks[here].matters = true;
        find_what_reaches_end(flow);
    }
}

/* Finds for each block what all ways come to: from everything down to the greatest solution. */
static void find_all_ways(Flow *flow)
{
    uint64_t *set = arena_array_of(flow->scratch, uint64_t, flow->words);
    for (uint32_t b = 0; b < flow->count; b++) {
        flow->blocks[b].all_ways = arena_array_of(flow->scratch, uint64_t, flow->words);
        memset(flow->blocks[b].all_ways, 0xff, flow->words * sizeof *set);
    }
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = flow->count; b-- > 0;) {
            Block *block = &flow->blocks[b];
            memset(set, block->ends ? 0 : 0xff, flow->words * sizeof *set);
            for (uint32_t k = 0; k < block->count; k++)
                for (size_t w = 0; w < flow->words; w++)
                    set[w] &= flow->blocks[block->to[k]].all_ways[w];
            set[b / 64] |= UINT64_C(1) << (b % 64);
            if (memcmp(set, block->all_ways, flow->words * sizeof *set)) {
                memcpy(block->all_ways, set, flow->words * sizeof *set);
                again = true;
            }
        }
    }
}

/* A block decides over those that all ways from one of its successors come to, but not all ways
 * from itself (or that are itself). */
static void find_decisions(Flow *flow)
{
    for (uint32_t b = 0; b < flow->count; b++) {
        Block *block = &flow->blocks[b];
        if (block->count + block->ends < 2)
            continue;
        block->decides = arena_array_of(flow->scratch, uint64_t, flow->words);
        for (size_t w = 0; w < flow->words; w++) {
            for (uint32_t k = 0; k < block->count; k++)
                block->decides[w] |= flow->blocks[block->to[k]].all_ways[w];
            uint64_t self = w == b / 64 ? UINT64_C(1) << (b % 64) : 0;
            block->decides[w] &= ~block->all_ways[w] | self;
        }
    }
}

/* ---- what matters ---- */

static void set_live(Flow *flow, int32_t place, int32_t bytes, bool value)
{
    const StackFrame *frame = flow->frame;
    for (int32_t at = MAX(place, -frame->bytes); at < MIN(place + bytes, 0); at++) {
        uint32_t b = (uint32_t)(at + frame->bytes);
        uint64_t bit = UINT64_C(1) << (b % 64);
        flow->live.bytes[b / 64] =
            value ? flow->live.bytes[b / 64] | bit : flow->live.bytes[b / 64] & ~bit;
    }
}

static bool is_live(const Flow *flow, int32_t place, int32_t bytes)
{
    const StackFrame *frame = flow->frame;
    for (int32_t at = MAX(place, -frame->bytes); at < MIN(place + bytes, 0); at++)
        if (frame_bit(frame, flow->live.bytes, at) || frame_bit(frame, frame->escaped, at))
            return true;
    return false;
}

static bool loans_live(const Flow *flow, uint32_t i)
{
    size_t count;
    const FrameLoan *loans = lent_loans(flow->frame, i, &count);
    for (size_t k = 0; k < count; k++)
        for (uint64_t mask = loans[k].touched; mask; mask &= mask - 1)
            if (loans[k].argument >= 0 || is_live(flow, loans[k].place + __builtin_ctzll(mask), 1))
                return true;
    return false;
}

/* Does instruction I write something that is live behind it? A call leaves results; in the other
 * registers that it may overwrite it leaves nothing that anybody reads: either they are as before,
 * as the compiler knows (-fipa-ra), or the next reader sets them first. */
static bool writes_live(const Flow *flow, uint32_t i)
{
    const Code *c = &flow->frame->code.code.at[i];
    const FrameEffect *effect = &flow->frame->effects[i];
    const Isa *isa = flow->frame->code.isa;
    RegSet writes = c->kind == CODE_CALL ? isa_results(isa) : c->changes | c->kills;
    if (c->kind == CODE_PUSH || c->kind == CODE_POP || c->kind == CODE_LEAVE ||
        (writes & REG_BIT(isa->stack_pointer)) || (writes & flow->live.registers) ||
        (flow->flags && (c->writes_flags || c->kind == CODE_CALL)))
        return true;
    if (effect->kill_bytes && is_live(flow, effect->kill, effect->kill_bytes))
        return true;
    if (c->kind == CODE_CALL)
        return loans_live(flow, i);
    for (int k = 0; k < effect->write_count; k++)
        if (is_live(flow, effect->write[k], effect->write_bytes))
            return true;
    return false;
}

static const FrameCall *call_at(const StackFrame *frame, uint32_t i)
{
    for (size_t k = 0; k < frame->calls.count; k++)
        if (frame->calls.at[k].code == i)
            return &frame->calls.at[k];
    return NULL;
}

/* The registers that call C reads. *CLEAN tells that it certainly overwrites all that a call may
 * overwrite. Of a function of the program's both are known if it comes straight to a hook: what its
 * code reads before; and a compiler keeps nothing in such a register over a call of it. */
static RegSet call_reads(const Idle *idle, const Isa *isa, const Code *c, bool *clean)
{
    *clean = call_model(c->callee_name).is_hook;
    if (*clean)
        return call_hook_reads(isa, c->callee_name);
    const StackFrame *callee =
        c->callee == IMAGE_NO_FUNCTION ? NULL : idle->frame_of(idle->context, c->callee);
    RegSet reads = 0, written = 0;
    for (uint32_t i = 0; callee && i < callee->code.code.count; i++) {
        const Code *first = &callee->code.code.at[i];
        if (first->kind == CODE_CALL) {
            if (!call_model(first->callee_name).is_hook)
                break;
            *clean = true;
            return reads | (call_hook_reads(isa, first->callee_name) & ~written);
        }
        if (first->flow != FLOW_NEXT)
            break;
        reads |= first->reads & ~written;
        written |= first->kills;
    }
    return isa_caller_saved(isa);
}

/* A call that matters reads its arguments, in registers and on the stack. */
static void read_arguments(Flow *flow, uint32_t i)
{
    const Code *c = &flow->frame->code.code.at[i];
    bool is_hook = call_model(c->callee_name).is_hook;
    size_t count;
    const FrameLoan *loans = lent_loans(flow->frame, i, &count);
    for (size_t k = 0; k < count; k++)
        for (uint64_t mask = loans[k].touched; loans[k].argument < 0 && mask; mask &= mask - 1)
            set_live(flow, loans[k].place + __builtin_ctzll(mask), 1, true);
    const StackFrame *callee = c->callee == IMAGE_NO_FUNCTION
                                   ? NULL
                                   : flow->idle->frame_of(flow->idle->context, c->callee);
    const FrameCall *call = call_at(flow->frame, i);
    bool known = is_hook || (callee && callee->ok && callee->arguments != FRAME_ARGUMENTS_UNKNOWN);
    if (!known || !call)
        memset(flow->live.bytes, 0xff, (size_t)flow->frame->bytes / 8);
    else if (callee && callee->ok && !is_hook)
        set_live(flow, call->sp, callee->arguments, true);
    else if (!strncmp(c->callee_name, "__tsan_atomic128", 16))
        set_live(flow, call->sp, 32, true); /* those that do not fit into registers */
}

/* From what is live behind instruction I to what is live before it. */
static void step_back(Flow *flow, uint32_t i)
{
    const Code *c = &flow->frame->code.code.at[i];
    const FrameEffect *effect = &flow->frame->effects[i];
    uint8_t through = 0;
    if (!effect->reached)
        return;
    if (!flow->matters[i] && (acts(flow->idle, flow->frame, i, &through) || through ||
                              c->flow == FLOW_RETURN || writes_live(flow, i)))
        flow->matters[i] = flow->changed = true;
    if (!flow->matters[i])
        return;
    const Isa *isa = flow->frame->code.isa;
    flow->live.registers &= ~c->kills;
    if (c->kind == CODE_CALL) {
        bool clean;
        RegSet reads = call_reads(flow->idle, isa, c, &clean);
        if (clean)
            flow->live.registers &= ~isa_caller_saved(isa);
        flow->flags &= !clean;
        flow->live.registers |= reads;
    }
    if (c->kind == CODE_COMPARE)
        flow->flags = false;
    if (effect->kill_bytes)
        set_live(flow, effect->kill, effect->kill_bytes, false);
    flow->live.registers |= c->reads;
    flow->flags |= c->reads_flags;
    if (effect->reads_all)
        memset(flow->live.bytes, 0xff, (size_t)flow->frame->bytes / 8);
    for (int k = 0; k < effect->read_count; k++)
        set_live(flow, effect->read[k], effect->read_bytes, true);
    if (c->kind == CODE_CALL)
        read_arguments(flow, i);
}

/* Begins a block at its end: with all that is live where control goes on. */
static void enter_from_behind(Flow *flow, const Block *block)
{
    const StackFrame *frame = flow->frame;
    size_t bytes = (size_t)frame->bytes / 8;
    const Code *c = &frame->code.code.at[block->last];
    const Isa *isa = frame->code.isa;
    flow->live.registers = c->flow == FLOW_TAIL || c->flow == FLOW_BRANCH_TAIL ? isa->all
                           : c->flow == FLOW_RETURN ? isa->callee_saved | isa_results(isa)
                                                    : 0;
    flow->flags = false;
    memset(flow->live.bytes, 0, bytes);
    for (uint32_t k = 0; k < block->count; k++) {
        const FrameLive *next = &flow->at[block->to[k]];
        flow->live.registers |= next->registers;
        flow->flags |= flow->flags_at[block->to[k]];
        for (size_t w = 0; w < bytes / 8; w++)
            flow->live.bytes[w] |= next->bytes[w];
    }
    flow->live.registers |= REG_BIT(isa->stack_pointer);
}

/* One pass over all blocks. What is live only grows: an instruction that does not matter yet would
 * overwrite nothing that is live. */
static void pass(Flow *flow)
{
    size_t bytes = (size_t)flow->frame->bytes / 8;
    for (uint32_t b = flow->count; b-- > 0;) {
        const Block *block = &flow->blocks[b];
        FrameLive *at = &flow->at[b];
        enter_from_behind(flow, block);
        for (uint32_t i = block->last + 1; i-- > block->first;)
            step_back(flow, i);
        flow->changed |= (flow->live.registers & ~at->registers) || flow->flags > flow->flags_at[b];
        at->registers |= flow->live.registers;
        flow->flags_at[b] |= flow->flags;
        for (size_t w = 0; w < bytes / 8; w++) {
            flow->changed |= (flow->live.bytes[w] & ~at->bytes[w]) != 0;
            at->bytes[w] |= flow->live.bytes[w];
        }
    }
}

/* Branches that decide over blocks with something that matters do matter. */
static void mark_decisions(Flow *flow)
{
    for (uint32_t b = 0; b < flow->count; b++) {
        Block *block = &flow->blocks[b];
        for (uint32_t i = block->first; i <= block->last; i++)
            block->matters |= flow->matters[i];
    }
    for (uint32_t b = 0; b < flow->count; b++) {
        Block *block = &flow->blocks[b];
        if (!block->decides || flow->matters[block->last])
            continue;
        for (uint32_t n = 0; n < flow->count && !flow->matters[block->last]; n++)
            if (has(block->decides, n) && flow->blocks[n].matters)
                flow->matters[block->last] = block->matters = flow->changed = true;
    }
}

static FrameLive new_live(Arena *scratch, const StackFrame *frame)
{
    return (FrameLive){.bytes = arena_alloc(scratch, (size_t)frame->bytes / 8)};
}

const FrameLive *idle_find(Idle *idle, Arena *scratch, const StackFrame *frame)
{
    Flow flow = {.idle = idle, .scratch = scratch, .frame = frame};
    if (frame->all_escaped || frame->code.has_handlers || !find_blocks(&flow))
        return NULL;
    end_cycles(&flow);
    find_all_ways(&flow);
    find_decisions(&flow);
    flow.matters = arena_array_of(scratch, bool, frame->code.code.count);
    flow.at = arena_array_of(scratch, FrameLive, flow.count);
    flow.flags_at = arena_array_of(scratch, bool, flow.count);
    for (uint32_t b = 0; b < flow.count; b++)
        flow.at[b] = new_live(scratch, frame);
    flow.live = new_live(scratch, frame);
    do {
        flow.changed = false;
        pass(&flow);
        mark_decisions(&flow);
    } while (flow.changed);
    FrameLive *out = arena_array_of(scratch, FrameLive, frame->calls.count + 1);
    for (uint32_t b = 0; b < flow.count; b++) {
        const Block *block = &flow.blocks[b];
        enter_from_behind(&flow, block);
        for (uint32_t i = block->last + 1; i-- > block->first;) {
            const FrameCall *call = call_at(frame, i);
            if (call) {
                FrameLive *to = &out[call - frame->calls.at];
                *to = new_live(scratch, frame);
                to->registers = flow.live.registers;
                memcpy(to->bytes, flow.live.bytes, (size_t)frame->bytes / 8);
            }
            step_back(&flow, i);
        }
    }
    return out;
}
