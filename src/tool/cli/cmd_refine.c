/* heddle refine: quasi refinement of models. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tool/cli/relax/refine_quasi.h"
#include "base/print.h"
#include "tool/cli/output/common.h"
#include "tool/cli/options.h"
#include "tool/cli/scale/refine_journal.h"
#include "tool/instrument/process.h"
#include "tool/report/json.h"
#include "tool/report/refinement.h"
#include "tool/report/page/refinement_page.h"

int cmd_refine(int argc, char **argv);

enum {
    OPTION_QUASI = 256,
    OPTION_SPEC,
    OPTION_TIME,
    OPTION_MEMORY,
    OPTION_STATES,
    OPTION_JSON,
    OPTION_HTML,
    OPTION_ASCII,
    OPTION_ALL,
    OPTION_OUTCOMES,
    OPTION_EXPLORE,
    OPTION_TRACES,
    OPTION_NO_REDUCTIONS,
    OPTION_NO_FUSION,
    OPTION_NO_THREADS,
    OPTION_NO_VALUES,
    OPTION_NO_NODES,
    OPTION_NO_ANTICHAIN,
    OPTION_NO_PRUNING,
    OPTION_JOURNAL,
};

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "What is checked:", 1},
    {NULL, 'D', "NAME[=N]", 0, "Set a parameter of the model", 1},
    {NULL, 'I', "DIR", 0, "Look for included files in DIR", 1},
    {"quasi", OPTION_QUASI, "OP:N,...", 0,
     "Calls of OP may be out of order by up to N among themselves; OP+OP:N for several operations "
     "that are reordered together; OP:auto finds the smallest N that holds (default: what the "
     "model "
     "says, else 0)",
     1},
    {"spec", OPTION_SPEC, "NAME", 0,
     "The specification to use: one of the model's, or built in: fifo, lifo, priority, set, "
     "register, counter, lock",
     1},
    {"traces", OPTION_TRACES, NULL, 0,
     "Compare traces only: a state in which no thread can go on is no violation", 1},
    {"explore", OPTION_EXPLORE, NULL, 0,
     "Visit all states and check assertions only, against no specification", 1},
    {"outcomes", OPTION_OUTCOMES, NULL, 0,
     "Print every final value of the model's observations (implies --explore)", 1},
    {NULL, 0, NULL, 0, "Limits:", 2},
    {"time", OPTION_TIME, "TIME", 0, "Give up after TIME (90s, 5m, 1h)", 2},
    {"memory", OPTION_MEMORY, "SIZE", 0, "Give up when the states take SIZE (512M, 2G)", 2},
    {"states", OPTION_STATES, "N", 0, "Give up after N states", 2},
    {"journal", OPTION_JOURNAL, "FILE", 0,
     "Write down in FILE what is done, so that the same command goes on from there", 2},
    {"jobs", 'j', "N", 0, "Search with N threads (default: 1)", 2},
    {NULL, 0, NULL, 0, "Reductions, to be switched off one by one:", 3},
    {"no-reductions", OPTION_NO_REDUCTIONS, NULL, 0, "All of the following", 3},
    {"no-fusion", OPTION_NO_FUSION, NULL, 0,
     "Local steps, calls and returns are transitions of their own", 3},
    {"no-thread-symmetry", OPTION_NO_THREADS, NULL, 0, "Tell threads apart", 3},
    {"no-value-symmetry", OPTION_NO_VALUES, NULL, 0, "Tell data values apart", 3},
    {"no-node-symmetry", OPTION_NO_NODES, NULL, 0, "Tell nodes apart", 3},
    {"no-antichain", OPTION_NO_ANTICHAIN, NULL, 0,
     "Visit states that a visited one makes superfluous", 3},
    {"no-pruning", OPTION_NO_PRUNING, NULL, 0, "Keep superfluous explanations", 3},
    {NULL, 0, NULL, 0, "Output:", 4},
    {"json", OPTION_JSON, NULL, 0, "One JSON object on standard output", 4},
    {"html", OPTION_HTML, "FILE", 0, "Write the answer with its counterexample as a page", 4},
    {"all", OPTION_ALL, NULL, 0, "Show every step of a counterexample, local ones too", 4},
    {"ascii", OPTION_ASCII, NULL, 0, "No line-drawing characters", 4},
    {0},
};

typedef Vec(const char *) WordList;

typedef struct Arguments {
    WordList defines, includes;
    const char *model, *quasi, *specification, *html, *journal;
    RefineOptions refine;
    bool json, ascii, quiet, all, explore;
} Arguments;

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    Arguments *arguments = state->input;
    RefineOptions *refine = &arguments->refine;
    uint64_t number;
    switch (key) {
    case 'D':
        vec_push(&arguments->defines, argument);
        return 0;
    case 'I':
        vec_push(&arguments->includes, argument);
        return 0;
    case OPTION_QUASI:
        arguments->quasi = argument;
        return 0;
    case OPTION_SPEC:
        arguments->specification = argument;
        return 0;
    case OPTION_TIME:
        if (!options_parse_duration(argument, &number) || !number)
            argp_error(state, "--time wants a time such as 60s, 5m or 1500ms, not `%s'", argument);
        refine->time_limit = (double)number / 1000;
        return 0;
    case OPTION_MEMORY:
        if (!options_parse_size(argument, &refine->memory_limit) || !refine->memory_limit)
            argp_error(state, "--memory wants a size such as 512M or 2G, not `%s'", argument);
        return 0;
    case OPTION_STATES:
        if (!options_parse_count(argument, UINT64_MAX / 2, &refine->state_limit) ||
            !refine->state_limit)
            argp_error(state, "--states wants a positive number, not `%s'", argument);
        return 0;
    case 'j':
        if (!options_parse_count(argument, 64, &number) || !number)
            argp_error(state, "--jobs wants a number between 1 and 64, not `%s'", argument);
        refine->jobs = (int)number;
        return 0;
    case OPTION_JSON:
        arguments->json = true;
        return 0;
    case OPTION_HTML:
        arguments->html = argument;
        return 0;
    case OPTION_ASCII:
        arguments->ascii = true;
        return 0;
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->quiet;
        return 0;
    case OPTION_ALL:
        arguments->all = true;
        return 0;
    case OPTION_OUTCOMES:
        refine->collect_outcomes = true;
        arguments->explore = true;
        return 0;
    case OPTION_EXPLORE:
        arguments->explore = true;
        return 0;
    case OPTION_TRACES:
        refine->traces = true;
        return 0;
    case OPTION_NO_REDUCTIONS:
        refine->no_fusion = refine->no_thread_symmetry = refine->no_value_symmetry =
            refine->no_node_symmetry = refine->no_antichain = refine->no_pruning = true;
        return 0;
    case OPTION_NO_FUSION:
        refine->no_fusion = true;
        return 0;
    case OPTION_NO_THREADS:
        refine->no_thread_symmetry = true;
        return 0;
    case OPTION_NO_VALUES:
        refine->no_value_symmetry = true;
        return 0;
    case OPTION_NO_NODES:
        refine->no_node_symmetry = true;
        return 0;
    case OPTION_NO_ANTICHAIN:
        refine->no_antichain = true;
        return 0;
    case OPTION_JOURNAL:
        arguments->journal = argument;
        return 0;
    case OPTION_NO_PRUNING:
        refine->no_pruning = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->model)
            argp_error(state, "one model at a time");
        arguments->model = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which model?");
        return 0;
    case ARGP_KEY_END:
        if (refine->traces && arguments->explore)
            argp_error(state, "--traces compares with a specification: not with --explore or "
                              "--outcomes");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- what was checked ---- */
static const char *describe(Arena *arena, const Arguments *arguments, const Model *model,
                            const Module *specification, const int *factors)
{
    Buffer text = {0};
    buffer_printf(&text, "%d thread%s", model->thread_count, model->thread_count == 1 ? "" : "s");
    bool clients = false;
    for (int i = 0; i < model->group_count; i++)
        clients |= !model->groups[i].is_program;
    buffer_printf(&text, "%s", clients ? " calling for ever" : "");
    if (specification) {
        bool is_named = strcmp(specification->name, "specification") != 0;
        buffer_printf(&text, "; %s%s", is_named ? "specification " : "its ", specification->name);
        bool any = false;
        for (int i = 0; i < model->implementation->operation_count; i++)
            if (factors[i]) {
                buffer_printf(&text, "%s%s:%d", any ? ", " : ", quasi factors ",
                              model->implementation->operations[i]->name, factors[i]);
                any = true;
            }
        if (arguments->refine.traces)
            buffer_printf(&text, "; traces only: whether threads can go on was not asked");
    } else {
        buffer_printf(&text, "; no specification");
    }
    for (size_t i = 0; i < arguments->defines.count; i++)
        buffer_printf(&text, "%s%s", i ? ", " : "; ", arguments->defines.at[i]);
    buffer_printf(&text, ".");
    const char *copy = str_copy(arena, buffer_str(&text));
    vec_free(&text);
    return copy;
}

typedef struct ProgressLine {
    bool terminal, shown;
    double last;
    uint64_t last_states;
} ProgressLine;

static void show_progress(void *data, const RefineFigures *figures)
{
    ProgressLine *line = data;
    if (!line->terminal && figures->seconds - line->last < 10)
        return;
    double rate =
        (double)(figures->states - line->last_states) / MAX(figures->seconds - line->last, 1e-3);
    fputs(line->terminal ? "\r\033[K" : "", stderr);
    fprintf(stderr, "refine: %llu states, %.0f/s, depth %llu, frontier %llu, %.0f MB, %.0f s",
            (unsigned long long)figures->states, rate, (unsigned long long)figures->depth,
            (unsigned long long)figures->frontier, (double)figures->memory_bytes / 1e6,
            figures->seconds);
    fputs(line->terminal ? "" : "\n", stderr);
    fflush(stderr);
    line->shown = true;
    line->last = figures->seconds;
    line->last_states = figures->states;
}

static int fail(const Error *error)
{
    char text[2048];
    error_text(error, text, sizeof text);
    print_plain(stderr, "heddle: %s\n", text);
    return 2;
}

static int run(Arena *arena, Arguments *arguments)
{
    Error error = {{0}, {0}, 0, 0};
    const Model *model;
    ModelOptions options = {.defines = arguments->defines.at,
                            .define_count = (int)arguments->defines.count,
                            .include_paths = arguments->includes.at,
                            .include_path_count = (int)arguments->includes.count};
    if (!model_read(arena, arguments->model, &options, &model, &error)) {
        /* a parameter of a built-in specification is unknown until that is read too */
        if (!arguments->specification)
            return fail(&error);
        model = NULL;
    }
    const Module *specification = NULL;
    if (!arguments->explore) {
        specification = model ? model_find_specification(model, arguments->specification) : NULL;
        if (!specification && arguments->specification) {
            options.specification = arguments->specification;
            if (!model_read(arena, arguments->model, &options, &model, &error))
                return fail(&error);
            specification = model_find_specification(model, arguments->specification);
        }
        bool clients = false;
        for (int i = 0; i < model->group_count; i++)
            clients |= !model->groups[i].is_program;
        if (!specification && clients) {
            error_set(&error,
                      "%s has no specification: write one, choose a built-in one with --spec=NAME, "
                      "or ask for --explore",
                      arguments->model);
            return fail(&error);
        }
    }
    if (!model)
        return fail(&error);
    RefineQuasi quasi;
    if (!refine_quasi_read(&quasi, model, arguments->quasi, &error))
        return fail(&error);
    ProgressLine line = {.terminal = isatty(STDERR_FILENO)};
    RefineOptions *refine = &arguments->refine;
    refine->model = model;
    refine->specification = specification;
    refine->factors = quasi.factors;
    refine->classes = quasi.classes;
    if (!arguments->quiet) {
        refine->progress = show_progress;
        refine->progress_data = &line;
    }
    RefineResult result;
    RefineJournal journal;
    if (arguments->journal) {
        if (!refine_journal_open(arena, arguments->journal, refine, arguments->quasi, &journal,
                                 &error))
            return fail(&error);
        if (journal.is_resumed && !arguments->quiet)
            print_plain(stderr, "heddle: going on from %s: %llu states were visited before\n",
                        arguments->journal, (unsigned long long)journal.figures.states);
        refine->journal = &journal;
    }
    bool ok = refine_quasi_run(arena, &quasi, refine, &result, &error);
    if (arguments->journal)
        refine_journal_close(&journal, arguments->journal,
                             !ok || result.verdict != VERDICT_INCONCLUSIVE);
    if (line.shown && line.terminal)
        fprintf(stderr, "\r\033[K");
    if (!ok)
        return fail(&error);
    RefinementReport report = {.options = refine,
                               .result = &result,
                               .bounds =
                                   describe(arena, arguments, model, specification, quasi.factors),
                               .ascii = arguments->ascii,
                               .all_steps = arguments->all,
                               .show_outcomes = refine->collect_outcomes};
    Buffer text = {0};
    FILE *to = result.is_model_error ? stderr : stdout;
    bool written;
    if (arguments->json) {
        written = json_write(stdout, refinement_json(&report));
    } else {
        refinement_text(&report, &text);
        print_text(to, buffer_str(&text));
        written = !ferror(to);
    }
    if (!print_finish() || !written) {
        vec_free(&text);
        return 2;
    }
    if (arguments->html) {
        if (!refinement_page_write(arguments->html, &report, &error)) {
            vec_free(&text);
            return fail(&error);
        }
    }
    vec_free(&text);
    if (result.is_model_error)
        return 2;
    return result.verdict == VERDICT_HOLDS ? 0 : result.verdict == VERDICT_VIOLATED ? 1 : 3;
}

int cmd_refine(int argc, char **argv)
{
    static const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    static const struct argp parser = {
        .options = option_list,
        .children = children,
        .parser = parse_option,
        .args_doc = "MODEL",
        .doc =
            "Does every behaviour of the implementation in MODEL, of any length, with clients that "
            "call its operations for ever, refine its specification?\v"
            "Exit status: 0 it does, 1 it does not, 2 error in the command or the model, "
            "3 inconclusive. heddle-model(7) describes the language of models."};
    Arguments arguments = {.refine = {.jobs = 1}};
    Arena *arena = arena_new();
    char name[] = "heddle refine";
    argv[0] = name;
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &arguments);
    process_catch_interrupts();
    int status = run(arena, &arguments);
    vec_free(&arguments.defines);
    vec_free(&arguments.includes);
    arena_free(arena);
    return status;
}
