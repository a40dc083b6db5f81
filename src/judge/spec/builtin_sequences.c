/* Queues, stacks, deques, priority queues and bags: the state is the list of the values inside. */
#include "judge/spec/builtin.h"

static Value at(const uint64_t *state, size_t i)
{
    return (Value){state[i]};
}

static void emit_same(const uint64_t *state, size_t words, SpecSteps *steps, Value result)
{
    spec_emit(steps, state, words, result);
}

static void emit_insert(const uint64_t *state, size_t words, size_t place, Value value,
                        SpecSteps *steps)
{
    spec_emit_edit(steps, state, words, place, 0, &value.word, 1, SPEC_DONE);
}

static void emit_remove(const uint64_t *state, size_t words, size_t place, SpecSteps *steps)
{
    spec_emit_edit(steps, state, words, place, 1, NULL, 0, at(state, place));
}

static void emit_size(const Spec *spec, const uint64_t *state, size_t words, SpecSteps *steps)
{
    emit_same(state, words, steps, value_int(spec->values, (int64_t)words));
}

/* Taking one end: from an empty one there is nothing to give, or one waits. */
static void take(const uint64_t *state, size_t words, size_t place, bool waits, SpecSteps *steps)
{
    if (words)
        emit_remove(state, words, place, steps);
    else if (!waits)
        emit_same(state, words, steps, VALUE_NONE);
}

static void peek(const uint64_t *state, size_t words, size_t place, SpecSteps *steps)
{
    emit_same(state, words, steps, words ? at(state, place) : VALUE_NONE);
}

enum { SEQ_PUT, SEQ_TAKE, SEQ_WAIT, SEQ_PEEK, SEQ_SIZE, SEQ_EMPTY, SEQ_COUNT };
#define SEQ_TAIL                                                                                   \
    [SEQ_SIZE] = {"size|length|count|len", 0, 0, METHOD_READS | METHOD_WHOLE},                     \
    [SEQ_EMPTY] = {"isempty|is_empty|empty", 0, 0, METHOD_READS | METHOD_WHOLE | METHOD_EMPTY}

static const Method fifo_methods[SEQ_COUNT] = {
    [SEQ_PUT] = {"enq|enqueue|put|push|add|offer|insert|send|tryadd|tryenqueue|enq_min", 1, 1,
                 METHOD_STORES | METHOD_PUTS},
    [SEQ_TAKE] = {"deq|dequeue|get|pop|remove|poll|trytake|try_take|trydequeue|try_dequeue|try_deq|"
                  "recv|receive",
                  0, 0, METHOD_READS_EMPTY | METHOD_TAKES},
    [SEQ_WAIT] = {"take|wait_deq|deq_wait|wait_dequeue", 0, 0, METHOD_TAKES},
    [SEQ_PEEK] = {"peek|front|head|trypeek|try_peek", 0, 0, METHOD_READS},
    SEQ_TAIL};
static const Method lifo_methods[SEQ_COUNT] = {
    [SEQ_PUT] = {"push|put|add|insert", 1, 1, METHOD_STORES | METHOD_PUTS},
    [SEQ_TAKE] = {"pop|get|remove|trypop|try_pop|trytake|try_take", 0, 0,
                  METHOD_READS_EMPTY | METHOD_TAKES},
    [SEQ_WAIT] = {"take|wait_pop|pop_wait", 0, 0, METHOD_TAKES},
    [SEQ_PEEK] = {"peek|top|trypeek|try_peek", 0, 0, METHOD_READS},
    SEQ_TAIL};
static const Method priority_methods[SEQ_COUNT] = {
    [SEQ_PUT] = {"insert|add|enq|enqueue|put|push|offer", 1, 1, METHOD_STORES | METHOD_PUTS},
    [SEQ_TAKE] = {"deqmin|deq_min|deletemin|delete_min|delmin|extractmin|extract_min|removemin|"
                  "remove_min|deq|dequeue|pop|poll|remove|get|trytake|try_take",
                  0, 0, METHOD_READS_EMPTY | METHOD_TAKES},
    [SEQ_WAIT] = {"take|wait_deq|deq_wait", 0, 0, METHOD_TAKES},
    [SEQ_PEEK] = {"peek|min|top|front|findmin|find_min", 0, 0, METHOD_READS},
    SEQ_TAIL};
static const Method bag_methods[SEQ_COUNT] = {
    [SEQ_PUT] = {"add|put|insert|push|enq|enqueue|tryadd", 1, 1, METHOD_STORES | METHOD_PUTS},
    [SEQ_TAKE] = {"trytake|try_take|remove|pop|deq|dequeue|get|poll", 0, 0,
                  METHOD_READS_EMPTY | METHOD_TAKES},
    [SEQ_WAIT] = {"take|wait_take|take_wait", 0, 0, METHOD_TAKES},
    [SEQ_PEEK] = {"peek|trypeek|try_peek", 0, 0, METHOD_READS},
    SEQ_TAIL};

/* The number of elements is from LEAST on, to MOST. */
static void observe(SpecFacts *facts, int64_t least, int64_t most)
{
    facts->observes = true;
    facts->least = least;
    facts->most = most;
}

enum { KIND_PUT, KIND_TAKE, KIND_PEEK, KIND_SIZE, KIND_EMPTY };
static bool container_facts(const Spec *spec, const SpecCall *call, int kind, SpecFacts *facts)
{
    bool pending = call->result.word == VALUE_UNKNOWN.word;
    bool nothing = !pending && value_means_empty(spec->values, call->result);
    facts->place = VALUE_UNKNOWN;
    switch (kind) {
    case KIND_PUT:
        if (!spec_result_fits(spec, call, SPEC_DONE))
            return false;
        facts->least_change = facts->most_change = 1;
        facts->puts = true;
        facts->put = call->arguments[0];
        break;
    case KIND_TAKE:
    case KIND_PEEK:
        if (kind == KIND_TAKE && !nothing)
            facts->least_change = facts->most_change = -1;
        facts->sees = !pending && !nothing;
        facts->takes = facts->sees && kind == KIND_TAKE;
        facts->seen = call->result;
        if (nothing)
            observe(facts, 0, 0);
        else if (!pending)
            observe(facts, 1, INT64_MAX / 2);
        break;
    case KIND_SIZE:
        if (!pending)
            model_observe(spec, call->result, 0, facts);
        break;
    default:
        if (value_means_true(spec->values, call->result))
            observe(facts, 0, 0);
        else if (value_means_false(spec->values, call->result))
            observe(facts, 1, INT64_MAX / 2);
    }
    return true;
}

static bool sequence_facts(const Spec *spec, const SpecCall *call, SpecFacts *facts)
{
    static const int kinds[SEQ_COUNT] = {
        [SEQ_PUT] = KIND_PUT,   [SEQ_TAKE] = KIND_TAKE, [SEQ_WAIT] = KIND_TAKE,
        [SEQ_PEEK] = KIND_PEEK, [SEQ_SIZE] = KIND_SIZE, [SEQ_EMPTY] = KIND_EMPTY};
    return container_facts(spec, call, kinds[call->method], facts);
}

/* The operations that all of these share. */
static void step_common(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                        SpecSteps *steps)
{
    if (call->method == SEQ_SIZE)
        emit_size(spec, state, words, steps);
    else
        emit_same(state, words, steps, value_bool(words == 0));
}

static void fifo_step(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                      SpecSteps *steps)
{
    if (call->method == SEQ_PUT)
        emit_insert(state, words, words, call->arguments[0], steps);
    else if (call->method == SEQ_TAKE || call->method == SEQ_WAIT)
        take(state, words, 0, call->method == SEQ_WAIT, steps);
    else if (call->method == SEQ_PEEK)
        peek(state, words, 0, steps);
    else
        step_common(spec, state, words, call, steps);
}

static void lifo_step(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                      SpecSteps *steps)
{
    if (call->method == SEQ_PUT)
        emit_insert(state, words, words, call->arguments[0], steps);
    else if (call->method == SEQ_TAKE || call->method == SEQ_WAIT)
        take(state, words, words ? words - 1 : 0, call->method == SEQ_WAIT, steps);
    else if (call->method == SEQ_PEEK)
        peek(state, words, words ? words - 1 : 0, steps);
    else
        step_common(spec, state, words, call, steps);
}

static void priority_step(const Spec *spec, const uint64_t *state, size_t words,
                          const SpecCall *call, SpecSteps *steps)
{
    if (call->method == SEQ_PUT) {
        size_t place = 0;
        while (place < words &&
               value_compare(spec->values, at(state, place), call->arguments[0]) <= 0)
            place++;
        emit_insert(state, words, place, call->arguments[0], steps);
    } else if (call->method == SEQ_TAKE || call->method == SEQ_WAIT)
        take(state, words, 0, call->method == SEQ_WAIT, steps);
    else if (call->method == SEQ_PEEK)
        peek(state, words, 0, steps);
    else
        step_common(spec, state, words, call, steps);
}

static void bag_step(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                     SpecSteps *steps)
{
    size_t place = 0;
    switch (call->method) {
    case SEQ_PUT: /* sorted by word: any fixed order makes equal bags equal states */
        while (place < words && state[place] <= call->arguments[0].word)
            place++;
        emit_insert(state, words, place, call->arguments[0], steps);
        break;
    case SEQ_TAKE:
    case SEQ_WAIT:
    case SEQ_PEEK:
        for (size_t i = 0; i < words; i++)
            if (i && state[i] == state[i - 1])
                continue;
            else if (call->method == SEQ_PEEK)
                emit_same(state, words, steps, at(state, i));
            else
                emit_remove(state, words, i, steps);
        if (!words && call->method != SEQ_WAIT)
            emit_same(state, words, steps, VALUE_NONE);
        break;
    default:
        step_common(spec, state, words, call, steps);
    }
}

enum {
    DEQUE_PUSH_FRONT,
    DEQUE_PUSH_BACK,
    DEQUE_POP_FRONT,
    DEQUE_POP_BACK,
    DEQUE_PEEK_FRONT,
    DEQUE_PEEK_BACK,
    DEQUE_SIZE,
    DEQUE_EMPTY,
    DEQUE_COUNT
};
static const Method deque_methods[DEQUE_COUNT] = {
    [DEQUE_PUSH_FRONT] = {"push_front|pushfront|push_left|pushleft|addfirst|add_first", 1, 1,
                          METHOD_STORES | METHOD_PUTS | METHOD_FRONT},
    [DEQUE_PUSH_BACK] = {"push_back|pushback|push_right|pushright|addlast|add_last|push|"
                         "push_bottom|pushbottom",
                         1, 1, METHOD_STORES | METHOD_PUTS},
    [DEQUE_POP_FRONT] = {"pop_front|popfront|pop_left|popleft|removefirst|remove_first|steal|"
                         "pop_top|poptop",
                         0, 0, METHOD_READS_EMPTY | METHOD_TAKES | METHOD_FRONT},
    [DEQUE_POP_BACK] = {"pop_back|popback|pop_right|popright|removelast|remove_last|pop|take|"
                        "pop_bottom|popbottom",
                        0, 0, METHOD_READS_EMPTY | METHOD_TAKES},
    [DEQUE_PEEK_FRONT] = {"peek_front|peekfront|peek_left|peekfirst|front", 0, 0, METHOD_READS},
    [DEQUE_PEEK_BACK] = {"peek_back|peekback|peek_right|peeklast|back", 0, 0, METHOD_READS},
    [DEQUE_SIZE] = {"size|length|count|len", 0, 0, METHOD_READS},
    [DEQUE_EMPTY] = {"isempty|is_empty|empty", 0, 0, METHOD_READS | METHOD_EMPTY}};

static bool deque_facts(const Spec *spec, const SpecCall *call, SpecFacts *facts)
{
    static const int kinds[DEQUE_COUNT] = {
        [DEQUE_PUSH_FRONT] = KIND_PUT,  [DEQUE_PUSH_BACK] = KIND_PUT,
        [DEQUE_POP_FRONT] = KIND_TAKE,  [DEQUE_POP_BACK] = KIND_TAKE,
        [DEQUE_PEEK_FRONT] = KIND_PEEK, [DEQUE_PEEK_BACK] = KIND_PEEK,
        [DEQUE_SIZE] = KIND_SIZE,       [DEQUE_EMPTY] = KIND_EMPTY};
    return container_facts(spec, call, kinds[call->method], facts);
}

static void deque_step(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                       SpecSteps *steps)
{
    size_t last = words ? words - 1 : 0;
    switch (call->method) {
    case DEQUE_PUSH_FRONT:
        emit_insert(state, words, 0, call->arguments[0], steps);
        break;
    case DEQUE_PUSH_BACK:
        emit_insert(state, words, words, call->arguments[0], steps);
        break;
    case DEQUE_POP_FRONT:
        take(state, words, 0, false, steps);
        break;
    case DEQUE_POP_BACK:
        take(state, words, last, false, steps);
        break;
    case DEQUE_PEEK_FRONT:
        peek(state, words, 0, steps);
        break;
    case DEQUE_PEEK_BACK:
        peek(state, words, last, steps);
        break;
    case DEQUE_SIZE:
        emit_size(spec, state, words, steps);
        break;
    default:
        emit_same(state, words, steps, value_bool(words == 0));
    }
}

const BuiltinModel spec_sequence_models[] = {
    {"fifo", "queue: first in, first out",
     "enq(v), deq() (nothing if empty), take() (waits if empty), peek(), size(), isempty()",
     fifo_methods, SEQ_COUNT, false, SPEC_SHAPE_QUEUE, NULL, model_initial_empty, fifo_step,
     model_print_values, sequence_facts, NULL, NULL, NULL, NULL},
    {"lifo", "stack: last in, first out",
     "push(v), pop() (nothing if empty), take() (waits if empty), peek(), size(), isempty()",
     lifo_methods, SEQ_COUNT, false, SPEC_SHAPE_STACK, NULL, model_initial_empty, lifo_step,
     model_print_values, sequence_facts, NULL, NULL, NULL, NULL},
    {"deque", "double-ended queue",
     "push_front(v), push_back(v) or push(v), pop_front() or steal(), pop_back() or pop(), "
     "peek_front(), peek_back(), size(), isempty()",
     deque_methods, DEQUE_COUNT, false, SPEC_SHAPE_DEQUE, NULL, model_initial_empty, deque_step,
     model_print_values, deque_facts, NULL, NULL, NULL, NULL},
    {"priority-queue", "priority queue: the smallest value first",
     "insert(v), deqmin() (nothing if empty), take() (waits if empty), min(), size(), isempty()",
     priority_methods, SEQ_COUNT, false, SPEC_SHAPE_PRIORITY, NULL, model_initial_empty,
     priority_step, model_print_values, sequence_facts, NULL, NULL, NULL, NULL},
    {"bag", "bag: any value that is inside",
     "add(v), trytake() (nothing if empty), take() (waits if empty), peek(), size(), isempty()",
     bag_methods, SEQ_COUNT, false, SPEC_SHAPE_BAG, NULL, model_initial_empty, bag_step,
     model_print_values, sequence_facts, NULL, NULL, NULL, NULL},
};
const size_t spec_sequence_model_count = COUNT_OF(spec_sequence_models);
