#include "judge/linear/pram.h"
#include "judge/linear/monitor_internal.h"
#include <stdlib.h>
#include <string.h>

#define MOST_REDUCED 64u /* longer cores are not made smaller */
#define TRIAL_CONFIGURATIONS 20000u

typedef struct Pram {
    Checker *checker;
    const Plan *plan;
    const PlanGroup *group;
    const uint32_t *members;
    uint64_t *before;   /* the order of each process, as rows */
    uint32_t *seen;     /* labels with the result of the log */
    uint32_t *any;      /* with any result */
    Vec(uint32_t) told; /* operations, by place in the group, whose results count */
} Pram;

/* Operations of unknown outcome precede nothing. */
static void fill_order(Pram *p)
{
    const Operation *ops = p->plan->history->operations.at;
    size_t words = history_row_words(p->group->count);
    for (size_t y = 0; y < p->group->count; y++)
        for (size_t x = 0; x < y; x++)
            if (ops[p->members[x]].process == ops[p->members[y]].process &&
                ops[p->members[x]].returned != HISTORY_PENDING)
                p->before[y * words + x / 64] |= (uint64_t)1 << (x % 64);
}

static LinearizeResult try_told(Pram *p, const LinearizeLimits *limits)
{
    LinearizeOp *ops = p->checker->ops.at;
    for (uint32_t i = 0; i < p->group->count; i++)
        ops[i].label = p->any[i];
    for (size_t i = 0; i < p->told.count; i++)
        ops[p->told.at[i]].label = p->seen[p->told.at[i]];
    LinearizeProblem problem = {.automaton = p->checker->automaton,
                                .ops = ops,
                                .count = p->group->count,
                                .before = p->before,
                                .stuck = LINEARIZE_NONE};
    return linearize(p->checker->linearizer, &problem, limits);
}

/* Leaves results out as long as the rest contradicts itself. */
static void reduce(Pram *p, const LinearizeLimits *limits)
{
    LinearizeLimits few = *limits;
    few.configurations = TRIAL_CONFIGURATIONS;
    for (size_t i = p->told.count; i-- > 0 && p->told.count <= MOST_REDUCED;) {
        uint32_t left = p->told.at[i];
        memmove(p->told.at + i, p->told.at + i + 1, (p->told.count - i - 1) * sizeof left);
        p->told.count--;
        if (try_told(p, &few).verdict == VERDICT_VIOLATED)
            continue;
        vec_push(&p->told, left);
        memmove(p->told.at + i + 1, p->told.at + i, (p->told.count - i - 1) * sizeof left);
        p->told.at[i] = left;
    }
}

static const char *judge(Pram *p, const LinearizeLimits *limits)
{
    MonitorResult *result = &p->checker->monitor;
    const Operation *ops = p->plan->history->operations.at;
    const char *reason = NULL;
    result->answer = MONITOR_HOLDS;
    uint32_t processes = (uint32_t)p->plan->history->processes.count;
    for (uint32_t process = 0; process < processes && result->answer == MONITOR_HOLDS; process++) {
        vec_clear(&p->told);
        for (uint32_t i = 0; i < p->group->count; i++)
            if (ops[p->members[i]].process == process &&
                ops[p->members[i]].returned != HISTORY_PENDING)
                vec_push(&p->told, i);
        if (!p->told.count)
            continue;
        LinearizeResult found = try_told(p, limits);
        if (found.verdict == VERDICT_INCONCLUSIVE)
            reason = found.reason;
        if (found.verdict != VERDICT_VIOLATED)
            continue;
        reduce(p, limits);
        for (size_t i = 0; i < p->told.count; i++)
            p->told.at[i] = p->members[p->told.at[i]];
        monitor_violated(result,
                         "no serial order of all operations that keeps the order of each process "
                         "gives this process its results",
                         p->told.at, p->told.count);
        return NULL;
    }
    return reason;
}

const char *pram_search(Checker *checker, const Plan *plan, const PlanGroup *group,
                        const LinearizeLimits *limits)
{
    Pram p = {.checker = checker,
              .plan = plan,
              .group = group,
              .members = vec_from(&plan->members, group->first)};
    size_t count = group->count, bytes = count * history_row_words(count) * sizeof *p.before;
    if (limits->memory && bytes > limits->memory / 2)
        return "memory";
    p.before = calloc(1, bytes + 1);
    p.seen = calloc(count + 1, sizeof *p.seen);
    p.any = calloc(count + 1, sizeof *p.any);
    if (!p.before || !p.seen || !p.any)
        die("out of memory");
    fill_order(&p);
    checker_load(checker, plan, p.members, count);
    for (uint32_t i = 0; i < count; i++) {
        SpecCall call;
        plan_call(plan, p.members[i], &call);
        p.seen[i] = checker->ops.at[i].label;
        call.result = VALUE_UNKNOWN;
        p.any[i] = automaton_label(checker->automaton, &call);
    }
    const char *reason = judge(&p, limits);
    vec_free(&p.told);
    free(p.before);
    free(p.seen);
    free(p.any);
    return reason;
}
