#include "tool/cli/history/reading.h"
#include <stdio.h>
#include <string.h>
#include "base/print.h"
#include "judge/linear/session.h"
#include "judge/quasi/relax.h"
#include "tool/cli/golden.h"

#define MOST_SEQUENTIAL 20000u

const char *history_reading_default_spec(const HistoryReading *reading)
{
    const Histories *histories = &reading->histories;
    const LogFormat *formats = reading->formats.at;
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

unsigned history_isolation_level(const HistorySettings *settings, const Spec *spec)
{
    bool plain = !settings->consistency || !strcmp(settings->consistency, "linearizable");
    return !transactions_are(spec)       ? 0
           : settings->isolation         ? settings->isolation
           : plain && settings->monitors ? LEVEL_STRICT_SERIALIZABLE + 1
                                         : 0;
}

int history_complain(const Error *error)
{
    char text[2048];
    error_text(error, text, sizeof text);
    print_plain(stderr, "heddle: %s\n", text);
    return HISTORY_EXIT_USAGE;
}

bool history_make_spec(const HistorySettings *settings, Arena *arena, Values *values,
                       const char *name, Spec **out, Error *error)
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

static void add_problem(HistoryReading *reading, const char *file, const Error *error)
{
    char text[2048];
    error_text(error, text, sizeof text);
    history_complain(error);
    HistoryProblem problem = {file, str_copy(reading->arena, str_of(text))};
    vec_push(&reading->problems, problem);
}

void history_reading_logs(HistoryReading *reading)
{
    const HistorySettings *settings = reading->settings;
    for (size_t i = 0; i < settings->logs.count; i++) {
        LogFormat format = LOG_FORMAT_AUTO;
        Error error = {0};
        if (!history_kept_owns(settings, i))
            continue;
        if (!log_read(settings->logs.at[i], &settings->reading, reading->values,
                      &reading->histories, &format, &error))
            add_problem(reading, settings->logs.at[i], &error);
        while (reading->formats.count < reading->histories.count)
            vec_push(&reading->formats, format);
    }
}

/* Consistency without real time is not local: two objects that have it need not have it together.
 * And the order of sequential consistency is kept as a matrix. */
static bool may_forget_time(const HistorySettings *settings, const History *history, Error *error)
{
    const char *what = settings->sequential ? "sequential" : settings->consistency;
    for (size_t i = 0; i < history->operations.count; i++)
        if (history->operations.at[i].object != history->operations.at[0].object)
            return error_at(error, history->source, (int)history->operations.at[i].line, 0,
                            "%s consistency can only be checked of one object", what);
    if (settings->sequential && (history->stuck || history->operations.count > MOST_SEQUENTIAL))
        return error_at(error, history->source, 0, 0,
                        "sequential consistency can only be checked of at most %u operations, of "
                        "which none waits for ever",
                        MOST_SEQUENTIAL);
    return true;
}

static void let_fail(const HistoryReading *reading, const Spec *spec, History *history)
{
    HashMap gives = {0};
    spec_find_gives(spec, history, &gives);
    history_let_fail(history, reading->failures.at, reading->failures.count, &gives);
    hashmap_free(&gives);
}

void history_reading_plans(HistoryReading *reading, HistoryWork *work)
{
    for (size_t i = 0; i < reading->histories.count; i++) {
        History *history = reading->histories.at[i];
        HistoryRun *run = &work->runs[work->run_count];
        Error error = {0};
        *run = (HistoryRun){.history = history, .format = reading->formats.at[i]};
        const HistorySettings *settings = reading->settings;
        bool sequential = settings->sequential, together = sequential;
        if (settings->session)
            together = !session_is_local(settings->session, work->spec);
        spec_settle(work->spec, history);
        if (reading->failures.count)
            let_fail(reading, work->spec, history);
        bool ok = !(sequential || settings->session & ~SESSION_ALL) ||
                  may_forget_time(settings, history, &error);
        if (ok && sequential)
            history_forget_time(history);
        if (ok &&
            plan_make(&run->plan, history, work->spec, settings->partition && !together, &error))
            work->run_count++;
        else
            add_problem(reading, history->source, &error);
    }
}

void history_reading_free(HistoryReading *reading)
{
    histories_free(&reading->histories);
    vec_free(&reading->formats);
    vec_free(&reading->problems);
    vec_free(&reading->failures);
}
