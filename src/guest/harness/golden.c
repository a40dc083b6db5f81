#include "guest/harness/golden_code.h"
#include <string.h>
#include "base/hash.h"
#include "guest/harness/check/declared.h"
#include "guest/entry/choose.h"
#include "guest/explore/search/ops.h"

extern const HeddleOperation *const __start_heddle_golden[] __attribute__((weak));
extern const HeddleOperation *const __stop_heddle_golden[] __attribute__((weak));

const char *golden_code_running;

#define MOST_CHOICES 8

typedef struct Choices {
    uint8_t taken[MOST_CHOICES], of[MOST_CHOICES];
    uint32_t count;
} Choices;
typedef struct Node { /* one more call than its parent */
    uint32_t parent;
    uint16_t method;
    Value arguments[2];
    Choices choices;
} Node;
typedef struct Golden {
    void (*init)(void);
    Vec(Node) nodes; /* 0: no call */
    HashMap index;   /* word of its contents -> number */
} Golden;

static Choices *present; /* of the call that runs */
static uint32_t asked;

/* The choices that are given, then always the first. */
static unsigned choose(unsigned count)
{
    if (asked == MOST_CHOICES || count > 255)
        op_unsupported("golden code chooses more than %d times in one call, or among more than 255",
                       MOST_CHOICES);
    if (asked == present->count)
        present->taken[present->count++] = 0;
    present->of[asked] = (uint8_t)count;
    return count ? present->taken[asked++] : 0;
}

/* The next way to choose; false after the last. */
static bool next_choices(Choices *choices)
{
    while (choices->count) {
        uint32_t last = choices->count - 1;
        if (++choices->taken[last] < choices->of[last])
            return true;
        choices->count--;
    }
    return false;
}

static HdValue to_plain(Values *values, Value value)
{
    HdValue plain = {.kind = HEDDLE_NONE};
    size_t count;
    const Value *items = value_items(values, value, &count);
    int64_t number = 0;
    switch (value_kind(values, value)) {
    case VALUE_IS_STRING: /* it ends with a zero: values are interned as C strings */
        plain.kind = HEDDLE_TEXT;
        plain.text = value_text(values, value).at;
        break;
    case VALUE_IS_ARRAY:
        plain.kind = HEDDLE_ARRAY;
        plain.count = (int)MIN(count, (size_t)HEDDLE_ITEMS);
        for (int i = 0; i < plain.count; i++)
            if (value_to_int(values, items[i], &number))
                plain.items[i] = number;
        break;
    case VALUE_IS_BOOL:
    case VALUE_IS_INT:
        value_to_int(values, value, &number);
        plain.kind = value_kind(values, value) == VALUE_IS_BOOL ? HEDDLE_BOOL : HEDDLE_INT;
        plain.integer = number;
        break;
    default:
        break;
    }
    return plain;
}

static HdValue call_golden(Values *values, uint16_t method, const Value *arguments,
                           Choices *choices)
{
    HdValue plain[2];
    const HeddleOperation *operation = __start_heddle_golden[method];
    for (int i = 0; i < operation->parameter_count; i++)
        plain[i] = to_plain(values, arguments[i]);
    present = choices;
    asked = 0;
    golden_code_running = operation->name;
    HdValue result = operation->call(plain);
    golden_code_running = NULL;
    return result;
}

/* Makes all calls up to NODE. */
static void go_to(const Spec *spec, uint32_t number)
{
    Golden *golden = spec->data;
    if (!number) {
        if (golden->init)
            golden->init();
        return;
    }
    Node node = golden->nodes.at[number];
    go_to(spec, node.parent);
    call_golden(spec->values, node.method, node.arguments, &node.choices);
}

static uint32_t find_node(const Spec *spec, const Node *wanted)
{
    Golden *golden = spec->data;
    Value items[4 + MOST_CHOICES] = {value_int(spec->values, wanted->parent),
                                     value_int(spec->values, wanted->method), wanted->arguments[0],
                                     wanted->arguments[1]};
    for (uint32_t i = 0; i < wanted->choices.count; i++)
        items[4 + i] = value_int(spec->values, wanted->choices.taken[i]);
    bool absent;
    uint64_t *slot = hashmap_put(
        &golden->index, value_array(spec->values, items, 4 + wanted->choices.count).word, &absent);
    if (absent) {
        *slot = golden->nodes.count;
        vec_push(&golden->nodes, *wanted);
    }
    return (uint32_t)*slot;
}

static bool golden_resolve(const Spec *spec, Str name, size_t count, uint16_t *method)
{
    (void)spec;
    uint16_t i = 0;
    for (const HeddleOperation *const *at = __start_heddle_golden; at < __stop_heddle_golden;
         at++, i++)
        if (str_is(name, (*at)->name) && (size_t)(*at)->parameter_count == count) {
            *method = i;
            return true;
        }
    return false;
}

static void golden_initial(const Spec *spec, SpecSteps *steps)
{
    (void)spec;
    spec_emit(steps, &(uint64_t){0}, 1, VALUE_NONE);
}

static void golden_step(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                        SpecSteps *steps)
{
    (void)words;
    Node next = {.parent = (uint32_t)state[0],
                 .method = call->method,
                 .arguments = {VALUE_NONE, VALUE_NONE}};
    memcpy(next.arguments, call->arguments, sizeof(Value) * call->count);
    choose_outside = choose;
    do {
        go_to(spec, next.parent);
        HdValue result = call_golden(spec->values, next.method, next.arguments, &next.choices);
        if (result.kind != HEDDLE_WAIT)
            spec_emit(steps, &(uint64_t){find_node(spec, &next)}, 1,
                      declared_value(spec->values, &result));
    } while (next_choices(&next.choices));
    choose_outside = NULL;
}

/* Some way to choose may wait, another one not. */
static bool golden_may_wait(const Spec *spec, const uint64_t *state, size_t words,
                            const SpecCall *call)
{
    (void)words;
    Choices choices = {.count = 0};
    bool waits = false;
    choose_outside = choose;
    do {
        go_to(spec, (uint32_t)state[0]);
        waits |=
            call_golden(spec->values, call->method, call->arguments, &choices).kind == HEDDLE_WAIT;
    } while (next_choices(&choices));
    choose_outside = NULL;
    return waits;
}

const Spec *golden_code_spec(Arena *arena, Values *values, void (*init)(void))
{
    Buffer names = {0};
    for (const HeddleOperation *const *at = __start_heddle_golden; at < __stop_heddle_golden; at++)
        buffer_printf(&names, "%s%s(%s)", names.count ? ", " : "", (*at)->name,
                      (*at)->parameter_count == 2   ? "a, b"
                      : (*at)->parameter_count == 1 ? "v"
                                                    : "");
    if (!names.count)
        return NULL;
    Golden *golden = arena_new_of(arena, Golden);
    *golden = (Golden){.init = init};
    vec_push(&golden->nodes, (Node){0});
    Spec *spec = arena_new_of(arena, Spec);
    *spec = (Spec){.name = "golden",
                   .exact_results = true,
                   .values = values,
                   .data = golden,
                   .resolve = golden_resolve,
                   .operations = str_copy(arena, buffer_str(&names)),
                   .initial = golden_initial,
                   .step = golden_step,
                   .may_wait = golden_may_wait};
    vec_free(&names);
    return spec;
}
