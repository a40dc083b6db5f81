/* options.h: command-line options that several commands share, as argp parsers to be used as
 * children, and the sorting out of words that are meant for the compiler. */
#ifndef HEDDLE_CLI_OPTIONS_H
#define HEDDLE_CLI_OPTIONS_H
#include <argp.h>
#include "record/options.h"
#include "tool/instrument/build.h"

typedef struct OutputOptions {
    bool json;
    bool show_output; /* the program's own output goes to stderr */
    bool ascii;
    bool quiet; /* no progress */
    bool no_record;
    bool all;           /* every step of an execution */
    uint64_t most;      /* steps of an execution; 0: as text.h says */
    const char *record; /* where to save a violation; NULL: beside the user, by the source's name */
    const char *junit, *sarif, *html;
    const char *baseline;       /* a SARIF log with violations that are known, or NULL */
    struct SarifLog *sarif_log; /* of several tests: where to add this one, or NULL */
    bool lines;                 /* what editors jump by, instead of text */
    bool brief;                 /* the verdict and its bounds only */
    const char *config;         /* of a project; NULL: heddle.toml */
    const char *cache;          /* folder for what failed; NULL: nothing is kept */
    Words tests;                /* of a project: only these */
    bool trust_project;         /* its list of tests may ask for anything */
    const char **details;       /* if not NULL: where to leave the report as plain text */
} OutputOptions;

/* Everything that a command which explores a program needs. */
typedef struct RunOptions {
    ExploreOptions explore;
    bool relax; /* --relax=auto */
    BuildRequest build;
    OutputOptions output;
    Words program_arguments; /* what follows "--" */
    const char *project;     /* folder of compile_commands.json, or NULL */
    Words typed;             /* with a project: the user's words for the compiler alone */
    bool project_own;        /* its flags are applied file by file, when the program is built */
    bool link_all;           /* of its sources, link what is needed */
    Arena *arena;            /* for words that were made, not typed; or NULL */
    uint64_t hang_ms;        /* no sign of life for that long: given up */
    int checkpoints;         /* -1: as the program allows */
    bool no_files;           /* check: none was named */
    bool explores_imm;       /* run: --model=imm is a model */
    bool no_repair;          /* a violation is told alone, without orders that would mend it */
    const char *journal;     /* where the work that is left is written down, or NULL */
    const char *shard_from;  /* what the shares have learnt, or NULL */
    uint32_t shard, shards;  /* 0 <= shard < shards: only this share; 0 shards: all */
} RunOptions;

extern const struct argp options_explore_argp; /* input: RunOptions *, fills .explore */
extern const struct argp options_build_argp;   /* input: RunOptions *, fills .build */
extern const struct argp options_output_argp;  /* input: RunOptions *, fills .output */
extern const struct argp
    options_print_argp; /* its part that needs no violation: no reports, no records */
extern const struct argp options_check_argp; /* input: RunOptions *, fills .explore.check */

void options_init(RunOptions *options);
#define SHARES_MOST 65536
#define SHARE_WANTED "--shard wants I/N with 1 <= I <= N <= %d, like 3/16, not `%s'"
/* Reads "3/16", the third of 16 shares: *SHARD counts from 0. */
MUST_USE bool options_parse_share(const char *text, uint32_t *shard, uint32_t *shards);
/* False, with the reason on stderr, if a journal or a share is asked of WHAT, which explores more
 * than one program. */
bool options_allow_journal(const RunOptions *options, const char *what);
/* --unbounded was given: states instead of executions, under sc unless another model is asked for.
 * What does not go with it ends the command. */
void options_take_unbounded(RunOptions *options, struct argp_state *state);
/* Takes the compiler's words and what follows "--" out of argv; argp sees the rest. */
void options_take_compiler_words(int *argc, char **argv, RunOptions *options);
void options_free(RunOptions *options);
bool options_optimise(const RunOptions *options); /* are the sources compiled with -O1 or more? */
/* The words of `heddle check' and `heddle run' behind argv[0], which messages start with. A word
 * that makes no sense ends the program with status 2, as argp does. (cmd_check.c, cmd_run.c) */
void options_parse_check(int argc, char **argv, RunOptions *options);
void options_parse_run(int argc, char **argv, RunOptions *options);

/* "90", "90s", "1500ms", "2m", "1h" */
MUST_USE bool options_parse_duration(const char *text, uint64_t *milliseconds);
/* "512", "64K", "100M", "2G" (powers of 1024; "MB" and "MiB" mean "M") */
MUST_USE bool options_parse_size(const char *text, uint64_t *bytes);
MUST_USE bool options_parse_count(const char *text, uint64_t most, uint64_t *count);
/* "3x3": threads x calls, or "2x2+4": with so many calls of main. At most 8x16, and 32 calls in
 * all. */
MUST_USE bool options_parse_shape(const char *text, CheckOptions *check);
/* Says what limits the search, in words, or NULL if nothing does. */
const char *options_bounds_text(Arena *arena, const ExploreOptions *options);
#endif
