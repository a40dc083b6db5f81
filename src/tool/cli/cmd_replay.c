/* cmd_replay.c: `heddle replay`: one recorded execution again, from the sources. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/str.h"
#include "tool/cli/commands.h"
#include "tool/cli/debug.h"
#include "tool/cli/present.h"
#include "tool/cli/recorded.h"
#include "tool/cli/session.h"
#include "tool/report/steps.h"

enum { KEY_GDB = 0x500, KEY_STEP, KEY_MOST, KEY_OUTSIDE, KEY_TRUST };

typedef struct ReplayOptions {
    RunOptions run; /* filled from the record; its .output from the command line */
    const char *path, *folder;
    bool all, gdb;
    uint64_t step;   /* where gdb stops; 0: where the violation shows */
    Words gdb_words; /* what follows "--" */
    RecordedRules rules;
} ReplayOptions;

static const char doc[] = "Build the program of a record again, run the recorded execution step by "
                          "step, check that it still "
                          "shows the same violation, and print it.\v"
                          "The sources are looked for in the current folder, then where the record "
                          "was made, if that is the record's own folder. If they have "
                          "changed since, the changed files are named. They are compiled and run: "
                          "do not replay sources that you would not run. What else the record asks "
                          "for is not done unless it is harmless.\n\n"
                          "Exit status: 1 the violation was reproduced, 3 it was not, 2 the record "
                          "or the sources can't be "
                          "used.";

static const struct argp_option replay_options[] = {
    {"all", 'a', 0, 0, "Print every step, also accesses to memory that only one thread uses", 0},
    {"steps", KEY_MOST, "N", 0, "Print at most N steps of a long execution (200)", 0},
    {"folder", 'C', "FOLDER", 0, "Where the sources are", 0},
    {"gdb", KEY_GDB, 0, 0,
     "Then run it in gdb, with its threads as threads of the system, and stop where the violation "
     "shows; words after -- go to gdb",
     0},
    {"allow-outside", KEY_OUTSIDE, 0, 0,
     "Let the record use files outside the folder of its sources", 0},
    {"trust-record", KEY_TRUST, 0, 0,
     "Let the record choose the compiler, any words for it, and files anywhere: it can run "
     "commands "
     "as you",
     0},
    {"step", KEY_STEP, "N", 0, "Let gdb stop at step N of the printed execution instead", 0},
    {0}};

static error_t replay_parse(int key, char *text, struct argp_state *state)
{
    ReplayOptions *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->run;
        return 0;
    case 'a':
        options->all = true;
        return 0;
    case 'C':
        options->folder = text;
        return 0;
    case KEY_GDB:
        options->gdb = true;
        return 0;
    case KEY_OUTSIDE:
        options->rules.outside = true;
        return 0;
    case KEY_TRUST:
        options->rules.trusted = true;
        return 0;
    case KEY_STEP:
        options->gdb = true;
        if (!options_parse_count(text, UINT32_MAX / 2, &options->step) || !options->step)
            argp_error(state, "--step wants the number of a step, not `%s'", text);
        return 0;
    case KEY_MOST:
        if (!options_parse_count(text, 1000000, &options->run.output.most) ||
            !options->run.output.most)
            argp_error(state, "--steps wants a positive number, not `%s'", text);
        return 0;
    case ARGP_KEY_ARG:
        if (options->path)
            argp_error(state, "one record at a time");
        options->path = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no record is named");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void words_from(Words *to, const RecordStrings *from)
{
    for (uint32_t i = 0; i < from->count; i++)
        vec_push(to, from->at[i]);
}

/* How many of the recorded sources are here, unchanged. */
static uint32_t count_unchanged(const RecordFile *file)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < file->source_count; i++) {
        BuildSource now;
        Error ignored;
        count += build_hash_file(file->sources[i].path, &now, &ignored) &&
                 now.hash == file->sources[i].hash && now.bytes == file->sources[i].bytes;
    }
    return count;
}

/* Goes where the sources are: the folder asked for, else this one if all are here, else the one
 * that the record names. */
static bool find_sources(const ReplayOptions *options, const RecordFile *file, Error *error)
{
    if (options->folder)
        return chdir(options->folder) == 0 ||
               error_set(error, "%s: no such folder", options->folder);
    if (count_unchanged(file) == file->source_count)
        return true;
    if (!recorded_folder_allowed(file, options->path, &options->rules, error))
        return false;
    if (chdir(file->folder) != 0)
        return error_set(error, "the sources are neither here nor in %s, where the record was made",
                         file->folder);
    return true;
}

/* "queue.c, queue.h", or NULL. */
static const char *changed_sources(Arena *arena, const RecordFile *file, const Build *build)
{
    Buffer text = {0};
    for (uint32_t i = 0; i < file->source_count; i++) {
        const RecordSource *then = &file->sources[i];
        const BuildSource *now = NULL;
        for (size_t k = 0; k < build->sources.count; k++)
            if (!strcmp(build->sources.at[k].path, then->path))
                now = &build->sources.at[k];
        if (!now || now->hash != then->hash || now->bytes != then->bytes)
            buffer_printf(&text, "%s%s%s", text.count ? ", " : "", then->path,
                          now ? "" : " (gone)");
    }
    const char *copy = text.count ? str_copy(arena, buffer_str(&text)) : NULL;
    vec_free(&text);
    return copy;
}

static bool replay_run(Arena *arena, ReplayOptions *options, const RecordFile *file,
                       Session *session, Answer *answer, Error *error)
{
    RunOptions *run = &options->run;
    run->build.cc = *file->compiler ? file->compiler : NULL;
    words_from(&run->build.files, &file->files);
    uint32_t own = recorded_project(file, &run->project, &run->link_all);
    run->project_own = own > 0;
    run->build.inside = !options->rules.outside && !options->rules.trusted;
    for (uint32_t i = own; i < file->compile.count; i++)
        vec_push(&run->build.compile, file->compile.at[i]);
    words_from(&run->build.link, &file->link);
    words_from(&run->program_arguments, &file->arguments);
    run->explore = file->options;
    run->checkpoints = (int)file->options.checkpoints;
    run->output.no_record = true;
    if (!session_open(session, arena, file->command, run, error))
        return false;
    const char *machine = session->build.isa->name;
    if (strcmp(file->machine, machine) != 0)
        return error_set(error,
                         "the record is of a program for %s, and this one is for %s: its steps are "
                         "not the same; run the test here",
                         file->machine, machine);
    session->explore = file->options;
    *answer = (Answer){.command = "replay",
                       .subject = session->subject,
                       .model = model_word(file->options.model),
                       .build_seconds = session->build_seconds,
                       .program = session->build.program,
                       .executions = 1};
    const char *changed = changed_sources(arena, file, &session->build);
    if (changed)
        vec_push(&answer->remarks,
                 arena_printf(arena, "changed since the record was made: %s", changed));
    Error why = {0};
    if (session_replay(session, &file->record, &answer->record, &why)) {
        answer->verdict = VERDICT_VIOLATED;
        answer->violation = (ViolationKind)file->record.violation;
        session_take_test(session, answer);
        session_doubt(session, answer);
    } else {
        answer->verdict = VERDICT_INCONCLUSIVE;
        answer->reason =
            arena_printf(arena, "the recorded %s does not show again: %s",
                         violation_word((ViolationKind)file->record.violation), why.message);
    }
    return true;
}

/* How many events of the graph lead to step NUMBER of the printed execution: those a replay
 * follows. 0 if there is no such step. */
static uint32_t events_before(Arena *arena, const Answer *answer, uint64_t number)
{
    Names *names;
    Error ignored;
    if (!names_open(&names, arena, answer->program, answer->record, &ignored))
        return 0;
    Steps steps = {0};
    StepsOptions options = {.all = false};
    steps_make(names, answer->record, &options, &steps);
    uint32_t last = RECORD_NONE, count = 0;
    for (size_t i = 0; i < steps.count; i++)
        if (steps.at[i].number && steps.at[i].number <= number)
            last = steps.at[i].event;
    bool known = steps.count && number <= vec_last(&steps).number;
    for (uint32_t i = 0; known && last != RECORD_NONE && i <= last; i++) {
        unsigned kind = answer->record->events[i].kind;
        count += kind <= RECORD_CHOOSE || kind == RECORD_CALL || kind == RECORD_RETURN;
        count -= kind == RECORD_BEGIN;
    }
    vec_free(&steps);
    names_close(names);
    return known ? MAX(count, 1u) : 0; /* before the first event there is nowhere to stop */
}

static int replay_in_gdb(Arena *arena, ReplayOptions *options, const RecordFile *file,
                         Session *session, const Answer *answer)
{
    Error error = {0};
    int status = 2;
    uint32_t stop = options->step ? events_before(arena, answer, options->step) : 0;
    if (options->step && !stop)
        error_set(&error, "the execution has no step %llu", (unsigned long long)options->step);
    else if (debug_run(session, &file->record, stop, &options->gdb_words, &status, &error))
        return status;
    present_error(&error);
    return 2;
}

/* The words after "--" are for gdb. */
static void take_gdb_words(int *argc, char **argv, ReplayOptions *options)
{
    for (int i = 1; i < *argc; i++)
        if (!strcmp(argv[i], "--")) {
            for (int k = i + 1; k < *argc; k++)
                vec_push(&options->gdb_words, argv[k]);
            *argc = i;
            argv[i] = NULL;
        }
}

/* Files that are asked for are meant from here, not from where the sources are. */
static const char *path_from_here(Arena *arena, const char *path)
{
    char *folder = path && path[0] != '/' ? getcwd(NULL, 0) : NULL;
    if (folder)
        path = arena_printf(arena, "%s/%s", folder, path);
    free(folder);
    return path;
}

static int replay_record(ReplayOptions *options)
{
    Arena *arena = arena_new();
    OutputOptions *output = &options->run.output;
    output->all = options->all;
    output->html = path_from_here(arena, output->html);
    output->junit = path_from_here(arena, output->junit);
    output->sarif = path_from_here(arena, output->sarif);
    RecordFile file;
    Session session = {0};
    Answer answer = {0};
    Error error = {0};
    int status = 2;
    if (disk_read(arena, options->path, &file, &error) && find_sources(options, &file, &error) &&
        recorded_allowed(&file, &options->rules, &error) &&
        replay_run(arena, options, &file, &session, &answer, &error)) {
        status = present_answer(&session, &answer);
        if (options->gdb && answer_shows_violation(&answer))
            status = replay_in_gdb(arena, options, &file, &session, &answer);
    } else {
        status = present_failure(&error);
    }
    session_close(&session);
    vec_free(&answer.remarks);
    arena_free(arena);
    options_free(&options->run);
    vec_free(&options->gdb_words);
    return status;
}

int cmd_replay(int argc, char **argv)
{
    static const struct argp_child children[] = {{&options_output_argp, 0, NULL, 0}, {0}};
    static const struct argp parser = {replay_options, replay_parse, "RECORD", doc, children, 0, 0};
    ReplayOptions options = {0};
    options_init(&options.run);
    char name[] = "heddle replay";
    argv[0] = name;
    take_gdb_words(&argc, argv, &options);
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    return replay_record(&options);
}
