#include "tool/cli/weaken/tries.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/print.h"
#include "tool/instrument/process.h"
#include "record/check.h"
#include "tool/report/dwarf/names.h"
#include "tool/report/steps.h"

typedef struct Shared { /* among the processes */
    uint32_t next;      /* the order to try next */
    uint32_t finished;
} Shared;

static void *share(size_t bytes)
{
    void *memory =
        mmap(NULL, MAX(bytes, 1u), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die("out of memory");
    return memory;
}

WeakenOrder *weaken_tries_share(const WeakenSites *sites)
{
    WeakenOrder *orders = share(sites->orders.count * sizeof *orders);
    for (size_t i = 0; i < sites->orders.count; i++)
        orders[i] = sites->orders.at[i];
    return orders;
}

void weaken_tries_release(WeakenOrder *orders, size_t count)
{
    if (orders)
        munmap(orders, MAX(count * sizeof *orders, 1u));
}

bool weaken_tries_one(const WeakenPlan *plan, Session *copy, uint32_t index, unsigned to,
                      Answer *answer, Error *error)
{
    /* an exploration leaves its failing test in the session, and the orders that it met in the
     * table */
    *copy = *plan->session;
    copy->stays_built = true;
    copy->orders = arena_new_of(copy->arena, OrderTable);
    *copy->orders = *plan->table;
    weaken_sites_replace(plan->sites, index, to, copy->orders);
    if (!session_explore(copy, answer, error))
        return false;
    Names *names = NULL;
    Error ignored;
    if (answer->verdict == VERDICT_VIOLATED && answer->record) {
        answer->message = names_open(&names, copy->arena, answer->program, answer->record, &ignored)
                              ? steps_sentence(names, answer->record)
                              : record_text(answer->record, answer->record->message);
        names_close(names);
    }
    return true;
}

static void fill_try(WeakenTry *attempt, const Answer *answer)
{
    attempt->verdict = answer->verdict;
    attempt->violation = answer->violation;
    attempt->exhaustive = answer->exhaustive;
    attempt->executions = answer->executions;
    attempt->blocked = answer->blocked;
    attempt->seconds = answer->seconds;
    const char *text = answer->verdict == VERDICT_INCONCLUSIVE ? answer->reason : answer->message;
    snprintf(attempt->text, sizeof attempt->text, "%s", text ? text : "");
    snprintf(attempt->test, sizeof attempt->test, "%s",
             answer->outcome.scenario ? answer->outcome.scenario : "");
    __atomic_store_n(&attempt->done, true, __ATOMIC_RELEASE); /* the journal looks */
}

static void make_try(const WeakenPlan *plan, uint32_t index, unsigned to)
{
    WeakenOrder *order = &plan->orders[index];
    WeakenTry *attempt = &order->tries[order->try_count];
    attempt->to = (uint8_t)to;
    order->try_count++;
    WeakenPlan mine = *plan;
    RunOptions options = *plan->session->options;
    Session session = *plan->session, copy;
    Answer answer = {0};
    Error error = {0};
    options.output.quiet = true;
    session.options = &options;
    session.arena = arena_new();
    mine.session = &session;
    double left = plan->deadline - process_seconds();
    if (plan->deadline > 0)
        session.explore.time_ms =
            MIN(session.explore.time_ms, left > 0 ? (uint64_t)(left * 1e3) : 0);
    if (!session.explore.time_ms) { /* no limit is no try here: the plan always has one */
        attempt->verdict = VERDICT_INCONCLUSIVE;
        snprintf(attempt->text, sizeof attempt->text, "the time limit was reached");
        attempt->done = true;
    } else if (weaken_tries_one(&mine, &copy, index, to, &answer, &error)) {
        if (!process_interrupted())
            fill_try(attempt, &answer);
    } else {
        attempt->verdict = VERDICT_INCONCLUSIVE;
        snprintf(attempt->text, sizeof attempt->text, "%.300s", error.message);
        attempt->done = true;
    }
    vec_free(&answer.remarks);
    arena_free(session.arena);
}

NORETURN static void worker_run(const WeakenPlan *plan, Shared *shared, pid_t parent)
{
    process_end_with(parent); /* the keeper of the workspace then sees that all are gone */
    for (;;) {
        uint32_t index = __atomic_fetch_add(&shared->next, 1, __ATOMIC_RELAXED);
        if (index >= plan->sites->orders.count || process_interrupted())
            _exit(0);
        for (unsigned to; weaken_next(&plan->orders[index], &to) && !process_interrupted();)
            make_try(plan, index, to);
        __atomic_fetch_add(&shared->finished, 1, __ATOMIC_RELAXED);
    }
}

static void show_progress(const WeakenPlan *plan, const Shared *shared, double *last)
{
    double now = process_seconds();
    bool terminal = isatty(STDERR_FILENO) == 1;
    if (plan->quiet || now - *last < (terminal ? 0.1 : 10))
        return;
    *last = now;
    fputs(terminal ? "\r\033[K" : "", stderr);
    print_plain(stderr, "heddle: %u of %zu memory orders of %s tried%s",
                __atomic_load_n(&shared->finished, __ATOMIC_RELAXED), plan->sites->orders.count,
                plan->session->name, terminal ? "" : "\n");
}

bool weaken_tries_run(const WeakenPlan *plan, Error *error)
{
    Shared *shared = share(sizeof *shared);
    size_t count = plan->sites->orders.count;
    pid_t workers[LINK_WORKERS], parent = getpid();
    unsigned running = 0, started = MIN(plan->jobs, (unsigned)LINK_WORKERS);
    for (unsigned i = 0; i < started; i++) {
        workers[i] = fork();
        if (workers[i] == 0)
            worker_run(plan, shared, parent);
        if (workers[i] < 0 && !running) {
            error_set(error, "can't start a process: %s", strerror(errno));
            munmap(shared, sizeof *shared);
            return false;
        }
        running += workers[i] > 0;
    }
    double last = process_seconds();
    bool told = false;
    while (running) {
        for (unsigned i = 0; i < started; i++)
            if (workers[i] > 0 && waitpid(workers[i], NULL, WNOHANG) != 0) {
                workers[i] = 0;
                running--;
            }
        if (process_interrupted() && !told) { /* a terminal tells all, a kill only us */
            for (unsigned i = 0; i < started; i++)
                if (workers[i] > 0)
                    kill(workers[i], SIGTERM);
            told = true;
        }
        show_progress(plan, shared, &last);
        if (plan->kept)
            weaken_kept_write(plan->kept, false);
        if (running)
            poll(NULL, 0, 5);
    }
    if (isatty(STDERR_FILENO) == 1 && !plan->quiet)
        fputs("\r\033[K", stderr);
    munmap(shared, sizeof *shared);
    for (size_t i = 0; i < count; i++)
        plan->orders[i].answer = weaken_judge(&plan->orders[i]);
    return true;
}
