#include "tool/cli/history/work.h"
#include "judge/library/parts.h"
#include "tool/cli/history/watch.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void work_in_processes(const PartsTask *task, Parts *parts, LinearizeLimits limits,
                              long jobs, HistoryKept *kept)
{
    limits.memory /= (size_t)jobs;
    fflush(NULL);
    pid_t parent = getpid();
    for (long i = 0; i < jobs; i++) {
        pid_t child = fork();
        if (child < 0)
            die("can't start a worker: %s", strerror(errno));
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != parent)
                _exit(4);
            signal(SIGINT, SIG_IGN); /* the flag tells */
            signal(SIGTERM, SIG_IGN);
            history_watch_worker();
            parts_take_turns(parts, task, &limits);
            _exit(0);
        }
    }
    if (kept)
        history_kept_work(kept);
    int status;
    for (long i = 0; i < jobs;) {
        if (wait(&status) < 0)
            continue; /* a signal */
        i++;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
            exit(2); /* golden code failed, and was told of */
        if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
            history_watch_give_up(); /* golden code that does not return */
        if (!WIFEXITED(status) || WEXITSTATUS(status) == 4)
            die("a worker process failed");
    }
    if (atomic_load(&parts->decided) < parts->count) { /* golden code may end a process */
        fprintf(stderr, "heddle: a worker process ended before its work was done\n");
        exit(2);
    }
}

/* Points at which the operations of one group take effect, in its order: each as early as it can.
 */
typedef struct Point {
    uint32_t position, group, rank, op;
} Point;

static int by_point(const void *a, const void *b)
{
    const Point *x = a, *y = b;
    return x->position != y->position ? (x->position < y->position ? -1 : 1)
           : x->group != y->group     ? (x->group < y->group ? -1 : 1)
                                      : (x->rank < y->rank ? -1 : x->rank > y->rank);
}

/* An order of the whole history. Each group has one; with every operation at a point inside its
 * interval, the orders of all groups merge into one that keeps real time. */
static void find_witness(const HistoryWork *work, Checker *checker, HistoryRun *run)
{
    Vec(Point) points = {0};
    Indexes order = {0};
    run->has_witness = true;
    for (uint32_t g = 0; g < run->plan.groups.count && run->has_witness; g++) {
        run->has_witness =
            checker_witness(checker, &run->plan, &run->plan.groups.at[g], &work->limits, &order);
        uint32_t position = 0;
        for (uint32_t i = 0; i < order.count; i++) {
            position = MAX(position, run->history->operations.at[order.at[i]].called);
            vec_push(&points, (Point){position, g, i, order.at[i]});
        }
    }
    if (points.count)
        qsort(points.at, points.count, sizeof *points.at, by_point);
    for (size_t i = 0; run->has_witness && i < points.count; i++)
        vec_push(&run->witness, points.at[i].op);
    vec_free(&points);
    vec_free(&order);
}

/* Judges a group of transactions again, with the evidence. Where several are, that with violations
 * is kept, and of each level the worst answer. */
static void explain_isolation(const HistoryWork *work, HistoryRun *run, uint32_t group)
{
    Level level = (Level)(work->isolation - 1);
    Isolation *found = calloc(1, sizeof *found), *kept = run->isolation;
    if (!found)
        die("out of memory");
    isolation_judge(found, &run->plan, &run->plan.groups.at[group], level, true, &work->limits);
    bool other = kept && !found->anomalies.count;
    Isolation *stays = other ? kept : found, *goes = other ? found : kept;
    for (Level l = 0; goes && l < LEVEL_COUNT; l++)
        if (goes->verdicts[l] == VERDICT_VIOLATED || stays->verdicts[l] == VERDICT_HOLDS)
            stays->verdicts[l] = goes->verdicts[l];
    run->isolation = stays;
    run->level = level;
    if (!other)
        run->group = group;
    if (goes) {
        isolation_free(goes);
        free(goes);
    }
    if (level != LEVEL_AUTO)
        return;
    run->verdict = isolation_verdict(run->isolation, level);
    if (run->verdict == VERDICT_INCONCLUSIVE)
        run->reason = run->isolation->reason;
}

/* The answer of a history is that of its groups, the evidence that of the first violated one. */
static void explain_part(const HistoryWork *work, Checker *checker, const Part *part)
{
    HistoryRun *run = &work->runs[part->history];
    const PlanGroup *group = &run->plan.groups.at[part->group];
    run->verdict = VERDICT_VIOLATED;
    run->group = part->group;
    run->answer = part->verdict;
    if (run->answer.by_isolation) {
        explain_isolation(work, run, part->group);
        return;
    }
    if (run->answer.by_monitor) /* its findings live in the checker that made them */
        run->answer = checker_group(checker, &run->plan, group, &work->limits);
    checker_explain(checker, &run->plan, group, &run->answer, &work->limits, &run->explanation);
    run->answer.ended = run->explanation.ended;
    run->answer.settled = run->explanation.settled;
}

/* Whether a history is violated may depend on what its reads of nil mean, which no log tells. */
static void weigh_nil(const HistoryWork *work, HistoryRun *run)
{
    run->without_nil = VERDICT_INCONCLUSIVE;
    if (run->verdict != VERDICT_VIOLATED || !run->history->nil_reads || run->history->stuck)
        return;
    PartsTask task = {.spec = work->spec,
                      .monitors = work->monitors,
                      .session = work->session,
                      .isolation = work->isolation};
    run->without_nil = parts_without_nil(&task, &run->plan, &work->limits);
    if (work->nil_reads == NIL_READS_VALUE || run->without_nil == VERDICT_VIOLATED)
        return;
    run->verdict = VERDICT_INCONCLUSIVE;
    run->reason = "nil-reads";
}

static void collect(const HistoryWork *work, const Parts *parts)
{
    Checker *checker = checker_new(work->spec, work->monitors);
    checker_set_session(checker, work->session);
    for (size_t i = 0; i < parts->count; i++) {
        const Part *part = &parts->parts[i];
        HistoryRun *run = &work->runs[part->history];
        if ((run->verdict == VERDICT_VIOLATED && work->isolation != LEVEL_AUTO + 1) ||
            atomic_load(&part->status) == PART_SKIPPED)
            continue;
        ASSERT(atomic_load(&part->status) == PART_DONE);
        run->configurations += part->verdict.configurations;
        run->monitored += part->verdict.by_monitor;
        run->groups_done += part->verdict.verdict != VERDICT_INCONCLUSIVE;
        if (work->isolation == LEVEL_AUTO + 1) {
            run->answer = part->verdict;
            explain_isolation(work, run, part->group);
        } else if (part->verdict.verdict == VERDICT_VIOLATED) {
            explain_part(work, checker, part);
        } else if (part->verdict.verdict == VERDICT_INCONCLUSIVE && !run->reason) {
            run->verdict = VERDICT_INCONCLUSIVE;
            run->reason = part->verdict.reason;
            run->group = part->group;
            run->answer = part->verdict;
        }
    }
    for (size_t r = 0; r < work->run_count; r++)
        weigh_nil(work, &work->runs[r]);
    for (size_t r = 0; work->witness && r < work->run_count; r++)
        if (work->runs[r].verdict == VERDICT_HOLDS && !work->runs[r].history->stuck)
            find_witness(work, checker, &work->runs[r]);
    checker_free(checker);
}

bool history_work(HistoryWork *work, Error *error)
{
    const Plan **plans = calloc(work->run_count + 1, sizeof *plans);
    if (!plans)
        die("out of memory");
    for (size_t r = 0; r < work->run_count; r++)
        plans[r] = &work->runs[r].plan;
    PartsTask task = {.spec = work->spec,
                      .plans = plans,
                      .plan_count = work->run_count,
                      .monitors = work->monitors,
                      .session = work->session,
                      .isolation = work->isolation};
    size_t bytes = parts_bytes(&task);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die("out of memory");
    Parts *parts = parts_start(memory, &task);
    HistoryKept *kept = work->kept;
    if (kept && !history_kept_resume(kept, parts, error)) {
        munmap(memory, bytes);
        free(plans);
        return false;
    }
    history_watch_units(&parts->decided, parts->count);
    long jobs = MIN(work->jobs, (long)parts->count);
    double start = history_now();
    if (jobs > 1)
        work_in_processes(&task, parts, work->limits, jobs, kept);
    else if (kept)
        history_kept_work(kept);
    if (jobs <= 1)
        parts_take_turns(parts, &task, &work->limits);
    if (kept)
        history_kept_rest(kept);
    double seconds = history_now() - start;
    collect(work, parts);
    if (work->isolation == LEVEL_AUTO + 1) /* is judged where it is explained */
        seconds = history_now() - start;
    for (size_t r = 0; r < work->run_count; r++)
        work->runs[r].seconds = seconds;
    history_watch_units(NULL, 0);
    munmap(memory, bytes);
    free(plans);
    return true;
}
