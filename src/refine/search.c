/* The search: breadth first, level by level, so that what is found first is as near to the start as
 * any. With several jobs each worker owns the pairs whose implementation state hashes to it; the
 * successors it makes for others are handed over between levels. No table is shared, so there is
 * nothing to lock, and the answer does not depend on timing.
 *
 * Why it decides refinement for executions of any length: the bounds of the model make pairs
 * finite; every execution of the implementation is a path through pairs; a pair whose set of
 * configurations is not empty after each response has an explanation for everything clients saw on
 * every path to it; and an unexplained response is found from any pair that allows it. Reductions:
 * step.h (fusion), canon.h (symmetry), worker.h (sets). */
#include "refine/trace.h"
#include "base/clock.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/stop.h"
#include "refine/journal.h"

typedef struct Search {
    const RefineOptions *options;
    Worker *workers;
    int jobs;
    pthread_barrier_t barrier;
    double start, last_progress;
    uint64_t depth;
    bool stop;
    uint64_t pauses;   /* how often worker 0 has wanted all to pause, so that it can save them */
    const char *limit; /* which limit ended the search; NULL: none */
} Search;

/* Figures that a worker shows the others of itself, now and then. */
static void publish(Worker *worker)
{
    const uint64_t figures[6] = {
        worker->pairs.count,   worker->implementations.count,
        worker->transitions,   worker->pairs.count - worker->level_begin,
        worker_memory(worker), worker->automaton ? ref_automaton_states(worker->automaton) : 0,
    };
    for (int i = 0; i < 6; i++)
        __atomic_store_n(&worker->published[i], figures[i], __ATOMIC_RELAXED);
}

static void measure(const Search *search, RefineFigures *figures)
{
    uint64_t sum[6] = {0}, most = 0;
    for (int j = 0; j < search->jobs; j++)
        for (int i = 0; i < 6; i++) {
            uint64_t figure = __atomic_load_n(&search->workers[j].published[i], __ATOMIC_RELAXED);
            sum[i] += figure;
            if (i == 5)
                most = MAX(most, figure);
        }
    *figures = (RefineFigures){.states = sum[0],
                               .implementation_states = sum[1],
                               .transitions = sum[2],
                               .frontier = sum[3],
                               .memory_bytes = sum[4],
                               .specification_states = most,
                               .depth = search->depth,
                               .seconds = clock_seconds() - search->start};
}

/* Called by worker 0 now and then: limits, progress and the journal. */
static void look_round(Search *search)
{
    RefineFigures figures;
    const RefineOptions *options = search->options;
    const char *limit = NULL;
    measure(search, &figures);
    if (options->time_limit > 0 && figures.seconds + options->seconds_used > options->time_limit)
        limit = "the time limit was reached";
    else if (stop_wanted())
        limit = stop_reason();
    else if (options->memory_limit && figures.memory_bytes > options->memory_limit)
        limit = "the memory limit was reached";
    else if (options->state_limit && figures.states + options->states_used > options->state_limit)
        limit = "the limit on states was reached";
    if (limit)
        __atomic_store_n(&search->limit, limit, __ATOMIC_RELAXED);
    if (options->progress && figures.seconds - search->last_progress >= 1) {
        search->last_progress = figures.seconds;
        options->progress(options->progress_data, &figures);
    }
    if (options->journal && refine_journal_is_due(options->journal))
        __atomic_add_fetch(&search->pauses, 1, __ATOMIC_RELAXED);
}

/* Until the end of the level, a finding, a limit, or a pause after the first SERVED ones. */
static void expand_level(Search *search, Worker *worker, uint64_t served)
{
    for (; worker->position < worker->level_end && worker->finding.kind == FINDING_NONE;
         worker->position++) {
        size_t i = worker->position;
        if ((i & 0x3FF) == 0)
            publish(worker);
        if ((i & 0x3F) == 0 && worker->index == 0)
            look_round(search);
        if (__atomic_load_n(&search->limit, __ATOMIC_RELAXED) ||
            __atomic_load_n(&search->pauses, __ATOMIC_RELAXED) != served)
            return;
        if (!worker_expand(worker, (uint32_t)i))
            return;
    }
}

static bool has_finding(const Search *search)
{
    for (int j = 0; j < search->jobs; j++)
        if (search->workers[j].finding.kind != FINDING_NONE)
            return true;
    return false;
}

/* All workers stand between two pairs. After a finding nothing is saved: whoever goes on from the
 * journal comes to it again. */
static void save(Search *search, bool is_complete)
{
    RefineFigures figures;
    if (has_finding(search))
        return;
    for (int j = 0; j < search->jobs; j++)
        publish(&search->workers[j]);
    measure(search, &figures);
    refine_journal_save(search->options->journal, search->workers, search->jobs, &figures,
                        is_complete);
}

typedef struct Job {
    Search *search;
    Worker *worker;
} Job;

static void *run_job(void *data)
{
    Job *job = data;
    Search *search = job->search;
    Worker *worker = job->worker;
    for (uint64_t served = 0;;) {
        expand_level(search, worker, served);
        pthread_barrier_wait(&search->barrier);
        if (search->limit) /* the level stays as it is, to be gone on with */
            return NULL;
        if (search->pauses != served) {
            served = search->pauses;
            if (worker->index == 0)
                save(search, false);
            pthread_barrier_wait(&search->barrier);
            continue;
        }
        size_t before = worker->level_end;
        for (int j = 0; j < search->jobs; j++)
            if (j != worker->index)
                worker_receive(worker, &search->workers[j].out[worker->index]);
        worker->level_begin = worker->position = before;
        worker->level_end = worker->pairs.count;
        publish(worker);
        pthread_barrier_wait(&search->barrier);
        if (worker->index == 0) {
            bool more = false;
            for (int j = 0; j < search->jobs; j++)
                more |= search->workers[j].level_end > search->workers[j].level_begin;
            search->stop = has_finding(search) || !more;
            search->depth += !search->stop;
            look_round(search);
        }
        for (int j = 0; j < search->jobs; j++)
            vec_clear(&worker->out[j]);
        pthread_barrier_wait(&search->barrier);
        if (search->stop)
            return NULL;
    }
}

static void run_jobs(Search *search)
{
    Job jobs[MAX_JOBS];
    pthread_t threads[MAX_JOBS];
    int started = 1;
    pthread_barrier_init(&search->barrier, NULL, (unsigned)search->jobs);
    for (int j = 0; j < search->jobs; j++)
        jobs[j] = (Job){search, &search->workers[j]};
    for (; started < search->jobs; started++)
        if (pthread_create(&threads[started], NULL, run_job, &jobs[started]) != 0)
            die("a thread can't be started");
    run_job(&jobs[0]);
    for (int j = 1; j < started; j++)
        pthread_join(threads[j], NULL);
    pthread_barrier_destroy(&search->barrier);
}

static int compare_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void gather_outcomes(Arena *arena, const Search *search, RefineResult *result)
{
    Table all;
    table_init(&all, 0);
    for (int j = 0; j < search->jobs; j++)
        for (uint32_t i = 0; i < search->workers[j].outcomes.count; i++) {
            size_t length;
            const unsigned char *text = table_get(&search->workers[j].outcomes, i, &length);
            table_put(&all, text, length, NULL);
        }
    result->outcome_count = (int)all.count;
    result->outcomes = arena_array_of(arena, const char *, all.count + 1);
    for (uint32_t i = 0; i < all.count; i++) {
        size_t length;
        const unsigned char *text = table_get(&all, i, &length);
        result->outcomes[i] = str_copy(arena, (Str){(const char *)text, length});
    }
    qsort(result->outcomes, all.count, sizeof *result->outcomes, compare_text);
    table_free(&all);
}

/* The configurations pack results into 29 bits; and a state has at most 2^24 successors. */
static bool check_results(const Module *module, Error *error)
{
    for (int i = 0; i < module->operation_count; i++) {
        const ModelOperation *operation = module->operations[i];
        int64_t limit = 1 << 27;
        if (operation->result->low < -limit || operation->result->high > limit)
            return source_error(error, operation->place, "results of '%s' are too large to track",
                                operation->name);
        if (operation->result->kind == TYPE_REF || operation->result->kind == TYPE_THREAD)
            return source_error(error, operation->place, "a client has no use for a %s as result",
                                operation->result->kind == TYPE_REF ? "reference" : "thread");
    }
    return true;
}

/* From the journal, or from the initial states. */
static bool begin(Search *search, Error *error)
{
    RefineJournal *journal = search->options->journal;
    if (journal && journal->is_resumed &&
        !refine_journal_load(journal, search->workers, search->jobs, &search->depth, error)) {
        for (int j = 0; j < search->jobs; j++)
            worker_free(&search->workers[j]);
        return false;
    }
    if (!journal || !journal->is_resumed) {
        worker_start(&search->workers[0], search->workers);
        for (int j = 0; j < search->jobs; j++)
            search->workers[j].level_end = search->workers[j].pairs.count;
    }
    for (int j = 0; j < search->jobs; j++)
        publish(&search->workers[j]);
    return true;
}

bool refine_run(Arena *arena, const RefineOptions *options, RefineResult *result, Error *error)
{
    Search search = {
        .options = options, .jobs = MAX(1, MIN(options->jobs, MAX_JOBS)), .start = clock_seconds()};
    const Model *model = options->model;
    memset(result, 0, sizeof *result);
    AutomatonOptions automaton = {.model = model,
                                  .specification = options->specification,
                                  .factors = options->factors,
                                  .classes = options->classes};
    if (!check_results(model->implementation, error))
        return false;
    if (options->specification &&
        (!check_results(options->specification, error) || !ref_automaton_check(&automaton, error)))
        return false;
    const Program *program = program_compile(arena, model->implementation, model->thread_count);
    automaton.implementation = program;
    search.workers = arena_array_of(arena, Worker, (size_t)search.jobs);
    for (int j = 0; j < search.jobs; j++)
        worker_init(&search.workers[j], options, program,
                    options->specification ? &automaton : NULL, arena, j, search.jobs);
    if (!begin(&search, error))
        return false;
    const RefineFinding *finding = NULL;
    int finder = 0;
    if (search.workers[0].finding.kind == FINDING_NONE)
        run_jobs(&search);
    if (options->journal)
        save(&search, !search.limit);
    for (int j = search.jobs - 1; j >= 0; j--)
        if (search.workers[j].finding.kind != FINDING_NONE) {
            finding = &search.workers[j].finding;
            finder = j;
        }
    for (int j = 0; j < search.jobs; j++)
        publish(&search.workers[j]);
    measure(&search, &result->figures);
    gather_outcomes(arena, &search, result);
    if (finding) {
        trace_build(arena, options, search.workers, finder, result);
    } else if (search.limit) {
        result->verdict = VERDICT_INCONCLUSIVE;
        result->message = search.limit;
    } else {
        result->verdict = VERDICT_HOLDS;
        result->is_exhaustive = true;
    }
    result->figures.seconds = clock_seconds() - search.start;
    for (int j = 0; j < search.jobs; j++)
        worker_free(&search.workers[j]);
    return true;
}
