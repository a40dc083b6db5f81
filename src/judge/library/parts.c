/* Round after round, each over all parts; the parts of a round are handed out by a counter. A part
 * that another worker is still busy with is left to a later round, and the last round goes on until
 * everything is decided: it has no limit. */
#include "judge/library/parts.h"
#include "base/clock.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Configurations that a part gets in the first round; each round has eight times as many, the last
 * no limit. */
#define FIRST_BUDGET 4096u

size_t parts_bytes(const PartsTask *task)
{
    size_t count = 0;
    for (size_t i = 0; i < task->plan_count; i++)
        count += task->plans[i]->groups.count;
    return sizeof(Parts) + count * sizeof(Part) + task->plan_count * sizeof(atomic_bool);
}

Parts *parts_start(void *memory, const PartsTask *task)
{
    Parts *parts = memory;
    for (uint32_t i = 0; i < task->plan_count; i++)
        for (uint32_t g = 0; g < task->plans[i]->groups.count; g++) {
            parts->parts[parts->count].history = i;
            parts->parts[parts->count++].group = g;
        }
    parts->violated = (atomic_bool *)(void *)&parts->parts[parts->count];
    return parts;
}

bool parts_judge_isolation(const PartsTask *task, const Plan *plan, const PlanGroup *group,
                           const LinearizeLimits *limits, GroupVerdict *verdict)
{
    *verdict = (GroupVerdict){.verdict = VERDICT_HOLDS,
                              .by_isolation = true,
                              .ended = LINEARIZE_NONE,
                              .stuck = LINEARIZE_NONE};
    Level level = (Level)(task->isolation - 1);
    if (level == LEVEL_AUTO)
        return true;
    Isolation isolation;
    isolation_judge(&isolation, plan, group, level, false, limits);
    verdict->verdict = isolation_verdict(&isolation, level);
    verdict->reason = isolation.reason;
    bool decided = level != LEVEL_STRICT_SERIALIZABLE || verdict->verdict != VERDICT_INCONCLUSIVE;
    isolation_free(&isolation);
    return decided;
}

/* LAST: the part gets no other turn. */
static void judge(Parts *parts, const PartsTask *task, Checker *checker, Part *part,
                  const LinearizeLimits *limits, bool last)
{
    const Plan *plan = task->plans[part->history];
    bool late = limits->deadline > 0 && clock_seconds() > limits->deadline;
    if (late || (limits->stop && *limits->stop))
        part->verdict = (GroupVerdict){.verdict = VERDICT_INCONCLUSIVE,
                                       .reason = late ? "time" : "interrupted",
                                       .ended = LINEARIZE_NONE,
                                       .stuck = LINEARIZE_NONE};
    else if (!task->isolation || !parts_judge_isolation(task, plan, &plan->groups.at[part->group],
                                                        limits, &part->verdict))
        part->verdict = checker_group(checker, plan, &plan->groups.at[part->group], limits);
    bool again = !last && part->verdict.verdict == VERDICT_INCONCLUSIVE &&
                 !strcmp(part->verdict.reason, "configurations");
    if (part->verdict.verdict == VERDICT_VIOLATED)
        atomic_store(&parts->violated[part->history], true);
    if (!again)
        atomic_fetch_add(&parts->decided, 1);
    atomic_store(&part->status, again ? PART_OPEN : PART_DONE);
}

/* Judges the part if it is open; false if it is not. */
static bool take(Parts *parts, const PartsTask *task, Checker *checker, Part *part,
                 const LinearizeLimits *limits, size_t round)
{
    int open = PART_OPEN;
    if (!atomic_compare_exchange_strong(&part->status, &open, PART_BUSY))
        return false;
    if (atomic_load(&parts->violated[part->history])) { /* one is enough */
        atomic_store(&part->status, PART_SKIPPED);
        atomic_fetch_add(&parts->decided, 1);
        return true;
    }
    LinearizeLimits budget = *limits;
    bool last = round + 1 >= PARTS_ROUNDS || atomic_load(&parts->decided) + 1 == parts->count;
    uint64_t turn = (uint64_t)FIRST_BUDGET << 3 * round;
    last = last || (limits->configurations && limits->configurations <= turn);
    if (!last)
        budget.configurations = turn;
    judge(parts, task, checker, part, &budget, last);
    return true;
}

/* Waits until a part is open that another worker had, or all are decided. */
static void wait_for_part(const Parts *parts)
{
    while (atomic_load(&parts->decided) < parts->count) {
        for (size_t i = 0; i < parts->count; i++)
            if (atomic_load(&parts->parts[i].status) == PART_OPEN)
                return;
        usleep(1000);
    }
}

void parts_take_turns(Parts *parts, const PartsTask *task, const LinearizeLimits *limits)
{
    Checker *checker = checker_new(task->spec, task->monitors);
    checker_set_session(checker, task->session);
    for (size_t round = 0; atomic_load(&parts->decided) < parts->count;
         round += round + 1 < PARTS_ROUNDS) {
        bool taken = false, handed_out = round + 1 < PARTS_ROUNDS;
        for (size_t i = 0; handed_out || i < parts->count; i++) {
            size_t at = handed_out ? atomic_fetch_add(&parts->next[round], 1) : i;
            if (at >= parts->count)
                break;
            taken |= take(parts, task, checker, &parts->parts[at], limits, round);
        }
        if (!taken)
            wait_for_part(parts);
    }
    checker_free(checker);
}

/* A completed read that gave nothing. */
static bool reads_nil(const History *history, const Operation *op)
{
    return op->returned != HISTORY_PENDING && op->result.word == VALUE_NONE.word &&
           str_is(value_text(history->values, value_of_symbol(op->name)), "read");
}

Verdict parts_without_nil(const PartsTask *task, const Plan *whole, const LinearizeLimits *limits)
{
    Plan plan = *whole;
    memset(&plan.members, 0, sizeof plan.members);
    memset(&plan.groups, 0, sizeof plan.groups);
    for (size_t g = 0; g < whole->groups.count; g++) {
        PlanGroup group = whole->groups.at[g];
        group.first = (uint32_t)plan.members.count;
        group.count = 0;
        for (uint32_t i = 0; i < whole->groups.at[g].count; i++) {
            uint32_t member = whole->members.at[whole->groups.at[g].first + i];
            if (reads_nil(plan.history, &plan.history->operations.at[member]))
                continue;
            vec_push(&plan.members, member);
            group.count++;
        }
        vec_push(&plan.groups, group);
    }
    const Plan *const plans[] = {&plan};
    PartsTask again = *task;
    again.plans = plans;
    again.plan_count = 1;
    void *memory = calloc(1, parts_bytes(&again));
    if (!memory)
        die("out of memory");
    Parts *parts = parts_start(memory, &again);
    parts_take_turns(parts, &again, limits);
    Verdict verdict = atomic_load(&parts->violated[0]) ? VERDICT_VIOLATED : VERDICT_HOLDS;
    for (size_t i = 0; i < parts->count && verdict == VERDICT_HOLDS; i++)
        verdict = parts->parts[i].verdict.verdict;
    free(memory);
    vec_free(&plan.members);
    vec_free(&plan.groups);
    return verdict;
}
