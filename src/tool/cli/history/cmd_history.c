/* heddle history: recorded histories against a specification. Reads the logs (reading), divides
 * them into groups, has each group checked (work), reports. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "judge/quasi/relax.h"
#include "base/file.h"
#include "base/print.h"
#include "tool/cli/golden.h"
#include "tool/cli/history/follow.h"
#include "tool/cli/history/page.h"
#include "tool/cli/history/reading.h"
#include "tool/cli/history/stores.h"
#include "tool/cli/history/watch.h"
#include "tool/cli/quasi_auto.h"
#include "tool/cli/relax/history_quasi.h"

int cmd_history(int argc, char **argv);

typedef struct Command {
    HistorySettings settings;
    double start; /* of the time limit */
    Arena *arena;
    Values *values;
    HistoryReading reading;
    HistoryQuasi factors; /* --quasi=auto */
    Spec *spec;
    HistoryKept kept; /* --journal and --shard */
    HistoryWork work;
} Command;

static double deadline(const Command *command)
{
    return command->settings.seconds > 0 ? command->start + command->settings.seconds : 0;
}

/* Reads all logs, or the one that grows until it is violated or ends. */
static bool read_all(Command *command, Error *error)
{
    const HistorySettings *settings = &command->settings;
    if (!settings->follow) {
        history_reading_logs(&command->reading);
        return true;
    }
    if (!settings->spec || settings->logs.count != 1)
        return error_set(error, "--follow wants --spec and one log");
    /* there a later operation may explain an earlier one: a violated beginning proves nothing */
    if (settings->sequential || settings->session || settings->isolation == LEVEL_AUTO + 1 ||
        (settings->semantics && strcmp(settings->semantics, "kooo")))
        return error_set(error, "--follow does not go with --consistency or with --semantics=slot "
                                "and def4: a history may have them whose beginning has not");
    if (!history_follow(&command->reading, command->start, error))
        return false;
    command->start = history_now(); /* the last look has its own time */
    history_watch_follows(false);
    return true;
}

/* --quasi=auto: the factors that are found take its place. */
static bool find_factors(Command *command, const char *name, Error *error)
{
    HistorySettings *settings = &command->settings;
    HistoryQuasi *search = &command->factors;
    HistorySettings plain = *settings;
    plain.quasi = plain.semantics = NULL;
    if (settings->follow)
        return error_set(error, "--quasi=auto does not go with --follow");
    if (!relax_semantics_from_word(settings->semantics ? settings->semantics : "kooo",
                                   &search->semantics))
        return error_set(error, "--semantics is kooo, slot or def4");
    if (!history_make_spec(&plain, command->arena, command->values, name, &search->inner, error))
        return false;
    const Histories *histories = &command->reading.histories;
    for (size_t i = 0; i < histories->count; i++)
        spec_settle(search->inner, histories->at[i]);
    search->histories = histories;
    search->partition = settings->partition;
    search->monitors = settings->monitors;
    search->limits = (LinearizeLimits){.memory = settings->memory,
                                       .stop = history_watch_interrupted(),
                                       .deadline = deadline(command)};
    if (!history_quasi_find(search, settings->quasi, error))
        return false;
    settings->quasi = arena_printf(command->arena, "%.*s", STR_ARG(buffer_str(&search->factors)));
    return true;
}

/* Makes the specification, and reads what --may-fail says of its operations. */
static bool make_spec(Command *command, Error *error)
{
    const HistorySettings *settings = &command->settings;
    const char *name =
        settings->spec ? settings->spec : history_reading_default_spec(&command->reading);
    if (!name)
        return error_set(
            error, "--spec is missing: what should the log be checked against? --spec=fifo, lifo, "
                   "set, map, register, counter, lock ... or a C file: see heddle-history(1)");
    if (settings->quasi && quasi_auto_wanted(settings->quasi) &&
        !find_factors(command, name, error))
        return false;
    if (!history_make_spec(settings, command->arena, command->values, name, &command->spec, error))
        return false;
    if (settings->isolation && !transactions_are(command->spec))
        return error_set(error, "--consistency=%s is about transactions: --spec=transactions",
                         settings->consistency);
    if (!settings->may_fail)
        return true;
    if (settings->follow || settings->sequential || settings->session)
        return error_set(error, "--may-fail is about calls that overlap in real time: not with "
                                "--follow or --consistency");
    return failures_read(settings->may_fail, command->values, &command->reading.failures, error);
}

/* Judges every part of every history; false if no history can be judged, or with an error. */
static bool judge(Command *command, Error *error)
{
    const HistorySettings *settings = &command->settings;
    HistoryWork *work = &command->work;
    *work = (HistoryWork){.spec = command->spec,
                          .session = settings->session,
                          .isolation = history_isolation_level(settings, command->spec),
                          .monitors = settings->monitors,
                          .witness = settings->witness && !settings->session,
                          .jobs = settings->jobs,
                          .nil_reads = settings->reading.nil_reads,
                          .kept = command->kept.path ? &command->kept : NULL,
                          .limits = {.stop = history_watch_interrupted()}};
    work->runs = arena_array_of(command->arena, HistoryRun, command->reading.histories.count);
    history_reading_plans(&command->reading, work);
    if (!work->run_count)
        return false;
    size_t values_bytes = values_memory(command->values), read_bytes = values_bytes;
    for (size_t i = 0; i < work->run_count; i++)
        read_bytes += history_memory(work->runs[i].history) + plan_memory(&work->runs[i].plan);
    work->limits.deadline = deadline(command);
    work->limits.memory =
        settings->memory > read_bytes ? settings->memory - read_bytes + values_bytes : 1;
    bool judged = history_work(work, error);
    history_watch_stop();
    return judged;
}

static int exit_status(const HistorySummary *summary)
{
    Verdict verdict = history_summary_verdict(summary);
    return verdict == VERDICT_VIOLATED ? 1
           : summary->problem_count    ? HISTORY_EXIT_USAGE
           : verdict == VERDICT_HOLDS  ? 0
                                       : HISTORY_EXIT_INCONCLUSIVE;
}

/* Prints the answer in the forms that were asked for; returns the exit status. */
static int report(Command *command)
{
    const HistorySettings *settings = &command->settings;
    HistorySummary summary = {.spec = command->spec->name,
                              .problems = command->reading.problems.at,
                              .problem_count = command->reading.problems.count,
                              .consistency = settings->consistency,
                              .relaxed = settings->quasi != NULL,
                              .nil_reads = settings->reading.nil_reads,
                              .runs = command->work.runs,
                              .count = command->work.run_count,
                              .seconds = history_now() - command->start};
    bool written = true;
    Error error = {0};
    if (settings->json)
        written = history_report_json(&summary, stdout);
    else
        history_report_text(&summary, stdout);
    Str remark = buffer_str(&command->factors.remark);
    if (!settings->json && remark.length)
        print_plain(stdout, "%.*s\n", STR_ARG(remark));
    int status = exit_status(&summary);
    if (command->kept.path)
        history_kept_close(&command->kept, &summary);
    if (!print_finish() || !written)
        status = 2;
    if (settings->html && !history_page_write(settings->html, &summary, &error))
        status = history_complain(&error);
    return status;
}

static void release(Command *command)
{
    golden_guard_done();
    history_watch_stop();
    if (command->kept.path)
        history_kept_close(&command->kept, NULL);
    for (size_t i = 0; i < command->work.run_count; i++) {
        plan_free(&command->work.runs[i].plan);
        explanation_free(&command->work.runs[i].explanation);
        if (command->work.runs[i].isolation)
            isolation_free(command->work.runs[i].isolation);
        free(command->work.runs[i].isolation);
        vec_free(&command->work.runs[i].witness);
    }
    history_reading_free(&command->reading);
    history_quasi_free(&command->factors);
    vec_free(&command->settings.logs);
    spec_relax_free(command->spec);
    arena_free(command->arena);
    values_free(command->values);
}

int cmd_history(int argc, char **argv)
{
    Command command = {
        .settings = {
            .partition = true, .monitors = true, .jobs = 1, .seconds = 60, .memory = 2ul << 30}};
    HistorySettings *settings = &command.settings;
    history_settings_parse(argc, argv, settings);
    command.arena = arena_new();
    history_stores_expand(settings, command.arena);
    for (size_t i = 0; i < settings->logs.count; i++)
        file_protect(settings->logs.at[i]);
    if (settings->spec)
        file_protect(settings->spec);
    int guarded;
    if (settings->spec && str_ends(str_of(settings->spec), STR(".c")) && !golden_guard(&guarded)) {
        vec_free(&settings->logs);
        arena_free(command.arena);
        return guarded;
    }
    command.start = history_now();
    history_watch_start(settings->json, settings->quiet, settings->seconds);
    command.values = values_new();
    command.reading =
        (HistoryReading){.settings = settings, .arena = command.arena, .values = command.values};

    Error error = {0};
    int status = HISTORY_EXIT_USAGE;
    bool keeps = settings->journal || settings->shards;
    if ((keeps && !history_kept_open(&command.kept, settings, command.arena, &error)) ||
        !read_all(&command, &error))
        history_complain(&error);
    else if (command.reading.histories.count) { /* else the problems were printed */
        if (!make_spec(&command, &error))
            history_complain(&error);
        else if (judge(&command, &error))
            status = report(&command);
        else if (error.message[0])
            history_complain(&error);
    } else if (settings->shards && !command.reading.problems.count) { /* more shares than logs */
        HistorySummary none = {.spec = settings->spec};
        printf("no log falls to this share\n");
        history_kept_close(&command.kept, &none);
        status = 0;
    }
    release(&command);
    return status;
}
