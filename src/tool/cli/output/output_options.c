#include "tool/cli/options.h"
#include "tool/cli/output/common.h"

enum {
    KEY_JSON = 0x100,
    KEY_SHOW_OUTPUT,
    KEY_ASCII,
    KEY_HTML,
    KEY_RECORD,
    KEY_NO_RECORD,
    KEY_JUNIT,
    KEY_SARIF,
    KEY_BASELINE,
    KEY_LINES,
    KEY_NO_REPAIR,
};

/* Options of every command that explores. */
static const struct argp_option print_options[] = {
    {0, 0, 0, 0, "What is printed:", 4},
    {"json", KEY_JSON, 0, 0, "One JSON object instead of text", 0},
    {"show-output", KEY_SHOW_OUTPUT, 0, 0, "Show what the program prints, on stderr", 0},
    {"ascii", KEY_ASCII, 0, 0, "Only ASCII characters", 0},
    {"html", KEY_HTML, "FILE", 0, "Draw the answer as one HTML page, too", 0},
    {0}};

/* Options of commands whose answer is one violation or none. */
static const struct argp_option violation_options[] = {
    {"record", KEY_RECORD, "FILE", 0, "Where to save a violation (NAME.heddle)", 4},
    {"no-record", KEY_NO_RECORD, 0, 0, "Do not save it", 0},
    {"no-repair", KEY_NO_REPAIR, 0, 0,
     "Do not look for memory orders with which a violated program would hold (it takes 2s at most)",
     0},
    {"junit", KEY_JUNIT, "FILE", 0, "Write a JUnit XML report, too", 0},
    {"sarif", KEY_SARIF, "FILE", 0, "Write a SARIF 2.1.0 report, too", 0},
    {"baseline", KEY_BASELINE, "FILE", 0,
     "Violations that FILE lists, a SARIF report of an earlier run, are known: they are shown, but "
     "do not fail",
     0},
    {"lines", KEY_LINES, 0, 0, "FILE:LINE: error: ..., for editors, instead of text", 0},
    {0}};

static error_t print_parse(int key, char *text, struct argp_state *state)
{
    RunOptions *run = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &run->output.quiet;
        return 0;
    case KEY_JSON:
        run->output.json = true;
        return 0;
    case KEY_SHOW_OUTPUT:
        run->output.show_output = true;
        return 0;
    case KEY_ASCII:
        run->output.ascii = true;
        return 0;
    case KEY_HTML:
        run->output.html = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t violation_parse(int key, char *text, struct argp_state *state)
{
    OutputOptions *output = &((RunOptions *)state->input)->output;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->input;
        return 0;
    case KEY_RECORD:
        output->record = text;
        return 0;
    case KEY_NO_RECORD:
        output->no_record = true;
        return 0;
    case KEY_JUNIT:
        output->junit = text;
        return 0;
    case KEY_SARIF:
        output->sarif = text;
        return 0;
    case KEY_BASELINE:
        output->baseline = text;
        return 0;
    case KEY_NO_REPAIR:
        ((RunOptions *)state->input)->no_repair = true;
        return 0;
    case KEY_LINES:
        output->lines = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child print_children[] = {{&common_argp, 0, NULL, 0}, {0}};
const struct argp options_print_argp = {print_options, print_parse, 0, 0, print_children, 0, 0};
static const struct argp_child output_children[] = {{&options_print_argp, 0, NULL, 0}, {0}};
const struct argp options_output_argp = {
    violation_options, violation_parse, 0, 0, output_children, 0, 0};
