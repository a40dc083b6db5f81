#include "tool/cli/observations.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "judge/history/log.h"
#include "judge/history/run_text.h"

#define MEMORY_LIMIT ((size_t)2 << 30)

bool observations_exist(const char *path)
{
    return access(path, F_OK) == 0;
}

static FILE *open_exchange(const char *exchange, const char *what, const char *mode, Error *error)
{
    char path[1024];
    snprintf(path, sizeof path, "%s.%s", exchange, what);
    int fd = *mode == 'r' ? file_open(path, NULL) : file_create(path, O_TRUNC, 0666);
    FILE *file = fd >= 0 ? fdopen(fd, mode) : NULL;
    if (!file)
        error_at(error, path, 0, 0, "%s", strerror(errno));
    return file;
}

/* ---- from the observation file ---- */

/* Threads are called A, B, ... and M by us; others may have other names, which count in their
 * order. */
typedef Vec(Value) Names;

static int name_order(const void *a, const void *b, void *values)
{
    return value_compare(values, *(const Value *)a, *(const Value *)b);
}

static bool is_letter(Values *values, Value name, uint32_t *thread)
{
    Str text = value_text(values, name);
    bool is_main = str_is(text, "M");
    if (!is_main && (text.length != 1 || text.at[0] < 'A' || text.at[0] > 'H'))
        return false;
    *thread = is_main ? RUN_TEXT_MAIN : (uint32_t)(text.at[0] - 'A');
    return true;
}

static void collect_names(const Histories *histories, Values *values, Names *names)
{
    for (size_t h = 0; h < histories->count; h++)
        for (size_t p = 0; p < histories->at[h]->processes.count; p++) {
            Value name = histories->at[h]->processes.at[p];
            bool known = false;
            for (size_t i = 0; i < names->count && !known; i++)
                known = value_equal(names->at[i], name);
            if (!known)
                vec_push(names, name);
        }
    if (names->count)
        qsort_r(names->at, names->count, sizeof(Value), name_order, values);
}

static uint32_t thread_of(Values *values, const Names *names, Value name)
{
    uint32_t thread = 0;
    bool letters = true;
    for (size_t i = 0; i < names->count && letters; i++)
        letters = is_letter(values, names->at[i], &thread);
    if (letters && is_letter(values, name, &thread))
        return thread;
    for (thread = 0; !value_equal(names->at[thread], name);)
        thread++;
    return thread;
}

static bool history_line(const History *history, const Names *names, Buffer *line, Error *error)
{
    RunCall calls[RUN_TEXT_CALLS];
    size_t count = history->operations.count;
    if (count > RUN_TEXT_CALLS)
        return error_at(error, history->source, (int)history->operations.at[0].line, 0,
                        "history %u has more than %u operations", history->number, RUN_TEXT_CALLS);
    for (size_t i = 0; i < count; i++) {
        const Operation *op = &history->operations.at[i];
        bool last = i + 1 == count, pending = op->returned == HISTORY_PENDING;
        if (pending ? !last || !history->stuck
                    : !last && op->returned > history->operations.at[i + 1].called)
            return error_at(error, history->source, (int)op->line, 0,
                            "history %u is not serial: operation %zu %s", history->number, i + 1,
                            pending ? "has not returned" : "overlaps with the next one");
        if (op->count > RUN_TEXT_ARGUMENTS)
            return error_at(error, history->source, (int)op->line, 0,
                            "operation %zu of history %u has more than %u arguments", i + 1,
                            history->number, RUN_TEXT_ARGUMENTS);
        calls[i] = (RunCall){
            .thread = thread_of(history->values, names, history->processes.at[op->process]),
            .name = value_text(history->values, value_of_symbol(op->name)),
            .count = op->count,
            .result = pending ? VALUE_UNKNOWN : op->result};
        for (size_t j = 0; j < op->count; j++)
            calls[i].arguments[j] = history->arguments.at[op->arguments + j];
        if (memchr(calls[i].name.at, ' ', calls[i].name.length) ||
            memchr(calls[i].name.at, '(', calls[i].name.length) ||
            memchr(calls[i].name.at, ':', calls[i].name.length) ||
            memchr(calls[i].name.at, ')', calls[i].name.length) ||
            memchr(calls[i].name.at, '\n', calls[i].name.length))
            return error_at(error, history->source, (int)op->line, 0,
                            "\"%.*s\" is no name of an operation in C",
                            (int)MIN(calls[i].name.length, 60u), calls[i].name.at);
    }
    vec_clear(line);
    run_text_print(history->values, calls, count, line);
    return true;
}

bool observations_give(const char *path, const char *exchange, Error *error)
{
    Values *values = values_new();
    Histories histories = {0};
    Names names = {0};
    Buffer line = {0};
    LogFormat detected;
    FILE *file = NULL;
    LogOptions options = {.format = LOG_FORMAT_OBSERVATION, .memory_limit = MEMORY_LIMIT};
    bool fine = log_read(path, &options, values, &histories, &detected, error);
    if (fine)
        collect_names(&histories, values, &names);
    fine = fine && (file = open_exchange(exchange, "kept", "w", error));
    for (size_t h = 0; fine && h < histories.count; h++) {
        fine = history_line(histories.at[h], &names, &line, error);
        if (fine)
            fprintf(file, "%.*s\n", STR_ARG(buffer_str(&line)));
    }
    if (file && (ferror(file) | fclose(file)) && fine)
        fine =
            error_set(error, "the serial runs can't be given to the program: %s", strerror(errno));
    vec_free(&line);
    vec_free(&names);
    histories_free(&histories);
    values_free(values);
    return fine;
}

/* ---- to the observation file ---- */

static bool add_history(Values *values, Str line, Histories *histories, Error *error)
{
    RunCall calls[RUN_TEXT_CALLS];
    size_t count;
    if (!run_text_parse(values, line, calls, &count, error))
        return false;
    History *history = history_new(values);
    HistoryBuilder builder;
    history_build(&builder, history, "serial runs");
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++) {
        char letter = calls[i].thread == RUN_TEXT_MAIN ? 'M' : (char)('A' + calls[i].thread % 8);
        Value process = value_string(values, (Str){&letter, 1});
        uint32_t name = value_symbol(values, value_string(values, calls[i].name));
        fine =
            history_call(&builder, process, name, 0, calls[i].arguments, calls[i].count, 0, error);
        if (calls[i].result.word == VALUE_UNKNOWN.word)
            history->stuck = true;
        else
            fine = fine && history_return(&builder, process, name, calls[i].result, 0, error);
    }
    history_finish(&builder);
    if (fine)
        vec_push(histories, history);
    else
        history_free(history);
    return fine;
}

bool observations_take(const char *path, const char *exchange, size_t *tests, Error *error)
{
    FILE *from = open_exchange(exchange, "learnt", "r", error);
    if (!from)
        return false;
    Values *values = values_new();
    Histories histories = {0};
    LogObservationFile *to = NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool fine = true, readable = true;
    *tests = 0;
    while (fine && (length = getline(&line, &room, from)) > 0) {
        Str text = str_trim((Str){line, (size_t)length});
        if (!str_is(text,
                    ".")) { /* what a program that was killed has written last may be cut off */
            readable = readable && add_history(values, text, &histories, error);
            continue;
        }
        fine = readable;
        if (!to && fine)
            fine = log_observation_open(path, &to, error);
        if (fine) {
            log_observation_add(to, &histories);
            ++*tests;
        }
        histories_free(&histories);
        histories = (Histories){0};
    }
    if (to)
        fine = log_observation_close(to, fine ? error : NULL) && fine;
    free(line);
    fclose(from);
    histories_free(&histories);
    values_free(values);
    return fine;
}
