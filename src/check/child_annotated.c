/* child_annotated.c: the entry points that instrumented methods call (heddle_annotated.h).
 *
 * What is noted is part of the thread's state: confirmed ordering points and calls count when the explorer
 * asks whether a thread has gone round a loop for nothing (explore/waiting.h), so no round that leaves a trace
 * in a history is ever dropped. A potential point is not: it is the *last* event with its label, a later round
 * replaces it, and an execution without the earlier rounds has the same. */
#include <stdio.h>
#include <string.h>
#include "check/annotated.h"
#include "check/evidence.h"
#include "explore/graph.h"
#include "explore/undo.h"
#include "runtime/fiber.h"
#include "runtime/guest.h"
#include "runtime/heap.h"

GUEST void heddle__method_begin(HeddleFrame *frame);
GUEST void heddle__method_end(HeddleFrame *frame);
GUEST void heddle__ordering_point(unsigned number);
extern const HeddleAnnotations heddle__annotations __attribute__((weak, visibility("default")));

AnnotatedThread *annotated_threads;
#define NO_CALL UINT32_MAX
#define MARK_NUMBER(thread, call) ((unsigned)(thread) << 16 | (call))

const HeddleAnnotations *annotated_table(void)
{
    return &heddle__annotations;
}

static AnnotatedCall *call_of_mark(unsigned number, AnnotatedThread **thread)
{
    *thread = &annotated_threads[number >> 16];
    return &(*thread)->calls[number & 0xffff];
}

static void mark_words(unsigned number, bool returns, uint64_t word UNUSED, char *text, size_t bytes)
{
    AnnotatedThread *thread;
    AnnotatedCall call = *call_of_mark(number, &thread);
    Buffer out = {0};
    if (!returns)
        call.end = 0;
    annotated_print_call(thread, &call, &out);
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
static void write_note(uint16_t *to, uint16_t value)
{
    undo_save(to, sizeof *to);
    undo_log[undo_count - 1].kind = LOG_NOTE;
    *to = value;
}

/* Can BYTES at ADDRESS be read without a crash? An argument may point anywhere. */
static bool is_readable(const char *address, size_t bytes)
{
    extern char __executable_start[], end[]; /* of the linker: the program's image */
    if (in_heap(address))
        return in_heap(address + bytes) && heap_block_of(address);
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

void heddle__method_begin(HeddleFrame *frame)
{
    frame->call = NO_CALL;
    if (!op_active() || !annotated_threads)
        return;
    AnnotatedThread *self = &annotated_threads[op_self()];
    const HeddleMethod *method = frame->method;
    uint32_t k = self->count;
    if (k == ANNOTATED_CALLS)
        op_unsupported("thread %u makes more than %u calls of annotated methods", op_self(),
                       ANNOTATED_CALLS);
    AnnotatedCall call = {.method = method, .begin = (uint16_t)threads[op_self()].count,
                          .outer = (uint16_t)self->open, .cleared = (uint16_t)self->point_count,
                          .data = self->data_used, .data_bytes = (uint32_t)method->bytes};
    if (method->object >= 0)
        call.object = field_word(&method->fields[method->object], frame->arguments);
    if (self->data_used + method->bytes > ANNOTATED_BYTES)
        op_unsupported("the arguments of thread %u's calls need more than %u bytes", op_self(),
                       ANNOTATED_BYTES);
    frame->call = k;
    op_write(&self->calls[k], &call, sizeof call);
    op_write(self->data + call.data, frame->arguments, method->bytes);
    uint32_t head[4] = {k + 1, k + 1, self->point_count,
                        self->data_used + (uint32_t)((method->bytes + 15) & ~15ul)};
    op_write(&self->count, head, sizeof head);
    op_mark(MARK_NUMBER(op_self(), k), false, 0, GUEST_PC);
}

/* What the arguments point to, behind the arguments: address, size, bytes of each. */
static void note_pointees(AnnotatedThread *self, AnnotatedCall *call)
{
    const HeddleMethod *method = call->method;
    uint32_t used = self->data_used;
    for (unsigned i = 0; i < method->field_count; i++) {
        const HeddleField *field = &method->fields[i];
        uint64_t head[2] = {field_word(field, self->data + call->data), field->pointee};
        const char *from = (const char *)(uintptr_t)head[0];
        if (!field->pointee || !is_readable(from, field->pointee))
            continue;
        if (used + sizeof head + field->pointee > ANNOTATED_BYTES)
            op_unsupported("the arguments of thread %u's calls need more than %u bytes", op_self(),
                           ANNOTATED_BYTES);
        op_write(self->data + used, head, sizeof head);
        op_write(self->data + used + sizeof head, from, field->pointee);
        used += (uint32_t)(sizeof head + ((field->pointee + 15u) & ~15u));
    }
    op_set(call->data_bytes, used - call->data);
    op_set(self->data_used, used);
}

void heddle__method_end(HeddleFrame *frame)
{
    if (frame->call == NO_CALL || !op_active())
        return;
    AnnotatedThread *self = &annotated_threads[op_self()];
    AnnotatedCall *call = &self->calls[frame->call];
    /* the frame's block may hold other arguments by now only if the program changed it */
    op_write(self->data + call->data, frame->arguments, call->method->bytes);
    if (call->data + ((call->method->bytes + 15) & ~15ul) != self->data_used) {
        /* calls inside this one have put theirs behind: move to the end */
        uint32_t at = self->data_used;
        if (at + call->method->bytes > ANNOTATED_BYTES)
            op_unsupported("the arguments of thread %u's calls need more than %u bytes", op_self(),
                           ANNOTATED_BYTES);
        op_write(self->data + at, frame->arguments, call->method->bytes);
        op_set(call->data, at);
        op_set(self->data_used, at + (uint32_t)((call->method->bytes + 15) & ~15ul));
    }
    note_pointees(self, call);
    op_set(call->end, (uint16_t)threads[op_self()].count);
    op_set(self->open, (uint32_t)call->outer);
    op_mark(MARK_NUMBER(op_self(), frame->call), true, 0, GUEST_PC);
}

/* ---- ordering points ---- */

/* The thread's last atomic access: a fence is no ordering point, a plain access neither. */
static int last_access(int t)
{
    for (int i = threads[t].count - 1; i >= 0; i--) {
        const Event *e = thread_event(t, i);
        if (IS_ACCESS(e->kind) && e->plain != 1)
            return i;
    }
    return -1;
}

static void confirm(AnnotatedThread *self, unsigned number, int label, int event)
{
    const HeddleAnnotations *table = annotated_table();
    for (uint32_t k = self->open; k; k = self->calls[k - 1].outer) {
        AnnotatedCall *call = &self->calls[k - 1];
        if (!(table->methods[call->method->number].labels >> label & 1) || event <= call->begin)
            continue;
        bool known = false;
        for (uint32_t p = call->cleared; p < self->point_count; p++)
            known |= self->points[p].call == k - 1 && self->points[p].event == event;
        if (known)
            continue;
        if (self->point_count == ANNOTATED_POINTS)
            op_unsupported("thread %u has more than %u ordering points", op_self(),
                           ANNOTATED_POINTS);
        AnnotatedPoint point = {(uint16_t)(k - 1), (uint16_t)event, (uint16_t)number, 0};
        op_write(&self->points[self->point_count], &point, sizeof point);
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
        /* those at the end go without a trace: a round that took its points back has left the state as it
         * was, and can be dropped */
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
            op_set(call->cleared, (uint16_t)self->point_count);
    }
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
        event = (int)self->potential[point->potential] - 1;
        if (event < 0)
            return; /* its potential point was not met: the call has one point less */
    } else if (event <= self->calls[self->open - 1].begin) {
        uint32_t outermost = self->open;
        while (self->calls[outermost - 1].outer)
            outermost = self->calls[outermost - 1].outer;
        if (event <= self->calls[outermost - 1].begin)
            op_violation(VIOLATION_NO_ORDERING_POINT, GUEST_PC,
                         "%s:%d: no atomic operation of this call stands before the ordering point "
                         "(a fence is none)",
                         point->file, point->line);
    }
    if (point->kind == HEDDLE_POINT_POTENTIAL)
        write_note(&self->potential[point->label], (uint16_t)(event + 1));
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
    const unsigned char *at = thread->data + call->data + ((call->method->bytes + 15) & ~15ul),
                        *limit = thread->data + call->data + call->data_bytes;
    uint64_t address = field_word(field, thread->data + call->data), head[2];
    for (; call->end && at < limit; at += sizeof head + ((head[1] + 15) & ~15ul)) {
        memcpy(head, at, sizeof head);
        if (head[0] == address && head[1] == field->pointee)
            return at + sizeof head;
    }
    return NULL;
}

void annotated_print_call(const AnnotatedThread *thread, const AnnotatedCall *call, Buffer *out)
{
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
            field->pointee && call->end ? pointee_of(thread, call, field) : NULL;
        bool follow = pointee && field->pointee_kind != HEDDLE_FIELD_OTHER;
        buffer_printf(out, "%s%s%s=", first ? "" : ", ", follow ? "*" : "", field->name);
        if (follow)
            print_value(field->pointee_kind, pointee, field->pointee, out);
        else
            print_value(field->kind, data + field->offset, field->bytes, out);
        first = false;
    }
    buffer_printf(out, ")");
    if (result && call->end) {
        buffer_printf(out, " = ");
        print_value(result->kind, data + result->offset, result->bytes, out);
    }
}
