/* Iterative deepening on the number of changed results: the first depth at which a serial order
 * exists is the least, since every order with fewer changes was tried before. Within a depth,
 * operations keep their own result first, so that of equally near outcomes the one is found whose
 * changes come late in the serial order: that is where a person looks. */
#include "judge/graph/closest.h"
#include <string.h>

typedef struct Search {
    const ClosestProblem *problem;
    ClosestResult *result;
    uint64_t left; /* steps before it gives up */
} Search;

typedef struct OpenStep {
    uint32_t state;
    Value result;
} OpenStep;
typedef Vec(OpenStep) OpenSteps;

/* Every step that LABEL, of a call without its result, allows in STATE. */
static void open_steps(Automaton *automaton, uint32_t state, uint32_t label, OpenSteps *out)
{
    const Spec *spec = automaton_spec(automaton);
    SpecCall call = *automaton_call(automaton, label);
    SpecSteps steps = {0};
    spec_steps_clear(&steps, spec, &call);
    size_t words;
    const uint64_t *from = automaton_state(automaton, state, &words);
    spec->step(spec, from, words, &call, &steps);
    for (size_t i = 0; i < steps.results.count; i++) {
        uint32_t start = steps.offsets.at[i], end = steps.offsets.at[i + 1];
        vec_push(out,
                 (OpenStep){automaton_intern(automaton, vec_from(&steps.words, start), end - start),
                            steps.results.at[i]});
    }
    spec_steps_free(&steps);
}

static bool search_end(Search *search, uint32_t state)
{
    const ClosestProblem *problem = search->problem;
    if (problem->stuck == UINT32_MAX)
        return automaton_accepts(problem->automaton, state);
    OpenSteps steps = {0};
    open_steps(problem->automaton, state, problem->stuck, &steps);
    bool goes_on = steps.count > 0;
    if (goes_on)
        search->result->stuck_result = steps.at[0].result;
    vec_free(&steps);
    return goes_on;
}

static bool search_from(Search *search, uint32_t done, uint32_t depth, uint32_t state,
                        uint32_t changes);

static bool keep_result(Search *search, uint32_t i, uint32_t done, uint32_t depth, uint32_t state,
                        uint32_t changes)
{
    size_t count;
    const uint32_t *next =
        automaton_step(search->problem->automaton, state, search->problem->labels[i], &count);
    uint32_t copy[64];
    count = MIN(count, COUNT_OF(copy));
    memcpy(copy, next, count * sizeof *copy);
    search->result->changed[i] = false;
    for (size_t s = 0; s < count; s++)
        if (search_from(search, done | 1u << i, depth + 1, copy[s], changes))
            return true;
    return false;
}

static bool change_result(Search *search, uint32_t i, uint32_t done, uint32_t depth, uint32_t state,
                          uint32_t changes)
{
    const ClosestProblem *problem = search->problem;
    Value own = automaton_call(problem->automaton, problem->labels[i])->result;
    OpenSteps steps = {0};
    open_steps(problem->automaton, state, problem->open_labels[i], &steps);
    bool found = false;
    for (size_t s = 0; s < steps.count && !found; s++) {
        if (value_equal(steps.at[s].result, own))
            continue;
        search->result->changed[i] = true;
        search->result->result[i] = steps.at[s].result;
        found = search_from(search, done | 1u << i, depth + 1, steps.at[s].state, changes - 1);
    }
    vec_free(&steps);
    return found;
}

static bool search_from(Search *search, uint32_t done, uint32_t depth, uint32_t state,
                        uint32_t changes)
{
    const ClosestProblem *problem = search->problem;
    if (depth == problem->count)
        return changes == 0 && search_end(search, state);
    for (int pass = 0; pass < (changes ? 2 : 1); pass++)
        for (uint32_t i = 0; i < problem->count; i++) {
            if (done >> i & 1 || problem->before[i] & ~done)
                continue;
            if (!search->left)
                return false;
            search->left--;
            search->result->order[depth] = i;
            if (pass ? change_result(search, i, done, depth, state, changes)
                     : keep_result(search, i, done, depth, state, changes))
                return true;
        }
    return false;
}

bool closest_outcome(const ClosestProblem *problem, ClosestResult *result)
{
    Search search = {problem, result, problem->most_steps ? problem->most_steps : 200000};
    if (problem->count > CLOSEST_MOST)
        return false;
    for (uint32_t changes = 0; changes <= problem->count; changes++) {
        *result = (ClosestResult){.changes = changes};
        if (search_from(&search, 0, 0, automaton_initial(problem->automaton), changes))
            return true;
        if (!search.left)
            return false;
    }
    return false;
}
