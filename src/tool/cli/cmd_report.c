/* cmd_report.c: `heddle report`: recorded executions as pages. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/arena.h"
#include "tool/cli/commands.h"
#include "tool/cli/replay.h"

typedef struct ReportOptions {
    Words records;
    const char *output, *folder;
    bool all, json, quiet;
} ReportOptions;

static const char doc[] =
    "Draw recorded executions: each is built and run again as `heddle replay' does, and becomes "
    "one "
    "HTML page that needs no network: threads as lanes, operations as bars, a slider through the "
    "steps with the source and the values of the shared variables beside it.\v"
    "Without -o, NAME.heddle becomes NAME.html in the current folder.\n\n"
    "Exit status: 0 the pages are written, 3 a record's violation does not show any more, 2 a "
    "record "
    "or its sources can't be used.";

static const struct argp_option report_options[] = {
    {"output", 'o', "FILE", 0, "Write the page to FILE (one record only)", 0},
    {"all", 'a', 0, 0, "Show every step, also accesses to memory that only one thread uses", 0},
    {"folder", 'C', "FOLDER", 0, "Where the sources are", 0},
    {"json", 'j', 0, 0, "Print what the page shows as one JSON object, and write no page", 0},
    {"quiet", 'q', 0, 0, "Do not tell what is written", 0},
    {0}};

static error_t report_parse(int key, char *text, struct argp_state *state)
{
    ReportOptions *options = state->input;
    switch (key) {
    case 'o':
        options->output = text;
        return 0;
    case 'a':
        options->all = true;
        return 0;
    case 'C':
        options->folder = text;
        return 0;
    case 'j':
        options->json = true;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        vec_push(&options->records, (const char *)text);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no record is named");
        return 0;
    case ARGP_KEY_END:
        if (options->records.count > 1 && (options->output || options->json))
            argp_error(state, "one record at a time with -o or --json");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* "runs/queue.heddle" is drawn as "queue.html". */
static const char *page_name(Arena *arena, const char *record)
{
    const char *slash = strrchr(record, '/'), *base = slash ? slash + 1 : record;
    size_t length = strlen(base), suffix = strlen(".heddle");
    if (length > suffix && !strcmp(base + length - suffix, ".heddle"))
        length -= suffix;
    return arena_printf(arena, "%.*s.html", (int)length, base);
}

/* The exit status of one record. */
static int report_one(Arena *arena, const ReportOptions *options, const char *record)
{
    const char *page = options->output ? options->output : page_name(arena, record);
    ReplayOptions replay = {.path = record, .folder = options->folder, .all = options->all};
    options_init(&replay.run);
    replay.run.output.quiet = options->quiet;
    replay.run.output.silent = true;
    replay.run.output.document = options->json;
    replay.run.output.html = options->json ? NULL : page;
    int status = replay_record(&replay);
    if (status == 1 && !options->quiet && !options->json)
        printf("%s\n", page);
    if (status == 3)
        fprintf(stderr, "heddle: %s: its violation does not show again%s%s\n", record,
                options->json ? "" : "; see ", options->json ? "" : page);
    return status == 1 ? 0 : status;
}

int cmd_report(int argc, char **argv)
{
    static const struct argp parser = {report_options, report_parse, "RECORD...", doc, 0, 0, 0};
    ReportOptions options = {0};
    char name[] = "heddle report";
    argv[0] = name;
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    Arena *arena = arena_new();
    char *here = getcwd(NULL, 0);
    int worst = 0;
    for (size_t i = 0; i < options.records.count; i++) {
        int status = report_one(arena, &options, options.records.at[i]);
        if (worst == 0 || status == 2 || status == 4)
            worst = status ? status : worst;
        if (here && chdir(here) != 0) /* a replay goes where the sources are */
            return 2;
    }
    free(here);
    vec_free(&options.records);
    arena_free(arena);
    return worst;
}
