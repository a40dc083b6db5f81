#include "judge/linear/amounts.h"

void amounts_free(Amounts *amounts)
{
    vec_free(&amounts->all);
    vec_free(&amounts->first);
    vec_free(&amounts->start);
    vec_free(&amounts->told);
    hashmap_free(&amounts->numbers);
}

/* Puts into told what CALL does, in one reading. */
static bool tell(Amounts *amounts, const Spec *spec, const SpecCall *call, int reading)
{
    vec_clear(&amounts->told);
    return spec->amounts(spec, call, reading, &amounts->told);
}

/* Numbers those that CALL changes. */
static void number_changed(Amounts *amounts, const Spec *spec, const SpecCall *call)
{
    if (!tell(amounts, spec, call, 0))
        return;
    for (size_t i = 0; i < amounts->told.count; i++) {
        const SpecAmount *told = &amounts->told.at[i];
        bool absent = false;
        if (told->change)
            *hashmap_put(&amounts->numbers, told->place.word, &absent) |= 0;
        if (absent) {
            *hashmap_find(&amounts->numbers, told->place.word) = amounts->start.count;
            vec_push(&amounts->start, spec->start_amount(spec, told->place));
        }
    }
}

/* Is what is told of numbers that nothing changes true? */
static bool is_possible(const Amounts *amounts, const Spec *spec)
{
    for (size_t i = 0; i < amounts->told.count; i++) {
        const SpecAmount *told = &amounts->told.at[i];
        int64_t start = spec->start_amount(spec, told->place);
        if ((start < told->least || start > told->most) &&
            !hashmap_find(&amounts->numbers, told->place.word))
            return false;
    }
    return true;
}

bool amounts_find(Amounts *amounts, const Plan *plan, const PlanGroup *group)
{
    const Spec *spec = plan->spec;
    vec_clear(&amounts->all);
    vec_clear(&amounts->first);
    vec_clear(&amounts->start);
    hashmap_clear(&amounts->numbers);
    if (!spec->amounts)
        return false;
    SpecCall call;
    for (uint32_t m = 0; m < group->count; m++) {
        plan_call(plan, plan->members.at[group->first + m], &call);
        number_changed(amounts, spec, &call);
    }
    for (uint32_t m = 0; m < group->count && amounts->start.count; m++) {
        vec_push(&amounts->first, (uint32_t)amounts->all.count);
        plan_call(plan, plan->members.at[group->first + m], &call);
        bool possible[2];
        for (int reading = 2; reading-- > 0;) /* told is of reading 0 in the end */
            possible[reading] = tell(amounts, spec, &call, reading) && is_possible(amounts, spec);
        if (possible[0] == possible[1] || (possible[1] && !tell(amounts, spec, &call, 1)))
            continue;
        for (size_t i = 0; i < amounts->told.count; i++) {
            const SpecAmount *told = &amounts->told.at[i];
            const uint64_t *number = hashmap_find(&amounts->numbers, told->place.word);
            Amount amount = {m, number ? (uint32_t)*number : 0, told->change, told->least,
                             told->most};
            if (number)
                vec_push(&amounts->all, amount);
        }
    }
    vec_push(&amounts->first, (uint32_t)amounts->all.count);
    return amounts->start.count > 0;
}
