#include "guest/harness/judges.h"
#include <string.h>
#include "judge/quasi/relax.h"

void judge_start(ObjectJudge *judge, const Spec *spec, JudgeLabel *label)
{
    judge->spec = spec;
    judge->label = label;
    judge->automaton = automaton_new(spec);
    judge->verifier = verifier_new();
    verifier_begin(judge->verifier, judge->automaton, REALTIME_MOST, label, judge);
}

static bool is_specification(Str text)
{
    Str base;
    const char *what, *known;
    if (!str_next(&text, ':', &base))
        return false;
    if (str_is(base, "golden") || str_is(base, "observed"))
        return true;
    for (size_t i = 0; (known = spec_builtin_name(i, &what)); i++)
        if (str_is(base, known))
            return true;
    return false;
}

/* "queue:fifo" is of an object, "register:0" is not: a specification follows its first colon, or
 * not. */
static bool add_judge(Judges *judges, Arena *arena, Values *values, Str item,
                      const JudgesRequest *request, JudgeLabel *label, Error *error)
{
    if (judges->count == JUDGES_MOST)
        return error_set(error, "more than %d objects have specifications", JUDGES_MOST);
    ObjectJudge *judge = &judges->at[judges->count];
    Str rest = item, object;
    *judge = (ObjectJudge){0};
    if (str_next(&rest, ':', &object) && rest.length &&
        (is_specification(rest) || !is_specification(item))) {
        judge->object = str_copy(arena, str_trim(object));
        item = rest;
    }
    item = str_trim(item);
    if (str_is(item, "observed")) /* nothing is given */
        return true;
    if (str_is(item, "golden") && !request->golden)
        return error_set(error, "--spec=golden, but there is no golden code (HD_GOLDEN)");
    const Spec *spec =
        str_is(item, "golden") ? request->golden : spec_builtin(arena, values, item, error);
    if (!spec)
        return false;
    for (uint32_t i = 0; i < judges->count; i++)
        if (!judge->object || !judges->at[i].object || !strcmp(judge->object, judges->at[i].object))
            return error_set(error, "%s%s has two specifications",
                             judge->object ? "object " : "every object",
                             judge->object ? judge->object : "");
    judge_start(judge, spec, label);
    judges->count++;
    return true;
}

static bool relax_judge(ObjectJudge *judge, Arena *arena, const JudgesRequest *request,
                        const char **factors, Error *error)
{
    RelaxSemantics semantics = RELAX_KOOO;
    if (request->semantics && request->semantics[0] &&
        !relax_semantics_from_word(request->semantics, &semantics))
        return error_set(error, "no semantics \"%s\": kooo, slot or def4", request->semantics);
    *factors = relax_expand_takes(arena, judge->spec, request->quasi, error);
    if (!*factors)
        return false;
    const Spec *relaxed = spec_relax(arena, judge->spec, str_of(*factors), semantics, error);
    if (!relaxed)
        return false;
    judge_start(judge, relaxed, judge->label);
    return true;
}

bool judges_make(Judges *judges, Arena *arena, Values *values, const JudgesRequest *request,
                 JudgeLabel *label, Error *error)
{
    judges->count = 0;
    judges->quasi = NULL;
    Str rest = str_of(request->spec), item;
    while (str_next(&rest, ',', &item))
        if (str_trim(item).length &&
            !add_judge(judges, arena, values, str_trim(item), request, label, error))
            return false;
    if (!request->quasi || !request->quasi[0])
        return true;
    if (judges->count != 1)
        return error_set(error, judges->count ? "--quasi needs one specification, not several"
                                              : "--quasi needs a specification: add --spec=fifo or "
                                                "the like");
    return relax_judge(&judges->at[0], arena, request, &judges->quasi, error);
}

ObjectJudge *judges_find(Judges *judges, const char *object)
{
    for (uint32_t i = 0; i < judges->count; i++)
        if (!judges->at[i].object || !strcmp(judges->at[i].object, object)) {
            judges->at[i].used = true;
            return &judges->at[i];
        }
    return NULL;
}

bool judges_cover_all(const Judges *judges)
{
    return judges->count == 1 && !judges->at[0].object;
}

uint64_t judges_used(const Judges *judges)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < judges->count; i++)
        used |= (uint64_t)judges->at[i].used << i;
    return used;
}

const char *judges_unused(const Judges *judges, uint64_t used)
{
    for (uint32_t i = 0; i < judges->count; i++)
        if (judges->at[i].object && !(used >> i & 1))
            return judges->at[i].object;
    return NULL;
}

uint64_t judges_undecided(const Judges *judges)
{
    uint64_t undecided = 0;
    for (uint32_t i = 0; i < judges->count; i++)
        undecided += verifier_undecided(judges->at[i].verifier);
    return undecided;
}

bool judge_label(const ObjectJudge *judge, const JudgeCall *call, uint32_t *label, Error *error)
{
    const Spec *spec = judge->spec;
    SpecCall wanted = {.count = call->count, .arguments = call->arguments, .result = call->result};
    if (!spec->resolve(spec, call->name, call->count, &wanted.method))
        return error_set(error,
                         "specification %s has no operation %.*s with %u arguments; it has %s",
                         spec->name, STR_ARG(call->name), call->count, spec->operations);
    const char *why = spec->reject ? spec->reject(spec, &wanted) : NULL;
    if (why)
        return error_set(error, "%.*s makes no sense for specification %s: %s", STR_ARG(call->name),
                         spec->name, why);
    *label = automaton_label(judge->automaton, &wanted);
    return true;
}

void judge_print_allowed(const ObjectJudge *judge, uint32_t state, const JudgeCall *call,
                         Buffer *out)
{
    Error ignored;
    uint32_t label;
    size_t words;
    if (!judge_label(judge, call, &label, &ignored))
        return;
    const uint64_t *at = automaton_state(judge->automaton, state, &words);
    spec_print_allowed(judge->spec, at, words, automaton_call(judge->automaton, label), call->name,
                       out);
}
