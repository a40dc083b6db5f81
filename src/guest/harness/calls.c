#include "guest/harness/calls.h"
#include "guest/explore/memory/plain.h"
#include "guest/explore/search/ops.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/hash.h"
#include "guest/harness/check/declared.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/models/model.h"
#include "guest/runtime/fiber.h"
#include "guest/explore/memory/heap.h"

typedef struct Open { /* a call that has not ended */
    uint16_t signature;
    uint16_t number; /* of its marks */
} Open;
typedef struct ThreadCalls { /* written through op_set: taken back on backtracking */
    uint32_t depth, count;
    Open open[CALLS_DEEP];
} ThreadCalls;
typedef struct Object {
    const volatile void *address; /* NULL: it has a name */
    Value name;
} Object;
typedef struct Identity {
    uint32_t signature, path;
} Identity;
typedef struct Gate {
    uint32_t word;
    uint32_t spare[15];
} Gate;

/* The calls of the threads in the present graph; `numbers` are the same in all executions. */
typedef struct Noted {
    Values *values;
    ThreadCalls *of_thread;
    Gate *gates;
    bool use_gates;
    Object objects[CALLS_OBJECTS];
    uint32_t object_count;
    uint32_t paths[MAX_THREADS];
    int8_t number_of[CALLS_MOST]; /* number of a mark -> operation of a history, or -1 */
    char problem[512];
} Noted;
static Noted noted;
static struct { /* numbers that are the same in all executions */
    Vec(CallSignature) signatures;
    HashMap signature_index; /* word of its contents as an array -> number + 1 */
    Vec(Identity) identities;
    HashMap identity_index; /* word of its contents -> number + 1 */
    HashMap identity_cache; /* signature, thread, owner of the object -> number + 1 */
    HashMap path_index;     /* parent's path, number of the child -> path */
    uint32_t path_count;
} numbers = {.path_count = 1};

/* ---- what is wrong ---- */

void calls_complain(const char *file, int line, const char *format, ...)
{
    Error error = {0};
    va_list arguments;
    char message[400];
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_at(&error, file, line, 0, "%s", message);
    error_text(&error, noted.problem, sizeof noted.problem);
    op_unsupported("%s", noted.problem);
}

bool calls_complained(OutcomeMessage *outcome)
{
    if (finding.kind != FINDING_UNSUPPORTED || !noted.problem[0] ||
        strcmp(finding.message, noted.problem) != 0)
        return false;
    outcome->input_error = 1;
    outcome_say(outcome, OUTCOME_reason, "%s", noted.problem);
    return true;
}

/* ---- begin and end, in the program's threads ---- */

/* "queue" of "&queue", "jobs" of "\"jobs\"". */
static void name_object(const char *expression, char *name, size_t bytes)
{
    while (*expression && strchr("&( \"", *expression))
        expression++;
    size_t length = strlen(expression);
    while (length && strchr(") \"", expression[length - 1]))
        length--;
    snprintf(name, bytes, "%.*s", (int)length, expression);
}

static uint32_t find_object(const MarksBegin *begin)
{
    Object wanted = {.address = begin->object, .name = VALUE_NONE};
    if (begin->expression[0] == '"')
        wanted = (Object){
            NULL, value_string(noted.values, str_of((const char *)(uintptr_t)begin->object))};
    else if (!begin->object)
        calls_complain(begin->file, begin->line,
                       "HD_BEGIN(%s, ...): the object is a null pointer; objects are told apart by "
                       "their addresses",
                       begin->expression);
    for (uint32_t i = 0; i < noted.object_count; i++)
        if (noted.objects[i].address == wanted.address &&
            value_equal(noted.objects[i].name, wanted.name))
            return i;
    if (noted.object_count == CALLS_OBJECTS)
        calls_complain(begin->file, begin->line,
                       "calls on more than %u objects are marked; mark those of one or a few",
                       CALLS_OBJECTS);
    noted.objects[noted.object_count] = wanted;
    return noted.object_count++;
}

static uint32_t find_signature(const MarksBegin *begin)
{
    if (begin->count > MARKS_ARGUMENTS)
        calls_complain(begin->file, begin->line,
                       "HD_BEGIN has %d arguments for the call, at most %d are possible",
                       begin->count, MARKS_ARGUMENTS);
    CallSignature fresh = {.object = find_object(begin),
                           .name = value_string(noted.values, str_of(begin->name)),
                           .count = (uint16_t)begin->count,
                           .file = begin->file,
                           .line = begin->line};
    name_object(begin->expression, fresh.object_name, sizeof fresh.object_name);
    Value items[MARKS_ARGUMENTS + 3] = {value_int(noted.values, fresh.object), fresh.name,
                                        value_string(noted.values, str_of(fresh.object_name))};
    for (int i = 0; i < begin->count; i++)
        items[3 + i] = fresh.arguments[i] = declared_value(noted.values, &begin->arguments[i]);
    bool absent;
    uint64_t *slot =
        hashmap_put(&numbers.signature_index,
                    value_array(noted.values, items, 3 + (size_t)begin->count).word, &absent);
    if (!absent)
        return (uint32_t)*slot - 1;
    if (numbers.signatures.count == UINT16_MAX)
        calls_complain(begin->file, begin->line, "more than %d different calls are marked",
                       UINT16_MAX);
    Buffer text = {0};
    buffer_printf(&text, "%s(", begin->name);
    for (int i = 0; i < begin->count; i++) {
        if (i)
            buffer_printf(&text, ", ");
        value_print(noted.values, fresh.arguments[i], &text);
    }
    buffer_printf(&text, ")");
    snprintf(fresh.text, sizeof fresh.text, "%.*s", STR_ARG(buffer_str(&text)));
    vec_free(&text);
    vec_push(&numbers.signatures, fresh);
    *slot = numbers.signatures.count;
    return (uint32_t)numbers.signatures.count - 1;
}

static void on_begin(const MarksBegin *begin, const void *pc)
{
    ThreadCalls *mine = &noted.of_thread[op_self()];
    uint32_t number = find_signature(begin);
    const CallSignature *signature = &numbers.signatures.at[number];
    for (uint32_t i = 0; i < mine->depth; i++) {
        const CallSignature *outer = &numbers.signatures.at[mine->open[i].signature];
        if (outer->object == signature->object)
            calls_complain(begin->file, begin->line,
                           "%s begins inside of %s on the same object, which began at %s:%d; end "
                           "that one first (on every way out, exceptions too), or mark only one of "
                           "the two",
                           signature->text, outer->text, outer->file, outer->line);
    }
    if (mine->depth == CALLS_DEEP)
        calls_complain(begin->file, begin->line, "more than %u calls inside each other",
                       CALLS_DEEP);
    if (mine->count == CALLS_OF_THREAD)
        calls_complain(begin->file, begin->line,
                       "a thread makes more than %u marked calls in one execution; a history of "
                       "that length can't be judged: make fewer",
                       CALLS_OF_THREAD);
    uint32_t mark = op_self() * CALLS_OF_THREAD + mine->count;
    if (noted.use_gates)
        op_await(&noted.gates[signature->object].word, 4, AWAIT_EQ, 0, RMW_EXCHANGE, op_self() + 1,
                 ORDER_ACQUIRE, pc, "call", "alone");
    op_mark(mark, false, number, pc);
    op_set(mine->open[mine->depth], ((Open){(uint16_t)number, (uint16_t)mark}));
    op_set(mine->depth, mine->depth + 1);
    op_set(mine->count, mine->count + 1);
}

static void on_end(const HdValue *result, const char *file, int line, const void *pc)
{
    ThreadCalls *mine = &noted.of_thread[op_self()];
    if (!mine->depth)
        calls_complain(file, line,
                       "HD_END without HD_BEGIN: no call is open in this thread; a call ends in "
                       "the thread in which it began, once");
    const Open *open = &mine->open[mine->depth - 1];
    uint32_t object = numbers.signatures.at[open->signature].object;
    op_mark(open->number, true, declared_value(noted.values, result).word, pc);
    op_set(mine->depth, mine->depth - 1);
    if (noted.use_gates)
        op_store(&noted.gates[object].word, 4, 0, ORDER_RELEASE, pc);
}

void calls_setup(Values *table)
{
    noted.values = table;
    noted.of_thread = op_permanent(sizeof(ThreadCalls) * MAX_THREADS);
    noted.gates = op_permanent(sizeof(Gate) * CALLS_OBJECTS);
    marks_on_begin = on_begin;
    marks_on_end = on_end;
}

void calls_use_gates(bool wanted)
{
    noted.use_gates = wanted;
}

bool calls_any(void)
{
    return numbers.signatures.count != 0;
}

bool calls_at_gate(int thread)
{
    const Event *last = threads[thread].count ? last_event(thread) : NULL;
    return last && last->kind == EVENT_READ && last->waits == WAITS_BLOCKED &&
           (uintptr_t)locations[last->location].address - (uintptr_t)noted.gates <
               sizeof(Gate) * CALLS_OBJECTS;
}

/* ---- the same thread, object and call in other executions ---- */

static uint32_t find_path(uint32_t parent, uint32_t child)
{
    bool absent;
    uint64_t *slot = hashmap_put(&numbers.path_index, (uint64_t)parent << 32 | child, &absent);
    if (absent)
        *slot = numbers.path_count++;
    return (uint32_t)*slot;
}

static void find_paths(const uint32_t *child_number)
{
    /* a thread may have a lower number than the one that created it */
    ThreadSet known = 1, left = threads_created & ~known;
    noted.paths[0] = 0;
    while (left)
        for (ThreadSet rest = left; rest; rest &= rest - 1) {
            int t = thread_first(rest), parent = pool[threads[t].create].thread;
            if (!(known >> parent & 1))
                continue;
            noted.paths[t] = find_path(noted.paths[parent], child_number[t]);
            known |= thread_bit(t);
            left &= ~thread_bit(t);
        }
}

/* The thread that an address on a stack or heap belongs to; -1: memory that is always there. */
static int owner_of(const Object *object)
{
    const void *address = (const void *)(uintptr_t)object->address;
    if (!address)
        return -1;
    if (in_heap(address)) {
        uint64_t region = ((uintptr_t)address - HEAP_BASE) / HEAP_SLOT;
        return region < MAX_THREADS ? (int)region : -1;
    }
    return fiber_of_stack(address);
}

static uint32_t find_identity(uint32_t number, int thread)
{
    const CallSignature *signature = &numbers.signatures.at[number];
    const Object *object = &noted.objects[signature->object];
    int owner = owner_of(object);
    uint32_t owner_path = owner < 0 ? 0 : noted.paths[owner] + 1;
    bool absent;
    uint64_t *cached = hashmap_put(
        &numbers.identity_cache,
        (uint64_t)number << 48 | (uint64_t)noted.paths[thread] << 24 | owner_path, &absent);
    if (!absent)
        return (uint32_t)*cached - 1;
    uintptr_t place = (uintptr_t)object->address;
    if (owner >= 0)
        place -= in_heap((const void *)place) ? HEAP_BASE + (uintptr_t)owner * HEAP_SLOT
                                              : STACK_BASE + (uintptr_t)owner * STACK_SLOT;
    Value items[6 + MARKS_ARGUMENTS] = {
        object->name,
        value_int(noted.values, (int64_t)place),
        value_int(noted.values, owner_path),
        value_bool(owner >= 0 && in_heap((const void *)(uintptr_t)object->address)),
        value_int(noted.values, noted.paths[thread]),
        signature->name};
    memcpy(items + 6, signature->arguments, sizeof(Value) * signature->count);
    uint64_t word = value_array(noted.values, items, 6u + signature->count).word;
    uint64_t *slot = hashmap_put(&numbers.identity_index, word, &absent);
    if (absent) {
        if (numbers.identities.count == UINT16_MAX)
            calls_complain(signature->file, signature->line,
                           "more than %d different calls are made", UINT16_MAX);
        vec_push(&numbers.identities, (Identity){number, noted.paths[thread]});
        *slot = numbers.identities.count;
    }
    *cached = *slot;
    return (uint32_t)*slot - 1;
}

/* ---- the present graph ---- */

void calls_check_ends(const GraphCalls *calls)
{
    for (uint32_t i = 0; i < calls->count; i++) {
        const CallSignature *signature = &numbers.signatures.at[calls->at[i].signature];
        if (!calls->at[i].returned && (threads_ended >> calls->at[i].thread & 1))
            calls_complain(signature->file, signature->line,
                           "%s begins here and its thread ends without HD_END: a call must end on "
                           "every way out",
                           signature->text);
    }
}

/* Two objects that are called alike get numbers, in the order of the list. */
static void name_objects(GraphCalls *calls)
{
    for (uint32_t o = 0; o < calls->object_count; o++) {
        GraphObject *object = &calls->objects[o];
        const char *name = numbers.signatures.at[calls->at[object->first].signature].object_name;
        int earlier = 0, all = 0;
        for (uint32_t p = 0; p < calls->object_count; p++) {
            const GraphCall *other = &calls->at[calls->objects[p].first];
            bool alike = !strcmp(numbers.signatures.at[other->signature].object_name, name);
            all += alike;
            earlier += alike && p < o;
        }
        object->name[0] = 0;
        if (all > 1)
            snprintf(object->name, sizeof object->name, "%s#%d", name, earlier + 1);
        else if (calls->object_count > 1)
            snprintf(object->name, sizeof object->name, "%s", name);
    }
}

void calls_collect(GraphCalls *calls)
{
    static GraphCall found[MAX_THREADS][CALLS_OF_THREAD];
    uint32_t count[MAX_THREADS] = {0}, children[MAX_THREADS] = {0}, child_number[MAX_THREADS];
    for (int i = 0; i < order_count; i++) {
        const Event *e = &pool[order[i]];
        if (e->kind == EVENT_CREATE)
            child_number[e->other] = children[e->thread]++;
        if (e->kind != EVENT_MARK)
            continue;
        uint32_t k = e->other % CALLS_OF_THREAD;
        GraphCall *call = &found[e->thread][k];
        if (e->test) {
            call->returned = true;
            call->ret = order[i];
            call->word = e->value;
        } else {
            *call = (GraphCall){.signature = (uint16_t)e->value,
                                .thread = e->thread,
                                .call = order[i],
                                .word = VALUE_UNKNOWN.word};
            count[e->thread] = k + 1;
        }
    }
    find_paths(child_number);
    calls->count = calls->object_count = 0;
    uint64_t done = 0; /* objects */
    for (uint32_t t = 0; t < MAX_THREADS; t++)
        for (uint32_t i = 0; i < count[t]; i++) {
            uint32_t object = numbers.signatures.at[found[t][i].signature].object;
            if (done >> object & 1)
                continue;
            done |= (uint64_t)1 << object;
            GraphObject *to = &calls->objects[calls->object_count++];
            to->first = calls->count;
            for (uint32_t u = t; u < MAX_THREADS; u++)
                for (uint32_t j = 0; j < count[u]; j++) {
                    GraphCall *call = &found[u][j];
                    if (numbers.signatures.at[call->signature].object != object)
                        continue;
                    call->identity = (uint16_t)find_identity(call->signature, (int)u);
                    calls->at[calls->count++] = *call;
                }
            to->count = calls->count - to->first;
        }
    name_objects(calls);
}

void calls_history(const GraphCalls *calls, const GraphObject *object, GraphHistory *history)
{
    const GraphCall *list = &calls->at[object->first];
    if (object->count > REALTIME_MOST) {
        const CallSignature *last = &numbers.signatures.at[list[object->count - 1].signature];
        calls_complain(last->file, last->line,
                       "an execution has %u calls on %s, at most %u can be judged: make fewer",
                       object->count, last->object_name, REALTIME_MOST);
    }
    memset(noted.number_of, -1, sizeof noted.number_of);
    *history = (GraphHistory){.count = object->count, .numbers = noted.number_of};
    for (uint32_t k = 0; k < object->count; k++) {
        history->called |= 1u << k;
        history->call[k] = list[k].call;
        history->ret[k] = list[k].ret;
        history->word[k] = list[k].word;
        history->identity[k] = list[k].identity;
        if (list[k].returned)
            history->returned |= 1u << k;
        noted.number_of[pool[list[k].call].other] = (int8_t)k;
    }
    graph_history_order(history);
}

/* Was thread U created, by whatever way, between events FIRST and LAST of thread T? */
static bool created_within(int u, int t, int first, int last)
{
    for (; u; u = pool[threads[u].create].thread) {
        const Event *create = &pool[threads[u].create];
        if (create->thread == t && create->index >= first && create->index <= last)
            return true;
    }
    return false;
}

/* Something comes between if it comes after the beginning and before the end in po U rf U co U fr.
 * That is time under sc. Under the other models an execution whose accesses are not in the order of
 * any time may be refused although its calls are atomic: one run less is known. */
bool calls_is_atomic(const GraphCall *call)
{
    const Event *first = &pool[call->call];
    int t = call->thread;
    const Event *last = call->returned ? &pool[call->ret] : last_event(t);
    int after[MAX_THREADS], from_there[MAX_THREADS];
    model_sc_reach(first, after);
    for (ThreadSet left = threads_created & ~thread_bit(t); left; left &= left - 1) {
        int u = thread_first(left);
        if (after[u] >= threads[u].count || created_within(u, t, first->index, last->index))
            continue;
        model_sc_reach_from(u, after[u], from_there);
        if (from_there[t] <= last->index)
            return false;
    }
    return true;
}

/* ---- words ---- */

const CallSignature *calls_signature(uint32_t signature)
{
    return &numbers.signatures.at[signature];
}

void calls_print(const GraphObject *object, const GraphCall *call, Buffer *out)
{
    buffer_printf(out, "%s%s%s", object->name, object->name[0] ? "." : "",
                  numbers.signatures.at[call->signature].text);
}

void calls_print_identity(uint32_t identity, Buffer *out)
{
    const CallSignature *signature =
        &numbers.signatures.at[numbers.identities.at[identity].signature];
    if (noted.object_count > 1)
        buffer_printf(out, "%s.", signature->object_name);
    buffer_printf(out, "%s", signature->text);
}

static void refuse_mark(const MarksBegin *begin, const void *pc)
{
    (void)pc;
    calls_complain(begin->file, begin->line,
                   "HD_BEGIN inside of a test with declared operations (HD_OP): an operation is a "
                   "call by itself; leave the marks to programs that declare none");
}

void calls_refuse(void)
{
    marks_on_begin = refuse_mark;
}
