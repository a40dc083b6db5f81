/* Making a relaxed specification: its classes, its alphabet, its words for people. */
#include "judge/quasi/relax_internal.h"
#include <stdlib.h>
#include <string.h>

bool relax_semantics_from_word(const char *word, RelaxSemantics *semantics)
{
    static const char *const words[] = {"kooo", "slot", "def4"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (!strcmp(word, words[i])) {
            *semantics = (RelaxSemantics)i;
            return true;
        }
    return false;
}

/* Called once for each label of the relaxed automaton: the history's alphabet. */
static SpecEffect relax_effect(const Spec *spec, const SpecCall *call)
{
    Relax *relax = spec->data;
    SpecCall copy = *call;
    while (relax->class_of.count <= call->method) /* its number need not come from relax_resolve */
        vec_push(&relax->class_of, RELAX_NO_CLASS);
    Value *arguments = arena_array_of(relax->arena, Value, call->count);
    if (call->count)
        memcpy(arguments, call->arguments, call->count * sizeof(Value));
    copy.arguments = arguments;
    vec_push(&relax->recorded, copy);
    copy.result = VALUE_UNKNOWN;
    for (size_t i = 0; i < relax->invocations.count; i++)
        if (relax_same_invocation(&relax->invocations.at[i], &copy))
            return SPEC_CHANGES;
    vec_push(&relax->invocations, copy);
    return SPEC_CHANGES;
}

static bool relax_resolve(const Spec *spec, Str name, size_t count, uint16_t *method)
{
    Relax *relax = spec->data;
    const Spec *inner = relax->classes.inner;
    if (!inner->resolve(inner, name, count, method))
        return false;
    while (relax->class_of.count <= *method)
        vec_push(&relax->class_of, RELAX_NO_CLASS);
    return true;
}

static SpecGives relax_gives(const Spec *spec, uint16_t method)
{
    const Spec *inner = ((const Relax *)spec->data)->classes.inner;
    return inner->gives(inner, method);
}

static bool relax_exact(const Spec *spec, uint16_t method, Value given)
{
    const Spec *inner = ((const Relax *)spec->data)->classes.inner;
    return inner->exact(inner, method, given);
}

static const char *relax_unclear(const Spec *spec, const SpecCall *call, SpecTexts texts)
{
    const Spec *inner = ((const Relax *)spec->data)->classes.inner;
    return inner->unclear(inner, call, texts);
}

static const char *relax_reject(const Spec *spec, const SpecCall *call)
{
    const Spec *inner = ((const Relax *)spec->data)->classes.inner;
    return inner->reject ? inner->reject(inner, call) : NULL;
}

static void print_entries(Relax *relax, const char *title, const DebtList *list, Buffer *out)
{
    const Spec *inner = relax->classes.inner;
    for (uint32_t i = 0; i < list->count; i++) {
        const SpecCall *call = automaton_call(relax->inner, debts_label(list->at[i]));
        buffer_printf(out, "%s", i ? ", " : title);
        for (size_t j = 0; j < call->count; j++) {
            buffer_printf(out, "%s", j ? " " : "(");
            value_print(inner->values, call->arguments[j], out);
            buffer_printf(out, "%s", j + 1 == call->count ? ") -> " : "");
        }
        if (call->result.word == SPEC_DONE.word)
            buffer_printf(out, "done");
        else
            value_print(inner->values, call->result, out);
        buffer_printf(out, " by %u", debts_age(list->at[i]) + 1);
    }
}

static void relax_print(const Spec *spec, const uint64_t *words, size_t count, Buffer *out)
{
    (void)count;
    Relax *relax = spec->data;
    const Spec *inner = relax->classes.inner;
    RelaxState *state = relax_state_take(relax);
    relax_state_decode(relax, words, state);
    size_t inner_words;
    const uint64_t *content = automaton_state(relax->inner, state->inner, &inner_words);
    if (inner->print)
        inner->print(inner, content, inner_words, out);
    for (uint32_t c = 0; c < relax->classes.count; c++) {
        print_entries(relax, "; late: ", &state->classes[c].late, out);
        print_entries(relax, "; ahead of its turn: ", &state->classes[c].promised, out);
    }
    relax_state_give_back(relax);
}

static size_t relax_memory(const Spec *spec)
{
    const Relax *relax = spec->data;
    return automaton_memory(relax->inner) + relax->given_index.capacity * 17 +
           relax->given.capacity * sizeof(RelaxGiven);
}

/* The operations without arguments that take, joined by +. */
static void name_takes(const Spec *inner, Buffer *out)
{
    Str rest = str_of(inner->operations), piece;
    while (inner->role && str_next(&rest, ',', &piece)) {
        Str name = str_trim(piece), arguments = name;
        uint16_t method;
        Value value;
        if (!str_next(&arguments, '(', &name) || !inner->resolve(inner, name, 0, &method))
            continue;
        SpecCall call = {.method = method, .result = value_int(inner->values, 1)};
        if (inner->role(inner, &call, &value) == SPEC_ROLE_TAKE)
            buffer_printf(out, "%s%.*s", out->count ? "+" : "", STR_ARG(name));
    }
}

const char *relax_expand_takes(Arena *arena, const Spec *inner, const char *factors, Error *error)
{
    Buffer takes = {0}, out = {0};
    Str rest = str_of(factors), piece;
    bool fine = true;
    name_takes(inner, &takes);
    while (str_next(&rest, ',', &piece)) {
        Str factor = str_trim(piece), names;
        str_next(&factor, ':', &names);
        bool all = str_is(str_trim(names), "takes");
        fine = fine && (!all || takes.count);
        buffer_printf(&out, "%s", out.count ? "," : "");
        if (all && fine && factor.at)
            buffer_printf(&out, "%.*s:%.*s", STR_ARG(buffer_str(&takes)), STR_ARG(factor));
        else
            buffer_printf(&out, "%.*s", STR_ARG(piece));
    }
    const char *text = fine ? arena_printf(arena, "%.*s", STR_ARG(buffer_str(&out))) : NULL;
    if (!fine)
        error_set(error,
                  "it is not known which operations of the specification \"%s\" take: name them in "
                  "--quasi, as in --quasi=next:auto",
                  inner->name);
    vec_free(&takes);
    vec_free(&out);
    return text;
}

/* One "deq+deqmin:2". */
static bool add_class(Relax *relax, Str text, Error *error)
{
    const Spec *inner = relax->classes.inner;
    RelaxClasses *classes = &relax->classes;
    Str rest = text, names, name;
    int64_t factor;
    if (!str_next(&rest, ':', &names) || !rest.at || !str_to_int64(str_trim(rest), &factor))
        return error_set(error, "--quasi wants OPERATION:FACTOR, as in deq:2; not \"%.*s\"",
                         STR_ARG(text));
    if (factor < 0 || factor > (int64_t)RELAX_LARGEST)
        return error_set(error, "a quasi factor is at least 0 and at most %u",
                         (unsigned)RELAX_LARGEST);
    if (classes->count == RELAX_CLASSES)
        return error_set(error, "at most %u groups of operations can have quasi factors",
                         (unsigned)RELAX_CLASSES);
    uint8_t class = (uint8_t)classes->count++;
    classes->factor[class] = (uint32_t)factor;
    while (str_next(&names, '+', &name)) {
        bool found = false;
        for (size_t count = 0; count < 6; count++) {
            uint16_t method;
            if (!inner->resolve(inner, str_trim(name), count, &method))
                continue;
            found = true;
            while (relax->class_of.count <= method)
                vec_push(&relax->class_of, RELAX_NO_CLASS);
            if (relax->class_of.at[method] != RELAX_NO_CLASS && relax->class_of.at[method] != class)
                return error_set(error, "--quasi: \"%.*s\" is in two groups", STR_ARG(name));
            relax->class_of.at[method] = class;
        }
        if (!found)
            return error_set(error,
                             "--quasi: the specification \"%s\" has no operation \"%.*s\"; "
                             "it has: %s",
                             inner->name, STR_ARG(name), inner->operations);
    }
    return true;
}

Spec *spec_relax(Arena *arena, const Spec *inner, Str factors, RelaxSemantics semantics,
                 Error *error)
{
    Relax *relax = arena_new_of(arena, Relax);
    relax->arena = arena;
    relax->classes.inner = inner;
    relax->classes.semantics = semantics;
    Str rest = factors, piece;
    while (str_next(&rest, ',', &piece))
        if (!add_class(relax, str_trim(piece), error)) {
            vec_free(&relax->class_of);
            return NULL;
        }
    relax->causal = semantics == RELAX_KOOO && inner->role && inner->holds_elements;
    relax->inner = automaton_new(inner);
    static const char *const words[] = {"kooo", "slot", "def4"};
    Spec *spec = arena_new_of(arena, Spec);
    *spec = (Spec){.name = arena_printf(arena, "%s, quasi %.*s (%s)", inner->name, STR_ARG(factors),
                                        words[semantics]),
                   .exact_results = inner->exact_results,
                   .values = inner->values,
                   .data = relax,
                   .resolve = relax_resolve,
                   .operations = inner->operations,
                   .reject = relax_reject,
                   .gives = inner->gives ? relax_gives : NULL,
                   .exact = inner->exact ? relax_exact : NULL,
                   .unclear = inner->unclear ? relax_unclear : NULL,
                   .initial = relax_initial,
                   .step = relax_step,
                   .may_wait = relax_may_wait,
                   .effect = relax_effect,
                   .accepts = relax_accepts,
                   .labels_matter = true,
                   .memory = relax_memory,
                   .print = relax_print};
    return spec;
}

void spec_relax_free(Spec *relaxed)
{
    if (!relaxed || relaxed->step != relax_step)
        return;
    Relax *relax = relaxed->data;
    automaton_free(relax->inner);
    vec_free(&relax->class_of);
    vec_free(&relax->invocations);
    vec_free(&relax->recorded);
    for (size_t i = 0; i < relax->scratch.count; i++) {
        vec_free(&relax->scratch.at[i]->inside);
        free(relax->scratch.at[i]);
    }
    vec_free(&relax->scratch);
    spec_steps_free(&relax->steps);
    vec_free(&relax->from);
    vec_free(&relax->words);
    hashmap_free(&relax->given_index);
    vec_free(&relax->given);
    relax->inner = NULL;
}

const RelaxClasses *relax_classes(const Spec *spec)
{
    return spec->step == relax_step ? &((const Relax *)spec->data)->classes : NULL;
}

uint8_t relax_class_of(const Spec *spec, uint16_t method)
{
    Relax *relax = spec->data;
    return method < relax->class_of.count ? relax->class_of.at[method] : RELAX_NO_CLASS;
}

Automaton *relax_inner(const Spec *spec)
{
    return ((const Relax *)spec->data)->inner;
}

bool relax_is_causal(const Spec *spec)
{
    return ((const Relax *)spec->data)->causal;
}

uint32_t relax_invocation_count(const Spec *spec)
{
    return (uint32_t)((const Relax *)spec->data)->invocations.count;
}

const SpecCall *relax_invocation_call(const Spec *spec, uint32_t invocation)
{
    return &((const Relax *)spec->data)->invocations.at[invocation];
}

uint32_t relax_invocation(const Spec *spec, const SpecCall *call)
{
    return relax_find_invocation(spec->data, call);
}

const RelaxGiven *relax_given(const Spec *spec, uint32_t inner, uint32_t invocation, size_t *count)
{
    return relax_find_given(spec->data, inner, invocation, count);
}
