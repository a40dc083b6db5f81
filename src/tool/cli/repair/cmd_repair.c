/* cmd_repair.c: `heddle repair`: which memory orders are missing? */
#include <argp.h>
#include <stdio.h>
#include "base/print.h"
#include "tool/cli/commands.h"
#include "tool/cli/present.h"
#include "tool/cli/repair/repair.h"
#include "tool/instrument/process.h"
#include "tool/report/repair.h"
#include "tool/report/text.h"

#define DEFAULT_SECONDS 60.0
#define MOST_ACCESSES 3

static const char doc[] =
    "Find the smallest sets of memory orders that must be stronger for a violated program or test "
    "to hold, by trying them, and print the change as a patch.\v"
    "A file with a main() is explored as `heddle run' does, one that declares operations is tested "
    "as `heddle check' does; the options of both apply to every program that is tried. Sets of one "
    "access are tried first, then of two and of three; if none is enough, as many as it takes, and "
    "fences. --time limits all of it together (60s).\n\n"
    "Exit status: 0 it holds with stronger orders (or as it is); 1 no memory order repairs it; "
    "2 usage, build or input error; 3 something is not decided; 4 internal error.\n\n"
    "Examples:\n"
    "  heddle repair queue.c\n"
    "  heddle repair --model=tso --time=5m lock.cc -O2\n"
    "  heddle repair --json queue_check.c --shape=2x2";

static error_t repair_parse(int key, char *text UNUSED, struct argp_state *state)
{
    RunOptions *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        for (int i = 0; i < 4; i++)
            state->child_inputs[i] = options;
        return 0;
    case ARGP_KEY_END:
        if (model_is_interleaved(options->explore.model))
            argp_error(state, "under %s memory orders make no difference: choose another --model",
                       model_word(options->explore.model));
        if (options->explore.schedules)
            argp_error(state, "a sample decides nothing: --schedules does not go with repair");
        if (options->explore.second_opinion)
            argp_error(state, "--second-opinion is for run and check");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Prints the answer. Returns the exit status, or -1 with ERROR if a file can't be written. */
static int repair_present(const Session *session, Answer *answer, Error *error)
{
    const OutputOptions *output = &session->options->output;
    if (!present_reports(session, answer, error))
        return -1;
    bool written = true;
    if (output->json) {
        written = repair_write_json(stdout, answer);
    } else {
        TextStyle style = text_style_for(stdout, output->ascii);
        style.all = output->all;
        repair_write_text(stdout, answer, &style);
    }
    if (!print_finish() || !written)
        return 2;
    Verdict verdict = repair_verdict(answer->repair);
    return verdict == VERDICT_HOLDS ? 0 : verdict == VERDICT_VIOLATED ? 1 : 3;
}

/* Explores the program as it is, then others. Returns the exit status, or -1. */
static int repair_session(Session *session, RunOptions *options, Answer *answer, Error *error)
{
    if (!session_has_main(session)) {
        session->command = "check";
        session->explore.check.enabled = options->explore.check.enabled = 1;
    }
    CheckOptions asked = session->explore.check;
    double start = process_seconds();
    double limit =
        options->explore.time_ms ? (double)options->explore.time_ms / 1e3 : DEFAULT_SECONDS;
    session->explore.time_ms = (uint64_t)(limit * 1e3);
    if (!session_explore(session, answer, error))
        return -1;
    session->explore.check = asked;
    Repair *repair = arena_new_of(session->arena, Repair);
    answer->repair = repair;
    if (answer->verdict == VERDICT_INCONCLUSIVE) {
        answer->repair = NULL;
        return present_answer(session, answer);
    }
    if (answer->verdict == VERDICT_HOLDS) {
        repair->end = REPAIR_HOLDS;
        return repair_present(session, answer, error);
    }
    RepairWish wish = {.seconds = MAX(limit - (process_seconds() - start), 0.1),
                       .most = MOST_ACCESSES};
    if (!repair_find(session, &wish, repair, error))
        return -1;
    return repair_present(session, answer, error);
}

int cmd_repair(int argc, char **argv)
{
    static const struct argp_child children[] = {
        {&options_check_argp, 0, "Tests of operations:", 5},
        {&options_explore_argp, 0, NULL, 0},
        {&options_build_argp, 0, NULL, 0},
        {&options_output_argp, 0, NULL, 0},
        {0}};
    static const struct argp parser = {NULL, repair_parse, "FILE...", doc, children, 0, 0};
    RunOptions options;
    options_init(&options);
    options.output.no_record = true;
    options.explore.check.annotated = 1; /* where there are annotations, they judge */
    options_take_compiler_words(&argc, argv, &options);
    /* as for `heddle weaken': lines and columns, and a frame for each function on the way */
    vec_push(&options.build.compile, "-g");
    vec_push(&options.build.compile, "-fno-optimize-sibling-calls");
    char name[] = "heddle repair";
    argv[0] = name;
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    Arena *arena = arena_new();
    Session session;
    Answer answer = {0};
    Error error = {0};
    int status = 2;
    if (options.journal || options.shards) {
        print_plain(stderr, "heddle: repair explores many programs: it takes neither --journal nor "
                            "--shard\n");
    } else {
        status = session_open(&session, arena, "run", &options, &error)
                     ? repair_session(&session, &options, &answer, &error)
                     : -1;
        if (status < 0)
            status = present_failure(&error);
        session_close(&session);
    }
    vec_free(&answer.remarks);
    arena_free(arena);
    options_free(&options);
    return status;
}
