/* cmd_completion.c: `heddle completion`: what bash, zsh and fish complete. */
#include <argp.h>
#include <stdio.h>
#include <string.h>
#include "base/str.h"
#include "base/print.h"
#include "tool/cli/commands.h"
#include "tool/cli/usage.h"

static const char doc[] =
    "Print a script that completes the commands of heddle and their options in bash, zsh or "
    "fish.\v"
    "Examples:\n"
    "  heddle completion bash >/etc/bash_completion.d/heddle\n"
    "  heddle completion zsh >~/.zfunc/_heddle\n"
    "  heddle completion fish >~/.config/fish/completions/heddle.fish\n\n"
    "Exit status: 0 printed, 2 usage error.";

static error_t completion_parse(int key, char *text, struct argp_state *state)
{
    const char **shell = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (*shell)
            argp_error(state, "one shell at a time");
        if (strcmp(text, "bash") && strcmp(text, "zsh") && strcmp(text, "fish"))
            argp_error(state, "unknown shell `%s': it is bash, zsh or fish", text);
        *shell = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "bash, zsh or fish?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Inside single quotes; in zsh's lists a colon and a bracket mean something. */
static void print_quoted(const char *text, const char *special)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(special, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
}

static void print_bash(const Command *command, const UsageOptions *options)
{
    print_plain(stdout, "    %s) words='", command->name);
    for (size_t i = 0; i < options->count; i++)
        print_plain(stdout, "%s--%s%s", i ? " " : "", options->at[i].name,
                    options->at[i].needs_value ? "=" : "");
    printf("' ;;\n");
}

static void print_zsh(const Command *command, const UsageOptions *options)
{
    print_plain(stdout, "    %s) _arguments '*:file:_files'", command->name);
    for (size_t i = 0; i < options->count; i++) {
        const UsageOption *option = &options->at[i];
        print_plain(stdout, " \\\n        '--%s%s[", option->name,
                    option->needs_value   ? "="
                    : option->takes_value ? "=-"
                                          : "");
        print_quoted(option->text, "[]:");
        print_plain(stdout, "]%s'", option->takes_value ? ":value:_files" : "");
    }
    printf(" ;;\n");
}

static void print_fish(const Command *command, const UsageOptions *options)
{
    print_plain(stdout, "complete -c heddle -n __fish_use_subcommand -x -a %s -d '", command->name);
    print_quoted(command->text, "\\");
    printf("'\n");
    for (size_t i = 0; i < options->count; i++) {
        print_plain(stdout, "complete -c heddle -n '__fish_seen_subcommand_from %s' -l %s%s -d '",
                    command->name, options->at[i].name, options->at[i].needs_value ? " -r" : "");
        print_quoted(options->at[i].text, "\\");
        printf("'\n");
    }
}

static void print_names(const char *separator)
{
    for (size_t i = 0; i < usage_command_count; i++)
        print_plain(stdout, "%s%s", i ? separator : "", usage_commands[i].name);
}

static void print_begin(const char *shell)
{
    if (!strcmp(shell, "bash")) {
        printf("_heddle() {\n    local current=${COMP_WORDS[COMP_CWORD]} words=\n"
               "    COMPREPLY=()\n    case ${COMP_WORDS[1]} in\n");
    } else if (!strcmp(shell, "zsh")) {
        printf("#compdef heddle\nlocal -a commands\ncommands=(");
        for (size_t i = 0; i < usage_command_count; i++) {
            print_plain(stdout, " '%s:", usage_commands[i].name);
            print_quoted(usage_commands[i].text, ":");
            printf("'");
        }
        printf(")\nif ((CURRENT == 2)); then\n    _describe command commands\nelse\n"
               "    local name=$words[2]\n    shift words; ((CURRENT--))\n    case $name in\n");
    } else {
        printf(
            "complete -c heddle -n __fish_use_subcommand -x -a help -d 'tell about a command'\n");
    }
}

static void print_end(const char *shell)
{
    if (!strcmp(shell, "bash")) {
        printf("    help) words='");
        print_names(" ");
        printf("' ;;\n    esac\n    if [ \"$COMP_CWORD\" = 1 ]; then words='help ");
        print_names(" ");
        printf("'; fi\n"
               "    case $current in -*) ;; *) [ \"$COMP_CWORD\" = 1 ] || [ \"${COMP_WORDS[1]}\" = "
               "help ] || words= ;; esac\n"
               "    [ -z \"$words\" ] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
               "\"$current\")\n"
               "    case ${COMPREPLY[0]} in *=) compopt -o nospace ;; esac\n"
               "    return 0\n}\n"
               "complete -o default -F _heddle heddle\n");
    } else if (!strcmp(shell, "zsh")) {
        printf("    help) _describe command commands ;;\n    esac\nfi\n");
    }
}

int cmd_completion(int argc, char **argv)
{
    static const struct argp parser = {NULL, completion_parse, "SHELL", doc, 0, 0, 0};
    const char *shell = NULL;
    char name[] = "heddle completion";
    argv[0] = name;
    argp_parse(&parser, argc, argv, 0, NULL, &shell);
    Arena *arena = arena_new();
    print_begin(shell);
    for (size_t i = 0; i < usage_command_count; i++) {
        UsageOptions options = {0};
        usage_options(arena, &usage_commands[i], &options);
        if (!strcmp(shell, "bash"))
            print_bash(&usage_commands[i], &options);
        else if (!strcmp(shell, "zsh"))
            print_zsh(&usage_commands[i], &options);
        else
            print_fish(&usage_commands[i], &options);
        vec_free(&options);
    }
    print_end(shell);
    arena_free(arena);
    return print_finish() ? 0 : 2;
}
