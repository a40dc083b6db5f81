/* cmd_check.c: `heddle check`: is it linearizable? */
#include <argp.h>
#include <stdio.h>
#include <string.h>
#include "cli/commands.h"
#include "cli/present.h"
#include "cli/quasi_auto.h"
#include "cli/session.h"

static const char doc[] =
    "Check the operations that a test file declares with <heddle.h>: tests are made of them, run "
    "serially to learn what is correct, then explored; every history of every execution must be "
    "explained by a serial one, and operations may wait only where they do in a serial run.\v"
    "Without --shape, all tests of 1x1, 2x1, 1x2, 2x2 and 3x1 (threads x calls) are made, then random "
    "ones of 2x3, 3x2 and 3x3.\n\n"
    "Examples:\n"
    "  heddle check queue_check.c queue.c\n"
    "  heddle check --model=sc --shape=3x3 --samples=100 stack_check.cc\n"
    "  heddle check --spec=fifo --scenario='put(1) get() | put(2)' queue_check.c";

enum { OPT_SHAPE = 0x300, OPT_SAMPLES, OPT_EXHAUSTIVE, OPT_SPEC, OPT_QUASI, OPT_SEMANTICS,
       OPT_SCENARIO, OPT_OBSERVATIONS };
static const struct argp_option check_options[] = {
    {"shape", OPT_SHAPE, "TxN[+M]", 0,
     "Tests of T threads with N calls each; +M: and M calls of main around them, puts before and "
     "takes after, that make the test well-formed",
     0},
    {"samples", OPT_SAMPLES, "N", 0, "Random tests of a shape that has more than N (100)", 0},
    {"exhaustive", OPT_EXHAUSTIVE, 0, 0, "All tests of the shape, however many", 0},
    {"spec", OPT_SPEC, "NAME", 0,
     "Check against a built-in specification (fifo, lifo, set, register, ...) instead of the test "
     "file's own: golden (HD_GOLDEN) or observed (serial runs)",
     0},
    {"quasi", OPT_QUASI, "OP:K,...", 0,
     "Allow operations K places out of order; OP:auto, or auto for all that take: find the smallest "
     "K",
     0},
    {"semantics", OPT_SEMANTICS, "WORD", 0, "Of --quasi: kooo (default), slot or def4", 0},
    {"scenario", OPT_SCENARIO, "TEST", 0,
     "Make this one test, threads separated by |: 'put(1) get() | put(2)'; with calls of main before "
     "and after: 'put(1) / get() | get() / get()'",
     0},
    {"observations", OPT_OBSERVATIONS, "FILE", 0,
     "Keep the serial runs in FILE, or, if it is there, compare today's with those in it", 0},
    {0}};

static void copy_text(struct argp_state *state, char *to, size_t bytes, const char *text)
{
    if (strlen(text) >= bytes)
        argp_error(state, "\"%.40s...\" is too long", text);
    snprintf(to, bytes, "%s", text);
}

static error_t check_parse(int key, char *text, struct argp_state *state)
{
    RunOptions *options = state->input;
    CheckOptions *check = &options->explore.check;
    unsigned threads, length;
    char rest;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < 3; i++)
            state->child_inputs[i] = state->input;
        return 0;
    case OPT_SHAPE:
        check->framed = sscanf(text, "%ux%u+%u%c", &threads, &length, &check->main_calls, &rest) == 3;
        if (!check->framed) {
            check->main_calls = 0;
            if (sscanf(text, "%ux%u%c", &threads, &length, &rest) != 2)
                threads = 0;
        }
        if (!threads || !length || threads > 8 || length > 16 || check->main_calls > 32 ||
            threads * length + check->main_calls > 32)
            argp_error(state,
                       "--shape=%s: threads x calls, like 3x3, at most 8x16 and 32 calls; with "
                       "calls of main, like 2x2+4",
                       text);
        check->threads = threads;
        check->length = length;
        return 0;
    case OPT_SAMPLES:
        if (!options_parse_count(text, UINT32_MAX, &check->samples))
            argp_error(state, "--samples=%s: a number is wanted", text);
        return 0;
    case OPT_EXHAUSTIVE:
        check->exhaustive = 1;
        return 0;
    case OPT_SPEC:
        copy_text(state, check->spec, sizeof check->spec, text);
        return 0;
    case OPT_QUASI:
        copy_text(state, check->quasi, sizeof check->quasi, text);
        return 0;
    case OPT_SEMANTICS:
        copy_text(state, check->semantics, sizeof check->semantics, text);
        return 0;
    case OPT_SCENARIO:
        copy_text(state, check->scenario, sizeof check->scenario, text);
        return 0;
    case OPT_OBSERVATIONS:
        if (!text[0])
            argp_error(state, "--observations wants the name of a file");
        copy_text(state, check->observations, sizeof check->observations, text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int cmd_check(int argc, char **argv)
{
    static const struct argp_child children[] = {{&options_explore_argp, 0, NULL, 0},
                                                 {&options_build_argp, 0, NULL, 0},
                                                 {&options_output_argp, 0, NULL, 0},
                                                 {0}};
    static const struct argp parser = {check_options, check_parse, "FILE...", doc, children, 0, 0};
    RunOptions options;
    options_init(&options);
    options.explore.check.enabled = 1;
    options_take_compiler_words(&argc, argv, &options);
    char name[] = "heddle check";
    argv[0] = name;
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    if (quasi_auto_wanted(options.explore.check.quasi))
        return quasi_auto_command(&options);
    return session_command("check", &options);
}
