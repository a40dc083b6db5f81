/* heddle history: recorded histories against a specification. Reads the logs, divides them into
 * groups, has each group checked (here or in worker processes), reports. */
#include "judge/linear/checker.h"
#include "tool/cli/golden.h"
#include "tool/cli/history_page.h"
#include "tool/cli/history_report.h"
#include "judge/quasi/relax.h"
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
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
};

typedef struct Settings {
    const char *spec, *quasi, *semantics, *cc, *html;
    LogOptions reading;
    bool partition, monitors, json;
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
     "jepsen, edn, porcupine, json or observation (default: from the content)", 0},
    {"failed-cas", KEY_FAILED_CAS, "HOW", 0,
     "In Jepsen's logs, a failed compare-and-set did not happen (`dropped`, the default) or was "
     "`observed` to find another value, as in Jepsen's test of etcd",
     0},
    {"nil-reads", KEY_NIL_READS, "HOW", 0,
     "In Jepsen's logs, a read of nil gave a `value` (default) or something `unknown`", 0},
    {"quasi", KEY_QUASI, "OP:K,...", 0,
     "Quasi linearizability: operations OP (or OP+OP) may be out of order by K", 0},
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

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The checks watch the clock themselves; golden code may not. A timer does: it is the limit that
 * always holds, and it shows progress. Its handler calls nothing that a signal handler may not. */
static struct {
    bool json, terminal, armed;
    double start, hard_deadline; /* 0: none */
    atomic_size_t *next;         /* the next unit of work, once there are any */
    size_t units;
} watch;

static size_t put_text(char *line, size_t at, const char *text)
{
    while (*text)
        line[at++] = *text++;
    return at;
}

static size_t put_number(char *line, size_t at, size_t number)
{
    char digits[24];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count)
        line[at++] = digits[--count];
    return at;
}

static void watch_time(int signal_number)
{
    (void)signal_number;
    static const char text[] = "inconclusive: time is up\n";
    static const char json[] =
        "{\"verdict\": \"inconclusive\", \"violation\": \"\", \"exhaustive\": "
        "false, \"reason\": \"time\"}\n";
    int saved = errno;
    double now = now_seconds();
    if (watch.hard_deadline > 0 && now > watch.hard_deadline) {
        ssize_t written = watch.json ? write(STDOUT_FILENO, json, sizeof json - 1)
                                     : write(STDOUT_FILENO, text, sizeof text - 1);
        (void)written;
        _exit(EXIT_INCONCLUSIVE);
    }
    char line[160];
    size_t at = put_text(line, 0, watch.terminal ? "\rheddle: " : "heddle: ");
    if (watch.next) {
        size_t taken = atomic_load(watch.next);
        at = put_text(line, at, "checking part ");
        at = put_number(line, at, taken < watch.units ? taken : watch.units);
        at = put_text(line, at, " of ");
        at = put_number(line, at, watch.units);
    } else {
        at = put_text(line, at, "reading");
    }
    at = put_text(line, at, ", ");
    at = put_number(line, at, (size_t)(now - watch.start));
    at = put_text(line, at, watch.terminal ? " s " : " s\n");
    ssize_t written = write(STDERR_FILENO, line, at);
    (void)written;
    errno = saved;
}

static void watch_start(const Settings *settings)
{
    watch.json = settings->json;
    watch.terminal = isatty(STDERR_FILENO);
    watch.start = now_seconds();
    if (settings->seconds > 0)
        watch.hard_deadline = watch.start + settings->seconds * 1.1 + 2;
    struct sigaction action = {.sa_handler = watch_time, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    time_t every = watch.terminal || watch.hard_deadline - watch.start < 20 ? 1 : 10;
    if (!watch.terminal && every == 1)
        every = 3; /* a short limit must hold; a line now and then does no harm */
    struct itimerval timer = {.it_interval.tv_sec = every, .it_value.tv_sec = every};
    setitimer(ITIMER_REAL, &timer, NULL);
    watch.armed = true;
}

static void watch_stop(void)
{
    struct itimerval off = {0};
    setitimer(ITIMER_REAL, &off, NULL);
    if (watch.terminal && watch.armed && now_seconds() - watch.start >= 1)
        fputs("\r\033[K", stderr);
}

/* A unit of work: one group of one history. */
typedef struct Unit {
    uint32_t run, group;
} Unit;
typedef struct UnitState {
    GroupVerdict verdict;
    bool done;
} UnitState;
typedef struct Session {
    const Settings *settings;
    Spec *spec;
    HistoryRun *runs;
    size_t run_count;
    Vec(Unit) units;
    UnitState *states; /* shared with the workers */
    LinearizeLimits limits;
} Session;

static void check_unit(Session *session, Checker *checker, size_t index,
                       const LinearizeLimits *limits)
{
    Unit unit = session->units.at[index];
    HistoryRun *run = &session->runs[unit.run];
    UnitState *state = &session->states[index];
    if (limits->deadline > 0 && now_seconds() > limits->deadline)
        state->verdict = (GroupVerdict){.verdict = VERDICT_INCONCLUSIVE,
                                        .reason = "time",
                                        .ended = LINEARIZE_NONE,
                                        .stuck = LINEARIZE_NONE};
    else
        state->verdict =
            checker_group(checker, &run->plan, &run->plan.groups.at[unit.group], limits);
    state->done = true;
}

static void work(Session *session, atomic_size_t *next, const LinearizeLimits *limits)
{
    Checker *checker = checker_new(session->spec, session->settings->monitors);
    uint32_t violated = UINT32_MAX; /* the run in which a violation was found last */
    for (size_t i; (i = atomic_fetch_add(next, 1)) < session->units.count;) {
        if (session->units.at[i].run == violated)
            continue;
        check_unit(session, checker, i, limits);
        if (session->states[i].verdict.verdict == VERDICT_VIOLATED)
            violated = session->units.at[i].run;
    }
    checker_free(checker);
}

static void work_in_processes(Session *session, atomic_size_t *next, long jobs)
{
    LinearizeLimits limits = session->limits;
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
            work(session, next, &limits);
            _exit(0);
        }
    }
    int status;
    for (long i = 0; i < jobs; i++)
        if (wait(&status) > 0 && (!WIFEXITED(status) || WEXITSTATUS(status)))
            die("a worker process failed");
}

static void check_all(Session *session)
{
    for (uint32_t r = 0; r < session->run_count; r++)
        for (uint32_t g = 0; g < session->runs[r].plan.groups.count; g++)
            vec_push(&session->units, (Unit){r, g});
    size_t bytes = sizeof(atomic_size_t) + 64 + session->units.count * sizeof(UnitState);
    char *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        die("out of memory");
    atomic_size_t *next = (atomic_size_t *)(void *)shared;
    watch.units = session->units.count;
    watch.next = next;
    session->states = (UnitState *)(void *)(shared + 64);
    long jobs = MIN(session->settings->jobs, (long)session->units.count);
    double start = now_seconds();
    if (jobs > 1)
        work_in_processes(session, next, jobs);
    else
        work(session, next, &session->limits);
    double seconds = now_seconds() - start;
    /* the answer of a history is that of its groups, the evidence that of the first violated one */
    Checker *checker = NULL;
    for (size_t i = 0; i < session->units.count; i++) {
        HistoryRun *run = &session->runs[session->units.at[i].run];
        const UnitState *state = &session->states[i];
        if (run->verdict == VERDICT_VIOLATED || !state->done)
            continue;
        run->configurations += state->verdict.configurations;
        run->monitored += state->verdict.by_monitor;
        run->groups_done++;
        if (state->verdict.verdict == VERDICT_INCONCLUSIVE) {
            run->verdict = VERDICT_INCONCLUSIVE;
            if (!run->reason) {
                run->reason = state->verdict.reason;
                run->group = session->units.at[i].group;
                run->answer = state->verdict;
            }
        } else if (state->verdict.verdict == VERDICT_VIOLATED) {
            run->verdict = VERDICT_VIOLATED;
            run->group = session->units.at[i].group;
            run->answer = state->verdict;
            if (!checker)
                checker = checker_new(session->spec, session->settings->monitors);
            const PlanGroup *group = &run->plan.groups.at[run->group];
            if (run->answer.by_monitor) /* its findings live in the checker that made them */
                run->answer = checker_group(checker, &run->plan, group, &session->limits);
            checker_explain(checker, &run->plan, group, &run->answer, &session->limits,
                            &run->explanation);
            run->answer.ended = run->explanation.ended;
            run->answer.settled = run->explanation.settled;
        }
    }
    checker_free(checker);
    for (size_t r = 0; r < session->run_count; r++)
        session->runs[r].seconds = seconds;
    watch.next = NULL;
    munmap(shared, bytes);
    vec_free(&session->units);
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

int cmd_history(int argc, char **argv)
{
    Settings settings = {
        .partition = true, .monitors = true, .jobs = 1, .seconds = 60, .memory = (size_t)2 << 30};
    static const struct argp argp = {
        options,
        parse_option,
        "LOG...",
        "Are recorded histories linearizable? Reads logs of Jepsen and Porcupine, Heddle's own "
        "JSON "
        "lines (heddle_log.h) and Line-Up's observation files; gzip and pipes (-) too.\v"
        "Exit status: 0 linearizable, 1 not, 2 bad usage or input, 3 inconclusive.",
        NULL,
        NULL,
        NULL};
    static char name_shown[] = "heddle history";
    argv[0] = name_shown;
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &settings);
    double start = now_seconds();
    settings.reading.memory_limit = settings.memory;
    watch_start(&settings);

    Error error = {0};
    Values *values = values_new();
    Arena *arena = arena_new();
    Histories histories = {0};
    Vec(LogFormat) formats = {0};
    int status = EXIT_USAGE;
    Session session = {.settings = &settings};
    for (size_t i = 0; i < settings.logs.count; i++) {
        LogFormat format;
        if (!log_read(settings.logs.at[i], &settings.reading, values, &histories, &format,
                      &error)) {
            usage_error(&error);
            goto done;
        }
        while (formats.count < histories.count)
            vec_push(&formats, format);
    }
    const char *name = settings.spec ? settings.spec : default_spec(&histories, formats.at);
    if (!name) {
        error_set(&error,
                  "--spec is missing: what should the log be checked against? --spec=fifo, "
                  "lifo, set, map, register, counter, lock ... or a C file: see heddle-history(1)");
        usage_error(&error);
        goto done;
    }
    if (!make_spec(&settings, arena, values, name, &session.spec, &error)) {
        usage_error(&error);
        goto done;
    }
    session.runs = arena_array_of(arena, HistoryRun, histories.count);
    size_t read_bytes = values_memory(values);
    for (size_t i = 0; i < histories.count; i++) {
        HistoryRun *run = &session.runs[session.run_count];
        *run = (HistoryRun){.history = histories.at[i], .format = formats.at[i]};
        spec_settle(session.spec, histories.at[i]);
        if (!plan_make(&run->plan, histories.at[i], session.spec, settings.partition, &error)) {
            usage_error(&error);
            goto done;
        }
        session.run_count++;
        read_bytes += history_memory(histories.at[i]) + plan_memory(&run->plan);
    }
    session.limits.deadline = settings.seconds > 0 ? start + settings.seconds : 0;
    session.limits.memory =
        settings.memory > read_bytes ? settings.memory - read_bytes + values_memory(values) : 1;
    check_all(&session);
    watch_stop();
    HistorySummary summary = {.spec = session.spec->name,
                              .runs = session.runs,
                              .count = session.run_count,
                              .seconds = now_seconds() - start};
    bool written = true;
    if (settings.json)
        written = history_report_json(&summary, stdout);
    else
        history_report_text(&summary, stdout);
    Verdict verdict = history_summary_verdict(&summary);
    status = verdict == VERDICT_HOLDS ? 0 : verdict == VERDICT_VIOLATED ? 1 : EXIT_INCONCLUSIVE;
    if (!written || fflush(stdout) != 0) {
        error_set(&error, "the answer can't be written: %s", strerror(errno));
        status = usage_error(&error);
    }
    if (settings.html && !history_page_write(settings.html, &summary, &error))
        status = usage_error(&error);
done:
    watch_stop();
    for (size_t i = 0; i < session.run_count; i++) {
        plan_free(&session.runs[i].plan);
        explanation_free(&session.runs[i].explanation);
    }
    histories_free(&histories);
    vec_free(&formats);
    vec_free(&settings.logs);
    spec_relax_free(session.spec);
    arena_free(arena);
    values_free(values);
    return status;
}
