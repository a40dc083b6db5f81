#include "judge/spec/golden.h"
#include <stdio.h>
#include <string.h>

_Thread_local const char *golden_running;

typedef struct GoldenMethod {
    const char *name;
    GoldenOp *op;
} GoldenMethod;
typedef struct Golden {
    GoldenCode code;
    Arena *arena;
    GoldenMethod methods[256];
    size_t count;
    void *scratch; /* a state to work on */
} Golden;

static bool golden_resolve(const Spec *spec, Str name, size_t count, uint16_t *method)
{
    (void)count;
    Golden *golden = spec->data;
    for (size_t i = 0; i < golden->count; i++)
        if (str_is(name, golden->methods[i].name)) {
            *method = (uint16_t)i;
            return true;
        }
    if (golden->count == COUNT_OF(golden->methods))
        return false;
    const char *text = str_copy(golden->arena, name);
    GoldenOp *op = golden->code.find(golden->code.context, text);
    if (!op)
        return false;
    golden->methods[golden->count] = (GoldenMethod){text, op};
    *method = (uint16_t)golden->count++;
    return true;
}

static void golden_initial(const Spec *spec, SpecSteps *steps)
{
    Golden *golden = spec->data;
    memset(golden->scratch, 0, golden->code.bytes + 8);
    golden_running = "init";
    golden->code.init(golden->scratch);
    golden_running = NULL;
    spec_emit(steps, golden->scratch, (golden->code.bytes + 7) / 8, SPEC_DONE);
}

/* Arrays go one level deep. */
static heddle_value to_golden(const Spec *spec, Value value, Arena *arena)
{
    heddle_value out = HEDDLE_NONE;
    int64_t number;
    size_t count;
    const Value *items = value_items(spec->values, value, &count);
    ValueKind kind = value_kind(spec->values, value);
    if (kind == VALUE_IS_STRING || kind == VALUE_IS_WORD) {
        Str text = value_text(spec->values, value);
        out.kind = HEDDLE_KIND_TEXT;
        out.text = text.at;
        out.length = text.length;
    } else if (items) {
        heddle_value *copies = arena_array_of(arena, heddle_value, count);
        for (size_t i = 0; i < count; i++)
            copies[i] = to_golden(spec, items[i], arena);
        out.kind = HEDDLE_KIND_ARRAY;
        out.items = copies;
        out.length = count;
    } else if (value_to_int(spec->values, value, &number)) {
        out.kind = kind == VALUE_IS_BOOL ? HEDDLE_KIND_BOOL : HEDDLE_KIND_INT;
        out.number = number;
    }
    return out;
}

static Value from_golden(const Spec *spec, const heddle_value *value)
{
    switch (value->kind) {
    case HEDDLE_KIND_DONE:
        return SPEC_DONE;
    case HEDDLE_KIND_BOOL:
        return value_bool(value->number != 0);
    case HEDDLE_KIND_INT:
        return value_int(spec->values, value->number);
    case HEDDLE_KIND_TEXT:
        return value_string(spec->values, (Str){value->text, value->length});
    case HEDDLE_KIND_ARRAY: {
        Vec(Value) items = {0};
        for (size_t i = 0; i < value->length; i++)
            vec_push(&items, from_golden(spec, &value->items[i]));
        Value array = value_array(spec->values, items.at, items.count);
        vec_free(&items);
        return array;
    }
    default:
        return VALUE_NONE;
    }
}

/* Golden code knows keywords and fractions as texts, maps and sets as arrays: a result that looks
 * like the recorded one to it is that one. */
static Value as_recorded(const Spec *spec, const heddle_value *value, const SpecCall *call)
{
    Value given = from_golden(spec, value), recorded = value_echoed(spec->values, call->result);
    size_t count, recorded_count;
    const Value *items = value_items(spec->values, given, &count);
    const Value *others = value_items(spec->values, recorded, &recorded_count);
    if (value->kind == HEDDLE_KIND_TEXT && value_kind(spec->values, recorded) == VALUE_IS_WORD &&
        str_equal(value_text(spec->values, given), value_text(spec->values, recorded)))
        return recorded;
    if (items && others && count == recorded_count &&
        (!count || memcmp(items, others, count * sizeof *items) == 0))
        return recorded;
    return given;
}

/* The next combination of choices; false after the last. */
static bool next_choice(heddle_call *call)
{
    while (call->known > 0) {
        int last = call->known - 1;
        if (call->choice[last] + 1 < call->limit[last]) {
            call->choice[last]++;
            return true;
        }
        call->known--;
    }
    return false;
}

static void golden_step(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                        SpecSteps *steps)
{
    Golden *golden = spec->data;
    const GoldenMethod *method = &golden->methods[call->method];
    Arena *arena = arena_new();
    heddle_value *arguments = arena_array_of(arena, heddle_value, call->count);
    for (size_t i = 0; i < call->count; i++)
        arguments[i] = to_golden(spec, call->arguments[i], arena);
    int count = call->count - (spec->wants_process ? 1 : 0);
    heddle_misuse misuse = {0};
    heddle_call golden_call = {
        .name = method->name, .count = count, .arguments = arguments, .misuse = &misuse};
    if (spec->wants_process)
        golden_call.process = arguments[count];
    do {
        memcpy(golden->scratch, state, words * sizeof *state);
        golden_call.depth = 0;
        golden_running = method->name;
        heddle_value result = method->op(golden->scratch, &golden_call);
        golden_running = NULL;
        if (misuse.what) {
            golden->code.refuse(golden->code.context, method->name, &misuse);
            break;
        }
        if (result.kind != HEDDLE_KIND_WAIT)
            spec_emit(steps, golden->scratch, words, as_recorded(spec, &result, call));
    } while (next_choice(&golden_call));
    arena_free(arena);
}

void golden_refusal(char *text, size_t bytes, const char *operation, const heddle_misuse *misuse)
{
    if (misuse->argument < 0)
        snprintf(text, bytes, "%s %s", operation, misuse->what);
    else
        snprintf(text, bytes, "%s: argument %d %s", operation, misuse->argument + 1, misuse->what);
}

static void golden_print(const Spec *spec, const uint64_t *state, size_t words, Buffer *out)
{
    (void)spec;
    const unsigned char *bytes = (const unsigned char *)state;
    buffer_printf(out, "bytes");
    size_t count = words * 8;
    while (count && !bytes[count - 1])
        count--;
    for (size_t i = 0; i < count && i < 32; i++)
        buffer_printf(out, " %02x", bytes[i]);
    buffer_printf(out, "%s", count > 32 ? " ..." : count ? "" : " all zero");
}

Spec *spec_golden(Arena *arena, Values *values, const GoldenCode *code)
{
    ASSERT(code->refuse && code->find && code->init);
    Golden *golden = arena_new_of(arena, Golden);
    golden->code = *code;
    golden->arena = arena;
    golden->scratch = arena_alloc(arena, code->bytes + 64);
    Spec *spec = arena_new_of(arena, Spec);
    *spec = (Spec){.name = code->name,
                   .wants_process = code->process,
                   .values = values,
                   .data = golden,
                   .resolve = golden_resolve,
                   .operations = "those that its HEDDLE_SPEC_OP lines define",
                   .initial = golden_initial,
                   .step = golden_step,
                   .print = golden_print};
    return spec;
}
