/* commands.h: the subcommands, as one list: dispatch, help and the manual come from it. A command
 * lives in src/tool/cli/cmd_<name>.c, build/, init/, repair/, scale/ or serve/; the declarations
 * are weak, so that the tool links (and says so) without one. */
#ifndef HEDDLE_CLI_COMMANDS_H
#define HEDDLE_CLI_COMMANDS_H

/* X(name, arguments, what it does) */
#define COMMANDS(X)                                                                                \
    X(run, "[OPTION...] FILE...", "explore every execution of an ordinary program with a main()")  \
    X(check, "[OPTION...] FILE...", "check the operations that a test file declares")              \
    X(weaken, "[OPTION...] FILE...", "find out which memory orders are needed")                    \
    X(repair, "[OPTION...] FILE...", "find out which memory orders are missing")                   \
    X(history, "[OPTION...] LOG...", "check recorded histories")                                   \
    X(refine, "[OPTION...] MODEL", "quasi refinement of models")                                   \
    X(prove, "[OPTION...] MODEL", "prove linearizability for any number of threads")               \
    X(merge, "[OPTION...] PART...", "join the parts of a sharded exploration")                     \
    X(status, "[OPTION...] JOURNAL...", "tell how far a journal has come")                         \
    X(init, "[OPTION...] HEADER", "write a test file for what a header declares")                  \
    X(serve, "[OPTION...] JOURNAL...", "show explorations in a browser while they run")            \
    X(replay, "[OPTION...] RECORD", "run one recorded execution again")                            \
    X(report, "[OPTION...] RECORD...", "draw recorded executions as HTML pages")                   \
    X(completion, "SHELL", "print what bash, zsh or fish complete")
/* `heddle cc' and `heddle c++' (cmd_cc.c) take the words of gcc, not ours. */
int cmd_cc(int argc, char **argv);
int cmd_cxx(int argc, char **argv);

#define X(name, arguments, text) int cmd_##name(int argc, char **argv) __attribute__((weak));
COMMANDS(X)
#undef X

#endif
