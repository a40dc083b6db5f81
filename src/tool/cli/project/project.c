#include "tool/cli/project/project.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/print.h"
#include "base/str.h"
#include "tool/cli/project/cache.h"
#include "tool/cli/project/config.h"
#include "tool/cli/present.h"
#include "tool/cli/scale/journal.h"
#include "tool/cli/scale/ranks.h"
#include "tool/instrument/process.h"
#include "tool/instrument/trust.h"
#include "tool/report/junit.h"
#include "tool/report/sarif.h"
#include "tool/report/sheet.h"

typedef struct Result {
    const ConfigTest *test;
    Answer answer;
    const char *error;   /* it could not be made: why; or NULL */
    const char *details; /* its report, for JUnit */
    bool as_expected;
    int status; /* what it adds to the exit status */
    double seconds;
} Result;

typedef struct Project {
    Arena *arena;
    const RunOptions *options;
    const Words *words;
    const char *path;
    Config config;
    Vec(Result) results;
    SarifLog *sarif; /* of all tests, or NULL */
} Project;

/* A violation outweighs an answer that is only missing; what heddle or the user did wrong outweighs
 * both, since then the other answers may be about something else. */
static int worse(int a, int b)
{
    static const int weights[] = {[0] = 0, [3] = 1, [1] = 2, [2] = 3, [4] = 4};
    return weights[a] >= weights[b] ? a : b;
}

/* A name stands for all its models: "queue" for "queue (sc)", but not for "queue without its
 * fence". */
static bool is_named(const ConfigTest *test, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(test->name, name, length) &&
           (!test->name[length] || !strncmp(test->name + length, " (", 2));
}

static bool is_wanted(const Project *project, const ConfigTest *test)
{
    const Words *names = &project->options->output.tests;
    bool wanted = !names->count;
    for (size_t i = 0; i < names->count; i++)
        wanted |= is_named(test, names->at[i]);
    return wanted;
}

/* A name that is misspelled must not pass for a test that is as expected. */
static bool know_names(const Project *project, Error *error)
{
    const Words *names = &project->options->output.tests;
    for (size_t i = 0; i < names->count; i++) {
        bool known = false;
        Buffer all = {0};
        for (size_t t = 0; t < project->config.count; t++) {
            known |= is_named(&project->config.tests[t], names->at[i]);
            buffer_printf(&all, "%s%s", t ? ", " : "", project->config.tests[t].name);
        }
        if (!known)
            error_set(error, "%s has no test called %s; it has: %.*s", project->path, names->at[i],
                      STR_ARG(buffer_str(&all)));
        vec_free(&all);
        if (!known)
            return false;
    }
    return true;
}

/* A word of the command line that is about the project, not about a test; *more: the next one is
 * too. */
static bool is_about_project(const char *word, bool *more)
{
    static const char *const names[] = {"--config", "--test", "--cache", "--trust-project"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        size_t length = strlen(names[i]);
        if (strncmp(word, names[i], length) != 0 || (word[length] && word[length] != '='))
            continue;
        *more = !word[length] && i < 2; /* the others have no value, or one in the same word */
        return true;
    }
    return false;
}

/* The words of a test as its command takes them, and those of the command line, if BOTH. argp wants
 * them to be its own. */
static void parse_test(const Project *project, const ConfigTest *test, bool both,
                       RunOptions *options)
{
    Vec(char *) words = {0};
    Arena *arena = project->arena;
    vec_push(&words, arena_printf(arena, "%s:%d: test %s", project->path, test->line, test->name));
    for (size_t i = 0; i < test->words.count; i++)
        vec_push(&words, arena_copy(arena, test->words.at[i], strlen(test->words.at[i])));
    for (size_t i = 0; both && i < project->words->count; i++) {
        const char *word = project->words->at[i];
        bool more = false;
        if (!is_about_project(word, &more))
            vec_push(&words, arena_copy(arena, word, strlen(word)));
        i += more;
    }
    vec_push(&words, NULL);
    int count = (int)words.count - 1;
    options_init(options);
    if (!strcmp(test->command, "run"))
        options_parse_run(count, words.at, options);
    else
        options_parse_check(count, words.at, options);
    vec_free(&words);
}

/* "queue (rc11)" makes "queue-rc11", with what comes BEFORE and AFTER it. */
static const char *file_name(Arena *arena, const char *before, const char *name, const char *after)
{
    Buffer text = {0};
    buffer_printf(&text, "%s", before);
    for (; *name; name++)
        if (*name == ' ' || *name == '/')
            buffer_printf(&text, "-");
        else if (*name != '(' && *name != ')')
            buffer_printf(&text, "%c", *name);
    buffer_printf(&text, "%s", after);
    const char *copy = str_copy(arena, buffer_str(&text));
    vec_free(&text);
    return copy;
}

/* The list of tests may be that of a project that was cloned a minute ago: it chooses among the
 * usual compilers, its words for them run no program and write no file, and what it wants written
 * lies in its folder. The sources come from the same hand, and are compiled and run: macros and the
 * folders that are searched need no further look. */
static bool test_allowed(const Project *project, const ConfigTest *test, Error *error)
{
    RunOptions options;
    Buffer refused = {0};
    TrustRules words = {.folder = ".", .outside = true, .macros = true}, files = {.folder = "."};
    if (project->options->output.trust_project)
        return true;
    parse_test(project, test, false, &options);
    const OutputOptions *output = &options.output;
    const char *paths[] = {output->record, output->html,  output->junit,
                           output->sarif,  output->cache, options.explore.check.observations};
    const Words *lists[] = {&options.build.compile, &options.build.link};
    for (size_t i = 0; i < COUNT_OF(lists); i++)
        if (!trust_words(&words, lists[i], &refused))
            break; /* a word may stand in both */
    if (options.build.cc && !trust_compiler(options.build.cc))
        buffer_printf(&refused, "%s--cc=%s", refused.count ? ", " : "", options.build.cc);
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        if (paths[i] && *paths[i] && !trust_path(&files, paths[i]))
            buffer_printf(&refused, "%sa file outside the project, %s", refused.count ? ", " : "",
                          paths[i]);
    bool fine = !refused.count;
    if (!fine)
        error_at(
            error, project->path, test->line, 0,
            "test %.60s wants what could run commands or write files: %.600s; look at it, then "
            "say --trust-project",
            test->name, refused.at);
    vec_free(&refused);
    options_free(&options);
    return fine;
}

static bool fits(const ConfigTest *test, const Answer *answer)
{
    return !answer->internal && answer->verdict == test->expected &&
           (answer->verdict != VERDICT_VIOLATED || test->violation == VIOLATION_NONE ||
            test->violation == answer->violation);
}

static void run_test(Project *project, const ConfigTest *test)
{
    Result result = {.test = test, .status = 2};
    RunOptions options;
    Session session = {0};
    Error error = {0};
    double start = process_seconds();
    parse_test(project, test, true, &options);
    options.output.junit = NULL; /* one for all */
    options.output.details = &result.details;
    options.output.cache = project->options->output.cache;
    if (!options.output.record)
        options.output.record = file_name(project->arena, "", test->name, ".heddle");
    options.shards = 0; /* the list is shared out, not its tests */
    if (project->options->journal)
        options.journal = file_name(project->arena,
                                    arena_printf(project->arena, "%s.", project->options->journal),
                                    test->name, "");
    options.output.no_record |= test->expected == VERDICT_VIOLATED;
    Error unfit = {0};
    bool done = test_allowed(project, test, &error) &&
                session_open(&session, project->arena, test->command, &options, &error);
    if (done && options.journal && !journal_is_possible(&session, "--journal", &unfit))
        options.journal = NULL; /* it is made again as a whole, unlike the others */
    done = done && session_explore(&session, &result.answer, &error);
    if (done && unfit.message[0])
        vec_push(&result.answer.remarks,
                 arena_printf(project->arena, "no journal is kept: %s", unfit.message));
    if (done) {
        result.as_expected = fits(test, &result.answer);
        options.output.brief = result.as_expected;
        if (project->sarif) { /* what is as expected is no finding */
            options.output.sarif = NULL;
            options.output.sarif_log = result.as_expected ? NULL : project->sarif;
        }
        int status = present_answer(&session, &result.answer);
        result.as_expected |= result.answer.known;
        result.status = result.as_expected                              ? 0
                        : test->expected == VERDICT_VIOLATED && !status ? 1
                                                                        : status;
    } else {
        char text[2048];
        error_text(&error, text, sizeof text);
        result.error = arena_printf(project->arena, "%s", text);
        result.status = present_failure(&error);
    }
    result.seconds = process_seconds() - start;
    session_close(&session);
    options_free(&options);
    vec_push(&project->results, result);
}

/* ---- the table ---- */

static const char *verdict_words(Arena *arena, const Result *result)
{
    if (result->error)
        return "error";
    const Answer *answer = &result->answer;
    if (answer->internal)
        return "internal error";
    if (answer->verdict == VERDICT_VIOLATED)
        return arena_printf(arena, "violated: %s", violation_word(answer->violation));
    return verdict_word(answer->verdict);
}

static void write_table(const Project *project)
{
    TextStyle style = text_style_for(stdout, project->options->output.ascii);
    Sheet sheet = {.to = stdout, .style = &style};
    int name = 4, verdict = 7;
    size_t wrong = 0;
    for (size_t i = 0; i < project->results.count; i++) {
        const Result *result = &project->results.at[i];
        name = MAX(name, sheet_columns(result->test->name));
        verdict = MAX(verdict, sheet_columns(verdict_words(project->arena, result)));
        wrong += !result->as_expected;
    }
    name = MAX(MIN(name, style.width - verdict - 45), 8);
    print_plain(stdout, "\n%-*s  %-*s  %10s  %8s\n", name, "test", verdict, "verdict", "executions",
                "time");
    for (size_t i = 0; i < project->results.count; i++) {
        const Result *result = &project->results.at[i];
        const char *words = verdict_words(project->arena, result), *title = result->test->name;
        int cut = sheet_columns(title) - name;
        if (cut > 0) { /* of a long name the end tells more */
            title += cut + 1;
            fputc('~', stdout);
        }
        sheet_write(&sheet, title);
        sheet_pad(&sheet, result->test->name, name);
        fputs("  ", stdout);
        sheet_paint(&sheet, result->as_expected ? SHEET_GREEN : SHEET_RED, words);
        sheet_pad(&sheet, words, verdict);
        printf("  %10llu  %6.1f s", (unsigned long long)result->answer.executions, result->seconds);
        if (!result->as_expected || result->test->expected != VERDICT_HOLDS || result->answer.known)
            print_plain(stdout, "  %s",
                        result->answer.known  ? "known"
                        : result->as_expected ? "as expected"
                                              : "not as expected");
        fputc('\n', stdout);
    }
    if (project->options->shards)
        printf("share %u of %u: ", project->options->shard + 1, project->options->shards);
    print_plain(stdout, "%zu test%s, %zu as expected, %zu not\n", project->results.count,
                project->results.count == 1 ? "" : "s", project->results.count - wrong, wrong);
}

static bool write_junit(const Project *project, Error *error)
{
    Vec(JunitCase) cases = {0};
    for (size_t i = 0; i < project->results.count; i++) {
        const Result *result = &project->results.at[i];
        vec_push(&cases, (JunitCase){.name = result->test->name,
                                     .answer = &result->answer,
                                     .details = result->details,
                                     .error = result->error,
                                     .passed = result->as_expected});
    }
    bool written = junit_write_all(project->options->output.junit, cases.at, cases.count, error);
    vec_free(&cases);
    return written;
}

/* ---- what failed comes first next time ---- */

static const char *failed_path(const Project *project)
{
    return arena_printf(project->arena, "%s/failed", project->options->output.cache);
}

static void run_tests(Project *project)
{
    Words failed = {0};
    bool *done = arena_array_of(project->arena, bool, project->config.count + 1);
    if (project->options->output.cache)
        cache_read(project->arena, failed_path(project), &failed);
    uint32_t shards = project->options->shards;
    size_t wanted = 0;
    for (size_t i = 0; i < project->config.count; i++) /* those of other shares are none of ours */
        done[i] = !is_wanted(project, &project->config.tests[i]) ||
                  (shards && wanted++ % shards != project->options->shard);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < project->config.count && !process_interrupted(); i++) {
            const ConfigTest *test = &project->config.tests[i];
            bool first = false;
            for (size_t k = 0; k < failed.count; k++)
                first |= !strcmp(failed.at[k], test->name);
            if (done[i] || (pass == 0 && !first))
                continue;
            done[i] = true;
            run_test(project, test);
        }
    vec_free(&failed);
}

static bool remember_failed(const Project *project, Error *error)
{
    Words failed = {0};
    for (size_t i = 0; i < project->results.count; i++)
        if (!project->results.at[i].as_expected)
            vec_push(&failed, project->results.at[i].test->name);
    bool written = cache_write(failed_path(project), &failed, error);
    vec_free(&failed);
    return written;
}

/* Files are named as the configuration's folder sees them. */
static bool enter_folder(const char *path, const char **name, Error *error)
{
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    if (!slash)
        return true;
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    return chdir(folder) == 0 || error_set(error, "%s: no such folder", folder);
}

int project_run(const RunOptions *options, const Words *words)
{
    Project project = {.arena = arena_new(), .options = options, .words = words};
    const char *path = options->output.config ? options->output.config : CONFIG_FILE;
    Error error = {0};
    int status = 2;
    bool fine = enter_folder(path, &project.path, &error);
    if (fine && !options->output.config && access(project.path, F_OK) != 0)
        fine = error_set(&error, "no file is named, and there is no %s here", CONFIG_FILE);
    if (fine && (options->shard_from || ranks_launched() > 1))
        fine = error_set(&error, "%s does not go with a list of tests: it is about one exploration",
                         options->shard_from ? "--shard-from" : "MPI");
    if (fine && options->output.html)
        fine = error_set(&error, "--html is for one test: name its file");
    if (fine && options->output.sarif)
        project.sarif = sarif_begin();
    if (fine && (fine = config_read(project.arena, project.path, &project.config, &error) &&
                        know_names(&project, &error)))
        run_tests(&project);
    if (fine) {
        status = 0;
        for (size_t i = 0; i < project.results.count; i++)
            status = worse(status, project.results.at[i].status);
        if (!options->output.json)
            write_table(&project);
        if (process_interrupted()) {
            fprintf(stderr, "heddle: interrupted; tests are missing\n");
            status = worse(status, 3);
        }
        fine = (!options->output.junit || write_junit(&project, &error)) &&
               (!project.sarif ||
                sarif_end(project.sarif, options->output.sarif, HEDDLE_VERSION, &error)) &&
               (!options->output.cache || remember_failed(&project, &error));
    }
    if (!fine) {
        present_error(&error);
        status = worse(status, 2);
    }
    for (size_t i = 0; i < project.results.count; i++)
        vec_free(&project.results.at[i].answer.remarks);
    vec_free(&project.results);
    config_free(&project.config);
    arena_free(project.arena);
    return status;
}
