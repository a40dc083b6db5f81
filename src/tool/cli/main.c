/* main.c: finds the subcommand and hands over. */
#include <argp.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/common.h"
#include "tool/cli/commands.h"
#include "tool/cli/scale/ranks.h"

typedef struct Command {
    const char *name, *arguments, *text;
    int (*run)(int argc, char **argv);
} Command;
static const Command commands[] = {
#define X(name, arguments, text) {#name, arguments, text, cmd_##name},
    COMMANDS(X)
#undef X
};

static void print_help(FILE *to)
{
    fprintf(to, "Usage: heddle COMMAND [OPTION...] FILE...\n"
                "Heddle checks concurrent C and C++ code.\n\nCommands:\n");
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        if (commands[i].run)
            fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].text);
    fprintf(to,
            "\n`heddle COMMAND --help' tells the options of a command; `man heddle' tells more.\n"
            "Exit status: 0 holds within the stated bounds, 1 violated, 2 usage or input error,\n"
            "3 inconclusive, 4 internal error.\n");
}

/* How many letters must be changed, added or dropped to make B out of A (both short). */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[32], columns = MIN(strlen(b), COUNT_OF(row) - 1);
    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = MIN(change, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[columns];
}

static int unknown_command(const char *name)
{
    const Command *nearest = NULL;
    size_t least = 3; /* farther names are no help */
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        size_t distance = edit_distance(name, commands[i].name);
        if (distance < least) {
            least = distance;
            nearest = &commands[i];
        }
    }
    fprintf(stderr, "heddle: unknown command `%s'", name);
    if (nearest)
        fprintf(stderr, "; did you mean `%s'?\n", nearest->name);
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

int main(int argc, char **argv)
{
    keep_standard_files();
    argp_err_exit_status = 2;
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        print_help(stdout);
        return 0;
    }
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        printf("heddle %s\n", HEDDLE_VERSION);
        return 0;
    }
    if (name[0] == '-') {
        fprintf(stderr,
                "heddle: unknown option `%s'; options follow the command, as in "
                "`heddle run %s FILE'\n",
                name, name);
        return 2;
    }
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        if (!strcmp(name, commands[i].name)) {
            if (commands[i].run && ranks_launched() > 1 && strcmp(name, "run") &&
                strcmp(name, "check")) {
                fprintf(stderr,
                        "heddle: %s does not go with MPI: each of the %ld tasks would do "
                        "everything (HEDDLE_RANKS=no lets them)\n",
                        name, ranks_launched());
                return 2;
            }
            if (commands[i].run)
                return commands[i].run(argc - 1, argv + 1);
            fprintf(stderr, "heddle: this build has no `%s' command\n", name);
            return 2;
        }
    return unknown_command(name);
}
