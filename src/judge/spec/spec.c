#include "judge/spec/spec.h"
#include <string.h>

void spec_steps_clear(SpecSteps *steps, const Spec *spec, const SpecCall *call)
{
    steps->spec = spec;
    steps->call = call;
    vec_clear(&steps->words);
    vec_clear(&steps->offsets);
    vec_push(&steps->offsets, 0);
    vec_clear(&steps->results);
}

void spec_steps_free(SpecSteps *steps)
{
    vec_free(&steps->words);
    vec_free(&steps->offsets);
    vec_free(&steps->results);
}

bool spec_result_fits(const Spec *spec, const SpecCall *call, Value given)
{
    Value result = call->result;
    if (result.word == given.word || result.word == VALUE_UNKNOWN.word)
        return true;
    if (spec->exact_results)
        return false;
    if (value_kind(spec->values, result) == VALUE_IS_ECHO)
        return given.word == SPEC_DONE.word || given.word == VALUE_TRUE.word ||
               value_equal(given, value_echoed(spec->values, result));
    if (spec->exact && spec->exact(spec, call->method, given))
        return false;
    if (given.word == SPEC_DONE.word) /* a number is a result: inc() = 1 is not done without one */
        return result.word == VALUE_NONE.word || (value_means_true(spec->values, result) &&
                                                  value_kind(spec->values, result) != VALUE_IS_INT);
    if (given.word == VALUE_NONE.word)
        return value_means_empty(spec->values, result);
    if (given.word == VALUE_TRUE.word)
        return value_means_true(spec->values, result);
    if (given.word == VALUE_FALSE.word)
        return value_means_false(spec->values, result);
    return false;
}

void spec_emit(SpecSteps *steps, const uint64_t *words, size_t count, Value result)
{
    if (steps->call && !spec_result_fits(steps->spec, steps->call, result))
        return;
    vec_reserve(&steps->words, steps->words.count + count);
    if (count)
        memcpy(steps->words.at + steps->words.count, words, count * sizeof *words);
    steps->words.count += count;
    vec_push(&steps->offsets, (uint32_t)steps->words.count);
    vec_push(&steps->results, result);
}

void spec_emit_edit(SpecSteps *steps, const uint64_t *words, size_t count, size_t at,
                    size_t removed, const uint64_t *added_words, size_t added, Value result)
{
    if (steps->call && !spec_result_fits(steps->spec, steps->call, result))
        return;
    size_t start = steps->words.count, total = count - removed + added;
    vec_reserve(&steps->words, start + total);
    uint64_t *to = vec_from(&steps->words, start);
    if (at)
        memcpy(to, words, at * sizeof *words);
    if (added)
        memcpy(to + at, added_words, added * sizeof *words);
    if (count - at - removed)
        memcpy(to + at + added, words + at + removed, (count - at - removed) * sizeof *words);
    steps->words.count += total;
    vec_push(&steps->offsets, (uint32_t)steps->words.count);
    vec_push(&steps->results, result);
}

bool spec_call(const Spec *spec, const History *history, const Operation *operation, SpecCall *call,
               Error *error)
{
    Str name = value_text(history->values, value_of_symbol(operation->name));
    *call = (SpecCall){.count = operation->count,
                       .arguments = vec_from(&history->arguments, operation->arguments),
                       .result = operation->returned == HISTORY_PENDING ? VALUE_UNKNOWN
                                                                        : operation->result};
    /* A single array may stand for several arguments: Jepsen's [old new]. */
    size_t count = 0;
    const Value *items =
        operation->count == 1 ? value_items(history->values, call->arguments[0], &count) : NULL;
    bool found = spec->resolve(spec, name, call->count, &call->method);
    if (!found && items && count <= UINT16_MAX && spec->resolve(spec, name, count, &call->method)) {
        call->count = (uint16_t)count;
        call->arguments = items;
        found = true;
    }
    const char *reason = found && spec->reject ? spec->reject(spec, call) : NULL;
    if (reason)
        return error_at(error, history->source, (int)operation->line, 0, "%.*s: %s", STR_ARG(name),
                        reason);
    if (found)
        return true;
    return error_at(error, history->source, (int)operation->line, 0,
                    "the specification \"%s\" has no operation %.*s with %u argument%s; it has: %s",
                    spec->name, STR_ARG(name), operation->count, operation->count == 1 ? "" : "s",
                    spec->operations);
}

void spec_settle(const Spec *spec, History *history)
{
    for (size_t i = 0; spec->gives && i < history->operations.count; i++) {
        Operation *op = &history->operations.at[i];
        SpecCall call;
        Error unused;
        if (value_kind(history->values, op->result) != VALUE_IS_ECHO ||
            !spec_call(spec, history, op, &call, &unused))
            continue;
        SpecGives gives = spec->gives(spec, call.method);
        if (gives != SPEC_GIVES_EITHER)
            op->result =
                gives == SPEC_GIVES_VALUE ? value_echoed(history->values, op->result) : VALUE_NONE;
    }
}

typedef Vec(uint64_t) SpecState;

/* Notes what the steps of an operation called NAME give. */
static void note_gives(const SpecSteps *steps, uint32_t name, HashMap *gives)
{
    const Spec *spec = steps->spec;
    uint64_t *bits = hashmap_put(gives, name, NULL);
    Value unused;
    if (spec->role && spec->role(spec, steps->call, &unused) == SPEC_ROLE_TAKE)
        *bits |= HISTORY_GIVES_VALUE;
    for (size_t k = 0; k < steps->results.count; k++) {
        uint64_t given = steps->results.at[k].word;
        *bits |= given == SPEC_DONE.word                                 ? HISTORY_GIVES_NOTHING
                 : given == VALUE_TRUE.word || given == VALUE_FALSE.word ? HISTORY_GIVES_TRUTH
                                                                         : HISTORY_GIVES_VALUE;
    }
}

/* Makes the words of the first step STATE. */
static void first_state(const SpecSteps *steps, SpecState *state)
{
    vec_clear(state);
    for (uint32_t w = 0; w < steps->offsets.at[1]; w++)
        vec_push(state, steps->words.at[w]);
}

/* Takes CALL's steps in STATE, which the first of them changes, and notes what they give. */
static void try_call(SpecSteps *steps, const Spec *spec, const SpecCall *call, uint32_t name,
                     SpecState *state, HashMap *gives)
{
    spec_steps_clear(steps, spec, call);
    spec->step(spec, state->at, state->count, call, steps);
    note_gives(steps, name, gives);
    if (!steps->results.count) /* it waits */
        return;
    first_state(steps, state);
}

/* The first operations are run one after the other, twice, whatever they returned; and each by
 * itself in the initial state, where an element is not taken for a yes. */
void spec_find_gives(const Spec *spec, const History *history, HashMap *gives)
{
    enum { FIRST = 256 };
    SpecSteps steps = {0};
    SpecState state = {0}, initial = {0};
    size_t count = history->operations.count, first = MIN(count, (size_t)FIRST);
    spec_steps_clear(&steps, spec, NULL);
    spec->initial(spec, &steps);
    first_state(&steps, &state);
    for (size_t i = 0; i < first + count; i++) {
        const Operation *op = &history->operations.at[i < first ? i : i - first];
        SpecCall call;
        Error unused;
        bool absent;
        if (!spec_call(spec, history, op, &call, &unused))
            continue;
        uint64_t *bits = hashmap_put(gives, op->name, &absent);
        if (spec->gives && spec->gives(spec, call.method) != SPEC_GIVES_VALUE)
            *bits |= HISTORY_GIVES_NOTHING;
        if (spec->labels_matter) /* then only calls have steps that an automaton knows */
            *bits |= HISTORY_GIVES_VALUE;
        if (spec->labels_matter || (i >= 2 * first && *bits))
            continue;
        call.result = VALUE_UNKNOWN;
        if (absent) {
            spec_steps_clear(&steps, spec, NULL);
            spec->initial(spec, &steps);
            first_state(&steps, &initial);
            try_call(&steps, spec, &call, op->name, &initial, gives);
        }
        try_call(&steps, spec, &call, op->name, &state, gives);
    }
    vec_free(&state);
    vec_free(&initial);
    spec_steps_free(&steps);
}

static bool is_text(const History *history, Value value)
{
    ValueKind kind = value_kind(history->values, value);
    return kind == VALUE_IS_STRING || kind == VALUE_IS_WORD;
}

static void collect_texts(const History *history, Value value, HashMap *texts)
{
    size_t count;
    const Value *items = value_items(history->values, value, &count);
    for (size_t i = 0; i < count; i++)
        collect_texts(history, items[i], texts);
    if (is_text(history, value))
        hashmap_put(texts, value.word, NULL);
}

bool spec_check_results(const Spec *spec, const History *history, Error *error)
{
    HashMap texts = {0};
    bool collected = false, ok = true;
    for (size_t i = 0; spec->unclear && ok && i < history->operations.count; i++) {
        const Operation *op = &history->operations.at[i];
        SpecCall call;
        if (op->returned == HISTORY_PENDING || !is_text(history, op->result) ||
            !spec_call(spec, history, op, &call, error) ||
            !spec->unclear(spec, &call, SPEC_TEXTS_NONE))
            continue;
        for (size_t j = 0; !collected && j < history->arguments.count; j++)
            collect_texts(history, history->arguments.at[j], &texts);
        collected = true;
        const char *words = spec->unclear(spec, &call,
                                          hashmap_find(&texts, op->result.word) ? SPEC_TEXTS_THIS
                                          : texts.count                         ? SPEC_TEXTS_OTHER
                                                                                : SPEC_TEXTS_NONE);
        if (!words)
            continue;
        Buffer text = {0};
        history_print_operation(history, op, &text);
        ok = error_at(error, history->source, (int)op->line, 0,
                      "%.*s: the result is not understood; %s", STR_ARG(buffer_str(&text)), words);
        vec_free(&text);
    }
    hashmap_free(&texts);
    return ok;
}

static void print_result(const Spec *spec, Value result, Buffer *out)
{
    if (result.word == SPEC_DONE.word)
        buffer_printf(out, "nothing");
    else
        value_print(spec->values, result, out);
}

void spec_print_allowed(const Spec *spec, const uint64_t *state, size_t words, const SpecCall *call,
                        Str name, Buffer *out)
{
    SpecCall open = *call;
    open.result = VALUE_UNKNOWN;
    SpecSteps steps = {0};
    spec_steps_clear(&steps, spec, &open);
    spec->step(spec, state, words, &open, &steps);
    if (!steps.results.count && spec->labels_matter) {
        buffer_printf(out, "nothing that %.*s could return is within the quasi factor",
                      STR_ARG(name));
    } else if (!steps.results.count) {
        buffer_printf(out, "%.*s must wait", STR_ARG(name));
    } else {
        buffer_printf(out, "%.*s %s return ", STR_ARG(name),
                      steps.results.count > 1 ? "may" : "must");
        size_t shown = 0;
        for (size_t i = 0; i < steps.results.count; i++) {
            bool repeated = false;
            for (size_t j = 0; j < i && !repeated; j++)
                repeated = value_equal(steps.results.at[i], steps.results.at[j]);
            if (repeated)
                continue;
            if (shown == 8) {
                buffer_printf(out, " or one of others");
                break;
            }
            buffer_printf(out, "%s", shown++ ? " or " : "");
            print_result(spec, steps.results.at[i], out);
        }
    }
    spec_steps_free(&steps);
}
