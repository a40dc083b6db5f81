#include "tool/cli/options.h"
#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/print.h"
#include "base/str.h"
#include "record/layout.h"
#include "record/link.h"
#include "record/reductions.h"
#include "tool/cli/project/database.h"
#include "tool/cli/scale/ranks.h"

typedef struct Unit {
    const char *word;
    uint64_t factor;
} Unit;

/* A decimal number, perhaps with a fraction, and a unit. */
static bool parse_with_unit(const char *text, const Unit *units, size_t count, uint64_t *result)
{
    char *end;
    size_t digits = strspn(text, "0123456789.");
    if (!isdigit((unsigned char)text[0]) || text[digits] == 'x' || text[digits] == 'e')
        return false; /* strtod would take hexadecimal and powers, too */
    double number = strtod(text, &end);
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(end, units[i].word)) {
            double value = number * (double)units[i].factor;
            if (!(value >= 0 && value < 9e18))
                return false;
            *result = (uint64_t)value;
            return true;
        }
    return false;
}

bool options_parse_duration(const char *text, uint64_t *milliseconds)
{
    static const Unit units[] = {{"", 1000},   {"s", 1000},    {"ms", 1},
                                 {"m", 60000}, {"min", 60000}, {"h", 3600000}};
    return parse_with_unit(text, units, COUNT_OF(units), milliseconds);
}

bool options_parse_size(const char *text, uint64_t *bytes)
{
    static const Unit units[] = {{"", 1},         {"B", 1},          {"K", 1024},
                                 {"KB", 1024},    {"M", 1u << 20},   {"MB", 1u << 20},
                                 {"G", 1u << 30}, {"GB", 1u << 30},  {"T", 1ull << 40},
                                 {"KiB", 1024},   {"MiB", 1u << 20}, {"GiB", 1u << 30}};
    return parse_with_unit(text, units, COUNT_OF(units), bytes);
}

bool options_parse_count(const char *text, uint64_t most, uint64_t *count)
{
    int64_t value;
    if (!str_to_int64(str_of(text), &value) || value < 0 || (uint64_t)value > most)
        return false;
    *count = (uint64_t)value;
    return true;
}

bool options_parse_shape(const char *text, CheckOptions *check)
{
    unsigned threads, length, calls = 0;
    char rest;
    bool framed = sscanf(text, "%ux%u+%u%c", &threads, &length, &calls, &rest) == 3;
    if (!framed && sscanf(text, "%ux%u%c", &threads, &length, &rest) != 2)
        return false;
    if (!threads || !length || threads > 8 || length > 16 || calls > 32 ||
        threads * length + calls > 32)
        return false;
    check->framed = framed;
    check->main_calls = calls;
    check->threads = threads;
    check->length = length;
    return true;
}

/* Those that this process may run on. */
static uint32_t options_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return (uint32_t)MIN(MAX(count, 1), LINK_WORKERS);
}

void options_init(RunOptions *options)
{
    *options = (RunOptions){.checkpoints = -1, .hang_ms = 10000};
    options->explore = (ExploreOptions){.model = MODEL_DEFAULT,
                                        .races = RACES_DEFAULT,
                                        .reductions = REDUCTIONS_ALL,
                                        .checkpoints = 1,
                                        .jobs = options_processors(),
                                        .jobs_are_default = 1,
                                        .preemptions = -1,
                                        .loop_bound = 0,
                                        .memory_bytes = 2ull << 30};
}

bool options_parse_share(const char *text, uint32_t *shard, uint32_t *shards)
{
    char rest;
    if (sscanf(text, "%u/%u%c", shard, shards, &rest) != 2 || !*shard || *shard > *shards ||
        *shards > SHARES_MOST)
        return false;
    --*shard;
    return true;
}

bool options_allow_journal(const RunOptions *options, const char *what)
{
    const char *unfit = options->journal       ? "--journal"
                        : options->shards      ? "--shard"
                        : ranks_launched() > 1 ? "MPI"
                                               : NULL;
    if (unfit)
        print_plain(stderr, "heddle: %s does not go with %s: it is about one exploration\n", unfit,
                    what);
    return !unfit;
}

void options_take_unbounded(RunOptions *options, struct argp_state *state)
{
    if (options->explore.preemptions >= 0 || options->explore.schedules)
        argp_error(state, "--unbounded explores all states: --preemptions and --schedules do not "
                          "go with it");
    vec_push(&options->build.compile, TICKETS_DEFINITION);
    if (!options->explore.model_given)
        options->explore.model = MODEL_SC;
    uint32_t model = options->explore.model;
    if (!model_is_interleaved(model) && !model_drains_as_x86(model) && !model_forbids_races(model))
        argp_error(state, "--unbounded decides under sc, tso and, where all races are between "
                          "seq_cst accesses, rc11: leave --model out, or name one of these");
}

bool options_optimise(const RunOptions *options)
{
    const Words *compile = &options->build.compile;
    bool optimise = false;
    for (size_t i = 0; i < compile->count; i++)
        if (!strncmp(compile->at[i], "-O", 2))
            optimise = strcmp(compile->at[i], "-O0") != 0;
    return optimise;
}

void options_free(RunOptions *options)
{
    vec_free(&options->build.files);
    vec_free(&options->build.compile);
    vec_free(&options->build.link);
    vec_free(&options->typed);
    vec_free(&options->program_arguments);
    vec_free(&options->output.tests);
    if (options->arena)
        arena_free(options->arena);
    options->arena = NULL;
}

void options_take_compiler_words(int *argc, char **argv, RunOptions *options)
{
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        bool separate, link;
        if (!strcmp(argv[i], "--")) {
            for (i++; i < *argc; i++)
                vec_push(&options->program_arguments, argv[i]);
            break;
        }
        if (!compiler_wants(argv[i], &separate, &link)) {
            argv[kept++] = argv[i];
            continue;
        }
        /* -l and -L mean nothing to a compilation, and clang warns of them there */
        bool library = !strncmp(argv[i], "-l", 2) || !strncmp(argv[i], "-L", 2) ||
                       !strncmp(argv[i], "-Wl,", 4) || !strcmp(argv[i], "-Xlinker") ||
                       !strcmp(argv[i], "-rdynamic") || !strncmp(argv[i], "-static-lib", 11);
        for (int last = MIN(i + (separate ? 1 : 0), *argc - 1);; i++) {
            if (!library)
                vec_push(&options->build.compile, argv[i]);
            if (link)
                vec_push(&options->build.link, argv[i]);
            if (i == last)
                break;
        }
    }
    *argc = kept;
    argv[kept] = NULL;
}

enum {
    KEY_MODEL = 0x100,
    KEY_TIME,
    KEY_MEMORY,
    KEY_NO_REDUCTIONS,
    KEY_REDUCTIONS,
    KEY_SECOND_OPINION,
    KEY_PREEMPTIONS,
    KEY_SCHEDULES,
    KEY_SEED,
    KEY_SAMPLER,
    KEY_WEAK_CAS,
    KEY_RACES,
    KEY_RELEASE_SEQUENCES,
    KEY_TSO,
    KEY_EXIT_STATUS,
    KEY_UNINITIALISED,
    KEY_LEAKS,
    KEY_LOOP_BOUND,
    KEY_EVENT_BOUND,
    KEY_CHECKPOINTS,
    KEY_KEEP_GOING,
    KEY_RAND,
    KEY_CLOCK,
    KEY_SPURIOUS_WAKEUPS,
    KEY_STACK,
    KEY_HANG,
    KEY_JOURNAL,
    KEY_SHARD,
    KEY_SHARD_FROM,
    KEY_TRUST,
    KEY_CC,
    KEY_LINK
};

#define NAME_OF_REDUCTION(word, what, needs) " " #word
static const struct argp_option explore_options[] = {
    {0, 0, 0, 0, "What is explored:", 1},
    {"model", KEY_MODEL, "MODEL", 0,
     "Memory model, one of" MODEL_WORDS " (rc11 unless given); run: also imm", 0},
    {"races", KEY_RACES, "POLICY", 0,
     "error: a data race is an error in every model; ignore: in none, what races is explored as "
     "relaxed accesses (default: an error in rc11; explored in the others)",
     0},
    {"release-sequences", KEY_RELEASE_SEQUENCES, "RULE", 0,
     "What continues a release sequence in rc11: c11 (also later writes of the same thread) or "
     "c++20 (read-modify-writes alone) (default: by the -std= of the program)",
     0},
    {"tso", KEY_TSO, "RULES", 0,
     "What drains the store buffer in tso: x86 (the default: every locked instruction that "
     "compilers and the C library emit, so also seq_cst stores, failed compare-exchanges and "
     "unlocking) or axioms (seq_cst fences and read-modify-writes that succeed)",
     0},
    {"exit-status", KEY_EXIT_STATUS, "POLICY", 0,
     "error: a program that ends with a status other than 0 is in error (the default); ignore", 0},
    {"uninitialised", KEY_UNINITIALISED, "POLICY", 0,
     "error: an atomic read of heap memory that nothing has written is an error (the default); "
     "ignore: it goes on with what is there",
     0},
    {"leaks", KEY_LEAKS, "POLICY", 0,
     "note: what the first complete execution never frees is a note (the default); error: an "
     "execution that ends with memory that nothing points to is in error; ignore",
     0},
    {"weak-cas", KEY_WEAK_CAS, 0, 0, "A weak compare-exchange may also fail for no reason", 0},
    {"rand", KEY_RAND, "N[:M]", 0,
     "rand() and its like give each of 0 to N-1, and all of them are explored; with M, a thread "
     "gets "
     "others than 0 at most M times (default: one made-up sequence a thread)",
     0},
    {"clock", KEY_CLOCK, "HOW", 0,
     "virtual: each thread has a made-up clock of its own (the default); choose: one clock, whose "
     "readings come in any order, each later than all before it or equal to the last; choose:M, "
     "equal at most M times a thread",
     0},
    {"spurious-wakeups", KEY_SPURIOUS_WAKEUPS, "N", OPTION_ARG_OPTIONAL,
     "A wait on a condition variable may also end for no reason, N times a thread (1)", 0},
    {"no-reductions", KEY_NO_REDUCTIONS, 0, 0, "Visit every consistent execution graph; merge none",
     0},
    {"reductions", KEY_REDUCTIONS, "LIST", 0,
     "all (the default), none, or names of reductions, which bring those along that they rest on; "
     "-NAME is left out. Names:" REDUCTIONS(NAME_OF_REDUCTION),
     0},
    {"second-opinion", KEY_SECOND_OPINION, 0, 0,
     "What holds by executions is decided once more by states, or the other way round, in the time "
     "that is left; a disagreement is an internal error",
     0},
    {"preemptions", KEY_PREEMPTIONS, "N", 0, "Only executions with at most N preemptions", 0},
    {"schedules", KEY_SCHEDULES, "N", 0, "Sample N executions instead of exploring all", 0},
    {"sampler", KEY_SAMPLER, "NAME", 0, "How executions are sampled: pos (the default) or pct", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of all random decisions (0)", 0},
    {"loop-bound", KEY_LOOP_BOUND, "N", 0,
     "Give an execution up when a loop that only reads one place has gone N rounds (default: when "
     "it goes on for ever while nothing else changes)",
     0},
    {"event-bound", KEY_EVENT_BOUND, "N", 0,
     "Give an execution up when a thread has N events (8000; then once more with 500000)", 0},
    {"trust", KEY_TRUST, "PLACE", 0,
     "Code that heddle can't see at PLACE (FILE:LINE, a function or a library) does no harm: you "
     "answer for it, and the answer says so; may be repeated",
     0},
    {0, 0, 0, 0, "Limits:", 2},
    {"time", KEY_TIME, "TIME", 0, "Stop after TIME, e.g. 60s, 5m (no limit)", 0},
    {"memory", KEY_MEMORY, "SIZE", 0, "Stop when the program needs more memory, e.g. 500M (2G)", 0},
    {"hang", KEY_HANG, "TIME", 0, "Give up after TIME without any event (10s; 0: never)", 0},
    {"jobs", 'j', "N", 0, "Explore in N processes (as many as processors)", 0},
    {"journal", KEY_JOURNAL, "FILE", 0,
     "Write down in FILE what is left to do; the same command goes on from there", 0},
    {"shard", KEY_SHARD, "I/N", 0,
     "Explore the share I of N, and write its part of the answer to the journal "
     "(NAME.part-I-of-N); `heddle merge' joins the parts",
     0},
    {"shard-from", KEY_SHARD_FROM, "FILE", 0, "Begin with what `heddle merge' wrote into FILE", 0},
    {0, 0, 0, 0, "For experts:", 8},
    {"checkpoints", KEY_CHECKPOINTS, "WHEN", 0,
     "Backtrack by restoring stacks: auto, always, never", 0},
    {"keep-going", KEY_KEEP_GOING, 0, 0, "Go on counting after the first violation", 0},
    {"stack", KEY_STACK, "SIZE", 0, "Size of a thread's stack", 0},
    {0}};

static bool parse_word(const char *text, const char *const *words, uint32_t count, uint32_t *out)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(text, words[i])) {
            *out = i;
            return true;
        }
    return false;
}

/* WHAT is about answers that this process gives, of all executions. */
static void check_whole(const RunOptions *run, const char *what, struct argp_state *state)
{
    const ExploreOptions *options = &run->explore;
    const char *unfit = options->schedules          ? "--schedules"
                        : options->preemptions >= 0 ? "--preemptions"
                        : options->keep_going       ? "--keep-going"
                        : options->check.keep_going ? "--all"
                        : options->check.unbounded  ? "--unbounded"
                        : run->journal              ? "--journal"
                        : run->shards               ? "--shard"
                        : ranks_launched() > 1      ? "MPI"
                                                    : NULL;
    if (unfit)
        argp_error(state, "%s does not go with %s", what, unfit);
}

static error_t explore_parse(int key, char *text, struct argp_state *state)
{
    RunOptions *run = state->input;
    ExploreOptions *options = &run->explore;
    uint64_t number = 0;
    uint32_t word = 0;
    char rest;
    static const char *const policies[] = {"default", "error", "ignore"};
    static const char *const rules[] = {"default", "c11", "c++20"};
    static const char *const drains[] = {"x86", "axioms"};
    static const char *const blames[] = {"error", "ignore"};
    static const char *const leaks[] = {
        [LEAKS_NOTE] = "note", [LEAKS_ERROR] = "error", [LEAKS_IGNORE] = "ignore"};
    static const char *const samplers[] = {[SAMPLER_POS] = "pos", [SAMPLER_PCT] = "pct"};
    static const char *const whens[] = {"never", "always", "auto"};
    switch (key) {
    case KEY_MODEL:
        options->load_buffering = run->explores_imm && !strcmp(text, "imm"); /* beside rc11 */
        if (!model_from_word(options->load_buffering ? "rc11" : text, &options->model))
            argp_error(state, "unknown memory model `%s': it is one of" MODEL_WORDS, text);
        options->model_given = 1;
        break;
    case KEY_RACES:
        if (!parse_word(text, policies, COUNT_OF(policies), &options->races))
            argp_error(state, "--races is error or ignore, not `%s'", text);
        break;
    case KEY_RELEASE_SEQUENCES:
        if (!parse_word(text, rules, COUNT_OF(rules), &options->release_sequences))
            argp_error(state, "--release-sequences is c11 or c++20, not `%s'", text);
        break;
    case KEY_TSO:
        if (!parse_word(text, drains, COUNT_OF(drains), &options->tso_axioms))
            argp_error(state, "--tso is x86 or axioms, not `%s'", text);
        break;
    case KEY_EXIT_STATUS:
        if (!parse_word(text, blames, COUNT_OF(blames), &options->exit_status_ignored))
            argp_error(state, "--exit-status is error or ignore, not `%s'", text);
        break;
    case KEY_UNINITIALISED:
        if (!parse_word(text, blames, COUNT_OF(blames), &options->uninitialised_ignored))
            argp_error(state, "--uninitialised is error or ignore, not `%s'", text);
        break;
    case KEY_LEAKS:
        if (!parse_word(text, leaks, COUNT_OF(leaks), &options->leaks))
            argp_error(state, "--leaks is note, error or ignore, not `%s'", text);
        break;
    case KEY_CHECKPOINTS:
        if (!parse_word(text, whens, COUNT_OF(whens), &word))
            argp_error(state, "--checkpoints is auto, always or never, not `%s'", text);
        run->checkpoints = word == 2 ? -1 : (int)word;
        break;
    case KEY_WEAK_CAS:
        options->weak_cas = 1;
        break;
    case KEY_RAND:
        if (sscanf(text, "%u%c", &options->rand_values, &rest) != 1 &&
            sscanf(text, "%u:%u%c", &options->rand_values, &options->rand_others, &rest) != 2)
            options->rand_values = 0;
        if (!options->rand_values || options->rand_values > 1024)
            argp_error(state, "--rand=%s: a number of values from 1 to 1024, like 3, or 3:2", text);
        break;
    case KEY_CLOCK:
        options->clock_equals = 0;
        options->clock_chosen = strcmp(text, "virtual") != 0;
        if (options->clock_chosen && strcmp(text, "choose") &&
            (sscanf(text, "choose:%u%c", &options->clock_equals, &rest) != 1 ||
             !options->clock_equals))
            argp_error(state, "--clock is virtual, choose, or choose:M with M from 1 on, not `%s'",
                       text);
        break;
    case KEY_SPURIOUS_WAKEUPS:
        number = 1;
        if (text && !options_parse_count(text, 1000, &number))
            argp_error(state, "--spurious-wakeups wants a number, not `%s'", text);
        options->spurious_wakeups = (uint32_t)number;
        break;
    case KEY_NO_REDUCTIONS:
        options->reductions = 0;
        break;
    case KEY_REDUCTIONS:
        if (!reductions_parse(text, &options->reductions))
            argp_error(state, "--reductions is all, none or a list of names, not `%s'", text);
        break;
    case KEY_SECOND_OPINION:
        options->second_opinion = 1;
        break;
    case ARGP_KEY_END:
        if (options->second_opinion)
            check_whole(run, "--second-opinion", state);
        if (options->load_buffering)
            check_whole(run, "--model=imm", state);
        break;
    case KEY_KEEP_GOING:
        options->keep_going = 1;
        break;
    case KEY_PREEMPTIONS:
        if (!options_parse_count(text, 1000000, &number))
            argp_error(state, "--preemptions wants a number, not `%s'", text);
        options->preemptions = (int32_t)number;
        break;
    case KEY_SCHEDULES:
        if (!options_parse_count(text, UINT64_MAX / 2, &options->schedules) || !options->schedules)
            argp_error(state, "--schedules wants a positive number, not `%s'", text);
        break;
    case KEY_SAMPLER:
        if (!parse_word(text, samplers, COUNT_OF(samplers), &options->sampler))
            argp_error(state, "--sampler is pos or pct, not `%s'", text);
        break;
    case KEY_SEED:
        if (!options_parse_count(text, UINT64_MAX / 2, &options->seed))
            argp_error(state, "--seed wants a number, not `%s'", text);
        break;
    case KEY_LOOP_BOUND:
        if (!options_parse_count(text, UINT32_MAX / 2, &number) || !number)
            argp_error(state, "--loop-bound wants a positive number, not `%s'", text);
        options->loop_bound = (uint32_t)number;
        break;
    case KEY_EVENT_BOUND:
        if (!options_parse_count(text, EVENTS_OF_THREAD_LONG, &number) || !number)
            argp_error(state, "--event-bound wants a number from 1 to %u, not `%s'",
                       (unsigned)EVENTS_OF_THREAD_LONG, text);
        options->event_bound = (uint32_t)number;
        break;
    case KEY_TIME:
        if (!options_parse_duration(text, &options->time_ms) || !options->time_ms)
            argp_error(state, "--time wants a time such as 60s, 5m or 1500ms, not `%s'", text);
        break;
    case KEY_HANG:
        if (!options_parse_duration(text, &run->hang_ms))
            argp_error(state, "--hang wants a time such as 10s, not `%s'", text);
        break;
    case KEY_MEMORY:
        if (!options_parse_size(text, &options->memory_bytes) || options->memory_bytes < 1u << 20)
            argp_error(state, "--memory wants a size of at least 1M, such as 500M or 2G, not `%s'",
                       text);
        break;
    case KEY_TRUST: {
        size_t used = strlen(options->trust), room = sizeof options->trust - used;
        if (!*text || strchr(text, ',') ||
            (size_t)snprintf(options->trust + used, room, "%s%s", used ? "," : "", text) >= room)
            argp_error(state, "--trust wants a place such as queue.c:12 or a function, not `%s'",
                       text);
        break;
    }
    case KEY_STACK:
        if (!options_parse_size(text, &number) || number < 16384 || number > 1u << 30)
            argp_error(state, "--stack wants a size between 16K and 1G, not `%s'", text);
        options->stack_bytes = (uint32_t)number;
        break;
    case KEY_JOURNAL:
        if (!*text)
            argp_error(state, "--journal= names no file");
        run->journal = text;
        break;
    case KEY_SHARD_FROM:
        run->shard_from = text;
        break;
    case KEY_SHARD:
        if (!options_parse_share(text, &run->shard, &run->shards))
            argp_error(state, SHARE_WANTED, SHARES_MOST, text);
        break;
    case 'j':
        if (!options_parse_count(text, LINK_WORKERS, &number) || !number)
            argp_error(state, "--jobs wants a number between 1 and %d, not `%s'", LINK_WORKERS,
                       text);
        options->jobs = (uint32_t)number;
        options->jobs_are_default = 0;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_option build_options[] = {
    {0, 0, 0, 0, "How the program is built:", 3},
    {"cc", KEY_CC, "COMPILER", 0, "gcc or clang of any version, e.g. gcc-12 (gcc)", 0},
    {"project", 'p', "FOLDER", 0,
     "Take the flags of the files from FOLDER/compile_commands.json, as CMake and Meson write it",
     0},
    {"link", KEY_LINK, "WHAT", 0,
     "all: with -p, compile the other sources of the project at once, to link those that are "
     "needed "
     "(without: if the files do not link by themselves)",
     0},
    {0}};

/* The flags of the project come before those of the command line, which may take them back. */
static void take_project_flags(RunOptions *run, struct argp_state *state)
{
    Error error = {0};
    Words words = {0};
    DatabaseTaken taken = {0};
    for (size_t i = 0; i < run->build.compile.count; i++)
        vec_push(&run->typed, run->build.compile.at[i]);
    if ((run->project_own = run->link_all))
        return;
    run->arena = run->arena ? run->arena : arena_new();
    if (!database_flags(run->arena, run->project, &run->build.files, &words, &taken,
                        &run->project_own, &error)) {
        char text[1600];
        error_text(&error, text, sizeof text);
        argp_failure(state, 2, 0, "%s", text);
    }
    if (!run->output.quiet && !run->project_own) {
        print_plain(stderr, "heddle: flags of %zu file%s from %s/compile_commands.json",
                    taken.count + taken.near.count, taken.count + taken.near.count == 1 ? "" : "s",
                    run->project);
        for (size_t i = 0; i < taken.near.count; i++)
            print_plain(stderr, "%s%s", i ? ", " : " (", taken.near.at[i]);
        fputs(taken.near.count ? "):" : ":", stderr);
        for (size_t i = 0; i < words.count; i++)
            print_plain(stderr, " %s", words.at[i]);
        fputc('\n', stderr);
    }
    vec_free(&taken.near);
    for (size_t i = 0; i < run->build.compile.count; i++)
        vec_push(&words, run->build.compile.at[i]);
    vec_free(&run->build.compile);
    run->build.compile.at = words.at;
    run->build.compile.count = words.count;
    run->build.compile.capacity = words.capacity;
}

static error_t build_parse(int key, char *text, struct argp_state *state)
{
    RunOptions *run = state->input;
    switch (key) {
    case KEY_CC:
        run->build.cc = text;
        return 0;
    case 'p':
        run->project = text;
        return 0;
    case KEY_LINK:
        if (strcmp(text, "all") != 0)
            argp_error(state, "--link is all, not `%s'", text);
        run->link_all = true;
        return 0;
    case ARGP_KEY_SUCCESS:
        if (run->link_all && !run->project)
            argp_error(state, "--link=all takes the sources from the list that -p names");
        if (run->project && run->build.files.count)
            take_project_flags(run, state);
        return 0;
    case ARGP_KEY_ARG:
        vec_push(&run->build.files, text);
        return 0;
    case ARGP_KEY_NO_ARGS:
        run->no_files = true;
        if (!run->explore.check.enabled) /* `check' looks for a list of tests */
            argp_error(state, "no file is named");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp options_explore_argp = {explore_options, explore_parse, 0, 0, 0, 0, 0};
const struct argp options_build_argp = {build_options, build_parse, 0, 0, 0, 0, 0};

const char *options_bounds_text(Arena *arena, const ExploreOptions *options)
{
    Buffer text = {0};
    if (options->schedules)
        buffer_printf(&text, "%llu sampled executions (%s, seed %llu)",
                      (unsigned long long)options->schedules,
                      options->sampler == SAMPLER_PCT ? "pct" : "pos",
                      (unsigned long long)options->seed);
    if (options->preemptions >= 0)
        buffer_printf(&text, "%s at most %d preemption%s", text.count ? " with" : "executions with",
                      options->preemptions, options->preemptions == 1 ? "" : "s");
    const char *copy = text.count ? str_copy(arena, buffer_str(&text)) : NULL;
    vec_free(&text);
    return copy;
}
