/* usage.h: the commands and their options as data, for completion and for "did you mean". There is
 * one list of options, the tables that argp parses by; a command is asked for its --help in a child
 * process, and the options are read off it. */
#ifndef HEDDLE_CLI_USAGE_H
#define HEDDLE_CLI_USAGE_H
#include "base/arena.h"
#include "base/vec.h"

typedef struct Command {
    const char *name, *arguments, *text;
    int (*run)(int argc, char **argv);
} Command;
extern const Command usage_commands[];
extern const size_t usage_command_count;

typedef struct UsageOption {
    const char *name; /* without the dashes */
    bool takes_value, needs_value;
    const char *text; /* the first line of its description */
} UsageOption;
typedef Vec(UsageOption) UsageOptions;

/* The long options of COMMAND. They live in the arena; the caller frees the vector. */
void usage_options(Arena *arena, const Command *command, UsageOptions *out);
/* Prints the nearest option for each word of ARGV that is none; for the end of a command that argp
 * has refused. */
void usage_suggest(const Command *command, int argc, char **argv);
#endif
