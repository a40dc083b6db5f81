/* Registers, counters, semaphores, locks, events: the state is one value. */
#include "judge/spec/builtin.h"
#include <stdlib.h>
#include <string.h>

static void cell_initial(const Spec *spec, SpecSteps *steps)
{
    Value start = model_data(spec)->start;
    spec_emit(steps, &start.word, 1, SPEC_DONE);
}

static void cell_print(const Spec *spec, const uint64_t *state, size_t words, Buffer *out)
{
    (void)words;
    value_print(spec->values, (Value){state[0]}, out);
}

static void emit_value(SpecSteps *steps, Value next, Value result)
{
    spec_emit(steps, &next.word, 1, result);
}

enum { REGISTER_READ, REGISTER_WRITE, REGISTER_CAS, REGISTER_SWAP, REGISTER_COUNT };
static const Method register_methods[REGISTER_COUNT] = {
    [REGISTER_READ] = {"read|get|load|read_value", 0, 1,
                       METHOD_READS | METHOD_TAKES | METHOD_EXACT},
    [REGISTER_WRITE] = {"write|set|put|store", 1, 1, METHOD_PUTS},
    [REGISTER_CAS] = {"cas|compare_and_set|compareandset|compare_exchange|compare_and_swap", 2, 2,
                      METHOD_READS_FALSE},
    [REGISTER_SWAP] = {"swap|exchange|getandset|get_and_set", 1, 1, METHOD_GIVES | METHOD_EXACT}};

static void register_step(const Spec *spec, const uint64_t *state, size_t words,
                          const SpecCall *call, SpecSteps *steps)
{
    (void)spec;
    (void)words;
    Value now = {state[0]};
    switch (call->method) {
    case REGISTER_READ:
        emit_value(steps, now, now);
        break;
    case REGISTER_WRITE:
        emit_value(steps, call->arguments[0], SPEC_DONE);
        break;
    case REGISTER_CAS:
        if (value_equal(now, call->arguments[0])) {
            emit_value(steps, call->arguments[1], VALUE_TRUE);
            emit_value(steps, call->arguments[1], SPEC_DONE); /* logs that only list successes */
        } else {
            emit_value(steps, now, VALUE_FALSE);
        }
        break;
    default:
        emit_value(steps, call->arguments[0], now);
    }
}

static bool register_facts(const Spec *spec, const SpecCall *call, SpecFacts *facts)
{
    bool pending = call->result.word == VALUE_UNKNOWN.word;
    facts->place = VALUE_UNKNOWN;
    if (call->method == REGISTER_READ || call->method == REGISTER_SWAP) {
        facts->sees = !pending;
        facts->seen = call->result;
    }
    if (call->method == REGISTER_WRITE || call->method == REGISTER_SWAP) {
        facts->puts = true;
        facts->put = call->arguments[0];
    }
    if (call->method == REGISTER_CAS && !value_means_false(spec->values, call->result)) {
        facts->sees = !pending;
        facts->seen = call->arguments[0];
        facts->puts = true;
        facts->put = call->arguments[1];
    }
    return true;
}

/* k-atomicity: a read gives one of the last k values written. The state is these, the oldest first;
 * before k writes the initial nothing is among them. */
static void latest_step(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                        SpecSteps *steps)
{
    if (call->method == REGISTER_WRITE) {
        size_t drop = words >= (size_t)model_data(spec)->count ? 1 : 0;
        uint64_t *next = malloc((words + 1) * sizeof *next);
        if (!next)
            die("out of memory");
        memcpy(next, state + drop, (words - drop) * sizeof *next);
        next[words - drop] = call->arguments[0].word;
        spec_emit(steps, next, words - drop + 1, SPEC_DONE);
        free(next);
        return;
    }
    for (size_t i = 0; i < words; i++) {
        bool repeated = false;
        for (size_t j = 0; j < i && !repeated; j++)
            repeated = state[j] == state[i];
        if (!repeated)
            spec_emit(steps, state, words, (Value){state[i]});
    }
}

static bool latest_configure(Spec *spec, Arena *arena, Str text)
{
    int64_t number;
    if (!str_to_int64(text, &number) || number < 1 || number > 1000)
        return false;
    ModelData *data = arena_new_of(arena, ModelData);
    *data = *model_data(spec);
    data->count = number;
    spec->data = data;
    return true;
}

enum {
    COUNTER_GET,
    COUNTER_INC,
    COUNTER_DEC,
    COUNTER_ADD,
    COUNTER_FETCH,
    COUNTER_NEW,
    COUNTER_COUNT
};
static const Method counter_methods[COUNTER_COUNT] = {
    [COUNTER_GET] = {"get|read|value|load|count", 0, 0, METHOD_READS},
    [COUNTER_INC] = {"inc|increment|incr|up", 0, 0, 0},
    [COUNTER_DEC] = {"dec|decrement|decr|down", 0, 0, 0},
    [COUNTER_ADD] = {"add|inc|increment", 1, 1, METHOD_INTEGER},
    [COUNTER_FETCH] = {"fetch_add|fetch_and_add|getandadd|get_and_add|getandincrement|"
                       "get_and_increment|fetch_inc",
                       0, 1, METHOD_INTEGER | METHOD_GIVES},
    [COUNTER_NEW] = {"add_and_get|addandget|increment_and_get|incrementandget|inc_and_get", 0, 1,
                     METHOD_INTEGER | METHOD_GIVES}};

static int64_t number_of(const Spec *spec, Value value, int64_t otherwise)
{
    int64_t number = otherwise;
    return value_to_int(spec->values, value, &number) ? number : otherwise;
}

static void counter_initial(const Spec *spec, SpecSteps *steps)
{
    Value start = value_int(spec->values, number_of(spec, model_data(spec)->start, 0));
    spec_emit(steps, &start.word, 1, SPEC_DONE);
}

static bool configure_number(Spec *spec, Arena *arena, Str text)
{
    int64_t number;
    return str_to_int64(text, &number) && number > INT64_MIN / 4 && number < INT64_MAX / 4 &&
           model_configure_value(spec, arena, text);
}

static bool configure_natural(Spec *spec, Arena *arena, Str text)
{
    int64_t number;
    return str_to_int64(text, &number) && number >= 0 && configure_number(spec, arena, text);
}

static void counter_step(const Spec *spec, const uint64_t *state, size_t words,
                         const SpecCall *call, SpecSteps *steps)
{
    (void)words;
    int64_t now = number_of(spec, (Value){state[0]}, 0);
    int64_t amount = call->count ? number_of(spec, call->arguments[0], 1) : 1;
    if (call->method == COUNTER_DEC)
        amount = -1;
    int64_t sum;
    if (__builtin_add_overflow(now, amount, &sum))
        sum = now; /* arguments are small: only a history of 2^60 operations could come here */
    Value next = value_int(spec->values, sum);
    switch (call->method) {
    case COUNTER_GET:
        emit_value(steps, (Value){state[0]}, (Value){state[0]});
        break;
    case COUNTER_FETCH:
        emit_value(steps, next, (Value){state[0]});
        break;
    case COUNTER_NEW:
        emit_value(steps, next, next);
        break;
    default:
        emit_value(steps, next, SPEC_DONE);
    }
}

static bool counter_facts(const Spec *spec, const SpecCall *call, SpecFacts *facts)
{
    int64_t amount = call->count ? number_of(spec, call->arguments[0], 1) : 1;
    facts->place = VALUE_UNKNOWN;
    if (call->method == COUNTER_DEC)
        amount = -1;
    if (call->method == COUNTER_GET)
        amount = 0;
    facts->least_change = facts->most_change = amount;
    if (call->method == COUNTER_GET || call->method == COUNTER_FETCH)
        model_observe(spec, call->result, 0, facts);
    if (call->method == COUNTER_NEW)
        model_observe(spec, call->result, -amount, facts);
    return true;
}

static int64_t counter_number(const Spec *spec)
{
    return number_of(spec, model_data(spec)->start, 0);
}

static int64_t semaphore_number(const Spec *spec)
{
    return number_of(spec, model_data(spec)->start, 1);
}

/* How many may enter a lock. */
static int64_t lock_number(const Spec *spec)
{
    return number_of(spec, model_data(spec)->start, 0) == 0;
}

static void observe(SpecFacts *facts, int64_t least, int64_t most)
{
    facts->observes = true;
    facts->least = least;
    facts->most = most;
}

enum { SEMAPHORE_WAIT, SEMAPHORE_TRY, SEMAPHORE_POST, SEMAPHORE_GET, SEMAPHORE_COUNT };
static const Method semaphore_methods[SEMAPHORE_COUNT] = {
    [SEMAPHORE_WAIT] = {"acquire|wait|p|down", 0, 0, 0},
    [SEMAPHORE_TRY] = {"try_acquire|tryacquire|trywait|try_wait", 0, 0, METHOD_READS_FALSE},
    [SEMAPHORE_POST] = {"release|post|signal|v|up", 0, 1, METHOD_INTEGER | METHOD_OLD},
    [SEMAPHORE_GET] = {"count|value|get|currentcount|getvalue", 0, 0, METHOD_READS}};

static void semaphore_initial(const Spec *spec, SpecSteps *steps)
{
    Value start = value_int(spec->values, number_of(spec, model_data(spec)->start, 1));
    spec_emit(steps, &start.word, 1, SPEC_DONE);
}

static void semaphore_step(const Spec *spec, const uint64_t *state, size_t words,
                           const SpecCall *call, SpecSteps *steps)
{
    (void)words;
    Value current = {state[0]};
    int64_t now = number_of(spec, current, 0);
    int64_t amount = call->count ? number_of(spec, call->arguments[0], 1) : 1;
    switch (call->method) {
    case SEMAPHORE_WAIT:
        if (now > 0)
            emit_value(steps, value_int(spec->values, now - 1), SPEC_DONE);
        break;
    case SEMAPHORE_TRY:
        if (now > 0)
            emit_value(steps, value_int(spec->values, now - 1), VALUE_TRUE);
        else
            emit_value(steps, current, VALUE_FALSE);
        break;
    case SEMAPHORE_POST: /* some libraries give the count before */
        if (amount >= 0) {
            emit_value(steps, value_int(spec->values, now + amount), SPEC_DONE);
            emit_value(steps, value_int(spec->values, now + amount), current);
        }
        break;
    default:
        emit_value(steps, current, current);
    }
}

static bool semaphore_facts(const Spec *spec, const SpecCall *call, SpecFacts *facts)
{
    bool pending = call->result.word == VALUE_UNKNOWN.word;
    int64_t amount = call->count ? number_of(spec, call->arguments[0], 1) : 1;
    facts->place = VALUE_UNKNOWN;
    switch (call->method) {
    case SEMAPHORE_WAIT:
    case SEMAPHORE_TRY:
        if (call->method == SEMAPHORE_TRY && value_means_false(spec->values, call->result)) {
            observe(facts, 0, 0);
            break;
        }
        facts->least_change = facts->most_change = -1;
        if (!pending)
            observe(facts, 1, INT64_MAX / 2);
        break;
    case SEMAPHORE_POST:
        facts->least_change = facts->most_change = amount;
        if (!spec_result_fits(spec, call, SPEC_DONE))
            model_observe(spec, call->result, 0, facts);
        break;
    default:
        model_observe(spec, call->result, 0, facts);
    }
    return amount >= 0;
}

enum { LOCK_LOCK, LOCK_TRY, LOCK_UNLOCK, LOCK_GET, LOCK_COUNT };
static const Method lock_methods[LOCK_COUNT] = {
    [LOCK_LOCK] = {"lock|acquire|enter", 0, 1, 0},
    [LOCK_TRY] = {"try_lock|trylock|tryenter|try_enter|tryacquire|try_acquire", 0, 1,
                  METHOD_READS_FALSE},
    [LOCK_UNLOCK] = {"unlock|release|exit|leave", 0, 1, METHOD_READS_FALSE},
    [LOCK_GET] = {"is_locked|islocked|locked", 0, 0, METHOD_READS | METHOD_TELLS}};

static void flag_initial(const Spec *spec, SpecSteps *steps)
{
    Value start = value_bool(number_of(spec, model_data(spec)->start, 0) != 0);
    spec_emit(steps, &start.word, 1, SPEC_DONE);
}

static void lock_step(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                      SpecSteps *steps)
{
    (void)spec;
    (void)words;
    bool held = state[0] == VALUE_TRUE.word;
    switch (call->method) {
    case LOCK_LOCK:
        if (!held)
            emit_value(steps, VALUE_TRUE, SPEC_DONE);
        break;
    case LOCK_TRY:
        emit_value(steps, VALUE_TRUE, value_bool(!held));
        break;
    case LOCK_UNLOCK:
        if (held)
            emit_value(steps, VALUE_FALSE, SPEC_DONE);
        else
            emit_value(steps, VALUE_FALSE, VALUE_FALSE);
        break;
    default:
        emit_value(steps, (Value){state[0]}, value_bool(held));
    }
}

/* The number is how many may enter: 1 or 0. An unlock that says nothing may have found it unlocked.
 */
static bool lock_facts(const Spec *spec, const SpecCall *call, SpecFacts *facts)
{
    bool pending = call->result.word == VALUE_UNKNOWN.word;
    bool no = !pending && value_means_false(spec->values, call->result);
    facts->place = VALUE_UNKNOWN;
    switch (call->method) {
    case LOCK_LOCK:
    case LOCK_TRY:
        if (call->method == LOCK_TRY && no) {
            observe(facts, 0, 0);
            break;
        }
        facts->least_change = facts->most_change = -1;
        if (!pending)
            observe(facts, 1, 1);
        break;
    case LOCK_UNLOCK:
        if (no) {
            observe(facts, 1, 1);
            break;
        }
        facts->least_change = pending ? 0 : 1;
        facts->most_change = 1;
        if (!pending)
            observe(facts, 0, 0);
        break;
    default:
        if (!pending)
            observe(facts, no ? 1 : 0, no ? 1 : 0);
    }
    return true;
}

enum { EVENT_SET, EVENT_RESET, EVENT_WAIT, EVENT_TRY, EVENT_COUNT };
static const Method event_methods[EVENT_COUNT] = {
    [EVENT_SET] = {"set|signal", 0, 0, 0},
    [EVENT_RESET] = {"reset|clear", 0, 0, 0},
    [EVENT_WAIT] = {"wait", 0, 0, METHOD_READS},
    [EVENT_TRY] = {"try_wait|trywait|isset|is_set|get", 0, 0, METHOD_READS | METHOD_TELLS}};

static void event_step(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                       SpecSteps *steps)
{
    (void)spec;
    (void)words;
    Value now = {state[0]};
    bool set = value_equal(now, VALUE_TRUE);
    switch (call->method) {
    case EVENT_SET:
        emit_value(steps, VALUE_TRUE, SPEC_DONE);
        break;
    case EVENT_RESET:
        emit_value(steps, VALUE_FALSE, SPEC_DONE);
        break;
    case EVENT_WAIT:
        if (set)
            emit_value(steps, now, SPEC_DONE);
        break;
    default:
        emit_value(steps, now, value_bool(set));
    }
}

const BuiltinModel spec_cell_models[] = {
    {"register", "register: a read gives the last value written (register:0 starts with 0)",
     "read(), write(v)", register_methods, REGISTER_CAS, false, SPEC_SHAPE_REGISTER,
     model_configure_value, cell_initial, register_step, cell_print, register_facts, NULL, NULL,
     NULL, NULL},
    {"cas-register", "register with compare-and-set (cas-register:0 starts with 0)",
     "read(), write(v), cas(old, new), swap(v)", register_methods, REGISTER_COUNT, false,
     SPEC_SHAPE_OTHER, model_configure_value, cell_initial, register_step, cell_print,
     register_facts, NULL, NULL, NULL, NULL},
    {"k-register", "k-atomic register: a read gives one of the last K values (k-register:2)",
     "read(), write(v)", register_methods, REGISTER_CAS, false, SPEC_SHAPE_OTHER, latest_configure,
     cell_initial, latest_step, model_print_values, register_facts, NULL, NULL, NULL, NULL},
    {"counter", "counter (counter:5 starts with 5)",
     "get(), inc(), dec(), add(n), fetch_add(n), add_and_get(n)", counter_methods, COUNTER_COUNT,
     false, SPEC_SHAPE_OTHER, configure_number, counter_initial, counter_step, cell_print,
     counter_facts, counter_number, NULL, NULL, NULL},
    {"semaphore", "counting semaphore (semaphore:2 starts with 2; otherwise 1)",
     "acquire() (waits at 0), try_acquire(), release() or release(n), count()", semaphore_methods,
     SEMAPHORE_COUNT, false, SPEC_SHAPE_OTHER, configure_natural, semaphore_initial, semaphore_step,
     cell_print, semaphore_facts, semaphore_number, NULL, NULL, NULL},
    {"lock", "mutual exclusion (lock:1 starts locked)",
     "lock() (waits while locked), try_lock(), unlock(), is_locked()", lock_methods, LOCK_COUNT,
     false, SPEC_SHAPE_OTHER, configure_natural, flag_initial, lock_step, cell_print, lock_facts,
     lock_number, NULL, NULL, NULL},
    {"event", "manual-reset event (event:1 starts set)",
     "set(), reset(), wait() (waits until set), is_set()", event_methods, EVENT_COUNT, false,
     SPEC_SHAPE_OTHER, configure_natural, flag_initial, event_step, cell_print, NULL, NULL, NULL,
     NULL, NULL},
};
const size_t spec_cell_model_count = COUNT_OF(spec_cell_models);
