#include "judge/linear/checker_internal.h"
#include "base/clock.h"
#include "judge/linear/bounds.h"
#include "judge/linear/chain.h"
#include "judge/linear/pram.h"
#include "judge/linear/session.h"
#include "judge/linear/witness.h"
#include "judge/quasi/def4.h"
#include "judge/quasi/relax.h"
#include <stdlib.h>
#include <string.h>

/* Below that many operations a short search comes first: it is as fast, and its evidence is better.
 * More of them where no monitor could decide and few operations overlap. */
#define MONITOR_FROM 64u
#define BOUNDS_FROM 512u
#define NARROW 16u
#define FEW_PROCESSES 2u
#define SHORT_SEARCH 500u      /* configurations */
#define SHORT_OF_AMOUNTS 2500u /* where bounds.h takes as long as so many */
#define SUMS_FROM 32768u       /* configurations */
#define BEFORE_SUMS 8192u      /* configurations */
#define BYTES_OF_BOUNDS 192u   /* an operation, that bounds.h needs */
#define BYTES_AN_OPERATION 48u /* that monitors and searches need at the least */
/* Bytes that an automaton may carry to the next group. */
#define AUTOMATON_KEPT ((size_t)32 << 20)

Checker *checker_new(const Spec *spec, bool monitors)
{
    Checker *checker = calloc(1, sizeof *checker);
    if (!checker)
        die("out of memory");
    checker->spec = spec;
    checker->monitors = monitors;
    checker->automaton = automaton_new(spec);
    checker->linearizer = linearizer_new();
    return checker;
}

void checker_free(Checker *checker)
{
    if (!checker)
        return;
    automaton_free(checker->automaton);
    linearizer_free(checker->linearizer);
    monitor_result_free(&checker->monitor);
    vec_free(&checker->ops);
    vec_free(&checker->before);
    chain_free(&checker->chain);
    turns_free(&checker->turns);
    deque_free(&checker->deque);
    sums_free(checker->sums);
    free(checker);
}

void checker_load(Checker *checker, const Plan *plan, const uint32_t *members, size_t count)
{
    vec_clear(&checker->ops);
    vec_reserve(&checker->ops, count);
    for (size_t i = 0; i < count; i++) {
        SpecCall call;
        plan_call(plan, members[i], &call);
        const Operation *operation = &plan->history->operations.at[members[i]];
        LinearizeOp op = {automaton_label(checker->automaton, &call), operation->called,
                          operation->returned == HISTORY_PENDING ? LINEARIZE_PENDING
                                                                 : operation->returned,
                          false};
        vec_push(&checker->ops, op);
    }
}

/* The rows of the history's partial order, cut down to the members. */
static void cut_order(Checker *checker, const Plan *plan, const uint32_t *members)
{
    size_t count = checker->ops.count, words = history_row_words(count);
    vec_clear(&checker->before);
    vec_reserve(&checker->before, count * words + 1);
    memset(checker->before.at, 0, count * words * sizeof(uint64_t));
    for (size_t x = 0; x < count; x++)
        for (size_t y = 0; y < count; y++)
            if (history_precedes(plan->history, members[y], members[x]))
                checker->before.at[x * words + y / 64] |= (uint64_t)1 << (y % 64);
}

LinearizeProblem checker_problem(Checker *checker, const Plan *plan, const uint32_t *members)
{
    LinearizeProblem problem = {.automaton = checker->automaton,
                                .ops = checker->ops.at,
                                .count = (uint32_t)checker->ops.count,
                                .stuck = LINEARIZE_NONE};
    if (plan->history->before) {
        cut_order(checker, plan, members);
        problem.before = checker->before.at;
    }
    return problem;
}

static GroupVerdict verdict_of(const LinearizeResult *result, const uint32_t *members)
{
    return (GroupVerdict){.verdict = result->verdict,
                          .reason = result->reason,
                          .configurations = result->configurations,
                          .ended = result->blocked == LINEARIZE_NONE ? LINEARIZE_NONE
                                                                     : members[result->blocked],
                          .settled = result->settled,
                          .at_the_latest = result->at_the_latest,
                          .stuck = LINEARIZE_NONE};
}

/* Line-Up's Definition of stuck histories: for each pending operation e, the completed ones have a
 * serial order that ends where e has to wait. */
static GroupVerdict check_stuck(Checker *checker, const Plan *plan, const PlanGroup *group,
                                const LinearizeLimits *limits)
{
    const uint32_t *members = vec_from(&plan->members, group->first);
    GroupVerdict all = {.verdict = VERDICT_HOLDS, .ended = LINEARIZE_NONE, .stuck = LINEARIZE_NONE};
    Indexes completed = {0};
    for (uint32_t i = 0; i < group->count; i++)
        if (plan->history->operations.at[members[i]].returned != HISTORY_PENDING)
            vec_push(&completed, members[i]);
    for (uint32_t i = 0; i < group->count && all.verdict == VERDICT_HOLDS; i++) {
        if (plan->history->operations.at[members[i]].returned != HISTORY_PENDING)
            continue;
        SpecCall call;
        plan_call(plan, members[i], &call);
        checker_load(checker, plan, completed.at, completed.count);
        LinearizeProblem problem = checker_problem(checker, plan, completed.at);
        problem.stuck = automaton_label(checker->automaton, &call);
        LinearizeResult result = linearize(checker->linearizer, &problem, limits);
        uint64_t before = all.configurations;
        all = verdict_of(&result, completed.at);
        all.configurations += before;
        if (all.verdict == VERDICT_VIOLATED && all.ended == LINEARIZE_NONE)
            all.stuck = members[i];
    }
    vec_free(&completed);
    return all;
}

/* Decides what can be seen without a search: everything where a monitor applies, else
 * contradictions (bounds.h). */
static bool decide_at_once(Checker *checker, const Plan *plan, const PlanGroup *group,
                           const LinearizeLimits *limits, GroupVerdict *verdict)
{
    monitor_check(plan, group, MONITOR_WHOLE, &checker->monitor);
    bool by_bounds = checker->monitor.answer == MONITOR_UNABLE;
    if (by_bounds && (!limits->memory || (size_t)group->count * BYTES_OF_BOUNDS <= limits->memory))
        bounds_check(plan, group, &checker->monitor);
    if (checker->monitor.answer == MONITOR_UNABLE)
        return false;
    *verdict = (GroupVerdict){
        .verdict = checker->monitor.answer == MONITOR_HOLDS ? VERDICT_HOLDS : VERDICT_VIOLATED,
        .by_monitor = true,
        .by_bounds = by_bounds,
        .ended = LINEARIZE_NONE,
        .stuck = LINEARIZE_NONE};
    return true;
}

static LinearizeResult search(Checker *checker, const Plan *plan, const PlanGroup *group,
                              const LinearizeLimits *limits)
{
    const uint32_t *members = vec_from(&plan->members, group->first);
    checker_load(checker, plan, members, group->count);
    LinearizeProblem problem = checker_problem(checker, plan, members);
    bool overlaps = plan->history->processes.count > FEW_PROCESSES; /* else facts save nothing */
    if (checker->monitors && overlaps && chain_find(&checker->chain, plan, group)) {
        problem.follows = checker->chain.follows.at;
        problem.leads = checker->chain.leads.at;
        problem.cells = checker->chain.cells.at;
        problem.cell_count = checker->chain.cell_count;
    }
    if (checker->monitors && turns_find(&checker->turns, plan, group, checker->ops.at)) {
        problem.earlier_first = checker->turns.first.at;
        problem.earlier = checker->turns.earlier.at;
    }
    if (checker->monitors && deque_find(&checker->deque, plan, group, checker->ops.at)) {
        problem.earlier_first = checker->deque.first.at;
        problem.earlier = checker->deque.earlier.at;
        problem.earlier_certain = true;
    }
    return linearize(checker->linearizer, &problem, limits);
}

/* By a search of some length, or by sums.h, or by a search without end. Where budgets grow
 * (parts.h) sums.h has its try in one round, and in the last. */
static LinearizeResult find_order(Checker *checker, const Plan *plan, const PlanGroup *group,
                                  const LinearizeLimits *limits)
{
    uint64_t most = limits->configurations;
    if (!checker->monitors || !plan->spec->amounts ||
        (most && (most < SUMS_FROM || most >= 8 * SUMS_FROM)))
        return search(checker, plan, group, limits);
    uint32_t count;
    LinearizeLimits first = *limits;
    first.configurations = BEFORE_SUMS;
    LinearizeResult result = search(checker, plan, group, &first);
    if (result.verdict != VERDICT_INCONCLUSIVE)
        return result;
    double now = clock_seconds();
    if (limits->deadline > now) /* the other half is for the search */
        first.deadline = now + (limits->deadline - now) / 2;
    const uint32_t *order = sums_order(&checker->sums, plan, group, &first, &count);
    if (order && witness_check(plan, group, order, count))
        return (LinearizeResult){.verdict = VERDICT_HOLDS,
                                 .order = order,
                                 .order_count = count,
                                 .blocked = LINEARIZE_NONE};
    return search(checker, plan, group, limits);
}

static GroupVerdict search_group(Checker *checker, const Plan *plan, const PlanGroup *group,
                                 const LinearizeLimits *limits)
{
    LinearizeResult result = search(checker, plan, group, limits);
    return verdict_of(&result, vec_from(&plan->members, group->first));
}

/* Does the specification allow the order? Any of its states may be meant where it has a choice. */
static bool follows(Checker *checker, const Indexes *order, const Plan *plan)
{
    Indexes states = {0}, next = {0};
    vec_push(&states, automaton_initial(checker->automaton));
    for (size_t i = 0; i < order->count && states.count; i++) {
        SpecCall call;
        plan_call(plan, order->at[i], &call);
        uint32_t label = automaton_label(checker->automaton, &call);
        vec_clear(&next);
        for (size_t j = 0; j < states.count; j++) {
            size_t count;
            const uint32_t *steps = automaton_step(checker->automaton, states.at[j], label, &count);
            for (size_t k = 0; k < count && next.count < 4096; k++)
                vec_push(&next, steps[k]);
        }
        Indexes swap = states;
        states = next;
        next = swap;
    }
    bool allowed = states.count > 0;
    vec_free(&states);
    vec_free(&next);
    return allowed;
}

bool checker_witness(Checker *checker, const Plan *plan, const PlanGroup *group,
                     const LinearizeLimits *limits, Indexes *order)
{
    vec_clear(order);
    LinearizeResult result = find_order(checker, plan, group, limits);
    if (result.verdict != VERDICT_HOLDS)
        return false;
    for (uint32_t i = 0; i < result.order_count; i++)
        vec_push(order, plan->members.at[group->first + result.order[i]]);
    ASSERT(relax_classes(plan->spec) || follows(checker, order, plan));
    return true;
}

void checker_set_session(Checker *checker, unsigned guarantees)
{
    checker->session = guarantees;
}

/* Judges by what counts no real time. PRAM is decided by a search where values do not tell who read
 * from whom. */
static GroupVerdict judge_sessions(Checker *checker, const Plan *plan, const PlanGroup *group,
                                   const LinearizeLimits *limits)
{
    GroupVerdict verdict = {.verdict = VERDICT_HOLDS,
                            .by_monitor = true,
                            .by_session = true,
                            .ended = LINEARIZE_NONE,
                            .stuck = LINEARIZE_NONE};
    bool search =
        checker->session == SESSION_BIT(PRAM) && !plan->history->before && !plan->history->stuck;
    verdict.reason = "values";
    if (checker->monitors || !search)
        verdict.reason = session_check(plan, group, checker->session, limits, &checker->monitor);
    if (search && verdict.reason && !strcmp(verdict.reason, "values"))
        verdict.reason = pram_search(checker, plan, group, limits);
    if (verdict.reason)
        verdict.verdict = VERDICT_INCONCLUSIVE;
    else if (checker->monitor.answer == MONITOR_VIOLATED)
        verdict.verdict = VERDICT_VIOLATED;
    return verdict;
}

/* Are the operations few, and do few of them overlap? */
static bool is_narrow(const Plan *plan, const PlanGroup *group)
{
    const Operation *ops = plan->history->operations.at;
    uint32_t open[NARROW]; /* returns of those that are open; pending ones stay */
    size_t count = 0;
    if (group->count >= BOUNDS_FROM || plan->history->before)
        return false;
    for (uint32_t i = 0; i < group->count; i++) {
        const Operation *op = &ops[plan->members.at[group->first + i]];
        size_t kept = 0;
        for (size_t k = 0; k < count; k++)
            if (open[k] > op->called)
                open[kept++] = open[k];
        if (kept == NARROW)
            return false;
        open[kept++] = op->returned;
        count = kept;
    }
    return true;
}

/* Is the group a short serial run: does each operation return before the next is called? */
static bool is_serial(const Plan *plan, const PlanGroup *group)
{
    const History *history = plan->history;
    if (group->count > BOUNDS_FROM || !plan->spec->deterministic || plan->spec->accepts ||
        relax_classes(plan->spec) || history->before || history->stuck)
        return false;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t returned = history->operations.at[plan->members.at[group->first + i]].returned;
        if (returned == HISTORY_PENDING ||
            (i + 1 < group->count &&
             history->operations.at[plan->members.at[group->first + i + 1]].called < returned))
            return false;
    }
    return true;
}

/* Is a long history right as it is, without any relaxation? Then p' may be p. */
static bool is_exact(Checker *checker, const Plan *plan, const PlanGroup *group)
{
    Plan exact = *plan;
    exact.spec = relax_classes(plan->spec)->inner;
    if (!checker->monitors || group->count < MONITOR_FROM || plan->history->before ||
        plan->history->stuck)
        return false;
    monitor_check(&exact, group, MONITOR_WHOLE, &checker->monitor);
    return checker->monitor.answer == MONITOR_HOLDS;
}

GroupVerdict checker_group(Checker *checker, const Plan *plan, const PlanGroup *group,
                           const LinearizeLimits *limits)
{
    const uint32_t *members = vec_from(&plan->members, group->first);
    if (checker->session)
        return judge_sessions(checker, plan, group, limits);
    if (limits->memory && (size_t)group->count * BYTES_AN_OPERATION > limits->memory)
        return (GroupVerdict){.verdict = VERDICT_INCONCLUSIVE,
                              .reason = "memory",
                              .ended = LINEARIZE_NONE,
                              .stuck = LINEARIZE_NONE};
    if (automaton_memory(checker->automaton) > AUTOMATON_KEPT) {
        automaton_free(checker->automaton);
        checker->automaton = automaton_new(checker->spec);
    }
    const RelaxClasses *classes = relax_classes(plan->spec);
    if (classes && is_exact(checker, plan, group))
        return (GroupVerdict){.verdict = VERDICT_HOLDS,
                              .by_monitor = true,
                              .ended = LINEARIZE_NONE,
                              .stuck = LINEARIZE_NONE};
    if (classes && classes->semantics == RELAX_DEF4) {
        LinearizeResult quasi = def4_check(plan, group, limits);
        return verdict_of(&quasi, members);
    }
    bool waits = false; /* a group in which nothing waits is a plain one */
    for (uint32_t i = 0; plan->history->stuck && i < group->count && !waits; i++)
        waits = plan->history->operations.at[members[i]].returned == HISTORY_PENDING;
    if (waits)
        return check_stuck(checker, plan, group, limits);
    GroupVerdict verdict;
    WitnessWalk walk;
    if (checker->monitors && is_serial(plan, group) &&
        (walk = witness_walk(plan, members, group->count)).decided) {
        return (GroupVerdict){.verdict = walk.fits ? VERDICT_HOLDS : VERDICT_VIOLATED,
                              .ended = walk.fits ? LINEARIZE_NONE : members[walk.taken],
                              .settled = walk.fits ? 0 : walk.taken,
                              .stuck = LINEARIZE_NONE};
    }
    bool monitored = plan->spec->shape != SPEC_SHAPE_OTHER && plan->spec->shape != SPEC_SHAPE_LOG;
    bool few_operations = group->count < MONITOR_FROM || (!monitored && is_narrow(plan, group));
    if (checker->monitors && !few_operations &&
        decide_at_once(checker, plan, group, limits, &verdict))
        return verdict;
    if (checker->monitors && few_operations) {
        LinearizeLimits few = *limits;
        uint64_t most = plan->spec->amounts ? SHORT_OF_AMOUNTS : SHORT_SEARCH;
        if (!few.configurations || few.configurations > most)
            few.configurations = most;
        verdict = search_group(checker, plan, group, &few);
        if (verdict.verdict != VERDICT_INCONCLUSIVE ||
            few.configurations == limits->configurations ||
            decide_at_once(checker, plan, group, limits, &verdict))
            return verdict;
    }
    LinearizeResult result = find_order(checker, plan, group, limits);
    return verdict_of(&result, members);
}
