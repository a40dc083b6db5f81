/* heddle history: recorded histories against a specification. Reads the logs, divides them into
 * groups, has each group checked (history_work), reports. */
#include "judge/library/parts.h"
#include "judge/linear/session.h"
#include "tool/cli/output/common.h"
#include "tool/cli/golden.h"
#include "tool/cli/history/follow.h"
#include "tool/cli/history/page.h"
#include "tool/cli/history/watch.h"
#include "tool/cli/history/work.h"
#include "tool/cli/quasi_auto.h"
#include "tool/cli/relax/failures.h"
#include "tool/cli/relax/history_quasi.h"
#include "judge/quasi/relax.h"
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cmd_history(int argc, char **argv);

enum { EXIT_USAGE = 2, EXIT_INCONCLUSIVE = 3 };
enum {
    KEY_SPEC = 256,
    KEY_FORMAT,
    KEY_QUASI,
    KEY_SEMANTICS,
    KEY_PARTITION,
    KEY_NO_PARTITION,
    KEY_NO_MONITORS,
    KEY_JOBS,
    KEY_TIME,
    KEY_MEMORY,
    KEY_JSON,
    KEY_HTML,
    KEY_CC,
    KEY_FAILED_CAS,
    KEY_NIL_READS,
    KEY_WITNESS,
    KEY_CONSISTENCY,
    KEY_FOLLOW,
    KEY_MAY_FAIL,
};

#define MOST_SEQUENTIAL 20000u
#define FOLLOW_CONFIGURATIONS 200000u /* of each look at a growing log */

typedef struct Settings {
    const char *spec, *quasi, *semantics, *cc, *html, *may_fail;
    LogOptions reading;
    bool partition, monitors, json, quiet, witness, sequential, follow;
    unsigned session;
    const char *consistency, *remark;
    long jobs;
    double seconds;
    size_t memory;
    Vec(const char *) logs;
} Settings;

static const struct argp_option options[] = {
    {"spec", KEY_SPEC, "NAME", 0,
     "What is right: a built-in model (heddle-history(1) lists their operations: fifo, lifo, "
     "deque, "
     "priority-queue, bag, set, kv, map, bank, register, cas-register, counter, semaphore, lock, "
     "event; some take an initial value, register:0) or a C file with golden code",
     0},
    {"format", KEY_FORMAT, "F", 0,
     "jepsen, edn, porcupine, json, csv, operations, tla or observation (default: from the "
     "content)",
     0},
    {"failed-cas", KEY_FAILED_CAS, "HOW", 0,
     "In Jepsen's logs, a failed compare-and-set did not happen (`dropped`, the default) or was "
     "`observed` to find another value, as in Jepsen's test of etcd",
     0},
    {"nil-reads", KEY_NIL_READS, "HOW", 0,
     "In Jepsen's logs, a read of nil gave a `value` (default) or something `unknown`", 0},
    {"quasi", KEY_QUASI, "OP:K,...", 0,
     "Quasi linearizability: operations OP (or OP+OP) may be out of order by K; OP:auto, or auto "
     "for "
     "all that take: find the smallest K",
     0},
    {"may-fail", KEY_MAY_FAIL, "OP:RESULT,...", 0,
     "A call of OP that gives RESULT (none, false or a number; OP alone: none or false) counts as "
     "not made if it overlaps another call; auto: of every operation",
     0},
    {"semantics", KEY_SEMANTICS, "S", 0, "Of --quasi: kooo (default), slot or def4", 0},
    {"no-partition", KEY_NO_PARTITION, NULL, 0, "Do not divide by key", 0},
    {"partition", KEY_PARTITION, NULL, 0, "Divide by key where the model allows (default)", 0},
    {"no-monitors", KEY_NO_MONITORS, NULL, 0,
     "Always search, also where a near-linear algorithm applies", 0},
    {"jobs", KEY_JOBS, "N", 0, "Processes to check with (default 1; 0: as many as processors)", 0},
    {"time", KEY_TIME, "T", 0, "Stop after T, e.g. 500ms, 60s, 5m (default 60s; 0: never)", 0},
    {"memory", KEY_MEMORY, "M", 0, "Use at most M, e.g. 512M, 2G (default 2G)", 0},
    {"json", KEY_JSON, NULL, 0, "Print one JSON object on standard output", 0},
    {"html", KEY_HTML, "FILE", 0, "Draw the histories as one HTML page, too", 0},
    {"follow", KEY_FOLLOW, NULL, 0,
     "Judge one log while it grows, and stop at the first violation (needs --spec)", 0},
    {"consistency", KEY_CONSISTENCY, "C", 0,
     "linearizable (default); sequential: only the order of each process counts; session "
     "guarantees of registers and keys: read-your-writes, monotonic-reads, monotonic-writes, "
     "writes-follow-reads, or session for all of them",
     0},
    {"witness", KEY_WITNESS, NULL, 0, "Show a serial order that explains each linearizable history",
     0},
    {"cc", KEY_CC, "CC", 0, "Compiler for golden code (default: $CC or cc)", 0},
    {0}};

static bool parse_seconds(const char *text, double *seconds)
{
    char *end;
    errno = 0;
    *seconds = strtod(text, &end);
    if (errno || end == text || !(*seconds >= 0) || *seconds > 1e9)
        return false;
    if (!strcmp(end, "ms"))
        *seconds /= 1000;
    else if (!strcmp(end, "m") || !strcmp(end, "min"))
        *seconds *= 60;
    else if (!strcmp(end, "h"))
        *seconds *= 3600;
    else if (*end && strcmp(end, "s"))
        return false;
    return true;
}

static bool parse_bytes(const char *text, size_t *bytes)
{
    char *end;
    errno = 0;
    double number = strtod(text, &end);
    if (errno || end == text || !(number > 0))
        return false;
    if (*end == 'K' || *end == 'k')
        number *= 1024;
    else if (*end == 'M' || *end == 'm')
        number *= 1024.0 * 1024;
    else if (*end == 'G' || *end == 'g')
        number *= 1024.0 * 1024 * 1024;
    else if (*end)
        return false;
    if (*end && end[1] && strcmp(end + 1, "B") && strcmp(end + 1, "iB"))
        return false;
    if (number < 1024 * 1024 || number > 1e15)
        return false;
    *bytes = (size_t)number;
    return true;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    Settings *settings = state->input;
    char *end;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &settings->quiet;
        break;
    case KEY_SPEC:
        settings->spec = argument;
        break;
    case KEY_FORMAT:
        if (!log_format_from_word(argument, &settings->reading.format))
            argp_error(state, "unknown format \"%s\"", argument);
        break;
    case KEY_QUASI:
        settings->quasi = argument;
        break;
    case KEY_MAY_FAIL:
        settings->may_fail = argument;
        break;
    case KEY_SEMANTICS:
        settings->semantics = argument;
        break;
    case KEY_PARTITION:
    case KEY_NO_PARTITION:
        settings->partition = key == KEY_PARTITION;
        break;
    case KEY_NO_MONITORS:
        settings->monitors = false;
        break;
    case KEY_JOBS:
        settings->jobs = strtol(argument, &end, 10);
        if (*end || end == argument || settings->jobs < 0 || settings->jobs > 1024)
            argp_error(state, "--jobs wants a number from 0 to 1024");
        if (!settings->jobs)
            settings->jobs = sysconf(_SC_NPROCESSORS_ONLN);
        break;
    case KEY_TIME:
        if (!parse_seconds(argument, &settings->seconds))
            argp_error(state, "--time wants a duration such as 500ms, 60s, 5m");
        break;
    case KEY_MEMORY:
        if (!parse_bytes(argument, &settings->memory))
            argp_error(state, "--memory wants a size of at least 1M, such as 512M or 2G");
        break;
    case KEY_JSON:
        settings->json = true;
        break;
    case KEY_FOLLOW:
        settings->follow = true;
        break;
    case KEY_CONSISTENCY:
        settings->consistency = argument;
        settings->sequential = !strcmp(argument, "sequential");
        settings->session = session_from_word(argument);
        if (!settings->sequential && !settings->session && strcmp(argument, "linearizable"))
            argp_error(state, "--consistency wants linearizable, sequential, session, "
                              "read-your-writes, monotonic-reads, monotonic-writes or "
                              "writes-follow-reads");
        break;
    case KEY_WITNESS:
        settings->witness = true;
        break;
    case KEY_HTML:
        settings->html = argument;
        break;
    case KEY_FAILED_CAS:
    case KEY_NIL_READS: {
        static const char *const words[2][2] = {{"observed", "dropped"}, {"unknown", "value"}};
        bool nil = key == KEY_NIL_READS;
        bool yes = !strcmp(argument, words[nil][0]);
        if (!yes && strcmp(argument, words[nil][1]))
            argp_error(state, "%s wants %s or %s", nil ? "--nil-reads" : "--failed-cas",
                       words[nil][0], words[nil][1]);
        *(nil ? &settings->reading.nil_unknown : &settings->reading.observed_cas) = yes;
        break;
    }
    case KEY_CC:
        settings->cc = argument;
        break;
    case ARGP_KEY_ARG:
        vec_push(&settings->logs, (const char *)argument);
        break;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no log is named (\"-\" is standard input)");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* Without --spec: what the log's format or operations make obvious. */
static const char *default_spec(const Histories *histories, const LogFormat *formats)
{
    bool registers = true, kv = true;
    for (size_t i = 0; i < histories->count; i++) {
        const History *history = histories->at[i];
        kv = kv && formats[i] == LOG_FORMAT_PORCUPINE;
        registers = registers && (formats[i] == LOG_FORMAT_JEPSEN || formats[i] == LOG_FORMAT_EDN);
        for (size_t j = 0; j < history->operations.count && registers; j++) {
            Str name = value_text(history->values, value_of_symbol(history->operations.at[j].name));
            registers = str_is(name, "read") || str_is(name, "write") || str_is(name, "cas");
        }
    }
    return kv ? "kv" : registers ? "cas-register" : NULL;
}

static int usage_error(const Error *error)
{
    char text[2048];
    error_text(error, text, sizeof text);
    fprintf(stderr, "heddle: %s\n", text);
    return EXIT_USAGE;
}

static bool make_spec(const Settings *settings, Arena *arena, Values *values, const char *name,
                      Spec **out, Error *error)
{
    Str text = str_of(name);
    *out = str_ends(text, STR(".c")) ? golden_load(arena, values, name, settings->cc, error)
                                     : spec_builtin(arena, values, text, error);
    if (!*out)
        return false;
    if (!settings->quasi) {
        if (settings->semantics)
            return error_set(error, "--semantics goes with --quasi");
        return true;
    }
    RelaxSemantics semantics;
    if (!relax_semantics_from_word(settings->semantics ? settings->semantics : "kooo", &semantics))
        return error_set(error, "--semantics is kooo, slot or def4");
    *out = spec_relax(arena, *out, str_of(settings->quasi), semantics, error);
    return *out != NULL;
}

/* The logs that were read so far. A log that can't be read is a problem of its own: the rest are
 * judged. */
typedef struct Reading {
    const Settings *settings;
    Arena *arena;
    Values *values;
    Histories histories;
    Vec(LogFormat) formats;
    Vec(HistoryProblem) problems;
    Failures failures; /* --may-fail */
} Reading;

static void add_problem(Reading *reading, const char *file, const Error *error)
{
    char text[2048];
    error_text(error, text, sizeof text);
    usage_error(error);
    HistoryProblem problem = {file, str_copy(reading->arena, str_of(text))};
    vec_push(&reading->problems, problem);
}

static void read_logs(Reading *reading)
{
    const Settings *settings = reading->settings;
    for (size_t i = 0; i < settings->logs.count; i++) {
        LogFormat format = LOG_FORMAT_AUTO;
        Error error = {0};
        if (!log_read(settings->logs.at[i], &settings->reading, reading->values,
                      &reading->histories, &format, &error))
            add_problem(reading, settings->logs.at[i], &error);
        while (reading->formats.count < reading->histories.count)
            vec_push(&reading->formats, format);
    }
}

/* Sequential consistency is not local: two objects that have it need not have it together. And its
 * order is kept as a matrix. */
static bool may_forget_time(const History *history, Error *error)
{
    for (size_t i = 0; i < history->operations.count; i++)
        if (history->operations.at[i].object != history->operations.at[0].object)
            return error_at(error, history->source, (int)history->operations.at[i].line, 0,
                            "sequential consistency can only be checked of one object");
    if (history->stuck || history->operations.count > MOST_SEQUENTIAL)
        return error_at(error, history->source, 0, 0,
                        "sequential consistency can only be checked of at most %u operations, of "
                        "which none waits for ever",
                        MOST_SEQUENTIAL);
    return true;
}

static void read_followed(Reading *reading, const Buffer *text)
{
    LogFormat format = LOG_FORMAT_AUTO;
    Error error = {0};
    const char *path = reading->settings->logs.at[0];
    if (!log_read_bytes(path, buffer_str(text), &reading->settings->reading, reading->values,
                        &reading->histories, &format, &error))
        add_problem(reading, path, &error);
    while (reading->formats.count < reading->histories.count)
        vec_push(&reading->formats, format);
}

/* --quasi=auto: the factors that are found take its place. */
static bool find_factors(Settings *settings, const Reading *reading, Arena *arena, Values *values,
                         const char *name, double start, HistoryQuasi *search, Error *error)
{
    Settings plain = *settings;
    plain.quasi = plain.semantics = NULL;
    if (settings->follow)
        return error_set(error, "--quasi=auto does not go with --follow");
    if (!relax_semantics_from_word(settings->semantics ? settings->semantics : "kooo",
                                   &search->semantics))
        return error_set(error, "--semantics is kooo, slot or def4");
    if (!make_spec(&plain, arena, values, name, &search->inner, error))
        return false;
    for (size_t i = 0; i < reading->histories.count; i++)
        spec_settle(search->inner, reading->histories.at[i]);
    search->histories = &reading->histories;
    search->partition = settings->partition;
    search->monitors = settings->monitors;
    search->limits =
        (LinearizeLimits){.memory = settings->memory,
                          .stop = history_watch_interrupted(),
                          .deadline = settings->seconds > 0 ? start + settings->seconds : 0};
    if (!history_quasi_find(search, settings->quasi, error))
        return false;
    settings->quasi = arena_printf(arena, "%.*s", STR_ARG(buffer_str(&search->factors)));
    settings->remark = arena_printf(arena, "%.*s", STR_ARG(buffer_str(&search->remark)));
    return true;
}

static void make_plans(Reading *reading, HistoryWork *work)
{
    for (size_t i = 0; i < reading->histories.count; i++) {
        History *history = reading->histories.at[i];
        HistoryRun *run = &work->runs[work->run_count];
        Error error = {0};
        *run = (HistoryRun){.history = history, .format = reading->formats.at[i]};
        bool sequential = reading->settings->sequential;
        spec_settle(work->spec, history);
        if (reading->failures.count)
            history_let_fail(history, reading->failures.at, reading->failures.count);
        bool ok = !sequential || may_forget_time(history, &error);
        if (ok && sequential)
            history_forget_time(history);
        if (ok && plan_make(&run->plan, history, work->spec,
                            reading->settings->partition && !sequential, &error))
            work->run_count++;
        else
            add_problem(reading, history->source, &error);
    }
}

static int exit_status(const HistorySummary *summary)
{
    Verdict verdict = history_summary_verdict(summary);
    return verdict == VERDICT_VIOLATED ? 1
           : summary->problem_count    ? EXIT_USAGE
           : verdict == VERDICT_HOLDS  ? 0
                                       : EXIT_INCONCLUSIVE;
}

/* Is what was read so far violated? What can't be read yet (an event that others precede in the
 * file but not in their order) may become readable. */
static bool violated_so_far(const Settings *settings, Str text)
{
    Error error = {0};
    Values *values = values_new();
    Arena *arena = arena_new();
    Histories histories = {0};
    LogFormat format;
    Spec *spec = NULL;
    bool violated = false;
    if (log_read_bytes(settings->logs.at[0], text, &settings->reading, values, &histories, &format,
                       &error) &&
        make_spec(settings, arena, values, settings->spec, &spec, &error)) {
        LinearizeLimits limits = {.memory = settings->memory,
                                  .stop = history_watch_interrupted(),
                                  .configurations = FOLLOW_CONFIGURATIONS};
        for (size_t i = 0; i < histories.count && !violated; i++) {
            Plan plan;
            spec_settle(spec, histories.at[i]);
            if (!plan_make(&plan, histories.at[i], spec, settings->partition, &error))
                continue;
            const Plan *const plans[] = {&plan};
            PartsTask task = {
                .spec = spec, .plans = plans, .plan_count = 1, .monitors = settings->monitors};
            void *memory = calloc(1, parts_bytes(&task));
            if (!memory)
                die("out of memory");
            Parts *parts = parts_start(memory, &task);
            parts_take_turns(parts, &task, &limits);
            violated = atomic_load(&parts->violated[0]);
            free(memory);
            plan_free(&plan);
        }
    }
    spec_relax_free(spec);
    histories_free(&histories);
    arena_free(arena);
    values_free(values);
    return violated;
}

/* Reads the growing log until it is violated or ends. The pauses between two looks grow with what a
 * look costs, so that at most half of the time is spent on them. */
static bool follow_log(const Settings *settings, double start, Buffer *text, Error *error)
{
    history_watch_follows(true);
    HistoryFollow *follow = history_follow_open(settings->logs.at[0], error);
    if (!follow)
        return false;
    double deadline = settings->seconds > 0 ? start + settings->seconds : 0, cost = 0;
    size_t last = 0;
    for (bool ended = false, violated = false; !ended && !violated;) {
        Str so_far =
            history_follow_next(follow, last, deadline, history_watch_interrupted(), &ended);
        double before = history_now();
        if (!ended && before - start < 2 * cost) {
            last = so_far.length;
            continue;
        }
        violated = violated_so_far(settings, so_far);
        cost += history_now() - before;
        last = so_far.length;
        vec_clear(text);
        buffer_append(text, so_far.at, so_far.length);
    }
    history_follow_close(follow);
    return true;
}

int cmd_history(int argc, char **argv)
{
    Settings settings = {
        .partition = true, .monitors = true, .jobs = 1, .seconds = 60, .memory = (size_t)2 << 30};
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        options,
        parse_option,
        "LOG...",
        "Are recorded histories linearizable? Reads logs of Jepsen and Porcupine, Heddle's own "
        "JSON lines (heddle_log.h), CSV and JSON with the times of calls and returns, traces of "
        "TLA+, and Line-Up's observation files; gzip and pipes (-) too.\v"
        "Exit status: 0 linearizable, 1 not, 2 bad usage or input, 3 inconclusive.",
        children,
        NULL,
        NULL};
    static char name_shown[] = "heddle history";
    argv[0] = name_shown;
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &settings);
    int guarded;
    if (settings.spec && str_ends(str_of(settings.spec), STR(".c")) && !golden_guard(&guarded)) {
        vec_free(&settings.logs);
        return guarded;
    }
    double start = history_now();
    settings.reading.memory_limit = settings.memory;
    history_watch_start(settings.json, settings.quiet, settings.seconds);

    Error error = {0};
    Values *values = values_new();
    Arena *arena = arena_new();
    Reading reading = {.settings = &settings, .arena = arena, .values = values};
    int status = EXIT_USAGE;
    HistoryWork work = {
        .monitors = settings.monitors, .witness = settings.witness, .jobs = settings.jobs};
    Spec *spec = NULL;
    HistoryQuasi factors = {0};
    Buffer followed = {0};
    if (settings.follow && (!settings.spec || settings.logs.count != 1)) {
        error_set(&error, "--follow wants --spec and one log");
        usage_error(&error);
        goto done;
    }
    if (settings.follow && !follow_log(&settings, start, &followed, &error)) {
        usage_error(&error);
        goto done;
    }
    if (settings.follow) { /* the last look has its own time */
        start = history_now();
        history_watch_follows(false);
        read_followed(&reading, &followed);
    } else
        read_logs(&reading);
    const char *name =
        settings.spec ? settings.spec : default_spec(&reading.histories, reading.formats.at);
    if (!reading.histories.count)
        goto done;
    if (!name) {
        error_set(&error,
                  "--spec is missing: what should the log be checked against? --spec=fifo, "
                  "lifo, set, map, register, counter, lock ... or a C file: see heddle-history(1)");
        usage_error(&error);
        goto done;
    }
    if (settings.quasi && quasi_auto_wanted(settings.quasi) &&
        !find_factors(&settings, &reading, arena, values, name, start, &factors, &error)) {
        usage_error(&error);
        goto done;
    }
    if (!make_spec(&settings, arena, values, name, &spec, &error)) {
        usage_error(&error);
        goto done;
    }
    if (settings.may_fail && (settings.follow || settings.sequential || settings.session)) {
        error_set(&error,
                  "--may-fail is about calls that overlap in real time: not with --follow or "
                  "--consistency");
        usage_error(&error);
        goto done;
    }
    if (settings.may_fail && !failures_read(settings.may_fail, values, &reading.failures, &error)) {
        usage_error(&error);
        goto done;
    }
    work.spec = spec;
    work.session = settings.session;
    work.witness = settings.witness && !settings.session;
    work.runs = arena_array_of(arena, HistoryRun, reading.histories.count);
    make_plans(&reading, &work);
    if (!work.run_count)
        goto done;
    size_t read_bytes = values_memory(values);
    for (size_t i = 0; i < work.run_count; i++)
        read_bytes += history_memory(work.runs[i].history) + plan_memory(&work.runs[i].plan);
    work.limits.stop = history_watch_interrupted();
    work.limits.deadline = settings.seconds > 0 ? start + settings.seconds : 0;
    work.limits.memory =
        settings.memory > read_bytes ? settings.memory - read_bytes + values_memory(values) : 1;
    history_work(&work);
    history_watch_stop();
    HistorySummary summary = {.spec = spec->name,
                              .problems = reading.problems.at,
                              .problem_count = reading.problems.count,
                              .consistency = settings.consistency,
                              .relaxed = settings.quasi != NULL,
                              .runs = work.runs,
                              .count = work.run_count,
                              .seconds = history_now() - start};
    bool written = true;
    if (settings.json)
        written = history_report_json(&summary, stdout);
    else
        history_report_text(&summary, stdout);
    if (!settings.json && settings.remark)
        printf("%s\n", settings.remark);
    status = exit_status(&summary);
    if (!written || fflush(stdout) != 0) {
        error_set(&error, "the answer can't be written: %s", strerror(errno));
        status = usage_error(&error);
    }
    if (settings.html && !history_page_write(settings.html, &summary, &error))
        status = usage_error(&error);
done:
    golden_guard_done();
    history_watch_stop();
    for (size_t i = 0; i < work.run_count; i++) {
        plan_free(&work.runs[i].plan);
        explanation_free(&work.runs[i].explanation);
        vec_free(&work.runs[i].witness);
    }
    histories_free(&reading.histories);
    vec_free(&reading.formats);
    vec_free(&reading.problems);
    vec_free(&reading.failures);
    history_quasi_free(&factors);
    vec_free(&settings.logs);
    vec_free(&followed);
    spec_relax_free(spec);
    arena_free(arena);
    values_free(values);
    return status;
}
