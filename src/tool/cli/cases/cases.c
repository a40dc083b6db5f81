#include "tool/cli/cases/cases.h"
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
            any_starts(file->undefined.at, file->undefined.count, "_ZN5Catch11AutoRegC"))
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

void cases_read_list(Arena *arena, CasesFramework framework, Str text, Words *names,
                     unsigned *left_out)
{
    Str line, suite = {0};
    *left_out = 0;
    while (str_next(&text, '\n', &line)) {
        if (framework == CASES_GTEST)
            read_gtest_line(arena, line, &suite, names, left_out);
        else if (str_trim(line).length && !is_listed(names, str_trim(line)))
            vec_push(names, arena_printf(arena, "%.*s", STR_ARG(str_trim(line))));
    }
}

const char *cases_argument(Arena *arena, CasesFramework framework, const char *name)
{
    if (framework == CASES_GTEST)
        return arena_printf(arena, "--gtest_filter=%s", name);
    Buffer text = {0};
    for (; *name; name++) /* these mean something in Catch2's selections */
        buffer_printf(&text, "%s%c", strchr(",[]\"\\*~", *name) ? "\\" : "", *name);
    const char *argument = arena_printf(arena, "%.*s", (int)text.count, text.at);
    vec_free(&text);
    return argument;
}

/* Runs the program, which prints its list and ends, and returns what it printed. */
static bool ask(const Session *session, CasesFramework framework, Buffer *list, Error *error)
{
    Arena *arena = session->arena;
    const char *path = workspace_file(&session->workspace, arena, "cases");
    Words arguments = {0};
    SuperviseRequest request;
    SuperviseResult result;
    for (size_t i = 0; i < session->options->program_arguments.count; i++)
        vec_push(&arguments, session->options->program_arguments.at[i]);
    vec_push(&arguments,
             framework == CASES_GTEST ? "--gtest_list_tests" : "--list-test-names-only");
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
    for (size_t i = 0; i < session->options->program_arguments.count; i++) {
        const char *word = session->options->program_arguments.at[i];
        bool selects = framework == CASES_GTEST ? !strncmp(word, "--gtest_filter", 14)
                                                : word[0] != '-'; /* a name, or tags */
        if (!selects)
            vec_push(&options.program_arguments, word);
    }
    vec_push(&options.program_arguments, cases_argument(arena, framework, name));
    one.options = &options;
    one.subject = arena_printf(arena, "%s, test %s", session->subject, name);
    char *file = arena_printf(arena, "%s-%s", session->name, name);
    for (char *at = file; *at; at++) /* the record is a file of that name */
        if (*at == '/' || *at == ' ')
            *at = '-';
    one.name = file;
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
    for (; fine && count < names.count && !process_interrupted(); count++) {
        fine = explore_case(session, framework, names.at[count], &cases[count], error);
        cases[count].name = names.at[count];
        if (fine && badness(&cases[count]) > badness(&cases[worst]))
            worst = count;
    }
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
    if (left_out)
        vec_push(&answer->remarks, arena_printf(arena, "%u disabled test%s left out", left_out,
                                                left_out == 1 ? " is" : "s are"));
    return true;
}
