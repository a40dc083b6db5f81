/* liveness.c: the table of dead bytes and registers.
 *
 * A byte of a frame is dead at a call if on every path from the call's return it is written before
 * it is read, or never read. This is the classical backward analysis over the function's
 * instructions (reads make live, certain writes make dead); what makes it sound for machine code is
 *  - frames are private: bytes whose address has escaped count as live everywhere
 * (frame.c), and nothing else but the function itself can reach the others;
 *  - the arguments that the callee may read from the stack are live during the call. How far they
 *    reach is known from the callee's own code; if the callee is unknown, all is live;
 *  - so are the bytes that it may touch of objects which the call lends (lent.h);
 *  - control enters a function only at its entry, at the targets of its jumps and after its calls.
 * A function with landing pads has no dead bytes and registers, one that calls setjmp no entries.
 * A callee-saved register is dead at a call if the function overwrites it before it reads it; at a
 * return all of them are read, for they are the caller's by then. The result of a call is
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
 * frame pointer, nor a register that is still the caller's. Nor is the return address, which some
 * processors have in a register (Isa.link) that the function saves like the others, or a slot where
 * vector registers are saved that calls preserve.
 */
#include "tool/instrument/liveness/liveness.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "tool/instrument/liveness/lent.h"
#include "tool/instrument/liveness/live.h"
#include "tool/instrument/liveness/perpetual.h"
#include "tool/instrument/liveness/stored.h"
#include "tool/instrument/liveness/idle.h"
#include "tool/instrument/liveness/calls.h"
#include "tool/instrument/liveness/wanted.h"
#include "tool/instrument/liveness/performed.h"

#define MOST_ROUNDS 20 /* of the analysis, before objects count as kept by whoever gets them */

typedef struct Analysis {
    Arena *arena;
    Image *image;
    CodeReader *code;
    ObjectReader *objects;
    const Stored *stored; /* what is known of the runtime beforehand, or NULL */
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
    StackFrame **asked; /* by function that is stored: its frame, once it has been asked for */
    Vec(uint32_t) first_entry; /* by frame */
    Vec(LivenessEntry) entries;
    Vec(LivenessRange) ranges;
} Analysis;

/* ---- entries ---- */

static int32_t arguments_of(const void *context, uint32_t function)
{
    const Analysis *a = context;
    int32_t index = a->frame_of[function];
    if (function == a->wanted.context_switch || function == a->wanted.other_switch ||
        call_is_translated(image_functions(a->image)[function].name) ||
        call_is_by_registers(image_functions(a->image)[function].name))
        return 0; /* of ours: nothing on the stack */
    const StoredFrame *stored = a->stored ? stored_frame(a->stored, function) : NULL;
    if (stored)
        return stored->ok ? stored->arguments : FRAME_ARGUMENTS_UNKNOWN;
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
    int32_t end = frame_end(frame->code.isa);
    entry->first_range = (uint32_t)a->ranges.count;
    for (int32_t place = call->sp + arguments; place < end; place++) {
        int32_t start = place;
        while (place < end && is_dead(frame, call, live, place))
            place++;
        if (place > start)
            add_range(a, call, entry, start, place);
    }
    for (int32_t place = call->sp + arguments; place < end && entry->idle_count < UINT8_MAX;
         place++) {
        int32_t start = place;
        while (place < end && is_idle(frame, call, live, relevant, place))
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
    RegSet others = isa_caller_saved(frame->code.isa);
    entry->others_dead = (uint32_t)(others & ~live->registers);
    entry->others_passed = (uint32_t)(others & live->passed);
    if (call_is_translated(c->callee_name) && !live->flags)
        entry->more |= LIVENESS_FLAGS_DEAD;
    if (!vectors->own[call->code])
        entry->more |= LIVENESS_VECTORS_DEAD;
    if (!vectors->any[call->code])
        entry->more |= LIVENESS_VECTORS_NONE;
}

static void add_entry(Analysis *a, const StackFrame *frame, const FrameCall *call,
                      const FrameLive *live, const FrameLive *relevant, const Vectors *vectors,
                      bool perpetual)
{
    const Code *c = &frame->code.code.at[call->code];
    LivenessEntry entry = {.address = c->address + c->length, .frame_bytes = (uint16_t)-call->sp};
    add_ranges(a, frame, call, live, relevant, &entry);
    for (int r = 0; r < REG_COUNT; r++) {
        int s = frame->code.isa->saved_index(r);
        if (s < 0)
            continue;
        bool is_live = frame->code.has_handlers || (live->registers >> r & 1) ||
                       (call->frame_pointer >> r & 1) || r == frame->code.isa->link;
        int32_t slot = call->saved[s];
        if ((call->entry >> r & 1) && (is_live || slot == FRAME_NOWHERE)) {
            entry.saved[s] = LIVENESS_KEPT;
        } else {
            entry.saved[s] = slot == FRAME_NOWHERE ? LIVENESS_LOST : (int16_t)(slot - call->sp);
            if (!is_live)
                entry.dead |= (uint16_t)(1u << s);
            else if (relevant && !(relevant->registers >> r & 1) &&
                     !(call->frame_pointer >> r & 1) && r != frame->code.isa->link)
                entry.idle |= (uint16_t)(1u << s);
        }
        if ((frame->entry_used >> r & 1) && r != frame->code.isa->link)
            entry.saved[s] = LIVENESS_LOST;
    }
    entry.result_is_dead =
        !frame->code.has_handlers && !(live->registers & REG_BIT(frame->code.isa->result));
    add_others(frame, call, live, vectors, &entry);
    if (perpetual)
        entry.more |= LIVENESS_PERPETUAL;
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
    const bool *perpetual = perpetual_find(scratch, f);
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
                    next_call--,
                        add_entry(a, frame, &frame->calls.at[next_call], &live,
                                  relevant ? &relevant[next_call] : NULL, &vectors, perpetual[i]);
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
    const StoredFrame *stored = a->stored ? stored_frame(a->stored, function) : NULL;
    if (stored)
        return stored->lends ? &stored->lent : NULL;
    const StackFrame *frame = index >= 0 ? &a->frames.at[index] : NULL;
    bool known = frame && frame->ok && frame->effects && !frame->code.has_handlers;
    return known && !a->lends_nothing ? &frame->lent : NULL;
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
                image_functions(a->image)[f].size > WANTED_SMALL)
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

static const StackFrame *analysed_frame(const void *context, uint32_t function)
{
    const Analysis *a = context;
    int32_t index = a->frame_of[function];
    if (index >= 0)
        return a->frames.at[index].ok ? &a->frames.at[index] : NULL;
    const StoredFrame *stored = a->stored ? stored_frame(a->stored, function) : NULL;
    if (!stored || !stored->ok)
        return NULL;
    StackFrame *frame = a->asked[function];
    if (!frame) { /* its callees are known: one analysis gives what all rounds gave */
        const FrameCallees callees = {a, arguments_of, lent_of};
        frame = a->asked[function] = arena_new_of(a->arena, StackFrame);
        frame->ok = code_read(a->code, function, &frame->code);
        if (frame->ok)
            frame_analyse(a->arena, frame, a->image, a->objects, &callees);
    }
    return frame->ok ? frame : NULL;
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
 * them. What is known only gets worse from round to round. Returns whether functions lend objects
 * in the end. */
static bool analyse_frames(Analysis *a)
{
    size_t count = image_function_count(a->image);
    for (uint32_t f = 0; f < count; f++) {
        a->looked_at[f] = a->wanted.is[f] || (a->stored && stored_frame(a->stored, f));
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
    return !a->lends_nothing;
}

static int compare_entries(const void *a, const void *b)
{
    const LivenessEntry *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* Entries by address, ranges in the order of the entries. */
static LivenessTable *make_table(Analysis *a)
{
    if (a->entries.count)
        qsort(a->entries.at, a->entries.count, sizeof *a->entries.at, compare_entries);
    LivenessTable header = {LIVENESS_MAGIC, (uint32_t)a->entries.count, (uint32_t)a->ranges.count};
    LivenessTable *table = arena_alloc(a->arena, liveness_bytes(&header));
    *table = header;
    LivenessEntry *entries = (LivenessEntry *)(void *)(table + 1);
    LivenessRange *ranges = (LivenessRange *)(void *)(entries + header.entry_count);
    for (uint32_t i = 0, at = 0; i < header.entry_count; i++) {
        entries[i] = a->entries.at[i];
        for (uint32_t k = 0; k < entries[i].range_count; k++)
            ranges[at + k] = a->ranges.at[entries[i].first_range + k];
        entries[i].first_range = at;
        at += entries[i].range_count;
    }
    return table;
}

/* Adds the entries of the stored functions that threads can come to. */
static void add_stored(Analysis *a)
{
    size_t count = image_function_count(a->image);
    bool *seeds = arena_array_of(a->arena, bool, count + 1);
    for (uint32_t f = 0; f < count; f++)
        seeds[f] = a->wanted.reaches[f] && a->wanted.called[f];
    for (size_t i = 0; i < a->frames.count; i++)
        for (size_t k = 0; k < a->frames.at[i].code.code.count; k++) {
            uint32_t f = a->frames.at[i].code.code.at[k].callee;
            if (f != IMAGE_NO_FUNCTION && stored_frame(a->stored, f))
                seeds[f] = true;
        }
    const bool *included = stored_include(a->arena, a->stored, seeds);
    for (uint32_t i = 0; i < a->stored->frame_count; i++) {
        const StoredFrame *frame = &a->stored->frames[i];
        for (uint32_t e = 0; e < frame->entry_count && included[i]; e++) {
            LivenessEntry entry = a->stored->entries[frame->first_entry + e];
            const LivenessRange *ranges = &a->stored->ranges[entry.first_range];
            entry.address += a->stored->base;
            entry.first_range = (uint32_t)a->ranges.count;
            for (uint32_t k = 0; k < entry.range_count; k++)
                vec_push(&a->ranges, ranges[k]);
            vec_push(&a->entries, entry);
        }
    }
}

static void analysis_begin(Analysis *a)
{
    size_t count = image_function_count(a->image);
    a->frame_of = arena_array_of(a->arena, int32_t, count + 1);
    a->looked_at = arena_array_of(a->arena, bool, count + 1);
    a->analysed = arena_array_of(a->arena, uint32_t, count + 1);
    a->changed = arena_array_of(a->arena, uint32_t, count + 1);
    a->asked = arena_array_of(a->arena, StackFrame *, count + 1);
    a->code = code_reader_new(a->arena, a->image);
    a->objects = objects_new(a->arena, a->image);
    a->wanted = wanted_find(a->arena, a->image, a->code, a->stored);
}

static void analysis_end(Analysis *a)
{
    for (size_t i = 0; i < a->frames.count; i++)
        frame_free(&a->frames.at[i]);
    for (size_t f = 0; f < image_function_count(a->image); f++)
        if (a->asked[f])
            frame_free(a->asked[f]);
    vec_free(&a->frames);
    vec_free(&a->first_entry);
    vec_free(&a->entries);
    vec_free(&a->ranges);
    objects_free(a->objects);
    code_reader_free(a->code);
}

static void add_all_entries(Analysis *a)
{
    for (size_t i = 0; i < a->frames.count; i++)
        LOG(LOG_DEBUG, "%s: %s, stack arguments %d, arguments kept %x%s%s",
            image_functions(a->image)[a->frames.at[i].code.function].name,
            a->frames.at[i].ok ? "understood" : "not understood", a->frames.at[i].arguments,
            (unsigned)a->frames.at[i].lent.kept, a->frames.at[i].all_escaped ? ", all escaped" : "",
            a->frames.at[i].code.has_handlers ? ", has handlers" : "");
    a->idle = idle_new(a->arena, a->image, a, analysed_frame);
    for (size_t i = 0; i < a->frames.count; i++) {
        vec_push(&a->first_entry, (uint32_t)a->entries.count);
        if (a->frames.at[i].ok)
            add_entries(a, &a->frames.at[i]);
    }
    vec_push(&a->first_entry, (uint32_t)a->entries.count);
}

/* Analyses an image, with what is stored of the runtime or NULL. False if that does not tell what
 * has to be known of this program. */
static bool analyse(Arena *arena, Image *image, const Stored *stored, LivenessTable **out)
{
    Analysis a = {.arena = arena, .image = image, .stored = stored};
    bool performs;
    analysis_begin(&a);
    bool lends = analyse_frames(&a);
    a.leaves_vectors = performed_find_others(arena, image, a.frames.at, a.frames.count, &performs);
    bool fine = !stored || (lends && !performs);
    if (fine) {
        add_all_entries(&a);
        if (stored)
            add_stored(&a);
        add_performer(&a);
        *out = make_table(&a);
    }
    analysis_end(&a);
    return fine;
}

bool liveness_analyse(Arena *arena, const char *path, LivenessTable **out, Error *error)
{
    Image *image;
    if (!image_open(arena, path, &image, error))
        return false;
    const Stored *stored = stored_find(arena, image);
    if (!stored || !analyse(arena, image, stored, out)) {
        LOG(LOG_INFO, "what is stored of the runtime does not fit: all is computed");
        (void)analyse(arena, image, NULL, out);
    }
    image_close(image);
    return true;
}

bool liveness_store(Arena *arena, const char *path, const char *to, Error *error)
{
    Analysis a = {.arena = arena};
    if (!image_open(arena, path, &a.image, error))
        return false;
    analysis_begin(&a);
    const bool *closed = stored_choose(arena, a.image, &a.wanted);
    bool performs, fine = analyse_frames(&a);
    a.leaves_vectors =
        performed_find_others(arena, a.image, a.frames.at, a.frames.count, &performs);
    if (!fine || performs) {
        fine = error_set(error, "%s: the runtime's functions can't be analysed alone", path);
    } else {
        add_all_entries(&a);
        StoredInput input = {closed,           &a.wanted,    a.frames.at, a.frames.count,
                             a.first_entry.at, a.entries.at, a.ranges.at, a.ranges.count};
        fine = stored_write(arena, a.image, &input, to, error);
    }
    analysis_end(&a);
    image_close(a.image);
    return fine;
}
