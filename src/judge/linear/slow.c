#include "judge/linear/slow.h"
#include <stdlib.h>
#include <string.h>

typedef struct Visit {
    uint64_t done;
    uint32_t state;
} Visit;
typedef struct Slow {
    const LinearizeProblem *problem;
    uint64_t steps;
    Vec(Visit) visits;
    HashMap index; /* hash -> visit + 1; on a clash the next key is tried */
} Slow;

static bool visited(Slow *slow, uint64_t done, uint32_t state)
{
    for (uint64_t key = hash_combine(done, state);; key++) {
        uint64_t *at = hashmap_put(&slow->index, key, NULL);
        if (!*at) {
            vec_push(&slow->visits, (Visit){done, state});
            *at = slow->visits.count;
            return false;
        }
        const Visit *old = &slow->visits.at[*at - 1];
        if (old->done == done && old->state == state)
            return true;
    }
}

/* DONE: in the order, or left out. True if the rest can be put in order from STATE. */
static bool try_all(Slow *slow, uint64_t done, uint32_t state)
{
    const LinearizeProblem *problem = slow->problem;
    if (!slow->steps || visited(slow, done, state))
        return false;
    slow->steps--;
    bool all = true;
    for (uint32_t i = 0; i < problem->count; i++)
        all = all && (done >> i & 1 || problem->ops[i].optional ||
                      problem->ops[i].returned == LINEARIZE_PENDING);
    if (all && automaton_accepts(problem->automaton, state))
        return true;
    for (uint32_t i = 0; i < problem->count; i++) {
        bool ready = !(done >> i & 1);
        for (uint32_t j = 0; j < problem->count && ready; j++)
            ready = done >> j & 1 || problem->ops[j].returned == LINEARIZE_PENDING ||
                    problem->ops[j].returned > problem->ops[i].called;
        if (!ready)
            continue;
        size_t count;
        const uint32_t *next =
            automaton_step(problem->automaton, state, problem->ops[i].label, &count);
        uint32_t *copy = malloc((count + 1) * sizeof *copy);
        if (!copy)
            die("out of memory");
        if (count)
            memcpy(copy, next, count * sizeof *copy);
        bool found = false;
        for (size_t k = 0; k < count && !found; k++)
            found = try_all(slow, done | (uint64_t)1 << i, copy[k]);
        free(copy);
        if (found)
            return true;
        if (problem->ops[i].optional && try_all(slow, done | (uint64_t)1 << i, state))
            return true;
    }
    return false;
}

Verdict slow_check(const LinearizeProblem *problem, uint64_t steps)
{
    if (problem->count > 64 || problem->before || problem->stuck != LINEARIZE_NONE)
        return VERDICT_INCONCLUSIVE;
    Slow slow = {.problem = problem, .steps = steps};
    bool found = try_all(&slow, 0, automaton_initial(problem->automaton));
    vec_free(&slow.visits);
    hashmap_free(&slow.index);
    return found ? VERDICT_HOLDS : slow.steps ? VERDICT_VIOLATED : VERDICT_INCONCLUSIVE;
}
