/* The evidence for a violation. First the history is cut after the return at which no order was
 * left: operations that return later become pending, which only weakens it. Then operations are
 * weakened as long as the contradiction stays:
 *  - one that only reads is left out: a serial order of all is one of the rest too;
 *  - any other is made optional, with any result, in its interval: that it happened did not matter.
 * Both are weakenings, so what remains contradicts itself in the whole history as well; operations
 * that changed the state are never just left out, since then a value would come from nowhere.
 * Chunks are tried before single operations. Each trial is a search of bounded size; a trial that
 * does not finish keeps its operations.
 *
 * The orders that a person sees are of a stronger problem: operations that are optional keep the
 * results of the log there, so that each order is a run of the specification as it is printed. It
 * is replayed before it is shown. */
#include "judge/linear/checker_internal.h"
#include "base/clock.h"
#include "judge/linear/slow.h"
#include "judge/quasi/relax.h"
#include <stdlib.h>
#include <string.h>

#define TRIAL_CONFIGURATIONS 20000u
#define TRIAL_SECONDS 1.0
#define SLOW_STEPS 300000u
/* A contradiction that is seen at once has its sentence: orders are only shown if they are few. */
#define BOUNDS_CONFIGURATIONS 500u
#define BOUNDS_STEPS 5000u
#define END_SECONDS 5.0
#define MOST_ENDS 6u
#define LARGEST_SEARCH 20000u /* a monitor's core beyond that is not searched for orders */

typedef enum Part { KEPT, OPTIONAL, GONE } Part;
typedef struct Reducer {
    Checker *checker;
    const Plan *plan;
    LinearizeLimits limits;
    const uint32_t *members;
    uint32_t count;
    LinearizeOps original, trial;
    uint32_t *labels_open; /* label with unknown result, by operation */
    uint32_t *labels_seen; /* with the result of the log, if it has one */
    unsigned char *part;
    Indexes kept, map; /* map: trial operation -> member */
    bool complete;     /* every trial finished */
} Reducer;

static bool try_parts(Reducer *r, const uint32_t *optional_labels, LinearizeResult *out)
{
    vec_clear(&r->trial);
    vec_clear(&r->map);
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->part[i] == GONE)
            continue;
        LinearizeOp op = r->original.at[i];
        if (r->part[i] == OPTIONAL)
            op.optional = true;
        if (r->part[i] == OPTIONAL || op.returned == LINEARIZE_PENDING)
            op.label = optional_labels[i];
        vec_push(&r->trial, op);
        vec_push(&r->map, i);
    }
    LinearizeProblem problem = {.automaton = r->checker->automaton,
                                .ops = r->trial.at,
                                .count = (uint32_t)r->trial.count,
                                .stuck = LINEARIZE_NONE};
    LinearizeResult result = linearize(r->checker->linearizer, &problem, &r->limits);
    if (result.verdict == VERDICT_INCONCLUSIVE)
        r->complete = false;
    if (out)
        *out = result;
    return result.verdict == VERDICT_VIOLATED;
}

static bool still_violated(Reducer *r, LinearizeResult *out)
{
    return try_parts(r, r->labels_open, out);
}

/* An operation that is not needed may have given anything, and may have happened or not. If it only
 * looks whatever it gives, that is the same as not at all. */
static Part weaker(const Reducer *r, uint32_t i)
{
    return automaton_reads_only(r->checker->automaton, r->labels_open[i]) ? GONE : OPTIONAL;
}

/* Weakens chunks of the kept operations, then smaller ones, down to one by one. */
static void reduce(Reducer *r)
{
    for (size_t chunk = MAX(r->kept.count / 2, 1u);; chunk /= 2) {
        for (size_t end = r->kept.count; end > 0;) {
            size_t from = end > chunk ? end - chunk : 0;
            for (size_t i = from; i < end; i++)
                r->part[r->kept.at[i]] = (unsigned char)weaker(r, r->kept.at[i]);
            bool out_of_time = clock_seconds() > r->limits.deadline;
            if (!out_of_time && still_violated(r, NULL)) {
                memmove(r->kept.at + from, r->kept.at + end,
                        (r->kept.count - end) * sizeof *r->kept.at);
                r->kept.count -= end - from;
            } else {
                for (size_t i = from; i < end; i++)
                    r->part[r->kept.at[i]] = KEPT;
            }
            if (out_of_time) {
                r->complete = false;
                return;
            }
            end = from;
        }
        if (chunk <= 1)
            return;
    }
}

static bool names_value(const Plan *plan, uint32_t op, Value value)
{
    const Operation *operation = &plan->history->operations.at[op];
    for (size_t i = 0; i < operation->count; i++)
        if (value_equal(plan->history->arguments.at[operation->arguments + i], value))
            return true;
    return value_equal(operation->result, value);
}

/* Does OP name a value that a core operation gave or took? */
static bool related(const Plan *plan, uint32_t op, const Explanation *explanation)
{
    for (size_t i = 0; i < explanation->core.count; i++) {
        const Operation *core = &plan->history->operations.at[explanation->core.at[i]];
        if (core->result.word != VALUE_NONE.word && core->result.word != VALUE_UNKNOWN.word &&
            core->result.word != VALUE_TRUE.word && core->result.word != VALUE_FALSE.word &&
            names_value(plan, op, core->result))
            return true;
        for (size_t j = 0; j < core->count; j++)
            if (names_value(plan, op, plan->history->arguments.at[core->arguments + j]))
                return true;
    }
    return false;
}

/* Does the specification follow the order to the state that it is said to lead to? */
static bool is_run(Reducer *r, const LinearizeDeadEnd *end)
{
    Automaton *automaton = r->checker->automaton;
    Indexes states = {0}, next = {0};
    vec_push(&states, automaton_initial(automaton));
    for (size_t j = 0; j < end->count; j++) {
        vec_clear(&next);
        for (size_t s = 0; s < states.count; s++) {
            size_t count;
            const uint32_t *steps =
                automaton_step(automaton, states.at[s], r->trial.at[end->order[j]].label, &count);
            for (size_t k = 0; k < count; k++)
                vec_push(&next, steps[k]);
        }
        Indexes swap = states;
        states = next;
        next = swap;
    }
    bool ends = false;
    for (size_t s = 0; s < states.count; s++)
        ends |= states.at[s] == end->state;
    vec_free(&states);
    vec_free(&next);
    return ends;
}

/* The dead ends of what is left, with the results of the log. */
static void describe_ends(Reducer *r, Explanation *explanation)
{
    LinearizeResult searched, *result = &searched;
    if (!try_parts(r, r->labels_seen, result))
        return;
    LinearizeProblem problem = {.automaton = r->checker->automaton,
                                .ops = r->trial.at,
                                .count = (uint32_t)r->trial.count,
                                .stuck = LINEARIZE_NONE};
    LinearizeDeadEnd ends[MOST_ENDS];
    size_t count =
        linearize_dead_ends(r->checker->linearizer, &problem, &r->limits, result, ends, MOST_ENDS);
    const Spec *spec = r->checker->spec;
    for (size_t i = 0; i < count; i++) {
        DeadEndText text = {.next = LINEARIZE_NONE};
        if (!is_run(r, &ends[i]))
            continue;
        for (size_t j = 0; j < ends[i].count; j++)
            vec_push(&text.order, r->members[r->map.at[ends[i].order[j]]]);
        size_t words;
        const uint64_t *state = automaton_state(r->checker->automaton, ends[i].state, &words);
        if (spec->print)
            spec->print(spec, state, words, &text.state);
        if (result->blocked != LINEARIZE_NONE) {
            text.next = r->members[r->map.at[result->blocked]];
            SpecCall call;
            plan_call(r->plan, text.next, &call);
            Str name = value_text(r->plan->history->values,
                                  value_of_symbol(r->plan->history->operations.at[text.next].name));
            /* the state may move while steps are collected: copy it */
            Vec(uint64_t) copy = {0};
            for (size_t j = 0; j < words; j++)
                vec_push(&copy, automaton_state(r->checker->automaton, ends[i].state, &words)[j]);
            spec_print_allowed(spec, copy.at, words, &call, name, &text.allowed);
            vec_free(&copy);
        }
        vec_push(&explanation->ends, text);
    }
}

/* The contradiction once more, by a check that knows no tricks. */
static void judge_again(Reducer *r, uint64_t steps, Explanation *explanation)
{
    LinearizeProblem problem = {.automaton = r->checker->automaton,
                                .ops = r->trial.at,
                                .count = (uint32_t)r->trial.count,
                                .stuck = LINEARIZE_NONE};
    Verdict verdict = slow_check(&problem, steps);
    ASSERT(verdict != VERDICT_HOLDS);
    explanation->judged_again = verdict == VERDICT_VIOLATED;
}

static int by_index(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

typedef struct CoreValue {
    uint32_t put, take; /* take: LINEARIZE_NONE if there is none */
} CoreValue;

/* A monitor's core may be long (a stack's): a list of puts, each followed by its take. Values are
 * left out, with both their operations, as long as the monitor still says no: stacks are closed
 * under removing a value, so what remains contradicts itself in the whole history too. */
static void shrink_core(const Plan *plan, const PlanGroup *group, Indexes *core)
{
    Vec(CoreValue) values = {0};
    for (size_t i = 0; i < core->count; i++) {
        SpecCall call;
        Value value;
        plan_call(plan, core->at[i], &call);
        if (plan->spec->role(plan->spec, &call, &value) == SPEC_ROLE_PUT)
            vec_push(&values, (CoreValue){core->at[i], LINEARIZE_NONE});
        else if (values.count)
            vec_last(&values).take = core->at[i];
    }
    Plan part = *plan;
    Indexes trial = {0};
    MonitorResult monitor = {0};
    double until = clock_seconds() + TRIAL_SECONDS;
    for (size_t chunk = MAX(values.count / 2, 1u); chunk; chunk /= 2)
        for (size_t end = values.count; end > 0 && clock_seconds() < until;) {
            size_t from = end > chunk ? end - chunk : 0;
            vec_clear(&trial);
            for (size_t i = 0; i < values.count; i++) {
                if (i >= from && i < end)
                    continue;
                vec_push(&trial, values.at[i].put);
                if (values.at[i].take != LINEARIZE_NONE)
                    vec_push(&trial, values.at[i].take);
            }
            if (trial.count)
                qsort(trial.at, trial.count, sizeof *trial.at, by_index);
            part.members.at = trial.at;
            part.members.count = trial.count;
            PlanGroup rest = *group;
            rest.first = 0;
            rest.count = (uint32_t)trial.count;
            monitor_check(&part, &rest, MONITOR_WHOLE, &monitor);
            if (monitor.answer == MONITOR_VIOLATED) {
                memmove(values.at + from, values.at + end,
                        (values.count - end) * sizeof *values.at);
                values.count -= end - from;
            }
            end = from;
        }
    vec_clear(core);
    for (size_t i = 0; i < values.count; i++) {
        vec_push(core, values.at[i].put);
        if (values.at[i].take != LINEARIZE_NONE)
            vec_push(core, values.at[i].take);
    }
    vec_free(&values);
    vec_free(&trial);
    monitor_result_free(&monitor);
}

/* The operations that the verdict rests on: those called before the return where it ended. */
static void choose_members(Checker *checker, const Plan *plan, const PlanGroup *group,
                           const GroupVerdict *verdict, Indexes *members, uint32_t *cut)
{
    *cut = LINEARIZE_PENDING;
    if (verdict->by_monitor) {
        for (size_t i = 0; i < checker->monitor.core.count; i++)
            vec_push(members, checker->monitor.core.at[i]);
        if (plan->spec->shape == SPEC_SHAPE_STACK && members->count > 4)
            shrink_core(plan, group, members);
        return;
    }
    if (verdict->ended != LINEARIZE_NONE)
        *cut = plan->history->operations.at[verdict->ended].returned;
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t op = plan->members.at[group->first + i];
        if (plan->history->operations.at[op].called < *cut)
            vec_push(members, op);
    }
}

/* Where a monitor decided, the first return at which it says no, by bisection: what is violated
 * stays so when more is added. Only a bound if the monitor is unable on the way, or time runs
 * out. */
static void find_end(const Plan *plan, const PlanGroup *group, const uint32_t *core,
                     size_t core_count, const LinearizeLimits *limits, Explanation *explanation)
{
    const Operation *ops = plan->history->operations.at;
    MonitorResult monitor = {0};
    uint32_t low = 0, high = plan->history->positions; /* before `low` all is well, not so `high` */
    double until = clock_seconds() + END_SECONDS;
    bool known = true;
    /* it is most often at the return of an operation of the core */
    Indexes guesses = {0};
    for (size_t i = 0; i < core_count && i < 16; i++) {
        uint32_t returned = ops[core[i]].returned;
        if (returned != HISTORY_PENDING) {
            vec_push(&guesses, returned);
            vec_push(&guesses, returned + 1);
        }
    }
    if (guesses.count)
        qsort(guesses.at, guesses.count, sizeof *guesses.at, by_index);
    for (size_t i = 0; known && low + 1 < high;) {
        while (i < guesses.count && (guesses.at[i] <= low || guesses.at[i] >= high))
            i++;
        uint32_t middle = i < guesses.count ? guesses.at[i] : low + (high - low) / 2;
        monitor_check(plan, group, middle, &monitor);
        if (monitor.answer == MONITOR_HOLDS)
            low = middle;
        else
            high = middle;
        double now = clock_seconds();
        known = monitor.answer != MONITOR_UNABLE && now < until &&
                (limits->deadline <= 0 || now < limits->deadline);
    }
    vec_free(&guesses);
    monitor_result_free(&monitor);
    if (!known) { /* the core has contradicted itself by its last return */
        explanation->at_the_latest = true;
        high = 0;
        for (size_t i = 0; i < core_count; i++)
            if (ops[core[i]].returned != HISTORY_PENDING && ops[core[i]].returned >= high)
                high = ops[core[i]].returned + 1;
    }
    for (uint32_t i = 0; high && i < group->count; i++) {
        uint32_t op = plan->members.at[group->first + i];
        explanation->settled += ops[op].returned < high - 1;
        if (ops[op].returned == high - 1)
            explanation->ended = op;
    }
}

static void reducer_alloc(Reducer *r)
{
    r->labels_open = calloc(r->count, sizeof *r->labels_open);
    r->labels_seen = calloc(r->count, sizeof *r->labels_seen);
    r->part = calloc(r->count, 1);
    if (!r->labels_open || !r->labels_seen || !r->part)
        die("out of memory");
}

static void load(Reducer *r, uint32_t cut)
{
    Checker *checker = r->checker;
    checker_load(checker, r->plan, r->members, r->count);
    for (uint32_t i = 0; i < r->count; i++) {
        SpecCall call;
        plan_call(r->plan, r->members[i], &call);
        call.result = VALUE_UNKNOWN;
        r->labels_open[i] = automaton_label(checker->automaton, &call);
        LinearizeOp op = checker->ops.at[i];
        r->labels_seen[i] = op.label;
        if (op.returned != LINEARIZE_PENDING && op.returned > cut) {
            op.returned = LINEARIZE_PENDING;
            op.label = r->labels_open[i];
        }
        vec_push(&r->original, op);
        r->part[i] = KEPT;
        if (op.returned != LINEARIZE_PENDING)
            vec_push(&r->kept, i);
    }
}

/* A contradiction of bounds.h: its core is known, and is judged again with all else optional. */
static void explain_bounds(Reducer *r, Explanation *explanation)
{
    const Operation *ops = r->plan->history->operations.at;
    const MonitorResult *monitor = &r->checker->monitor;
    uint32_t cut = 0;
    for (size_t i = 0; i < monitor->core.count; i++) {
        vec_push(&explanation->core, monitor->core.at[i]);
        if (ops[monitor->core.at[i]].returned >= cut) {
            cut = ops[monitor->core.at[i]].returned;
            explanation->ended = monitor->core.at[i];
        }
    }
    for (size_t i = 0; i < monitor->context.count; i++)
        vec_push(&explanation->context, monitor->context.at[i]);
    qsort(explanation->core.at, explanation->core.count, sizeof(uint32_t), by_index);
    if (explanation->context.count)
        qsort(explanation->context.at, explanation->context.count, sizeof(uint32_t), by_index);
    explanation->at_the_latest = true;
    for (uint32_t i = 0; i < r->count; i++)
        explanation->settled += ops[r->members[i]].returned < cut;
    if (r->count > 64)
        return;
    reducer_alloc(r);
    load(r, LINEARIZE_PENDING);
    vec_clear(&r->kept);
    for (uint32_t i = 0; i < r->count; i++) {
        bool core = false;
        for (size_t j = 0; j < explanation->core.count && !core; j++)
            core = explanation->core.at[j] == r->members[i];
        if (!core)
            r->part[i] = (unsigned char)weaker(r, i);
        else
            vec_push(&r->kept, i);
    }
    LinearizeResult result;
    r->limits.configurations = BOUNDS_CONFIGURATIONS;
    bool violated = still_violated(r, &result);
    if (!violated) { /* it rests on what the others gave */
        memset(r->part, KEPT, r->count);
        if (still_violated(r, &result)) {
            judge_again(r, BOUNDS_STEPS, explanation);
            describe_ends(r, explanation);
        }
        return;
    }
    reduce(r); /* the sentence names all of them; what is said of the rest must be true */
    explanation->minimal = r->complete && r->kept.count == explanation->core.count;
    for (uint32_t i = 0; i < r->count; i++) /* back to the core of the sentence */
        for (size_t j = 0; j < explanation->core.count; j++)
            if (explanation->core.at[j] == r->members[i])
                r->part[i] = KEPT;
    if (still_violated(r, &result)) {
        judge_again(r, BOUNDS_STEPS, explanation);
        describe_ends(r, explanation);
    }
}

void checker_explain(Checker *checker, const Plan *plan, const PlanGroup *group,
                     const GroupVerdict *verdict, const LinearizeLimits *limits,
                     Explanation *explanation)
{
    *explanation = (Explanation){.ended = verdict->ended,
                                 .settled = verdict->settled,
                                 .at_the_latest = verdict->at_the_latest,
                                 .why = verdict->by_monitor ? checker->monitor.why : NULL};
    if (verdict->by_session) { /* a cycle is its own evidence */
        for (size_t i = 0; i < checker->monitor.core.count; i++)
            vec_push(&explanation->core, checker->monitor.core.at[i]);
        for (size_t i = 0; i < checker->monitor.context.count; i++)
            vec_push(&explanation->context, checker->monitor.context.at[i]);
        qsort(explanation->core.at, explanation->core.count, sizeof(uint32_t), by_index);
        if (explanation->context.count)
            qsort(explanation->context.at, explanation->context.count, sizeof(uint32_t), by_index);
        return;
    }
    Indexes members = {0};
    uint32_t cut;
    choose_members(checker, plan, group, verdict, &members, &cut);
    if (verdict->by_monitor && !verdict->by_bounds)
        find_end(plan, group, members.at, members.count, limits, explanation);
    if (members.count)
        qsort(members.at, members.count, sizeof *members.at, by_index);
    Reducer r = {.checker = checker,
                 .plan = plan,
                 .limits = *limits,
                 .members = members.at,
                 .count = (uint32_t)members.count,
                 .complete = true};
    r.limits.configurations = TRIAL_CONFIGURATIONS;
    double until = clock_seconds() + TRIAL_SECONDS;
    if (r.limits.deadline <= 0 || until < r.limits.deadline)
        r.limits.deadline = until;
    LinearizeResult result = {.verdict = VERDICT_INCONCLUSIVE};
    const RelaxClasses *classes = relax_classes(plan->spec);
    if (verdict->by_bounds) {
        r.members = vec_from(&plan->members, group->first);
        r.count = group->count;
        explain_bounds(&r, explanation);
    }
    bool searched = !verdict->by_bounds && (!classes || classes->semantics != RELAX_DEF4);
    if (searched && !plan->history->before && !plan->history->stuck && r.count &&
        r.count <= LARGEST_SEARCH) {
        reducer_alloc(&r);
        load(&r, cut);
        if (still_violated(&r, NULL)) {
            reduce(&r);
            explanation->minimal = r.complete;
            for (size_t i = 0; i < r.kept.count; i++)
                vec_push(&explanation->core, members.at[r.kept.at[i]]);
            for (uint32_t i = 0; i < r.count; i++)
                if ((r.part[i] == OPTIONAL || r.original.at[i].returned == LINEARIZE_PENDING) &&
                    related(plan, members.at[i], explanation))
                    vec_push(&explanation->context, members.at[i]);
            r.limits.deadline = clock_seconds() + TRIAL_SECONDS;
            if (still_violated(&r, &result)) {
                judge_again(&r, SLOW_STEPS, explanation);
                describe_ends(&r, explanation);
            }
        }
    }
    if (!explanation->core.count)
        for (size_t i = 0; i < members.count; i++)
            vec_push(&explanation->core, members.at[i]);
    free(r.labels_open);
    free(r.labels_seen);
    free(r.part);
    vec_free(&r.original);
    vec_free(&r.trial);
    vec_free(&r.kept);
    vec_free(&r.map);
    vec_free(&members);
}

void explanation_free(Explanation *explanation)
{
    for (size_t i = 0; i < explanation->ends.count; i++) {
        vec_free(&explanation->ends.at[i].order);
        vec_free(&explanation->ends.at[i].state);
        vec_free(&explanation->ends.at[i].allowed);
    }
    vec_free(&explanation->ends);
    vec_free(&explanation->core);
    vec_free(&explanation->context);
}
