/* cmd_run.c: `heddle run`: every execution of an ordinary program. */
#include <argp.h>
#include "tool/cli/commands.h"
#include "tool/cli/present.h"
#include "tool/cli/whole.h"

static const char doc[] =
    "Explore every execution of a threaded C or C++ program under a memory model, and report "
    "failed assertions, data races, deadlocks, misuse of memory and the like, each with the "
    "execution that shows it.\v"
    "-D -I -U -O -g -f -m -W -std -include -isystem -pthread -l -L go to the compiler and the "
    "linker; the "
    "default is -O0 -g. Words after `--' are the program's own arguments.\n\n"
    "Examples:\n"
    "  heddle run queue.c -DN=2\n"
    "  heddle run --model=tso --jobs=2 --time=5m lock.cc -O2\n"
    "  heddle run --json test.c queue.o -- 3 4";

enum { OPT_UNBOUNDED = 0x500 };

static error_t run_parse(int key, char *text UNUSED, struct argp_state *state)
{
    RunOptions *options = state->input;
    switch (key) {
    case OPT_UNBOUNDED:
        options->explore.check.unbounded = 1;
        return 0;
    case ARGP_KEY_END:
        if (options->explore.check.unbounded)
            options_take_unbounded(options, state);
        return 0;
    case ARGP_KEY_INIT:
        options->explores_imm = true;
        for (int i = 0; i < 3; i++)
            state->child_inputs[i] = state->input;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void options_parse_run(int argc, char **argv, RunOptions *options)
{
    static const struct argp_child children[] = {{&options_explore_argp, 0, NULL, 0},
                                                 {&options_build_argp, 0, NULL, 0},
                                                 {&options_output_argp, 0, NULL, 0},
                                                 {0}};
    static const struct argp_option own[] = {
        {"unbounded", OPT_UNBOUNDED, 0, 0,
         "For programs whose threads loop for ever: explore all states instead of executions", 0},
        {0}};
    static const struct argp parser = {own, run_parse, "FILE...", doc, children, 0, 0};
    options_take_compiler_words(&argc, argv, options);
    argp_parse(&parser, argc, argv, 0, NULL, options);
}

int cmd_run(int argc, char **argv)
{
    RunOptions options;
    char name[] = "heddle run";
    argv[0] = name;
    options_init(&options);
    options_parse_run(argc, argv, &options);
    return session_command("run", &options);
}
