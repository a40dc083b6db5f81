#include "tool/cli/usage.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/print.h"
#include "base/str.h"
#include "tool/cli/commands.h"

const Command usage_commands[] = {
#define X(name, arguments, text) {#name, arguments, text, cmd_##name},
    COMMANDS(X)
#undef X
        {"cc", "WORD...", "compile C as gcc does, for `heddle run ./program'", cmd_cc},
    {"c++", "WORD...", "compile C++ as g++ does, for `heddle run ./program'", cmd_cxx},
};
const size_t usage_command_count = COUNT_OF(usage_commands);

/* Returns what the command prints for --help. */
static void read_help(const Command *command, Buffer *text)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        char name[64], help[] = "--help", *words[] = {name, help, NULL};
        snprintf(name, sizeof name, "%s", command->name);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        setenv("ARGP_HELP_FMT", "rmargin=1000", 1); /* a description on one line */
        _exit(command->run(2, words));
    }
    close(ends[1]);
    char piece[4096];
    ssize_t got;
    while (child > 0 && (got = read(ends[0], piece, sizeof piece)) > 0)
        buffer_append(text, piece, (size_t)got);
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
}

/* "  -j, --jobs=N    Explore in N processes" */
static bool read_option(Arena *arena, Str line, UsageOption *out)
{
    line = str_trim(line);
    if (line.length > 4 && line.at[0] == '-' && line.at[1] != '-' && line.at[2] == ',')
        line = str_trim((Str){line.at + 3, line.length - 3});
    if (!str_starts(line, STR("--")))
        return false;
    size_t length = 2;
    while (length < line.length &&
           (isalnum((unsigned char)line.at[length]) || line.at[length] == '-'))
        length++;
    char after = length < line.length ? line.at[length] : ' ';
    size_t words = length;
    while (words < line.length && line.at[words] != ' ')
        words++;
    *out = (UsageOption){
        .name = str_copy(arena, (Str){line.at + 2, length - 2}),
        .takes_value = after == '=' || after == '[',
        .needs_value = after == '=',
        .text = str_copy(arena, str_trim((Str){line.at + words, line.length - words}))};
    return length > 2;
}

void usage_options(Arena *arena, const Command *command, UsageOptions *out)
{
    Buffer text = {0};
    if (command->run)
        read_help(command, &text);
    Str rest = buffer_str(&text), line;
    while (rest.length && str_next(&rest, '\n', &line)) {
        UsageOption option;
        if (line.length > 2 && line.at[0] == ' ' && read_option(arena, line, &option))
            vec_push(out, option);
    }
    vec_free(&text);
}

/* The option of OPTIONS that WORD is nearest to; NULL if none is near. *known: it is one, or begins
 * one. */
static const char *nearest_option(const UsageOptions *options, const char *word, bool *known)
{
    const char *nearest = NULL;
    size_t least = 3;
    *known = false;
    for (size_t k = 0; k < options->count && !*known; k++) {
        size_t distance = str_distance(word, options->at[k].name);
        *known = !strncmp(options->at[k].name, word, strlen(word));
        if (distance < least) {
            least = distance;
            nearest = options->at[k].name;
        }
    }
    return *known ? NULL : nearest;
}

/* The first command other than COMMAND that has the option WORD, or NULL. */
static const Command *other_command(Arena *arena, const Command *command, const char *word)
{
    for (size_t i = 0; i < usage_command_count; i++) {
        UsageOptions options = {0};
        bool has = false;
        if (&usage_commands[i] == command || !usage_commands[i].run)
            continue;
        usage_options(arena, &usage_commands[i], &options);
        for (size_t k = 0; k < options.count; k++)
            has |= !strcmp(options.at[k].name, word);
        vec_free(&options);
        if (has)
            return &usage_commands[i];
    }
    return NULL;
}

void usage_suggest(const Command *command, int argc, char **argv)
{
    Arena *arena = arena_new();
    UsageOptions options = {0};
    usage_options(arena, command, &options);
    for (int i = 0; i < argc && argv[i] && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0)
            continue;
        const char *word =
            arena_printf(arena, "%.*s", (int)MIN(strcspn(argv[i] + 2, "="), 60u), argv[i] + 2);
        bool known;
        const char *nearest = nearest_option(&options, word, &known);
        const Command *other = known ? NULL : other_command(arena, command, word);
        if (other) {
            print_plain(stderr, "heddle: --%s is an option of `heddle %s'\n", word, other->name);
            continue;
        }
        if (nearest)
            print_plain(stderr, "heddle: there is no --%s; did you mean --%s?\n", word, nearest);
    }
    vec_free(&options);
    arena_free(arena);
}
