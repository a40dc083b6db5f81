/* main.c: finds the subcommand and hands over. */
#include <argp.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/common.h"
#include "base/print.h"
#include "record/hooks.h"
#include "tool/cli/commands.h"
#include "tool/cli/scale/ranks.h"
#include "tool/cli/usage.h"

static void print_help(FILE *to)
{
    fprintf(to, "Usage: heddle COMMAND [OPTION...] FILE...\n"
                "Heddle checks concurrent C and C++ code.\n\nCommands:\n");
    for (size_t i = 0; i < usage_command_count; i++)
        if (usage_commands[i].run)
            fprintf(to, "  %-9s %s\n", usage_commands[i].name, usage_commands[i].text);
    fprintf(to,
            "\n`heddle help COMMAND' tells the options of a command; `man heddle' tells more.\n"
            "Exit status: 0 holds within the stated bounds, 1 violated, 2 usage or input error,\n"
            "3 inconclusive, 4 internal error.\n");
}

static int unknown_command(const char *name)
{
    const Command *nearest = NULL;
    size_t least = 3; /* farther names are no help */
    for (size_t i = 0; i < usage_command_count; i++) {
        size_t distance = str_distance(name, usage_commands[i].name);
        if (distance < least) {
            least = distance;
            nearest = &usage_commands[i];
        }
    }
    print_plain(stderr, "heddle: unknown command `%s'", name);
    if (nearest)
        print_plain(stderr, "; did you mean `%s'?\n", nearest->name);
    else
        fprintf(stderr, "; `heddle --help' lists the commands\n");
    return 2;
}

/* A caller may have closed stdin, stdout or stderr; files of ours must not take their numbers. */
static void keep_standard_files(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= 2);
    if (fd > 2)
        close(fd);
}

/* Compilers look for their own parts by PATH, which a poor environment does not have. */
static void keep_path(void)
{
    char path[256] = "";
    if (!getenv("PATH") && confstr(_CS_PATH, path, sizeof path) > 0)
        setenv("PATH", path, 1);
}

/* The command that runs, for the moment when argp refuses its words. */
static const Command *running;
static char **running_words;
static int running_count;

static void on_end(int status, void *unused)
{
    (void)unused;
    if (status == 2 && running)
        usage_suggest(running, running_count, running_words);
}

static int run_command(const Command *command, int argc, char **argv)
{
    static char help[] = "--help";
    char **words = calloc((size_t)argc + 1, sizeof *words); /* the command moves its own about */
    if (!words)
        die("out of memory");
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "-h"))
            argv[i] = help;
    for (int i = 0; i < argc; i++)
        words[i] = argv[i];
    running = command;
    running_words = words;
    running_count = argc;
    on_exit(on_end, NULL); /* argp ends the process by itself */
    int status = command->run(argc, argv);
    running = NULL;
    free(words);
    return status;
}

static const Command *find_command(const char *name)
{
    for (size_t i = 0; i < usage_command_count; i++)
        if (!strcmp(name, usage_commands[i].name))
            return &usage_commands[i];
    return NULL;
}

/* heddle-cc and heddle-c++ are other names of the tool, for builds that want a compiler in one
 * word. */
static int run_as_compiler(const char *self, int argc, char **argv)
{
    const char *slash = strrchr(self, '/'), *base = slash ? slash + 1 : self;
    if (!strcmp(base, "heddle-cc"))
        return cmd_cc(argc, argv);
    if (!strcmp(base, "heddle-c++"))
        return cmd_cxx(argc, argv);
    if (argc > 1 && !strcmp(argv[1], "cc"))
        return cmd_cc(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "c++"))
        return cmd_cxx(argc - 1, argv + 1);
    return -1;
}

/* argp ends the process after --help. Children that a command forks have nothing to say here. */
static pid_t whole;
static void finish(void)
{
    if (getpid() == whole && !print_finish())
        _exit(2);
}

int main(int argc, char **argv)
{
    keep_standard_files();
    keep_path();
    int status = run_as_compiler(argv[0], argc, argv); /* its words are not ours to look at */
    if (status >= 0)
        return status;
    ranks_be_silent();
    whole = getpid();
    atexit(finish);
    argp_err_exit_status = 2;
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    const char *name = argv[1];
    static char help[] = "--help";
    if (!strcmp(name, "help") && argc > 2) { /* heddle help run: heddle run --help */
        argv[1] = argv[2];
        argv[2] = help;
        name = argv[1];
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        print_help(stdout);
        return 0;
    }
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        print_plain(stdout, "heddle %s\n", HEDDLE_VERSION);
        return 0;
    }
    if (name[0] == '-') {
        print_plain(stderr,
                    "heddle: unknown option `%s'; options follow the command, as in "
                    "`heddle run %s FILE'\n",
                    name, name);
        return 2;
    }
    const Command *command = find_command(name);
    if (command && !command->run) {
        print_plain(stderr, "heddle: this build has no `%s' command\n", name);
        return 2;
    }
    Error error;
    if (command && !hooks_read(&error)) {
        print_plain(stderr, "heddle: %s\n", error.message);
        return 2;
    }
    if (command && ranks_launched() > 1 && strcmp(name, "run") && strcmp(name, "check")) {
        print_plain(stderr,
                    "heddle: %s does not go with MPI: each of the %ld tasks would do everything "
                    "(HEDDLE_RANKS=no lets them)\n",
                    name, ranks_launched());
        return 2;
    }
    if (command)
        return run_command(command, argc - 1, argv + 1);
    return unknown_command(name);
}
