/* The definition word for word: every run that the specification allows, and for each class every
 * order of its operations that respects theirs. */
#include <stdlib.h>
#include <string.h>
#include "judge/quasi/def4.h"

typedef struct Slow {
    const Def4Problem *problem;
    uint64_t steps;
    uint32_t run[64], length;
    uint32_t place[64]; /* of each operation in its class, in the run */
} Slow;

/* Can the operations of class C that are not in PLACED fill the places from PLACE on? */
static bool order_class(Slow *slow, uint8_t c, uint64_t placed, uint32_t place)
{
    const Def4Problem *problem = slow->problem;
    uint32_t factor = problem->classes->factor[c];
    uint64_t left = 0;
    for (uint32_t i = 0; i < problem->count; i++)
        if (problem->class[i] == c && (problem->all & ~placed) >> i & 1)
            left |= (uint64_t)1 << i;
    if (!left)
        return true;
    for (uint32_t i = 0; i < problem->count && slow->steps; i++) {
        uint32_t at = slow->place[i];
        if (!(left >> i & 1) || problem->before[i] & left ||
            (at > place ? at - place : place - at) > factor)
            continue;
        slow->steps--;
        if (order_class(slow, c, placed | (uint64_t)1 << i, place + 1))
            return true;
    }
    return false;
}

static bool runs(Slow *slow, uint64_t written, uint32_t state)
{
    const Def4Problem *problem = slow->problem;
    if (written == problem->all) {
        bool fine = problem->stuck == LINEARIZE_NONE ||
                    automaton_waits(problem->automaton, state, problem->stuck);
        uint32_t next[RELAX_CLASSES] = {0};
        for (uint32_t i = 0; i < slow->length; i++)
            if (problem->class[slow->run[i]] != RELAX_NO_CLASS)
                slow->place[slow->run[i]] = next[problem->class[slow->run[i]]]++;
        for (uint8_t c = 0; fine && c < problem->classes->count; c++)
            fine = order_class(slow, c, 0, 0);
        return fine;
    }
    for (uint32_t i = 0; i < problem->count && slow->steps; i++) {
        if (!((problem->all & ~written) >> i & 1))
            continue;
        slow->steps--;
        size_t count;
        const uint32_t *next =
            automaton_step(problem->automaton, state, problem->labels[i], &count);
        uint32_t *copy = malloc((count + 1) * sizeof *copy);
        if (!copy)
            die("out of memory");
        if (count)
            memcpy(copy, next, count * sizeof *copy);
        slow->run[slow->length++] = i;
        bool found = false;
        for (size_t s = 0; s < count && !found; s++)
            found = runs(slow, written | (uint64_t)1 << i, copy[s]);
        slow->length--;
        free(copy);
        if (found)
            return true;
    }
    return false;
}

Verdict def4_slow(const Def4Problem *problem, uint64_t steps)
{
    Slow slow = {.problem = problem, .steps = steps};
    bool found = runs(&slow, 0, automaton_initial(problem->automaton));
    return found ? VERDICT_HOLDS : slow.steps ? VERDICT_VIOLATED : VERDICT_INCONCLUSIVE;
}
