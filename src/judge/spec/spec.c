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
    uint64_t *to = steps->words.at + start;
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
                       .arguments = history->arguments.at + operation->arguments,
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
