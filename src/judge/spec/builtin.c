#include "judge/spec/builtin.h"
#include <ctype.h>
#include <string.h>

static const BuiltinModel *model_at(size_t i)
{
    if (i < spec_sequence_model_count)
        return &spec_sequence_models[i];
    i -= spec_sequence_model_count;
    if (i < spec_map_model_count)
        return &spec_map_models[i];
    i -= spec_map_model_count;
    return i < spec_cell_model_count ? &spec_cell_models[i] : NULL;
}

bool spec_is_builtin(const Spec *spec, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(spec->name, name, length) && (!spec->name[length] || spec->name[length] == ':');
}

const char *spec_builtin_name(size_t i, const char **what)
{
    const BuiltinModel *model = model_at(i);
    if (!model)
        return NULL;
    *what = model->what;
    return model->name;
}

static bool same_word(Str word, Str name)
{
    if (word.length != name.length)
        return false;
    for (size_t i = 0; i < word.length; i++) {
        char c = name.at[i] == '-' ? '_' : name.at[i]; /* compare-and-set in Clojure */
        if (tolower((unsigned char)word.at[i]) != tolower((unsigned char)c))
            return false;
    }
    return true;
}

static bool builtin_resolve(const Spec *spec, Str name, size_t count, uint16_t *method)
{
    const BuiltinModel *model = model_data(spec)->model;
    for (size_t i = 0; i < model->method_count; i++) {
        if (count < model->methods[i].least || count > model->methods[i].most)
            continue;
        Str rest = str_of(model->methods[i].names), word;
        while (str_next(&rest, '|', &word))
            if (same_word(word, name)) {
                *method = (uint16_t)i;
                return true;
            }
    }
    return false;
}

static const char *builtin_reject(const Spec *spec, const SpecCall *call)
{
    const BuiltinModel *model = model_data(spec)->model;
    const Method *method = &model->methods[call->method];
    int64_t number;
    if (model->reject)
        return model->reject(spec, call);
    for (size_t i = 0; i < call->count; i++) {
        if (method->flags & METHOD_STORES && value_means_empty(spec->values, call->arguments[i]))
            return "it stores a value that could not be told from \"empty\" when it is taken out";
        if (method->flags & METHOD_INTEGER &&
            (!value_to_int(spec->values, call->arguments[i], &number) || number > INT64_MAX / 4 ||
             number < INT64_MIN / 4))
            return "its arguments must be integers (of at most 61 bits)";
    }
    return NULL;
}

static SpecGives builtin_gives(const Spec *spec, uint16_t method)
{
    unsigned flags = model_data(spec)->model->methods[method].flags;
    return flags & METHOD_OLD                                     ? SPEC_GIVES_EITHER
           : flags & (METHOD_GIVES | METHOD_READS | METHOD_TAKES) ? SPEC_GIVES_VALUE
                                                                  : SPEC_GIVES_NOTHING;
}

static bool builtin_exact(const Spec *spec, uint16_t method, Value given)
{
    unsigned flags = model_data(spec)->model->methods[method].flags;
    bool truth = given.word == VALUE_TRUE.word || given.word == VALUE_FALSE.word;
    return flags & METHOD_EXACT || (truth && flags & (METHOD_READS | METHOD_TAKES) &&
                                    !(flags & (METHOD_TELLS | METHOD_EMPTY)));
}

static const char *builtin_unclear(const Spec *spec, const SpecCall *call, SpecTexts texts)
{
    unsigned flags = model_data(spec)->model->methods[call->method].flags;
    if (flags & METHOD_EXACT)
        return NULL;
    if (value_means_true(spec->values, call->result) ||
        value_means_false(spec->values, call->result) ||
        value_means_empty(spec->values, call->result) ||
        call->result.word == value_of_symbol(0).word)
        return NULL; /* whether it fits, is for the check to tell */
    if (!(flags & METHOD_TELLS)) {
        bool gives = flags & (METHOD_GIVES | METHOD_READS | METHOD_TAKES);
        if (gives && texts != SPEC_TEXTS_NONE)
            return NULL;
        if (flags & METHOD_OLD && texts == SPEC_TEXTS_THIS)
            return NULL;
    }
    return "a text that no operation was given must be \"ok\" or \"true\" (it is done), \"false\" "
           "or \"fail\" (it was refused), \"empty\" or \"nil\" (there was nothing)";
}

static SpecEffect builtin_effect(const Spec *spec, const SpecCall *call)
{
    unsigned flags = model_data(spec)->model->methods[call->method].flags;
    if (flags & METHOD_READS)
        return SPEC_READS;
    if (flags & METHOD_READS_FALSE && value_means_false(spec->values, call->result))
        return SPEC_READS;
    if (flags & METHOD_READS_EMPTY && value_means_empty(spec->values, call->result))
        return SPEC_READS;
    return SPEC_CHANGES;
}

static bool builtin_part(const Spec *spec, const SpecCall *call, Value *part)
{
    if (model_data(spec)->model->methods[call->method].flags & METHOD_WHOLE)
        return false;
    *part = call->arguments[0];
    return true;
}

static SpecRole builtin_role(const Spec *spec, const SpecCall *call, Value *value)
{
    unsigned flags = model_data(spec)->model->methods[call->method].flags;
    *value = call->result;
    if (flags & (METHOD_PUTS | METHOD_APPENDS)) {
        *value = call->arguments[call->count - 1];
        /* a put that says it failed is for the general search to refute */
        return !spec_result_fits(spec, call, SPEC_DONE) ? SPEC_ROLE_OTHER
               : flags & METHOD_PUTS                    ? SPEC_ROLE_PUT
                                                        : SPEC_ROLE_APPEND;
    }
    if (flags & METHOD_EMPTY)
        return value_means_true(spec->values, call->result) ? SPEC_ROLE_EMPTY : SPEC_ROLE_OTHER;
    if (!(flags & METHOD_TAKES))
        return SPEC_ROLE_OTHER;
    if (flags & METHOD_READS || !value_means_empty(spec->values, call->result))
        return SPEC_ROLE_TAKE;
    return flags & METHOD_READS_EMPTY ? SPEC_ROLE_EMPTY : SPEC_ROLE_OTHER;
}

static bool builtin_at_front(const Spec *spec, const SpecCall *call)
{
    return model_data(spec)->model->methods[call->method].flags & METHOD_FRONT;
}

void model_print_values(const Spec *spec, const uint64_t *state, size_t words, Buffer *out)
{
    buffer_append(out, "[", 1);
    for (size_t i = 0; i < words; i++) {
        if (i)
            buffer_append(out, ", ", 2);
        if (i == 32) {
            buffer_printf(out, "... %zu more", words - i);
            break;
        }
        value_print(spec->values, (Value){state[i]}, out);
    }
    buffer_append(out, "]", 1);
}

void model_observe(const Spec *spec, Value result, int64_t offset, SpecFacts *facts)
{
    int64_t number;
    if (value_kind(spec->values, result) != VALUE_IS_INT ||
        !value_to_int(spec->values, result, &number) || number > INT64_MAX / 4 ||
        number < INT64_MIN / 4)
        return;
    facts->observes = true;
    facts->least = facts->most = number + offset;
}

void model_initial_empty(const Spec *spec, SpecSteps *steps)
{
    (void)spec;
    spec_emit(steps, NULL, 0, SPEC_DONE);
}

bool model_configure_value(Spec *spec, Arena *arena, Str text)
{
    ModelData *data = arena_new_of(arena, ModelData);
    *data = *model_data(spec);
    int64_t number;
    if (str_to_int64(text, &number))
        data->start = value_int(spec->values, number);
    else if (str_is(text, "none") || str_is(text, "nil"))
        data->start = VALUE_NONE;
    else
        data->start = value_string(spec->values, text);
    spec->data = data;
    return true;
}

Spec *spec_builtin(Arena *arena, Values *values, Str name, Error *error)
{
    Str rest = name, base;
    str_next(&rest, ':', &base);
    const BuiltinModel *model = NULL;
    for (size_t i = 0; (model = model_at(i)) && !str_is(base, model->name);)
        i++;
    if (!model) {
        Buffer names = {0};
        const char *what, *known;
        for (size_t i = 0; (known = spec_builtin_name(i, &what)); i++)
            buffer_printf(&names, "%s%s", i ? ", " : "", known);
        error_set(error,
                  "there is no specification \"%.*s\"; there are: %.*s, and C files (FILE.c)",
                  STR_ARG(base), STR_ARG(buffer_str(&names)));
        vec_free(&names);
        return NULL;
    }
    ModelData *data = arena_new_of(arena, ModelData);
    *data = (ModelData){.model = model, .start = VALUE_NONE};
    Spec *spec = arena_new_of(arena, Spec);
    *spec = (Spec){.name = str_copy(arena, name),
                   .deterministic = true,
                   .values = values,
                   .data = data,
                   .resolve = builtin_resolve,
                   .operations = model->operations,
                   .reject = builtin_reject,
                   .gives = builtin_gives,
                   .exact = builtin_exact,
                   .unclear = builtin_unclear,
                   .initial = model->initial,
                   .step = model->step,
                   .effect = builtin_effect,
                   .part = model->has_parts ? builtin_part : NULL,
                   .facts = model->facts,
                   .amounts = model->amounts,
                   .start_amount = model->start_amount,
                   .shape = model->shape,
                   .role = builtin_role,
                   .at_front = model->shape == SPEC_SHAPE_DEQUE ? builtin_at_front : NULL,
                   .holds_elements = model->print == model_print_values && !model->has_parts,
                   .print = model->print};
    if (rest.at && (!model->configure || !model->configure(spec, arena, rest))) {
        error_set(error, "the specification \"%s\" does not understand \"%.*s\"", model->name,
                  STR_ARG(rest));
        return NULL;
    }
    spec->start = model_data(spec)->start;
    if (str_is(base, "k-register") && !model_data(spec)->count) {
        error_set(error, "k-register needs its K: k-register:2");
        return NULL;
    }
    if (model->number)
        spec->start_number = model->number(spec);
    return spec;
}
