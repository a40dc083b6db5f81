#include "tool/cli/repair/tries.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tool/answer/repair.h"
#include "tool/instrument/process.h"

/* No try takes more than this part of the time that is left: some of them would never end. */
#define TRY_SHARE 4

void *repair_share(size_t bytes)
{
    void *memory =
        mmap(NULL, MAX(bytes, 1u), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die("out of memory");
    return memory;
}

/* Asks in TABLE for what ASSIGNMENT changes. */
static void assign(const RepairTries *tries, const uint8_t *assignment, OrderTable *table)
{
    for (unsigned i = 0; assignment && i < tries->count; i++) {
        const RepairPlaceOf *place = &tries->places[i];
        if (assignment[i] == tries->levels[i].present)
            continue;
        if (place->kind == REPAIR_ORDER)
            weaken_sites_replace(tries->sites, place->order, assignment[i], table);
        else
            weaken_sites_fence(tries->sites, place->order, place->kind == REPAIR_FENCE_AFTER,
                               assignment[i], table);
    }
}

/* Adds what a try met to what all of them met. */
static void note_met(const RepairTries *tries, const OrderTable *table)
{
    for (size_t i = 0; i < ORDERS_SITES; i++) {
        const OrderSite *from = &table->sites[i];
        OrderSite *to = from->key && from->used ? orders_enter(tries->met, from->key) : NULL;
        if (!to)
            continue;
        if (from->inner)
            __atomic_store_n(&to->inner, from->inner, __ATOMIC_RELAXED);
        __atomic_fetch_or(&to->used, from->used, __ATOMIC_RELAXED);
    }
    if (table->full)
        tries->met->full = 1;
}

bool repair_try(const RepairTries *tries, const uint8_t *assignment, const uint32_t *model,
                Session *copy, Answer *answer, Error *error)
{
    /* an exploration leaves its failing test in the session, and what ran that nobody sees */
    *copy = *tries->session;
    copy->ran = copy->replay_ran = (Words){0};
    copy->stays_built = true;
    copy->orders = arena_new_of(copy->arena, OrderTable);
    *copy->orders = *tries->table;
    assign(tries, assignment, copy->orders);
    if (model) {
        copy->explore.model = *model;
        copy->explore.model_given = 1;
    }
    double left = (tries->deadline - process_seconds()) / TRY_SHARE;
    uint64_t left_ms = left > 0 ? (uint64_t)(left * 1e3) + 1 : 1;
    copy->explore.time_ms = copy->explore.time_ms ? MIN(copy->explore.time_ms, left_ms) : left_ms;
    if (!session_explore(copy, answer, error))
        return false;
    note_met(tries, copy->orders);
    return true;
}

void repair_try_end(Session *copy, Answer *answer)
{
    vec_free(&copy->ran);
    vec_free(&copy->replay_ran);
    vec_free(&answer->remarks);
}

bool repair_tries_over(void *context)
{
    const RepairTries *tries = context;
    return process_interrupted() || process_seconds() >= tries->deadline;
}

/* One try of many, whose evidence nobody wants. */
static Verdict make_try(const RepairTries *tries, const uint8_t *assignment, unsigned jobs)
{
    if (repair_tries_over((void *)(uintptr_t)tries))
        return VERDICT_INCONCLUSIVE;
    __atomic_fetch_add(tries->made, 1, __ATOMIC_RELAXED);
    RepairTries mine = *tries;
    RunOptions options = *tries->session->options;
    Session session = *tries->session, copy;
    Answer answer = {0};
    Error error = {0};
    options.output.quiet = true;
    options.output.cache = NULL;
    session.options = &options;
    session.explore.jobs = jobs;
    session.arena = arena_new();
    mine.session = &session;
    bool made = repair_try(&mine, assignment, NULL, &copy, &answer, &error);
    Verdict verdict = made ? answer.verdict : VERDICT_INCONCLUSIVE;
    if (made)
        repair_try_end(&copy, &answer);
    arena_free(session.arena);
    return verdict;
}

typedef struct Round { /* among the processes */
    size_t next;
    unsigned char verdicts[];
} Round;

NORETURN static void worker_run(const RepairTries *tries, const uint8_t *const *assignments,
                                size_t count, Round *round, pid_t parent)
{
    process_end_with(parent); /* the keeper of the workspace then sees that all are gone */
    for (;;) {
        size_t index = __atomic_fetch_add(&round->next, 1, __ATOMIC_RELAXED);
        if (index >= count || process_interrupted())
            _exit(0);
        round->verdicts[index] = (unsigned char)make_try(tries, assignments[index], 1);
    }
}

static void show_progress(const RepairTries *tries)
{
    if (!tries->quiet && isatty(STDERR_FILENO) == 1)
        fprintf(stderr, "\r\033[Kheddle: %llu programs with stronger orders tried, %.0f s left",
                (unsigned long long)__atomic_load_n(tries->made, __ATOMIC_RELAXED),
                MAX(tries->deadline - process_seconds(), 0.0));
}

static void ask_processes(const RepairTries *tries, const uint8_t *const *assignments, size_t count,
                          Round *round)
{
    pid_t workers[LINK_WORKERS], parent = getpid();
    unsigned started = (unsigned)MIN(count, MIN(tries->jobs, (unsigned)LINK_WORKERS)), running = 0;
    bool told = false;
    for (unsigned i = 0; i < started; i++) {
        workers[i] = fork();
        if (workers[i] == 0)
            worker_run(tries, assignments, count, round, parent);
        running += workers[i] > 0;
    }
    while (running) {
        for (unsigned i = 0; i < started; i++)
            if (workers[i] > 0 && waitpid(workers[i], NULL, WNOHANG) != 0) {
                workers[i] = 0;
                running--;
            }
        for (unsigned i = 0; process_interrupted() && !told && i < started; i++)
            if (workers[i] > 0) /* a terminal tells all, a kill only us */
                kill(workers[i], SIGTERM);
        told = process_interrupted();
        show_progress(tries);
        if (running)
            poll(NULL, 0, 2);
    }
}

void repair_tries_ask(void *context, const uint8_t *const *assignments, size_t count,
                      Verdict *verdicts)
{
    const RepairTries *tries = context;
    if (tries->jobs > 1 && count > 1) {
        size_t bytes = sizeof(Round) + count;
        Round *round = repair_share(bytes);
        memset(round->verdicts, VERDICT_INCONCLUSIVE, count);
        ask_processes(tries, assignments, count, round);
        for (size_t i = 0; i < count; i++)
            verdicts[i] = (Verdict)round->verdicts[i];
        munmap(round, bytes);
    } else {
        for (size_t i = 0; i < count; i++) {
            verdicts[i] = make_try(tries, assignments[i], tries->jobs);
            show_progress(tries);
        }
    }
}
