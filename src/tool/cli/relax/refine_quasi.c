/* What refines a specification with some factors refines it with larger ones, so factors are tried
 * from 0 on. */
#include "tool/cli/relax/refine_quasi.h"
#include "judge/spec/spec.h"

enum { UNRELAXED = 63, MOST_CLASSES = 60 }; /* class of operations without a factor */

static const ModelOperation *find_operation(const Model *model, Str name)
{
    for (int i = 0; i < model->implementation->operation_count; i++)
        if (str_is(name, model->implementation->operations[i]->name))
            return model->implementation->operations[i];
    return NULL;
}

static bool set_factor(RefineQuasi *quasi, const Model *model, Str names, int factor, Error *error)
{
    Str rest = names, name;
    if (quasi->class_count >= MOST_CLASSES)
        return error_set(error, "--quasi: too many classes");
    while (str_next(&rest, '+', &name)) {
        const ModelOperation *found = find_operation(model, name);
        if (!found)
            return error_set(error, "--quasi: the model has no operation '%.*s'", STR_ARG(name));
        quasi->factors[found->index] = factor;
        quasi->classes[found->index] = quasi->class_count;
    }
    quasi->class_count++;
    return true;
}

/* Does an operation of this name take something out of a container of one of the built-in kinds? */
static bool takes(Arena *arena, Values *values, const ModelOperation *operation)
{
    static const char *const containers[] = {"fifo", "lifo", "priority-queue", "deque", "bag"};
    for (size_t i = 0; i < COUNT_OF(containers); i++) {
        Error unused;
        Value value;
        SpecCall call = {.result = VALUE_UNKNOWN};
        const Spec *spec = spec_builtin(arena, values, str_of(containers[i]), &unused);
        if (spec && spec->resolve(spec, str_of(operation->name), 0, &call.method) &&
            spec->role(spec, &call, &value) == SPEC_ROLE_TAKE &&
            spec->effect(spec, &call) == SPEC_CHANGES)
            return true;
    }
    return false;
}

/* "auto": one class of all operations that take. */
static bool add_takes(RefineQuasi *quasi, const Model *model, Error *error)
{
    Arena *arena = arena_new();
    Values *values = values_new();
    bool any = false;
    for (int i = 0; i < model->implementation->operation_count; i++) {
        const ModelOperation *operation = model->implementation->operations[i];
        if (!takes(arena, values, operation))
            continue;
        quasi->classes[operation->index] = quasi->class_count;
        any = true;
    }
    quasi->wanted |= UINT64_C(1) << quasi->class_count++;
    values_free(values);
    arena_free(arena);
    return any || error_set(error, "--quasi=auto: no operation of the model is known to take "
                                   "something: name them, as in --quasi=next:auto");
}

bool refine_quasi_read(RefineQuasi *quasi, const Model *model, const char *text, Error *error)
{
    *quasi = (RefineQuasi){.class_count = 0};
    for (int i = 0; i < 64; i++)
        quasi->classes[i] = UNRELAXED;
    for (int i = 0; !text && i < model->quasi_count; i++)
        if (!set_factor(quasi, model, str_of(model->quasi[i].operation), model->quasi[i].factor,
                        error))
            return false;
    Str rest = str_of(text ? text : ""), item;
    while (text && str_next(&rest, ',', &item)) {
        Str names, number = item;
        int64_t factor = 0;
        if (str_is(item, "auto") && quasi->class_count < MOST_CLASSES) {
            if (!add_takes(quasi, model, error))
                return false;
            continue;
        }
        bool ok = str_next(&number, ':', &names) && number.at;
        bool wanted = ok && str_is(number, "auto");
        if (!ok || (!wanted && (!str_to_int64(number, &factor) || factor < 0 || factor > 100)))
            return error_set(
                error, "--quasi=%s: expected OPERATION:FACTOR,..., or auto as a factor", text);
        if (wanted)
            quasi->wanted |= UINT64_C(1) << quasi->class_count;
        if (!set_factor(quasi, model, names, (int)factor, error))
            return false;
    }
    return true;
}

static void set_classes(RefineQuasi *quasi, uint64_t classes, int factor)
{
    for (int i = 0; i < 64; i++)
        if (quasi->classes[i] < MOST_CLASSES && classes >> quasi->classes[i] & 1)
            quasi->factors[i] = factor;
}

/* Is it that the factors are too small? */
static bool is_too_small(const RefineResult *result)
{
    return result->verdict == VERDICT_VIOLATED && result->violation == VIOLATION_REFINEMENT;
}

static bool try_factors(Arena *arena, RefineOptions *refine, RefineResult *result, Error *error)
{
    if (!refine_run(arena, refine, result, error))
        return false;
    refine->seconds_used += result->figures.seconds;
    refine->states_used += result->figures.states;
    return true;
}

/* CLASS, which has FACTOR, is lowered as far as it goes; HELD is the answer with what it has. */
static bool lower(Arena *arena, RefineQuasi *quasi, uint64_t class, int factor,
                  RefineOptions *refine, RefineResult *held, Error *error)
{
    RefineResult result;
    for (int less = 0; less < factor; less++) {
        set_classes(quasi, class, less);
        if (!try_factors(arena, refine, &result, error))
            return false;
        if (is_too_small(&result))
            continue;
        *held = result;
        return true;
    }
    set_classes(quasi, class, factor);
    return true;
}

bool refine_quasi_run(Arena *arena, RefineQuasi *quasi, RefineOptions *refine, RefineResult *result,
                      Error *error)
{
    RefineJournal *journal = refine->journal;
    bool several = quasi->wanted & (quasi->wanted - 1);
    int factor = journal ? (int)journal->round : 0;
    if (journal && several)
        return error_set(error, "--journal: one factor at a time can be found");
    refine->factors = quasi->factors;
    refine->classes = quasi->classes;
    for (;; factor++) {
        set_classes(quasi, quasi->wanted, factor);
        if (!try_factors(arena, refine, result, error))
            return false;
        if (!quasi->wanted || factor == REFINE_QUASI_MOST || !is_too_small(result))
            break;
        if (journal) {
            journal->round = (uint32_t)factor + 1;
            journal->is_resumed = false;
            journal->seconds_before += result->figures.seconds;
        }
    }
    for (uint64_t left = quasi->wanted; several && left && result->verdict == VERDICT_HOLDS;
         left &= left - 1)
        if (!lower(arena, quasi, left & -left, factor, refine, result, error))
            return false;
    return true;
}
