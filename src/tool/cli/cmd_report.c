/* cmd_report.c: `heddle report`: recorded executions as pages. */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/file.h"
#include "base/print.h"
#include "tool/cli/commands.h"
#include "tool/cli/output/common.h"
#include "tool/cli/present.h"
#include "tool/cli/recorded.h"
#include "tool/instrument/process.h"
#include "tool/report/jsontext.h"
#include "tool/report/page/packed.h"
#include "tool/report/page/page.h"

typedef struct ReportOptions {
    Words records;
    const char *output;
    bool all, json, quiet, open;
} ReportOptions;

enum { KEY_OPEN = 0x400 };

static const char doc[] =
    "Draw recorded executions: each becomes one HTML page that needs no network: threads as lanes, "
    "operations as bars, a slider through the steps with the source and the values of the shared "
    "variables beside it.\v"
    "All of it is in the record: nothing is compiled, and nothing is run; `heddle replay' does "
    "that. "
    "Without -o, NAME.heddle becomes NAME.html in the current folder.\n\n"
    "Exit status: 0 the pages are written, 2 a record can't be read or a page can't be written.";

static const struct argp_option report_options[] = {
    {"output", 'o', "FILE", 0, "Write the page to FILE (one record only)", 0},
    {"all", 'a', 0, 0, "Show every step, also accesses to memory that only one thread uses", 0},
    {"json", 'j', 0, 0, "Print what the page shows as one JSON object, and write no page", 0},
    {"open", KEY_OPEN, 0, 0, "Show the page in the browser, too (xdg-open, or $BROWSER)", 0},
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
    case 'j':
        options->json = true;
        return 0;
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->quiet;
        return 0;
    case KEY_OPEN:
        options->open = true;
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

static bool write_document(const json_t *document, const char *page, Error *error)
{
    if (page)
        return page_write(page, document, error);
    bool written = json_print(stdout, document, JSON_COMPACT | JSON_REAL_PRECISION(9)) &&
                   fputc('\n', stdout) != EOF && fflush(stdout) == 0;
    return written || error_set(error, "%s", "the page can't be written as JSON");
}

/* Hands the page to the program that shows pages, which goes on by itself. */
static bool open_page(Arena *arena, const char *page, Error *error)
{
    char real[PATH_MAX], viewer[256];
    const char *browser = getenv("BROWSER");
    pid_t pid;
    int status = 0;
    if (!realpath(page, real))
        return error_set(error, "%s: %s", page, strerror(errno));
    snprintf(viewer, sizeof viewer, "%s", browser && *browser ? browser : "xdg-open");
    viewer[strcspn(viewer, ":")] = 0; /* a list of programs: the first one */
    char *arguments[] = {viewer, arena_printf(arena, "file://%s", real), NULL};
    ProcessStart start = {.arguments = arguments, .output = -1, .errors = -1};
    if (!process_start(&start, &pid, error))
        return false;
    bool shown = process_wait(pid, &status) && status == 0;
    return shown || error_set(error, "%s could not show %s", viewer, page);
}

/* Draws one record; returns the exit status. */
static int report_one(Arena *arena, const ReportOptions *options, const char *path)
{
    const char *page = options->output ? options->output : page_name(arena, path);
    RecordFile file;
    Error error = {0};
    json_t *document = NULL;
    file_protect(path);
    if (disk_read(arena, path, &file, &error))
        document = packed_open(options->all ? &file.whole_page : &file.page, &error);
    if (document) /* the page says where it came from */
        json_put(
            document, "replay",
            json_text(arena_printf(arena, "heddle replay %s%s", recorded_option(&file), path)));
    bool written = document && write_document(document, options->json ? NULL : page, &error);
    json_decref(document);
    if (!written)
        present_error(&error);
    else if (!options->quiet && !options->json)
        print_plain(stdout, "%s\n", page);
    if (written && options->open && !options->json && !open_page(arena, page, &error)) {
        present_error(&error);
        return 2;
    }
    return written ? 0 : 2;
}

int cmd_report(int argc, char **argv)
{
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    static const struct argp parser = {
        report_options, report_parse, "RECORD...", doc, children, 0, 0};

    ReportOptions options = {0};
    char name[] = "heddle report";
    argv[0] = name;
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    Arena *arena = arena_new();
    int worst = 0;
    for (size_t i = 0; i < options.records.count; i++) {
        int status = report_one(arena, &options, options.records.at[i]);
        worst = MAX(worst, status);
    }
    vec_free(&options.records);
    arena_free(arena);
    return worst;
}
