#include "judge/linear/witness.h"
#include <stdlib.h>
#include <string.h>

/* Do all steps lead to the same state? */
static bool agree(const SpecSteps *steps)
{
    size_t words = steps->results.count ? steps->offsets.at[1] - steps->offsets.at[0] : 0;
    for (size_t i = 1; i < steps->results.count; i++)
        if (steps->offsets.at[i + 1] - steps->offsets.at[i] != words ||
            (words && memcmp(steps->words.at, steps->words.at + steps->offsets.at[i],
                             words * sizeof *steps->words.at)))
            return false;
    return true;
}

WitnessWalk witness_walk(const Plan *plan, const uint32_t *order, uint32_t count)
{
    const Spec *spec = plan->spec;
    SpecSteps steps[2] = {{0}};
    WitnessWalk walk = {.fits = true};
    spec_steps_clear(&steps[0], spec, NULL);
    spec->initial(spec, &steps[0]);
    walk.decided = steps[0].results.count == 1;
    for (; walk.taken < count && walk.decided; walk.taken++) {
        const SpecSteps *from = &steps[walk.taken % 2]; /* the first of equal states */
        SpecSteps *to = &steps[(walk.taken + 1) % 2];
        SpecCall call;
        plan_call(plan, order[walk.taken], &call);
        spec_steps_clear(to, spec, &call);
        spec->step(spec, from->words.at, from->offsets.at[1], &call, to);
        walk.decided = agree(to);
        walk.fits = to->results.count > 0;
        if (!walk.fits)
            break;
    }
    spec_steps_free(&steps[0]);
    spec_steps_free(&steps[1]);
    return walk;
}

bool witness_check(const Plan *plan, const PlanGroup *group, const uint32_t *order, uint32_t count)
{
    const uint32_t *members = vec_from(&plan->members, group->first);
    const Operation *ops = plan->history->operations.at;
    unsigned char *seen = calloc(group->count + 1, 1);
    Vec(uint32_t) run = {0};
    if (!seen)
        die("out of memory");
    uint32_t called = 0; /* the latest call so far */
    bool right = true;
    for (uint32_t i = 0; i < count && right; i++) {
        const Operation *op = &ops[members[order[i]]];
        right = !seen[order[i]] && op->returned >= called;
        seen[order[i]] = 1;
        called = MAX(called, op->called);
        vec_push(&run, members[order[i]]);
    }
    for (uint32_t m = 0; m < group->count && right; m++)
        right = seen[m] || ops[members[m]].returned == HISTORY_PENDING;
    if (right) {
        WitnessWalk walk = witness_walk(plan, run.at, count);
        right = walk.decided && walk.fits;
    }
    vec_free(&run);
    free(seen);
    return right;
}
