/* cmd_check.c: `heddle check`: is it linearizable? */
#include <argp.h>
#include <stdio.h>
#include <string.h>
#include "tool/cli/project/cache.h"
#include "tool/cli/commands.h"
#include "tool/cli/keep_going.h"
#include "tool/cli/project/config.h"
#include "tool/cli/present.h"
#include "tool/cli/whole.h"
#include "tool/cli/project/project.h"
#include "tool/cli/quasi_auto.h"
#include "tool/cli/relax/relax_auto.h"

static const char doc[] =
    "Check the operations that a test file declares with <heddle.h>: tests are made of them, run "
    "serially to learn what is correct, then explored; every history of every execution must be "
    "explained by a serial one, and operations may wait only where they do in a serial run. A "
    "program "
    "with a main function whose comments hold annotations, as heddle-annotations(7) has them, is "
    "judged by those instead; one that marks its calls (HD_BEGIN, HD_END) is checked as the one "
    "test "
    "that it is.\v"
    "Without --shape, all tests of 1x1, 2x1, 1x2, 2x2, 3x1, 1x3 and 1x4 (threads x calls) are "
    "made, then random ones of 2x3, 3x2 and 3x3; without --samples and --time, those that have not "
    "ended after 22 s are left out.\n\n"
    "With --unbounded no tests are made: threads call the operations for ever, and all states that "
    "they can reach are explored.\n\n"
    "Without FILE, the tests that " CONFIG_FILE
    " lists are made, and the exit status is the worst of "
    "theirs.\n\n"
    "Examples:\n"
    "  heddle check queue_check.c queue.c\n"
    "  heddle check --model=sc --shape=3x3 --samples=100 stack_check.cc\n"
    "  heddle check --spec=fifo --scenario='put(1) get() | put(2)' queue_check.c\n"
    "  heddle check --unbounded --spec=lifo stack_check.c\n"
    "  heddle check --spec=jobs:fifo program_with_marked_calls.c";

enum {
    OPT_SHAPE = 0x300,
    OPT_SAMPLES,
    OPT_EXHAUSTIVE,
    OPT_SPEC,
    OPT_QUASI,
    OPT_SEMANTICS,
    OPT_MAY_FAIL,
    OPT_CONSISTENCY,
    OPT_RELAX,
    OPT_SCENARIO,
    OPT_CACHE,
    OPT_CONFIG,
    OPT_TRUST_PROJECT,
    OPT_TEST,
    OPT_HISTORIES,
    OPT_OBSERVATIONS,
    OPT_UNBOUNDED,
    OPT_ELEMENTS,
    OPT_LAG,
    OPT_MESSAGES,
    OPT_ALL
};
static const struct argp_option check_options[] = {
    {"shape", OPT_SHAPE, "TxN[+M]", 0,
     "Tests of T threads with N calls each; +M: and M calls of main around them, puts before and "
     "takes after, that make the test well-formed",
     0},
    {"samples", OPT_SAMPLES, "N", 0, "Random tests of a shape that has more than N (100)", 0},
    {"exhaustive", OPT_EXHAUSTIVE, 0, 0, "All tests of the shape, however many", 0},
    {"spec", OPT_SPEC, "NAME", 0,
     "Check against a built-in specification (fifo, lifo, set, register, ...) instead of the test "
     "file's own: golden (HD_GOLDEN) or observed (serial runs); of several objects: "
     "queue:fifo,stack:lifo",
     0},
    {"quasi", OPT_QUASI, "OP:K,...", 0,
     "Allow operations K places out of order; OP:auto, or auto for all that take: find the "
     "smallest "
     "K",
     0},
    {"semantics", OPT_SEMANTICS, "WORD", 0, "Of --quasi: kooo (default), slot or def4", 0},
    {"may-fail", OPT_MAY_FAIL, "OP:RESULT,...", 0,
     "A call of OP that gives RESULT (none, false, true or a number; OP alone: none or false) "
     "counts "
     "as not made where it overlaps another call; auto: of every operation",
     0},
    {"consistency", OPT_CONSISTENCY, "WORD", 0,
     "linearizable (default), set (calls that overlap may take the same element), quiescent (only "
     "calls with a quiet moment between them keep their order) or sequential (only the calls of a "
     "thread do)",
     0},
    {"relax", OPT_RELAX, "auto", 0,
     "Name the strongest promise that holds: linearizable, calls may fail while they overlap "
     "others, "
     "quasi linearizable, a bag, set linearizable, sequentially or quiescently consistent, or "
     "nothing",
     0},
    {"all", OPT_ALL, 0, 0,
     "Judge all histories of every test, also of those that fail, and count them: rejected ones, "
     "distinct ones, their serial orders, executions that are not conflict serializable; implies "
     "--keep-going, which makes all tests, counts those that fail and tells their causes apart",
     0},
    {"histories", OPT_HISTORIES, "WHICH", 0,
     "Of annotated programs: judge one of the sequential histories that the ordering points leave "
     "(the default), want some that passes, or want all to pass",
     0},
    {"scenario", OPT_SCENARIO, "TEST", 0,
     "Make this one test, threads separated by |: 'put(1) get() | put(2)'; with calls of main "
     "before "
     "and after: 'put(1) / get() | get() / get()'",
     0},
    {"observations", OPT_OBSERVATIONS, "FILE", 0,
     "Keep the serial runs in FILE, or, if it is there, compare today's with those in it", 0},
    {"unbounded", OPT_UNBOUNDED, "THREADS", OPTION_ARG_OPTIONAL,
     "No tests: so many threads (2) that call the operations without end; all reachable states "
     "are explored, under sc or tso",
     0},
    {"elements", OPT_ELEMENTS, "N", 0,
     "Of --unbounded: no call that puts begins while N elements are inside (1, then 2, 3, ...)", 0},
    {"messages", OPT_MESSAGES, "N", 0,
     "Of --unbounded under rc11: at most N values of a variable that some thread may still read "
     "(4)",
     0},
    {"lag", OPT_LAG, "N", 0,
     "Of --unbounded: at most N calls of others return during one call (any number)", 0},
    {"cache", OPT_CACHE, "FOLDER", OPTION_ARG_OPTIONAL,
     "Keep tests that fail, and make them first next time (" CACHE_FOLDER ")", 0},
    {0, 0, 0, 0, "Without FILE, all tests of a project:", 5},
    {"config", OPT_CONFIG, "FILE", 0, "Where the tests are listed (" CONFIG_FILE ")", 0},
    {"test", OPT_TEST, "NAME", 0, "Only this one (may be given several times)", 0},
    {"trust-project", OPT_TRUST_PROJECT, 0, 0,
     "Let the list choose any compiler, any words for it, and files to write anywhere", 0},
    {0}};

static void copy_text(struct argp_state *state, char *to, size_t bytes, const char *text)
{
    if (strlen(text) >= bytes)
        argp_error(state, "\"%.40s...\" is too long", text);
    snprintf(to, bytes, "%s", text);
}

static error_t parse_small(struct argp_state *state, const char *option, const char *text,
                           uint64_t most, uint32_t *to)
{
    uint64_t number;
    if (!options_parse_count(text, most, &number) || !number)
        argp_error(state, "%s=%s: a number from 1 to %llu is wanted", option, text,
                   (unsigned long long)most);
    *to = (uint32_t)number;
    return 0;
}

/* Options that say nothing, or something else, without or with --unbounded. */
static void check_unbounded(struct argp_state *state, RunOptions *options)
{
    const CheckOptions *check = &options->explore.check;
    if (!check->unbounded) {
        if (check->elements || check->lag || check->messages)
            argp_error(state, "--elements, --lag and --messages are for --unbounded");
        return;
    }
    if (check->threads || check->scenario[0] || check->samples || check->exhaustive)
        argp_error(state, "--unbounded makes no tests: --shape, --samples, --exhaustive and "
                          "--scenario do not go with it");
    options_take_unbounded(options, state);
}

static void parse_consistency(struct argp_state *state, const char *text, uint32_t *to)
{
    static const char *const words[] = {
#define X(name, word) word,
        CHECK_CONSISTENCIES(X)
#undef X
    };
    uint32_t which = 0;
    while (which < COUNT_OF(words) && strcmp(words[which], text) != 0)
        which++;
    if (which == COUNT_OF(words))
        argp_error(state, "--consistency is linearizable, set, quiescent or sequential, not `%s'",
                   text);
    *to = which;
}

static error_t check_parse(int key, char *text, struct argp_state *state)
{
    RunOptions *options = state->input;
    CheckOptions *check = &options->explore.check;
    switch (key) {
    case OPT_SHAPE:
        if (!options_parse_shape(text, check))
            argp_error(state,
                       "--shape=%s: threads x calls, like 3x3, at most 8x16 and 32 calls; with "
                       "calls of main, like 2x2+4",
                       text);
        return 0;
    case OPT_SAMPLES:
        if (!options_parse_count(text, UINT32_MAX, &check->samples) || !check->samples)
            argp_error(state, "--samples=%s: a number of tests is wanted, 1 or more", text);
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
    case OPT_MAY_FAIL:
        copy_text(state, check->may_fail, sizeof check->may_fail, text);
        return 0;
    case OPT_CONSISTENCY:
        parse_consistency(state, text, &check->consistency);
        return 0;
    case OPT_RELAX:
        if (strcmp(text, "auto") != 0)
            argp_error(state, "--relax is auto; --quasi, --may-fail and --consistency say what is "
                              "allowed");
        options->relax = true;
        return 0;
    case OPT_SEMANTICS:
        copy_text(state, check->semantics, sizeof check->semantics, text);
        return 0;
    case OPT_SCENARIO:
        if (!text[0])
            argp_error(state, "--scenario wants a test, like 'put(1) get() | put(2)'");
        copy_text(state, check->scenario, sizeof check->scenario, text);
        return 0;
    case OPT_OBSERVATIONS:
        if (!text[0])
            argp_error(state, "--observations wants the name of a file");
        copy_text(state, check->observations, sizeof check->observations, text);
        return 0;
    case OPT_UNBOUNDED:
        check->unbounded = 2;
        return text ? parse_small(state, "--unbounded", text, 6, &check->unbounded) : 0;
    case OPT_ELEMENTS:
        return parse_small(state, "--elements", text, 1000, &check->elements);
    case OPT_MESSAGES:
        return parse_small(state, "--messages", text, 16, &check->messages);
    case OPT_LAG:
        return parse_small(state, "--lag", text, 250, &check->lag);
    case OPT_CACHE:
        options->output.cache = text ? text : CACHE_FOLDER;
        return 0;
    case OPT_CONFIG:
        options->output.config = text;
        return 0;
    case OPT_TRUST_PROJECT:
        options->output.trust_project = true;
        return 0;
    case OPT_TEST:
        vec_push(&options->output.tests, text);
        return 0;
    case OPT_HISTORIES:
        check->histories = !strcmp(text, "one")    ? CHECK_HISTORIES_ONE
                           : !strcmp(text, "some") ? CHECK_HISTORIES_SOME
                                                   : CHECK_HISTORIES_ALL;
        if (check->histories == CHECK_HISTORIES_ALL && strcmp(text, "all") != 0)
            argp_error(state, "--histories is one, some or all, not `%s'", text);
        return 0;
    case OPT_ALL:
        check->all = check->keep_going = 1;
        return 0;
    case ARGP_KEY_END:
        check_unbounded(state, options);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp options_check_argp = {check_options, check_parse, 0, 0, 0, 0, 0};

static error_t command_parse(int key, char *text UNUSED, struct argp_state *state)
{
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    for (int i = 0; i < 4; i++)
        state->child_inputs[i] = state->input;
    return 0;
}

void options_parse_check(int argc, char **argv, RunOptions *options)
{
    static const struct argp_child children[] = {{&options_check_argp, 0, NULL, 0},
                                                 {&options_explore_argp, 0, NULL, 0},
                                                 {&options_build_argp, 0, NULL, 0},
                                                 {&options_output_argp, 0, NULL, 0},
                                                 {0}};
    static const struct argp parser = {0, command_parse, "[FILE...]", doc, children, 0, 0};
    options->explore.check.enabled = options->explore.check.fit = 1;
    options_take_compiler_words(&argc, argv, options);
    argp_parse(&parser, argc, argv, 0, NULL, options);
}

int cmd_check(int argc, char **argv)
{
    RunOptions options;
    Words words = {0}; /* as they were typed: argp moves them about */
    for (int i = 1; i < argc; i++)
        vec_push(&words, argv[i]);
    char name[] = "heddle check";
    argv[0] = name;
    options_init(&options);
    options_parse_check(argc, argv, &options);
    int status;
    CheckOptions *check = &options.explore.check;
    bool finds_factors = quasi_auto_wanted(check->quasi);
    check->keep_going |= options.explore.keep_going;
    options.explore.keep_going = 0; /* which is for programs */
    if ((finds_factors || options.relax || check->keep_going) &&
        !options_allow_journal(&options, options.relax   ? "--relax=auto"
                                         : finds_factors ? "--quasi=auto"
                                                         : "--keep-going")) {
        options_free(&options);
        status = 2;
    } else if (options.no_files) {
        status = project_run(&options, &words);
        options_free(&options);
    } else if (options.output.config || options.output.tests.count) {
        Error error = {0};
        error_set(&error, "--config and --test are for `heddle check' without files");
        present_error(&error);
        options_free(&options);
        status = 2;
    } else if (check->keep_going && (options.relax || finds_factors)) {
        Error error = {0};
        error_set(&error, "--keep-going and --all count failures: they do not go with a search for "
                          "what holds (--relax=auto, --quasi=auto)");
        present_error(&error);
        options_free(&options);
        status = 2;
    } else if (options.relax) {
        status = relax_auto_command(&options);
    } else if (finds_factors) {
        status = quasi_auto_command(&options);
    } else if (check->keep_going) {
        status = keep_going_command(&options);
    } else {
        status = session_command("check", &options);
    }
    vec_free(&words);
    return status;
}
