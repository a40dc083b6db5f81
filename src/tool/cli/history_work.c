#include "tool/cli/history_work.h"
#include "tool/cli/history_watch.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Configurations that a part gets in the first round; each round has eight times as many, the last
 * no limit. */
#define FIRST_BUDGET 4096u
#define ROUNDS 12u

/* A unit of work: one group of one history. */
typedef enum UnitStatus { UNIT_OPEN, UNIT_BUSY, UNIT_DONE, UNIT_SKIPPED } UnitStatus;
typedef struct Unit {
    uint32_t run, group;
    atomic_int status;
    GroupVerdict verdict;
} Unit;
/* Shared with the workers. */
typedef struct Shared {
    atomic_size_t next[ROUNDS]; /* by round: the next unit */
    atomic_size_t decided;
    size_t count;
    Unit units[];
} Shared;

static bool run_is_violated(const HistoryWork *work, size_t run)
{
    return atomic_load(&work->runs[run].shared->violated);
}

static void check_unit(const HistoryWork *work, Shared *shared, Checker *checker, Unit *unit,
                       const LinearizeLimits *limits)
{
    HistoryRun *run = &work->runs[unit->run];
    bool late = limits->deadline > 0 && history_now() > limits->deadline;
    if (late || (limits->stop && *limits->stop))
        unit->verdict = (GroupVerdict){.verdict = VERDICT_INCONCLUSIVE,
                                       .reason = late ? "time" : "interrupted",
                                       .ended = LINEARIZE_NONE,
                                       .stuck = LINEARIZE_NONE};
    else
        unit->verdict =
            checker_group(checker, &run->plan, &run->plan.groups.at[unit->group], limits);
    bool again = unit->verdict.verdict == VERDICT_INCONCLUSIVE &&
                 !strcmp(unit->verdict.reason, "configurations");
    if (unit->verdict.verdict == VERDICT_VIOLATED)
        atomic_store(&run->shared->violated, true);
    if (!again)
        atomic_fetch_add(&shared->decided, 1);
    atomic_store(&unit->status, again ? UNIT_OPEN : UNIT_DONE);
}

/* Checks the unit if it is open; false if it is not. */
static bool take_unit(const HistoryWork *work, Shared *shared, Checker *checker, Unit *unit,
                      const LinearizeLimits *limits, size_t round)
{
    int open = UNIT_OPEN;
    if (!atomic_compare_exchange_strong(&unit->status, &open, UNIT_BUSY))
        return false;
    if (run_is_violated(work, unit->run)) { /* one is enough */
        atomic_store(&unit->status, UNIT_SKIPPED);
        atomic_fetch_add(&shared->decided, 1);
        return true;
    }
    LinearizeLimits budget = *limits;
    bool last = round + 1 >= ROUNDS || atomic_load(&shared->decided) + 1 == shared->count;
    budget.configurations = last ? 0 : (uint64_t)FIRST_BUDGET << 3 * round;
    check_unit(work, shared, checker, unit, &budget);
    return true;
}

/* Waits until a unit is open that another worker had, or all are decided. */
static void wait_for_unit(const Shared *shared)
{
    while (atomic_load(&shared->decided) < shared->count) {
        for (size_t i = 0; i < shared->count; i++)
            if (atomic_load(&shared->units[i].status) == UNIT_OPEN)
                return;
        usleep(1000);
    }
}

/* Round after round, each over all units; the units of a round are handed out by a counter. A unit
 * that another worker is still busy with is left to a later round, and the last round goes on until
 * everything is decided: it has no limit. */
static void take_turns(const HistoryWork *work, Shared *shared, const LinearizeLimits *limits)
{
    Checker *checker = checker_new(work->spec, work->monitors);
    checker_set_session(checker, work->session);
    for (size_t round = 0; atomic_load(&shared->decided) < shared->count;
         round += round + 1 < ROUNDS) {
        bool taken = false, handed_out = round + 1 < ROUNDS;
        for (size_t i = 0; handed_out || i < shared->count; i++) {
            size_t at = handed_out ? atomic_fetch_add(&shared->next[round], 1) : i;
            if (at >= shared->count)
                break;
            taken |= take_unit(work, shared, checker, &shared->units[at], limits, round);
        }
        if (!taken)
            wait_for_unit(shared);
    }
    checker_free(checker);
}

static void work_in_processes(const HistoryWork *work, Shared *shared, long jobs)
{
    LinearizeLimits limits = work->limits;
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
            take_turns(work, shared, &limits);
            _exit(0);
        }
    }
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
    if (atomic_load(&shared->decided) < shared->count) { /* golden code may end a process */
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

/* The answer of a history is that of its groups, the evidence that of the first violated one. */
static void explain_unit(const HistoryWork *work, Checker *checker, const Unit *unit)
{
    HistoryRun *run = &work->runs[unit->run];
    const PlanGroup *group = &run->plan.groups.at[unit->group];
    run->verdict = VERDICT_VIOLATED;
    run->group = unit->group;
    run->answer = unit->verdict;
    if (run->answer.by_monitor) /* its findings live in the checker that made them */
        run->answer = checker_group(checker, &run->plan, group, &work->limits);
    checker_explain(checker, &run->plan, group, &run->answer, &work->limits, &run->explanation);
    run->answer.ended = run->explanation.ended;
    run->answer.settled = run->explanation.settled;
}

static void collect(const HistoryWork *work, const Shared *shared)
{
    Checker *checker = checker_new(work->spec, work->monitors);
    checker_set_session(checker, work->session);
    for (size_t i = 0; i < shared->count; i++) {
        const Unit *unit = &shared->units[i];
        HistoryRun *run = &work->runs[unit->run];
        if (run->verdict == VERDICT_VIOLATED || atomic_load(&unit->status) == UNIT_SKIPPED)
            continue;
        ASSERT(atomic_load(&unit->status) == UNIT_DONE);
        run->configurations += unit->verdict.configurations;
        run->monitored += unit->verdict.by_monitor;
        run->groups_done += unit->verdict.verdict != VERDICT_INCONCLUSIVE;
        if (unit->verdict.verdict == VERDICT_VIOLATED) {
            explain_unit(work, checker, unit);
        } else if (unit->verdict.verdict == VERDICT_INCONCLUSIVE && !run->reason) {
            run->verdict = VERDICT_INCONCLUSIVE;
            run->reason = unit->verdict.reason;
            run->group = unit->group;
            run->answer = unit->verdict;
        }
    }
    for (size_t r = 0; work->witness && r < work->run_count; r++)
        if (work->runs[r].verdict == VERDICT_HOLDS && !work->runs[r].history->stuck)
            find_witness(work, checker, &work->runs[r]);
    checker_free(checker);
}

void history_work(HistoryWork *work)
{
    size_t units = 0, at = 0;
    for (size_t r = 0; r < work->run_count; r++)
        units += work->runs[r].plan.groups.count;
    size_t flags = work->run_count * sizeof(HistoryShared);
    size_t bytes = sizeof(Shared) + units * sizeof(Unit) + flags + 64;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die("out of memory");
    Shared *shared = (Shared *)(void *)memory;
    HistoryShared *runs = (HistoryShared *)(void *)&shared->units[units];
    shared->count = units;
    for (uint32_t r = 0; r < work->run_count; r++) {
        work->runs[r].shared = &runs[r];
        for (uint32_t g = 0; g < work->runs[r].plan.groups.count; g++) {
            shared->units[at].run = r;
            shared->units[at++].group = g;
        }
    }
    history_watch_units(&shared->decided, units);
    long jobs = MIN(work->jobs, (long)units);
    double start = history_now();
    if (jobs > 1)
        work_in_processes(work, shared, jobs);
    else
        take_turns(work, shared, &work->limits);
    double seconds = history_now() - start;
    collect(work, shared);
    for (size_t r = 0; r < work->run_count; r++) {
        work->runs[r].seconds = seconds;
        work->runs[r].shared = NULL;
    }
    history_watch_units(NULL, 0);
    munmap(memory, bytes);
}
