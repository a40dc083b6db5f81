/* annotated.c: the entry points that instrumented methods call (heddle_annotated.h).
 *
 * What is noted is part of the thread's state: calls and ordering points, confirmed and potential,
 * count when the explorer asks whether a thread has gone round a loop for nothing
 * (guest/explore/reduce/waiting/waiting.h), so no round that leaves a trace in a history is ever
 * dropped. A point is known by what it accesses, not by its place in the thread: a later round that
 * reads the same write orders the same, and an execution without the rounds between has it earlier.
 * Nor is it state where in the thread a call stands.
 *
 * A client that calls until it succeeds (while (!try_get(q)) ;) may fail any number of times. A
 * call that reads the same writes as the one just before it, with the same arguments and result and
 * no event between, has its ordering points at the very same places, so in every history it can
 * stand beside that one: it is not noted, but the first is judged twice in a row
 * (harness/annotated_judge.c). Then the state after such a round is that before it, and the round
 * is dropped like one of any loop that waits. */
#include <stdio.h>
#include <string.h>
#include "guest/harness/annotated.h"
#include "guest/harness/evidence.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/search/ghost.h"
#include "guest/runtime/fiber.h"
#include "guest/entry/guest.h"
#include "guest/explore/memory/heap.h"

GUEST void heddle__method_begin(HeddleFrame *frame);
GUEST void heddle__method_end(HeddleFrame *frame);
GUEST void heddle__ordering_point(unsigned number);
extern const HeddleAnnotations heddle__annotations __attribute__((weak, visibility("default")));

AnnotatedThread *annotated_threads;
uint64_t annotated_too_early;
#define NO_CALL UINT32_MAX
#define ROUND(bytes) (((size_t)(bytes) + 15) & ~(size_t)15)
#define MARK_NUMBER(thread, call) ((unsigned)(thread) << 16 | (call))

const HeddleAnnotations *annotated_table(void)
{
    return &heddle__annotations;
}

/* WORD is the event where the call begins. */
static void mark_words(unsigned number, bool returns, uint64_t word, char *text, size_t bytes)
{
    const AnnotatedThread *thread = &annotated_threads[number >> 16];
    uint32_t k = number & 0xffff;
    if (thread->places[k].begin != (EventIndex)word && k > 0)
        k--; /* it repeated that one */
    Buffer out = {0};
    annotated_print_call(thread, k, returns, &out);
    snprintf(text, bytes, "%.*s", STR_ARG(buffer_str(&out)));
    vec_free(&out);
}

void annotated_setup(void)
{
    annotated_threads = op_permanent(sizeof(AnnotatedThread) * MAX_THREADS);
    evidence_mark_words = mark_words;
}

/* ---- notes ---- */

/* Taken back like any write, but no part of the thread's state. */
static void write_note(EventIndex *to, EventIndex value)
{
    undo_save(to, sizeof *to);
    undo_log[undo_count - 1].kind = LOG_NOTE;
    *to = value;
}

/* Words that are there already need no entry in the log. */
static void write_changed(void *to, const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 8) {
        size_t count = MIN(bytes - at, (size_t)8);
        if (memcmp((char *)to + at, (const char *)from + at, count))
            op_write((char *)to + at, (const char *)from + at, count);
    }
}

/* Can BYTES at ADDRESS be read without a crash? An argument may point anywhere. */
static bool is_readable(const char *address, size_t bytes)
{
    extern char __executable_start[], end[]; /* of the linker: the program's image */
    if (in_heap(address))
        return in_heap(address + bytes); /* all of it is mapped */
    int owner = fiber_of_stack(address);
    if (owner >= 0)
        return address >= fibers[owner].limit && address + bytes <= fibers[owner].base;
    return address >= __executable_start && address + bytes <= end;
}

static uint64_t field_word(const HeddleField *field, const void *arguments)
{
    uint64_t word = 0;
    memcpy(&word, (const char *)arguments + field->offset, MIN(field->bytes, 8u));
    return word;
}

static void check_room(size_t wanted)
{
    if (wanted > ANNOTATED_BYTES)
        op_unsupported("the arguments of thread %u's calls need more than %u bytes", op_self(),
                       ANNOTATED_BYTES);
}

void heddle__method_begin(HeddleFrame *frame)
{
    frame->call = NO_CALL;
    annotated_too_early += !op_active();
    if (!op_active() || !annotated_threads)
        return;
    AnnotatedThread *self = &annotated_threads[op_self()];
    const HeddleMethod *method = frame->method;
    uint32_t k = self->count;
    if (k == ANNOTATED_CALLS)
        op_unsupported("thread %u makes more than %u calls of annotated methods", op_self(),
                       ANNOTATED_CALLS);
    EventIndex begin = (EventIndex)threads[op_self()].count;
    AnnotatedCall call = {.method = method,
                          .outer = self->open,
                          .cleared = self->point_count,
                          .data = self->data_used,
                          .data_bytes = (uint32_t)method->bytes};
    if (method->object >= 0)
        call.object = field_word(&method->fields[method->object], frame->arguments);
    check_room(self->data_used + ROUND(method->bytes));
    frame->call = k;
    write_changed(&self->calls[k], &call, sizeof call);
    write_changed(self->data + call.data, frame->arguments, method->bytes);
    uint32_t head[4] = {k + 1, k + 1, self->point_count,
                        self->data_used + (uint32_t)ROUND(method->bytes)};
    write_changed(&self->count, head, sizeof head);
    write_note(&self->places[k].begin, begin);
    op_mark_lightly(MARK_NUMBER(op_self(), k), false, (unsigned)begin, GUEST_PC);
}

/* ---- the end of a call ---- */

/* The arguments and what they point to: address, size, bytes of each. At the end of what is
 * used. */
static void note_data(AnnotatedThread *self, AnnotatedCall *call, const void *arguments)
{
    const HeddleMethod *method = call->method;
    uint32_t at = call->data, used = at + (uint32_t)ROUND(method->bytes);
    if (used != self->data_used) { /* calls inside this one have put theirs behind its arguments */
        at = self->data_used;
        used = at + (uint32_t)ROUND(method->bytes);
    }
    check_room(used);
    write_changed(self->data + at, arguments, method->bytes);
    for (unsigned i = 0, count = 0; i < method->field_count; i++) {
        const HeddleField *field = &method->fields[i];
        uint64_t head[2] = {field_word(field, arguments), field->pointee};
        const char *from = (const char *)(uintptr_t)head[0];
        if (!field->pointee || !is_readable(from, field->pointee) ||
            count++ == HEDDLE_ANNOTATED_POINTEES)
            continue;
        check_room(used + sizeof head + field->pointee);
        write_changed(self->data + used, head, sizeof head);
        write_changed(self->data + used + sizeof head, from, field->pointee);
        used += (uint32_t)(sizeof head + ROUND(field->pointee));
    }
    uint32_t place[2] = {at, used - at};
    write_changed(&call->data, place, sizeof place);
    op_set(self->data_used, used);
}

static bool same_event(const Event *a, const Event *b)
{
    if (a->kind == EVENT_FENCE)
        return b->kind == EVENT_FENCE && a->order == b->order;
    return a->kind == EVENT_READ && b->kind == EVENT_READ && !a->rmw && !b->rmw &&
           a->location == b->location && a->rf == b->rf && a->pc == b->pc && a->order == b->order;
}

/* Is call K, which ends, the call before it once more? */
static bool is_repetition(const AnnotatedThread *self, uint32_t k)
{
    int t = (int)op_self();
    const AnnotatedCall *call = &self->calls[k], *last = call - 1;
    if (k == 0 || self->count != k + 1)
        return false;
    const AnnotatedPlace *here = &self->places[k], *there = here - 1;
    int events = threads[t].count - here->begin;
    if (!there->end || here->begin != there->end + 1 || there->end - there->begin != events ||
        last->method != call->method || last->outer != call->outer ||
        last->object != call->object || last->data_bytes != call->data_bytes ||
        memcmp(self->data + last->data, self->data + call->data, call->data_bytes))
        return false;
    for (int i = 1; i < events; i++)
        if (!same_event(thread_event(t, there->begin + i), thread_event(t, here->begin + i)))
            return false;
    uint32_t points = self->point_count - call->cleared;
    if (call->cleared - last->cleared != points)
        return false;
    for (uint32_t p = 0; p < points; p++) {
        uint32_t a = last->cleared + p, b = call->cleared + p;
        if (self->points[a].number != self->points[b].number ||
            self->events[a] - there->begin != self->events[b] - here->begin)
            return false;
    }
    return true;
}

/* Removes call K, as if it had never been. Memory behind what is used is always zero. */
static void forget_call(AnnotatedThread *self, uint32_t k)
{
    static const unsigned char zero[256];
    AnnotatedCall call = self->calls[k];
    for (uint32_t at = call.data; at < self->data_used; at += sizeof zero)
        write_changed(self->data + at, zero, MIN(self->data_used - at, sizeof zero));
    for (uint32_t p = call.cleared; p < self->point_count; p++)
        write_changed(&self->points[p], zero, sizeof(AnnotatedPoint));
    write_changed(&self->calls[k], zero, sizeof call);
    uint32_t head[4] = {k, call.outer, call.cleared, call.data};
    write_changed(&self->count, head, sizeof head);
    write_note(&self->places[k].begin, 0);
    write_note(&self->places[k - 1].repeated, 1);
}

void heddle__method_end(HeddleFrame *frame)
{
    if (frame->call == NO_CALL || !op_active())
        return;
    AnnotatedThread *self = &annotated_threads[op_self()];
    AnnotatedCall *call = &self->calls[frame->call];
    EventIndex begin = self->places[frame->call].begin;
    note_data(self, call, frame->arguments);
    if (is_repetition(self, frame->call)) {
        forget_call(self, frame->call);
    } else {
        write_note(&self->places[frame->call].end, (EventIndex)threads[op_self()].count);
        op_set(self->open, call->outer);
    }
    op_mark_lightly(MARK_NUMBER(op_self(), frame->call), true, (unsigned)begin, GUEST_PC);
}

/* ---- ordering points ---- */

/* The thread's last atomic access: a fence is no ordering point, a plain access neither. */
static int last_access(int t)
{
    for (int i = ghost_position(t); i >= 0; i--) {
        const Event *e = thread_event(t, i);
        if (IS_ACCESS(e->kind) && e->plain != 1)
            return i;
    }
    return -1;
}

/* Never 0. */
static uint64_t access_of(int t, int event)
{
    const Event *e = thread_event(t, event);
    bool writes = e->kind == EVENT_WRITE;
    return (uint64_t)e->location << 33 | (uint64_t)(writes ? event_id(e) : e->rf) << 1 | writes;
}

static void confirm(AnnotatedThread *self, unsigned number, int label, int event)
{
    const HeddleAnnotations *table = annotated_table();
    for (uint32_t k = self->open; k; k = self->calls[k - 1].outer) {
        AnnotatedCall *call = &self->calls[k - 1];
        if (!(table->methods[call->method->number].labels >> label & 1) ||
            event <= self->places[k - 1].begin)
            continue;
        bool known = false;
        for (uint32_t p = call->cleared; p < self->point_count; p++)
            known |= self->points[p].call == k - 1 && self->events[p] == event;
        if (known)
            continue;
        if (self->point_count == ANNOTATED_POINTS)
            op_unsupported("thread %u has more than %u ordering points", op_self(),
                           ANNOTATED_POINTS);
        AnnotatedPoint point = {k - 1, number, access_of((int)op_self(), event)};
        op_write(&self->points[self->point_count], &point, sizeof point);
        write_note(&self->events[self->point_count], (EventIndex)event);
        op_set(self->point_count, self->point_count + 1);
    }
}

static void clear(AnnotatedThread *self, int label)
{
    const HeddleAnnotations *table = annotated_table();
    bool named = false;
    for (unsigned m = 0; m < table->method_count; m++)
        named |= table->methods[m].labels >> label & 1;
    for (uint32_t k = self->open; k; k = self->calls[k - 1].outer) {
        AnnotatedCall *call = &self->calls[k - 1];
        if (named && !(table->methods[call->method->number].labels >> label & 1))
            continue;
        /* those at the end go without a trace: a round that took its points back has left the state
         * as it was, and can be dropped */
        static const AnnotatedPoint none;
        while (self->point_count > call->cleared &&
               self->points[self->point_count - 1].call == k - 1) {
            op_write(&self->points[self->point_count - 1], &none, sizeof none);
            op_set(self->point_count, self->point_count - 1);
        }
        bool any = false;
        for (uint32_t p = call->cleared; p < self->point_count; p++)
            any |= self->points[p].call == k - 1;
        if (any)
            op_set(call->cleared, self->point_count);
    }
}

static void note_potential(AnnotatedThread *self, int label, int event)
{
    op_set(self->potential[label], access_of((int)op_self(), event));
    write_note(&self->potential_event[label], (EventIndex)event);
}

void heddle__ordering_point(unsigned number)
{
    if (!op_active() || !annotated_threads)
        return;
    AnnotatedThread *self = &annotated_threads[op_self()];
    const HeddlePoint *point = &annotated_table()->points[number];
    if (!self->open)
        return; /* a function that methods and others call */
    if (point->kind == HEDDLE_POINT_CLEAR) {
        clear(self, point->label);
        return;
    }
    int event = last_access((int)op_self());
    if (point->kind == HEDDLE_POINT_CHECK) {
        if (!self->potential[point->potential])
            return; /* its potential point was not met: the call has one point less */
        event = self->potential_event[point->potential];
    } else if (event <= self->places[self->open - 1].begin) {
        uint32_t outermost = self->open;
        while (self->calls[outermost - 1].outer)
            outermost = self->calls[outermost - 1].outer;
        if (event <= self->places[outermost - 1].begin)
            op_violation(VIOLATION_NO_ORDERING_POINT, GUEST_PC,
                         "%s:%d: no atomic operation of this call stands before the ordering point "
                         "(a fence is none)",
                         point->file, point->line);
    }
    if (point->kind == HEDDLE_POINT_POTENTIAL)
        note_potential(self, point->label, event);
    else
        confirm(self, number, point->label, event);
}

/* ---- words ---- */

static void print_value(int kind, const void *at, unsigned bytes, Buffer *out)
{
    uint64_t word = 0;
    memcpy(&word, at, MIN(bytes, 8u));
    int64_t value = (int64_t)word;
    if (bytes < 8)
        value = (int64_t)(word << (64 - 8 * bytes)) >> (64 - 8 * bytes);
    double real = 0;
    float single = 0;
    switch (kind) {
    case HEDDLE_FIELD_SIGNED:
        buffer_printf(out, "%lld", (long long)value);
        break;
    case HEDDLE_FIELD_UNSIGNED:
        buffer_printf(out, "%llu", (unsigned long long)word);
        break;
    case HEDDLE_FIELD_BOOL:
        buffer_printf(out, "%s", word ? "true" : "false");
        break;
    case HEDDLE_FIELD_DOUBLE:
        memcpy(bytes == 4 ? (void *)&single : (void *)&real, at, bytes == 4 ? 4 : 8);
        buffer_printf(out, "%g", bytes == 4 ? (double)single : real);
        break;
    case HEDDLE_FIELD_POINTER:
        if (word)
            buffer_printf(out, "0x%llx", (unsigned long long)word);
        else
            buffer_printf(out, "NULL");
        break;
    default:
        buffer_printf(out, "{");
        for (unsigned i = 0; i < MIN(bytes, 8u); i++)
            buffer_printf(out, "%s%02x", i ? " " : "", ((const unsigned char *)at)[i]);
        buffer_printf(out, "%s}", bytes > 8 ? " ..." : "");
    }
}

/* The copy of what FIELD points to, or NULL. */
static const unsigned char *pointee_of(const AnnotatedThread *thread, const AnnotatedCall *call,
                                       const HeddleField *field)
{
    const unsigned char *at = thread->data + call->data + ROUND(call->method->bytes),
                        *limit = thread->data + call->data + call->data_bytes;
    uint64_t address = field_word(field, thread->data + call->data), head[2];
    for (; at < limit; at += sizeof head + ROUND(head[1])) {
        memcpy(head, at, sizeof head);
        if (head[0] == address && head[1] == field->pointee)
            return at + sizeof head;
    }
    return NULL;
}

void annotated_print_call(const AnnotatedThread *thread, uint32_t k, bool returned, Buffer *out)
{
    const AnnotatedCall *call = &thread->calls[k];
    returned = returned && thread->places[k].end;
    const HeddleMethod *method = call->method;
    const unsigned char *data = thread->data + call->data;
    buffer_printf(out, "%s(", annotated_table()->methods[method->number].name);
    bool first = true;
    const HeddleField *result = NULL;
    for (unsigned i = 0; i < method->field_count; i++) {
        const HeddleField *field = &method->fields[i];
        if (!field->name) {
            result = field;
            continue;
        }
        if ((int)i == method->object)
            continue;
        const unsigned char *pointee =
            field->pointee && returned ? pointee_of(thread, call, field) : NULL;
        bool follow = pointee && field->pointee_kind != HEDDLE_FIELD_OTHER;
        buffer_printf(out, "%s%s%s=", first ? "" : ", ", follow ? "*" : "", field->name);
        if (follow)
            print_value(field->pointee_kind, pointee, field->pointee, out);
        else
            print_value(field->kind, data + field->offset, field->bytes, out);
        first = false;
    }
    buffer_printf(out, ")");
    if (result && returned) {
        buffer_printf(out, " = ");
        print_value(result->kind, data + result->offset, result->bytes, out);
    }
}
