#include "tool/cli/cases.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "tool/cli/present.h"
#include "tool/cli/scale/ranks.h"
#include "tool/instrument/process.h"

#define LIST_LIMIT_MS 20000

static bool any_starts(const char *const *words, size_t count, const char *start)
{
    for (size_t i = 0; i < count; i++)
        if (!strncmp(words[i], start, strlen(start)))
            return true;
    return false;
}

CasesFramework cases_of(const Session *session)
{
    const RunOptions *options = session->options;
    if (strcmp(session->command, "run") != 0 || options->journal || options->shards ||
        ranks_number() > 1)
        return CASES_NONE;
    for (size_t i = 0; i < session->build.objects.count; i++) {
        const ObjectFile *file = &session->build.objects.at[i];
        if (any_starts(file->undefined.at, file->undefined.count,
                       "_ZN7testing8internal23MakeAndRegisterTestInfo"))
            return CASES_GTEST;
        if (any_starts(file->defined.at, file->defined.count, "_ZN5Catch7SessionC") ||
            any_starts(file->undefined.at, file->undefined.count, "_ZN5Catch7AutoRegC"))
            return CASES_CATCH;
    }
    return CASES_NONE;
}

/* "Suite." or "Suite/0.  # TypeParam = int", then "  Name" or "  Name/1  # GetParam() = 2". */
static void read_gtest_line(Arena *arena, Str line, Str *suite, Words *names, unsigned *left_out)
{
    bool inner = line.length > 2 && line.at[0] == ' ';
    const char *mark = memchr(line.at, '#', line.length);
    Str name = str_trim((Str){line.at, mark ? (size_t)(mark - line.at) : line.length});
    if (!inner) {
        bool heads = name.length > 1 && name.at[name.length - 1] == '.' &&
                     !memchr(name.at, ' ', name.length);
        *suite = heads ? name : (Str){0};
    } else if (suite->length && name.length) {
        if (str_starts(*suite, STR("DISABLED_")) || str_starts(name, STR("DISABLED_")))
            ++*left_out;
        else
            vec_push(names, arena_printf(arena, "%.*s%.*s", STR_ARG(*suite), STR_ARG(name)));
    }
}

static bool is_listed(const Words *names, Str name)
{
    for (size_t i = 0; i < names->count; i++)
        if (str_is(name, names->at[i]))
            return true;
    return false;
}

/* A name stands on a line of its own, in quotes if it begins with '#'. Tests may share a name if
 * their tags differ: they are selected together. */
static void read_catch_line(Arena *arena, Str line, Words *names)
{
    Str name = str_trim(line);
    if (str_starts(name, STR("\"#")) && str_ends(name, STR("\"")))
        name = (Str){name.at + 1, name.length - 2};
    if (name.length && !is_listed(names, name))
        vec_push(names, str_copy(arena, name));
}

void cases_read_list(Arena *arena, CasesFramework framework, Str text, Words *names,
                     unsigned *left_out)
{
    Str line, suite = {0};
    *left_out = 0;
    while (str_next(&text, '\n', &line)) {
        if (framework == CASES_GTEST)
            read_gtest_line(arena, line, &suite, names, left_out);
        else
            read_catch_line(arena, line, names);
    }
}

const char *cases_argument(Arena *arena, CasesFramework framework, const char *name)
{
    if (framework == CASES_GTEST)
        return arena_printf(arena, "--gtest_filter=%s", name);
    Buffer text = {0};
    if (*name == '-') /* it would be an option */
        buffer_printf(&text, "\\");
    for (; *name; name++) /* these mean something in Catch2's selections */
        buffer_printf(&text, "%s%c", strchr(",[]\"\\*~", *name) ? "\\" : "", *name);
    const char *argument = arena_printf(arena, "%.*s", (int)text.count, text.at);
    vec_free(&text);
    return argument;
}

/* Does argument AT of the user's select tests? In Catch2 that is what is neither an option nor the
 * value of one. */
static bool selects(CasesFramework framework, const Words *words, size_t at)
{
    static const char *const with_value[] = {"-r",
                                             "--reporter",
                                             "-o",
                                             "--out",
                                             "-n",
                                             "--name",
                                             "-x",
                                             "--abortx",
                                             "-d",
                                             "--durations",
                                             "-D",
                                             "--min-duration",
                                             "-f",
                                             "--input-file",
                                             "-c",
                                             "--section",
                                             "-v",
                                             "--verbosity",
                                             "-w",
                                             "--warn",
                                             "--order",
                                             "--rng-seed",
                                             "--use-colour",
                                             "--wait-for-keypress",
                                             "--benchmark-samples",
                                             "--benchmark-resamples",
                                             "--benchmark-confidence-interval",
                                             "--benchmark-warmup-time"};
    if (framework == CASES_GTEST)
        return !strncmp(words->at[at], "--gtest_filter", 14);
    for (size_t i = 0; at && i < COUNT_OF(with_value); i++)
        if (!strcmp(words->at[at - 1], with_value[i]))
            return false;
    return words->at[at][0] != '-';
}

/* Runs the program, which prints its list and ends, and returns what it printed. */
static bool ask(const Session *session, CasesFramework framework, Buffer *list, Error *error)
{
    Arena *arena = session->arena;
    const char *path = workspace_file(&session->workspace, arena, "cases");
    Words arguments = {0};
    SuperviseRequest request;
    SuperviseResult result;
    bool selected = false;
    const Words *given = &session->options->program_arguments;
    for (size_t i = 0; i < given->count; i++) {
        selected |= selects(framework, given, i);
        vec_push(&arguments, given->at[i]);
    }
    vec_push(&arguments,
             framework == CASES_GTEST ? "--gtest_list_tests" : "--list-test-names-only");
    if (framework == CASES_CATCH && !selected)
        vec_push(&arguments, "~[.]"); /* it would list hidden tests, which it does not run */
    session_request(session, &request);
    request.arguments = &arguments;
    request.options.time_ms = LIST_LIMIT_MS;
    request.options.jobs = 1;
    request.options.schedules = 1; /* one execution is enough */
    request.options.show_output = true;
    request.quiet = true;
    request.output_path = path;
    Workspace workspace = session->workspace;
    bool ran = supervise_run(arena, &workspace, &request, &result, error);
    vec_free(&arguments);
    if (!ran)
        return false;
    if (process_interrupted())
        return error_set(error, "interrupted while the program was asked for its tests");
    return file_read(path, list, error);
}

static int badness(const Answer *answer)
{
    return answer->internal                          ? 3
           : answer->verdict == VERDICT_VIOLATED     ? 2
           : answer->verdict == VERDICT_INCONCLUSIVE ? 1
                                                     : 0;
}

/* One test, as a session of its own but for the program that is built. */
static bool explore_case(Session *session, CasesFramework framework, const char *name,
                         Answer *answer, Error *error)
{
    Arena *arena = session->arena;
    Session one = *session;
    RunOptions options = *session->options;
    options.program_arguments = (Words){0};
    const Words *given = &session->options->program_arguments;
    for (size_t i = 0; i < given->count; i++)
        if (!selects(framework, given, i))
            vec_push(&options.program_arguments, given->at[i]);
    if (framework == CASES_CATCH) /* a failed CHECK throws like a REQUIRE, and is named like one */
        vec_push(&options.program_arguments, "--abort");
    vec_push(&options.program_arguments, cases_argument(arena, framework, name));
    one.options = &options;
    one.subject = arena_printf(arena, "%s, test %s", session->subject, name);
    char *file = arena_printf(arena, "%s-%s", session->label, name);
    for (char *at = file; *at; at++) /* the record is a file of that name */
        if (*at == '/' || *at == ' ')
            *at = '-';
    one.label = file;
    one.ran = one.replay_ran = (Words){0};
    bool explored = session_explore(&one, answer, error);
    if (explored)
        present_save(&one, answer);
    vec_free(&one.ran);
    vec_free(&one.replay_ran);
    vec_free(&options.program_arguments);
    return explored;
}

/* All hold: the counts of one answer for all. */
static void add_up(const Answer *cases, size_t count, Answer *answer)
{
    for (size_t i = 1; i < count; i++) {
        answer->executions += cases[i].executions;
        answer->blocked += cases[i].blocked;
        answer->events += cases[i].events;
        answer->seconds += cases[i].seconds;
        answer->outcome.cpu_ns += cases[i].outcome.cpu_ns;
        answer->peak_rss_kb = MAX(answer->peak_rss_kb, cases[i].peak_rss_kb);
        answer->exhaustive &= cases[i].exhaustive;
    }
}

bool cases_explore(Session *session, CasesFramework framework, Answer *answer, Error *error)
{
    Arena *arena = session->arena;
    Words names = {0};
    Buffer list = {0};
    unsigned left_out;
    if (!ask(session, framework, &list, error))
        return false;
    cases_read_list(arena, framework, buffer_str(&list), &names, &left_out);
    vec_free(&list);
    if (!names.count) { /* as one program, which says what it makes of its arguments */
        vec_free(&names);
        return session_explore(session, answer, error);
    }
    Answer *cases = arena_array_of(arena, Answer, names.count);
    size_t count = 0, worst = 0;
    bool fine = true;
    for (; fine && count < names.count && !(count && process_interrupted()); count++) {
        fine = explore_case(session, framework, names.at[count], &cases[count], error);
        cases[count].name = names.at[count];
        if (fine && badness(&cases[count]) > badness(&cases[worst]))
            worst = count;
    }
    size_t total = names.count;
    vec_free(&names);
    if (!fine)
        return false;
    *answer = cases[worst];
    for (size_t i = 0; i < count; i++)
        if (i != worst)
            vec_free(&cases[i].remarks);
    answer->cases = cases;
    answer->case_count = (uint32_t)count;
    if (!badness(answer)) {
        answer->subject =
            arena_printf(arena, "%s (%zu test%s)", session->subject, count, count == 1 ? "" : "s");
        add_up(cases, count, answer);
    }
    if (count < total) { /* interrupted between two of them */
        if (!badness(answer)) {
            answer->verdict = VERDICT_INCONCLUSIVE;
            answer->exhaustive = false;
            answer->reason = "interrupted";
        }
        vec_push(&answer->remarks,
                 arena_printf(arena, "%zu of %zu tests are not explored: interrupted",
                              total - count, total));
    }
    if (left_out)
        vec_push(&answer->remarks, arena_printf(arena, "%u disabled test%s left out", left_out,
                                                left_out == 1 ? " is" : "s are"));
    return true;
}
