#include "judge/linear/linearize_problem.h"
#include "base/clock.h"

const char *linearize_end_wanted(const LinearizeLimits *limits)
{
    if (limits->deadline > 0 && clock_seconds() > limits->deadline)
        return "time";
    return limits->stop && *limits->stop ? "interrupted" : NULL;
}

bool linearize_ignored(const LinearizeProblem *problem, uint32_t op)
{
    return problem->ops[op].returned == LINEARIZE_PENDING &&
           automaton_reads_only(problem->automaton, problem->ops[op].label);
}
