/* liveness.c: the table of dead bytes and registers.
 *
 * A byte of a frame is dead at a call if on every path from the call's return it is written before
 * it is read, or never read. This is the classical backward analysis over the function's
 * instructions (reads make live, certain writes make dead); what makes it sound for machine code is
 *  - frames are private: bytes whose address has escaped count as live everywhere
 * (liveness_frame.c), and nothing else but the function itself can reach the others;
 *  - the arguments that the callee may read from the stack are live during the call. How far they
 *    reach is known from the callee's own code; if the callee is unknown, all is live;
 *  - so are the bytes that it may touch of objects which the call lends (liveness_lent.h);
 *  - control enters a function only at its entry, at the targets of its jumps and after its calls.
 * A function with landing pads has no dead bytes and registers, one that calls setjmp no entries.
 * A callee-saved register is dead at a call if the function overwrites it before it reads it; at a
 * return all of them are read, for they are the caller's by then. The result of a call, in %rax, is
 * dead in the same sense; functions that the compiler announces accesses with, and those of POSIX
 * threads, overwrite it and do not read it, any other call may.
 *
 * A call of heddle__assembly performs an instruction of inline assembly and keeps all registers in
 * memory meanwhile (performed.h). So the other registers, the flags and the vector registers are
 * looked at as well. The functions just named overwrite what is not callee-saved; other calls may
 * leave it alone, as the compiler knows (-fipa-ra): so a register that the function does not
 * overwrite before it returns is dead only if it is dead in the caller, too. Flags are never kept
 * over a call.
 *
 * Frames are also read by the unwinder, when an exception or pthread_exit passes through. It needs
 * what the unwind tables name: the places where the caller's registers are saved, and the frame
 * pointer. So a slot that holds the caller's value of a register is never dead, nor is the
 * frame pointer, nor a register that is still the caller's.
 */
#include "tool/instrument/machine/liveness.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "tool/instrument/lent/liveness_lent.h"
#include "tool/instrument/machine/idle.h"
#include "tool/instrument/machine/liveness_calls.h"
#include "tool/instrument/machine/liveness_wanted.h"
#include "tool/instrument/performed/performed.h"

#define SMALL_FUNCTION 256 /* bytes of code */
#define MOST_ROUNDS 20     /* of the analysis, before objects count as kept by whoever gets them */

typedef struct Analysis {
    Arena *arena;
    Image *image;
    CodeReader *code;
    ObjectReader *objects;
    WantedFunctions wanted;
    int32_t *frame_of;  /* by function: index of frames, or -1 */
    bool *looked_at;    /* by function: it has a frame, or can't have one */
    uint32_t steps;     /* analyses of a frame so far */
    uint32_t *analysed; /* by function: the step that analysed it last, 0 if none did */
    uint32_t *changed;  /* by function: the step that last changed what its callers know of it */
    uint32_t *order;    /* frames, callees before callers where possible */
    size_t ordered;
    bool lends_nothing;
    const bool
        *leaves_vectors; /* by function: vector registers may hold something when it is left */
    Idle *idle;
    Vec(StackFrame) frames;
    Vec(LivenessEntry) entries;
    Vec(LivenessRange) ranges;
} Analysis;

/* The registers of which it is known whether they are live; those that a return reads. */
#define TRACKED ((uint16_t)~REG_BIT(REG_SP))
#define RETURNED ((uint16_t)(CALLEE_SAVED | REG_BIT(REG_AX) | REG_BIT(REG_DX)))
#define CALLER_SAVED PERFORMED_ALL_READ

/* ---- liveness ---- */

static void live_all(const StackFrame *frame, FrameLive *live)
{
    live->registers = live->passed = TRACKED;
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

/* From what is live after instruction I to what is live before it. */
static void live_before(const StackFrame *frame, uint32_t i, FrameLive *live)
{
    const Code *c = &frame->code.code.at[i];
    const FrameEffect *effect = &frame->effects[i];
    if (!effect->reached) {
        live_all(frame, live);
        return;
    }
    bool is_call = c->kind == CODE_CALL && !call_is_translated(c->callee_name);
    uint16_t kills = (uint16_t)(c->kills | (performed_follows_abi(c) ? CALLER_SAVED : 0));
    live->registers &= (uint16_t)~kills;
    live->passed &= (uint16_t)~kills;
    live->registers |= (c->reads | c->callee_reads) & TRACKED;
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

static void live_copy(const StackFrame *frame, FrameLive *into, const FrameLive *from)
{
    into->registers = from->registers;
    into->passed = from->passed;
    into->flags = from->flags;
    memcpy(into->bytes, from->bytes, (size_t)frame->bytes / 8);
}

/* Computes what is live after instruction I, the last of its block. AT: what is live at the
 * leaders. */
static void live_after(const StackFrame *frame, uint32_t i, FrameLive *const *at, FrameLive *live)
{
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
        live->registers = TRACKED;
        break;
    case FLOW_JUMP:
        live_join(frame, live, at[c->target]);
        break;
    case FLOW_TABLE:
        for (size_t k = 0; k < f->labels.count; k++)
            live_join(frame, live, at[f->labels.at[k]]);
        live->registers = TRACKED;
        break;
    case FLOW_TAIL:
        live->registers = TRACKED;
        break;
    case FLOW_RETURN:
        live->registers = RETURNED;
        live->passed = TRACKED;
        break;
    case FLOW_END:
        break;
    }
    if (c->landing != CODE_NOWHERE)
        live_join(frame, live, at[c->landing]);
}

/* ---- entries ---- */

static int32_t arguments_of(const void *context, uint32_t function)
{
    const Analysis *a = context;
    int32_t index = a->frame_of[function];
    if (function == a->wanted.context_switch || function == a->wanted.other_switch ||
        call_is_translated(image_functions(a->image)[function].name) ||
        call_is_by_registers(image_functions(a->image)[function].name))
        return 0; /* of ours: nothing on the stack */
    return index >= 0 && a->frames.at[index].ok ? a->frames.at[index].arguments
                                                : FRAME_ARGUMENTS_UNKNOWN;
}

/* May the byte at PLACE be touched by what instruction I, a call, lends it to? */
static bool is_lent(const StackFrame *frame, uint32_t i, int32_t place)
{
    size_t count;
    const FrameLoan *loans = lent_loans(frame, i, &count);
    for (size_t k = 0; k < count; k++)
        if (loans[k].argument < 0 && place >= loans[k].place &&
            place < loans[k].place + loans[k].bytes &&
            (loans[k].touched >> (place - loans[k].place) & 1))
            return true;
    return false;
}

static bool is_dead(const StackFrame *frame, const FrameCall *call, const FrameLive *live,
                    int32_t place)
{
    return !frame_bit(frame, live->bytes, place) && !frame_bit(frame, frame->escaped, place) &&
           !is_lent(frame, call->code, place);
}

/* Is the byte live, but nothing that matters reads it? RELEVANT is NULL if that is not known. */
static bool is_idle(const StackFrame *frame, const FrameCall *call, const FrameLive *live,
                    const FrameLive *relevant, int32_t place)
{
    return relevant && !is_dead(frame, call, live, place) && is_dead(frame, call, relevant, place);
}

static void add_range(Analysis *a, const FrameCall *call, LivenessEntry *entry, int32_t start,
                      int32_t end)
{
    vec_push(&a->ranges, (LivenessRange){(uint16_t)(start - call->sp), (uint16_t)(end - start)});
    entry->range_count++;
}

static void add_ranges(Analysis *a, const StackFrame *frame, const FrameCall *call,
                       const FrameLive *live, const FrameLive *relevant, LivenessEntry *entry)
{
    const Code *c = &frame->code.code.at[call->code];
    int32_t arguments =
        c->callee == IMAGE_NO_FUNCTION ? FRAME_ARGUMENTS_UNKNOWN : arguments_of(a, c->callee);
    if (frame->all_escaped || frame->code.has_handlers || arguments == FRAME_ARGUMENTS_UNKNOWN)
        return;
    entry->first_range = (uint32_t)a->ranges.count;
    for (int32_t place = call->sp + arguments; place < -8; place++) {
        int32_t start = place;
        while (place < -8 && is_dead(frame, call, live, place))
            place++;
        if (place > start)
            add_range(a, call, entry, start, place);
    }
    for (int32_t place = call->sp + arguments; place < -8 && entry->idle_count < UINT8_MAX;
         place++) {
        int32_t start = place;
        while (place < -8 && is_idle(frame, call, live, relevant, place))
            place++;
        if (place > start) {
            add_range(a, call, entry, start, place);
            entry->idle_count++;
        }
    }
}

/* By instruction: may vector registers hold something of the function's own before it, or if they
 * did on entry? */
typedef struct Vectors {
    bool *own, *any;
} Vectors;

static void add_others(const StackFrame *frame, const FrameCall *call, const FrameLive *live,
                       const Vectors *vectors, LivenessEntry *entry)
{
    const Code *c = &frame->code.code.at[call->code];
    if (frame->code.has_handlers)
        return;
    entry->others_dead = (uint16_t)(CALLER_SAVED & ~live->registers);
    entry->others_passed = live->passed & CALLER_SAVED;
    if (call_is_translated(c->callee_name) && !live->flags)
        entry->more |= LIVENESS_FLAGS_DEAD;
    if (!vectors->own[call->code])
        entry->more |= LIVENESS_VECTORS_DEAD;
    if (!vectors->any[call->code])
        entry->more |= LIVENESS_VECTORS_NONE;
}

static void add_entry(Analysis *a, const StackFrame *frame, const FrameCall *call,
                      const FrameLive *live, const FrameLive *relevant, const Vectors *vectors)
{
    const Code *c = &frame->code.code.at[call->code];
    LivenessEntry entry = {.address = c->address + c->length, .frame_bytes = (uint16_t)-call->sp};
    add_ranges(a, frame, call, live, relevant, &entry);
    for (int r = 0; r < REG_COUNT; r++) {
        int s = frame_saved_index(r);
        if (s < 0)
            continue;
        bool is_live = frame->code.has_handlers || (live->registers >> r & 1) ||
                       (call->frame_pointer >> r & 1);
        int32_t slot = call->saved[s];
        if ((call->entry >> r & 1) && (is_live || slot == FRAME_NOWHERE)) {
            entry.saved[s] = LIVENESS_KEPT;
        } else {
            entry.saved[s] = slot == FRAME_NOWHERE ? LIVENESS_LOST : (int16_t)(slot - call->sp);
            if (!is_live)
                entry.dead |= (uint8_t)(1u << s);
            else if (relevant && !(relevant->registers >> r & 1) && !(call->frame_pointer >> r & 1))
                entry.idle |= (uint8_t)(1u << s);
        }
        if (frame->entry_used >> r & 1)
            entry.saved[s] = LIVENESS_LOST;
    }
    entry.result_is_dead = !frame->code.has_handlers && !(live->registers & REG_BIT(REG_AX));
    add_others(frame, call, live, vectors, &entry);
    vec_push(&a->entries, entry);
}

/* Is it a function of the program's with a loop? */
static bool may_wait(const StackFrame *frame)
{
    bool is_users = false, loops = false;
    for (size_t i = 0; i < frame->code.code.count; i++) {
        const Code *c = &frame->code.code.at[i];
        is_users |= c->callee_name && !strcmp(c->callee_name, "__tsan_func_entry");
        loops |= (c->flow == FLOW_BRANCH || c->flow == FLOW_JUMP) && c->target <= i;
    }
    return is_users && loops;
}

/* Backward over all blocks until nothing changes, then once more for the calls. */
static void add_entries(Analysis *a, const StackFrame *frame)
{
    const CodeFunction *f = &frame->code;
    size_t count = f->code.count, bytes = (size_t)frame->bytes / 8;
    Arena *scratch = arena_new();
    FrameLive **at = arena_array_of(scratch, FrameLive *, count);
    for (size_t i = 0; i < count; i++)
        if (f->code.at[i].leader) {
            at[i] = arena_new_of(scratch, FrameLive);
            at[i]->bytes = arena_alloc(scratch, bytes);
        }
    FrameLive live = {.bytes = arena_alloc(scratch, bytes)};
    Vectors vectors = {arena_array_of(scratch, bool, count), arena_array_of(scratch, bool, count)};
    performed_find_vectors(f, false, a->leaves_vectors, vectors.own);
    performed_find_vectors(f, true, a->leaves_vectors, vectors.any);
    const FrameLive *relevant = may_wait(frame) ? idle_find(a->idle, scratch, frame) : NULL;
    size_t next_call = frame->calls.count;
    for (bool again = true, last = false; again || !last;) {
        last = !again;
        again = false;
        next_call = frame->calls.count;
        for (size_t end = count, start; end; end = start) {
            for (start = end - 1; !f->code.at[start].leader;)
                start--;
            live_after(frame, (uint32_t)(end - 1), at, &live);
            for (size_t i = end; i-- > start;) {
                if (last && next_call && frame->calls.at[next_call - 1].code == i)
                    next_call--, add_entry(a, frame, &frame->calls.at[next_call], &live,
                                           relevant ? &relevant[next_call] : NULL, &vectors);
                live_before(frame, (uint32_t)i, &live);
            }
            if (live.registers != at[start]->registers || live.passed != at[start]->passed ||
                live.flags != at[start]->flags || memcmp(live.bytes, at[start]->bytes, bytes)) {
                live_copy(frame, at[start], &live);
                again = true;
            }
        }
        ASSERT(!last || !again);
    }
    ASSERT(!next_call);
    arena_free(scratch);
}

/* The frame in which an instruction of inline assembly is performed has a layout of its own. */
static void add_performer(Analysis *a)
{
    const ImageFunction *functions = image_functions(a->image);
    for (size_t f = 0; f < image_function_count(a->image); f++)
        if (!strcmp(functions[f].name, "heddle__performed"))
            vec_push(&a->entries,
                     (LivenessEntry){.address = functions[f].address, .more = LIVENESS_PERFORMER});
}

/* ---- all of it ---- */

/* Tells what function number FUNCTION does with objects that it is lent. */
static const FrameLent *lent_of(const void *context, uint32_t function)
{
    const Analysis *a = context;
    int32_t index = a->frame_of[function];
    const StackFrame *frame = index >= 0 ? &a->frames.at[index] : NULL;
    bool known = frame && frame->ok && frame->effects && !frame->code.has_handlers;
    return known && !a->lends_nothing ? &frame->lent : NULL;
}

static const StackFrame *analysed_frame(const void *context, uint32_t function)
{
    const Analysis *a = context;
    int32_t index = a->frame_of[function];
    return index >= 0 && a->frames.at[index].ok ? &a->frames.at[index] : NULL;
}

static void add_frame(Analysis *a, uint32_t f)
{
    StackFrame frame = {0};
    a->frame_of[f] = -1;
    if (image_functions(a->image)[f].is_cold)
        return;
    if (!code_read(a->code, f, &frame.code)) {
        code_free(&frame.code);
        LOG(LOG_INFO, "%s: not analysed", image_functions(a->image)[f].name);
        return;
    }
    frame.ok = true;
    a->frame_of[f] = (int32_t)a->frames.count;
    vec_push(&a->frames, frame);
}

/* Adds the small functions that are called and can't be on a stack at a request: objects are lent
 * to them. */
static void add_small_callees(Analysis *a)
{
    for (size_t i = 0; i < a->frames.count; i++)
        for (size_t k = 0; k < a->frames.at[i].code.code.count; k++) {
            uint32_t f = a->frames.at[i].code.code.at[k].callee;
            if (f == IMAGE_NO_FUNCTION || a->looked_at[f] ||
                image_functions(a->image)[f].size > SMALL_FUNCTION)
                continue;
            a->looked_at[f] = true;
            add_frame(a, f);
        }
}

/* Puts frame number I, after those of the functions that it calls, at the end of a->order. */
static void put_in_order(Analysis *a, uint32_t i, bool *seen)
{
    Vec(uint32_t) way = {0}, at = {0};
    vec_push(&way, i);
    vec_push(&at, 0);
    seen[i] = true;
    while (way.count) {
        const StackFrame *frame = &a->frames.at[way.at[way.count - 1]];
        uint32_t k = at.at[at.count - 1]++;
        if (k == frame->code.code.count) {
            a->order[a->ordered++] = way.at[way.count - 1];
            way.count--;
            at.count--;
            continue;
        }
        uint32_t f = frame->code.code.at[k].callee;
        int32_t next = f == IMAGE_NO_FUNCTION ? -1 : a->frame_of[f];
        if (next < 0 || seen[next])
            continue;
        seen[next] = true;
        vec_push(&way, (uint32_t)next);
        vec_push(&at, 0);
    }
    vec_free(&way);
    vec_free(&at);
}

static bool same_lent(const FrameLent *a, const FrameLent *b)
{
    return a->kept == b->kept && a->returned == b->returned &&
           !memcmp(a->needs, b->needs, sizeof a->needs) &&
           !memcmp(a->passes, b->passes, sizeof a->passes) &&
           !memcmp(a->touched, b->touched, sizeof a->touched);
}

/* Analyses a frame, and notes it if its callers know something else of it then. */
static void analyse_frame(Analysis *a, StackFrame *frame)
{
    const FrameCallees callees = {a, arguments_of, lent_of};
    uint32_t function = frame->code.function;
    int32_t before = frame->arguments;
    FrameLent lent = frame->lent;
    bool first = !a->analysed[function];
    a->analysed[function] = ++a->steps;
    frame_analyse(a->arena, frame, a->image, a->objects, &callees);
    if (!frame->ok)
        LOG(LOG_INFO, "%s: not understood", image_functions(a->image)[function].name);
    if (first || !frame->ok || frame->arguments != before || !same_lent(&lent, &frame->lent))
        a->changed[function] = a->steps;
}

/* Was a frame never analysed, or has something changed since, or by its last analysis if it calls
 * itself, that is known of a function which it calls or jumps to? */
static bool is_outdated(const Analysis *a, const StackFrame *frame)
{
    uint32_t analysed = a->analysed[frame->code.function];
    if (!analysed)
        return true;
    for (size_t k = 0; k < frame->code.code.count; k++) {
        uint32_t callee = frame->code.code.at[k].callee;
        if (callee != IMAGE_NO_FUNCTION && a->changed[callee] >= analysed)
            return true;
    }
    return false;
}

/* How much a function reads of its stack arguments depends on the functions it jumps to, and what
 * escapes from it on those it calls: again until it is stable. Callees come first, so that what
 * they do with objects is known; a function of a cycle of calls of which it is not known yet keeps
 * them. What is known only gets worse from round to round. */
static void analyse_frames(Analysis *a)
{
    size_t count = image_function_count(a->image);
    for (uint32_t f = 0; f < count; f++) {
        a->looked_at[f] = a->wanted.is[f];
        a->frame_of[f] = -1;
        if (a->wanted.is[f])
            add_frame(a, f);
    }
    add_small_callees(a);
    bool *seen = arena_array_of(a->arena, bool, a->frames.count + 1);
    a->order = arena_array_of(a->arena, uint32_t, a->frames.count + 1);
    for (uint32_t i = 0; i < a->frames.count; i++)
        if (!seen[i])
            put_in_order(a, i, seen);
    uint32_t rounds = 0;
    for (bool again = true; again; rounds++) {
        again = false;
        a->lends_nothing = rounds > MOST_ROUNDS;
        bool all = rounds == MOST_ROUNDS + 1;
        for (size_t k = 0; k < a->ordered; k++) {
            StackFrame *frame = &a->frames.at[a->order[k]];
            if (!frame->ok || (!all && !is_outdated(a, frame)))
                continue;
            analyse_frame(a, frame);
            again = true;
        }
    }
}

static int compare_entries(const void *a, const void *b)
{
    const LivenessEntry *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

static LivenessTable *make_table(Analysis *a)
{
    if (a->entries.count)
        qsort(a->entries.at, a->entries.count, sizeof *a->entries.at, compare_entries);
    LivenessTable header = {LIVENESS_MAGIC, (uint32_t)a->entries.count, (uint32_t)a->ranges.count};
    LivenessTable *table = arena_alloc(a->arena, liveness_bytes(&header));
    *table = header;
    char *to = (char *)(table + 1);
    if (a->entries.count)
        memcpy(to, a->entries.at, a->entries.count * sizeof(LivenessEntry));
    to += a->entries.count * sizeof(LivenessEntry);
    if (a->ranges.count)
        memcpy(to, a->ranges.at, a->ranges.count * sizeof(LivenessRange));
    return table;
}

bool liveness_analyse(Arena *arena, const char *path, LivenessTable **out, Error *error)
{
    Analysis a = {.arena = arena};
    if (!image_open(arena, path, &a.image, error))
        return false;
    size_t count = image_function_count(a.image);
    a.frame_of = arena_array_of(arena, int32_t, count + 1);
    a.looked_at = arena_array_of(arena, bool, count + 1);
    a.analysed = arena_array_of(arena, uint32_t, count + 1);
    a.changed = arena_array_of(arena, uint32_t, count + 1);
    a.code = code_reader_new(arena, a.image);
    a.objects = objects_new(arena, a.image);
    a.wanted = wanted_find(arena, a.image);
    analyse_frames(&a);
    for (size_t i = 0; i < a.frames.count; i++)
        LOG(LOG_DEBUG, "%s: %s, stack arguments %d, arguments kept %x%s%s",
            image_functions(a.image)[a.frames.at[i].code.function].name,
            a.frames.at[i].ok ? "understood" : "not understood", a.frames.at[i].arguments,
            (unsigned)a.frames.at[i].lent.kept, a.frames.at[i].all_escaped ? ", all escaped" : "",
            a.frames.at[i].code.has_handlers ? ", has handlers" : "");
    a.idle = idle_new(arena, a.image, &a, analysed_frame);
    a.leaves_vectors = performed_find_others(arena, a.image, a.frames.at, a.frames.count);
    for (size_t i = 0; i < a.frames.count; i++)
        if (a.frames.at[i].ok)
            add_entries(&a, &a.frames.at[i]);
    add_performer(&a);
    *out = make_table(&a);
    for (size_t i = 0; i < a.frames.count; i++)
        frame_free(&a.frames.at[i]);
    vec_free(&a.frames);
    vec_free(&a.entries);
    vec_free(&a.ranges);
    objects_free(a.objects);
    code_reader_free(a.code);
    image_close(a.image);
    return true;
}
