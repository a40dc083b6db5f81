/* driver.c: the twin as a command.
 *
 *   twin generate SEED COUNT [EVENTS]      print random programs, one a line
 *   twin count [MODEL...]                  programs on stdin: how many executions each has
 *   twin list MODEL PROGRAM                its executions
 *   twin build CC SOURCE OUT [FLAG...]     an instrumented program that can be started many times
 *   twin compare MODEL FIRST COUNT [EVENTS] -- COMMAND...
 *       For each program of seeds FIRST .. FIRST+COUNT-1: run COMMAND with the program's text in
 *       HEDDLE_TWIN_PROGRAM and a file in HEDDLE_DEBUG (dump-graphs), and compare the lines that it
 * writes there with the enumerated executions. Prints each program that differs; exit status 1 if
 *       any does.
 *   twin races FIRST COUNT -- COMMAND...
 *       The same under rc11 for programs that hand over plain data; those with a data race in some
 *       execution must be reported as `violated race`, the others explored as before.
 *   twin wide MODEL FIRST COUNT [EVENTS] -- COMMAND...
 *       As compare (not rc11), for plain accesses to several locations at once that race.
 *   twin verdicts MODEL FIRST COUNT -- COMMAND...
 *       Programs with a block of the heap, plain and atomic accesses and frees, in which the
 * creator of the threads takes part. What the command reports must be possible by the axioms, and
 * if it reports nothing, nothing is and the executions are equal. With HEDDLE_DEBUG=confirm in the
 *       environment a violation must be confirmed by a replay.
 *   twin ends MODEL FIRST COUNT -- COMMAND...
 *       The same for programs that free a block when another thread has said that it is done.
 *   twin check MODEL PROGRAM -- COMMAND...
 *       The same for one program.
 *
 * Options before the subcommand: --cxx20 (release sequences), --x86-code (tso), --pure,
 * --preemptions=N (perform all interleavings with at most N preemptions, sc only).
 */
#include "build.h"
#include "enumerate.h"
#include "generate.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static TwinOptions options;

NORETURN static void usage(void)
{
    fprintf(stderr,
            "usage: twin [--cxx20] [--x86-code] [--pure]\n"
            "            generate SEED COUNT [EVENTS] | count [MODEL...] | list MODEL PROGRAM\n"
            "            | build CC SOURCE OUT [FLAG...]\n"
            "            | compare MODEL FIRST COUNT [EVENTS] -- COMMAND...\n"
            "            | wide MODEL FIRST COUNT [EVENTS] -- COMMAND...\n"
            "            | verdicts MODEL FIRST COUNT -- COMMAND...\n"
            "            | ends MODEL FIRST COUNT -- COMMAND...\n"
            "            | races FIRST COUNT -- COMMAND... | check MODEL PROGRAM -- COMMAND...\n");
    exit(2);
}
static MemoryModel model_of(const char *name)
{
    uint32_t model;
    if (!model_from_word(name, &model))
        usage();
    return (MemoryModel)model;
}
static void parse(const char *text, TwinProgram *program)
{
    const char *wrong = twin_parse(text, program);
    if (wrong) {
        fprintf(stderr, "twin: can't read `%s' at `%s'\n", text, wrong);
        exit(2);
    }
}

static void enumerate(const TwinProgram *program, TwinSet *set)
{
    if (options.interleave)
        twin_interleave(program, options.preemptions, set);
    else
        twin_enumerate(program, options, set);
}

static int generate(uint64_t seed, uint64_t count, int events)
{
    for (uint64_t i = 0; i < count; i++) {
        Buffer text = {0};
        twin_generate(seed + i, events, &text);
        puts(text.at);
        vec_free(&text);
    }
    return 0;
}

static int count(int argc, char **argv)
{
    static char *oracle[] = {"sc", "tso", "rc11"}; /* what tests/oracle/counts.csv has */
    if (!argc)
        argc = COUNT_OF(oracle), argv = oracle;
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    while ((length = getline(&line, &size, stdin)) > 0) {
        TwinProgram program;
        if (line[length - 1] == '\n')
            line[length - 1] = 0;
        if (!line[0])
            continue;
        parse(line, &program);
        for (int i = 0; i < argc; i++) {
            TwinSet set;
            options.model = model_of(argv[i]);
            enumerate(&program, &set);
            printf("%zu%s", set.lines.count, i + 1 < argc ? " " : "\n");
            twin_set_free(&set);
        }
    }
    free(line);
    return 0;
}

static int list(const char *model, const char *text)
{
    TwinProgram program;
    TwinSet set;
    parse(text, &program);
    options.model = model_of(model);
    enumerate(&program, &set);
    for (size_t i = 0; i < set.lines.count; i++)
        puts(set.lines.at[i]);
    twin_set_free(&set);
    return 0;
}

/* --- compare --------------------------------------------------------------------------------- */

/* Runs COMMAND, its output going to file OUTPUT; false if it could not be run or was killed. */
static bool run_command(char **command, const char *program, const char *dump, const char *output,
                        int *status)
{
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(out, 1);
        dup2(null, 2);
        setenv("HEDDLE_TWIN_PROGRAM", program, 1);
        const char *asked = getenv("HEDDLE_DEBUG");
        char hooks[4096];
        snprintf(hooks, sizeof hooks, "%s,dump-graphs=%s", asked ? asked : "", dump);
        setenv("HEDDLE_DEBUG", hooks, 1);
        execvp(command[0], command);
        _exit(127);
    }
    while (child > 0 && waitpid(child, status, 0) < 0)
        if (errno != EINTR)
            return false;
    return child > 0 && WIFEXITED(*status) && WEXITSTATUS(*status) != 127;
}

static void read_dump(const char *path, TwinSet *set)
{
    *set = (TwinSet){.arena = arena_new()};
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    while (file && (length = getline(&line, &size, file)) > 0) {
        if (line[length - 1] == '\n')
            line[--length] = 0;
        vec_push(&set->lines, arena_copy(set->arena, line, (size_t)length + 1));
    }
    if (file)
        fclose(file);
    free(line);
    twin_set_sort(set);
}

/* Prints what is in one of the sorted lists only, and what the command found twice. */
static size_t print_difference(const TwinSet *axioms, const TwinSet *found)
{
    size_t i = 0, j = 0, differences = 0;
    while (i < axioms->lines.count || j < found->lines.count) {
        int order = i == axioms->lines.count  ? 1
                    : j == found->lines.count ? -1
                                              : strcmp(axioms->lines.at[i], found->lines.at[j]);
        if (order < 0)
            printf("  missing  %s\n", axioms->lines.at[i]);
        else if (order > 0)
            printf("  %s %s\n",
                   j && !strcmp(found->lines.at[j], found->lines.at[j - 1]) ? "twice   "
                                                                            : "too many",
                   found->lines.at[j]);
        differences += order != 0;
        i += order <= 0;
        j += order >= 0;
    }
    return differences;
}

typedef struct Tally {
    uint64_t programs, executions, differ, skipped, wrong;
} Tally;

typedef struct Said { /* by the command */
    bool violated, race, late_use, double_free;
    bool unconfirmed; /* a violation that does not show again */
} Said;

static Said what_is_said(const char *path)
{
    char text[4096] = "";
    FILE *file = fopen(path, "r");
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
    }
    return (Said){.violated = strstr(text, "violated ") != NULL,
                  .race = strstr(text, "violated race") != NULL,
                  .late_use = strstr(text, "violated use-after-free") != NULL,
                  .double_free = strstr(text, "violated double-free") != NULL,
                  .unconfirmed = strstr(text, "unconfirmed") != NULL};
}

/* NULL, or what is wrong with the verdict. */
static const char *wrong_verdict(const TwinSet *axioms, Said said)
{
    if (said.unconfirmed)
        return " (the violation does not show again)";
    if (said.violated && !said.race && !said.late_use && !said.double_free)
        return " (a violation of another kind)";
    if ((said.race && !axioms->racy) || (said.late_use && !axioms->late_use) ||
        (said.double_free && !axioms->double_free))
        return said.race ? " (a race that is none)" : " (a use after free that is none)";
    if (!said.violated && (axioms->racy || axioms->late_use || axioms->double_free))
        return axioms->racy ? " (a race was missed)" : " (a use after free was missed)";
    return NULL;
}

/* One program; prints it if the sets differ. NAME says where it comes from. */
static void compare_program(const char *text, const char *name, char **command, Tally *tally)
{
    const char *folder = getenv("TMPDIR");
    char dump[4096], output[4096];
    TwinProgram program;
    TwinSet axioms, found;
    int status = 0;
    snprintf(dump, sizeof dump, "%s/heddle-twin-%ld", folder ? folder : "/tmp", (long)getpid());
    snprintf(output, sizeof output, "%s/heddle-twin-%ld.out", folder ? folder : "/tmp",
             (long)getpid());
    parse(text, &program);
    tally->programs++;
    enumerate(&program, &axioms);
    if (axioms.gave_up) {
        tally->skipped++;
        twin_set_free(&axioms);
        return;
    }
    unlink(dump);
    bool ran = run_command(command, text, dump, output, &status);
    read_dump(dump, &found);
    unlink(dump);
    tally->executions += axioms.lines.count;
    /* A violation ends the exploration: then its word is all that there is to compare. */
    Said said = what_is_said(output);
    unlink(output);
    tally->wrong += axioms.racy || axioms.late_use || axioms.double_free;
    const char *wrong = wrong_verdict(&axioms, said);
    bool equal = ran && !wrong && (said.violated || axioms.lines.count == found.lines.count);
    for (size_t i = 0; equal && !said.violated && i < found.lines.count; i++)
        equal = !strcmp(axioms.lines.at[i], found.lines.at[i]);
    if (!equal) {
        tally->differ++;
        printf("DIFFERS %s %s: %zu executions, %zu expected%s%s\n  %s\n", model_word(options.model),
               name, found.lines.count, axioms.lines.count, ran ? "" : " (the command failed)",
               wrong ? wrong : "", text);
        if (!wrong)
            print_difference(&axioms, &found);
        fflush(stdout);
    }
    twin_set_free(&found);
    twin_set_free(&axioms);
}

typedef enum Shape { SHAPE_FREE, SHAPE_HANDOVER, SHAPE_WIDE, SHAPE_LIVES, SHAPE_ENDS } Shape;

static int compare(uint64_t first, uint64_t programs, int events, Shape shape, char **command)
{
    Tally tally = {0};
    options.most_graphs = 300000; /* a few seconds; such programs are rare and counted */
    for (uint64_t seed = first; seed < first + programs; seed++) {
        Buffer text = {0};
        char name[32];
        snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
        if (shape == SHAPE_HANDOVER)
            twin_generate_handover(seed, &text);
        else if (shape == SHAPE_WIDE)
            twin_generate_wide(seed, events, &text);
        else if (shape == SHAPE_LIVES)
            twin_generate_lives(seed, &text);
        else if (shape == SHAPE_ENDS)
            twin_generate_ends(seed, &text);
        else
            twin_generate(seed, events, &text);
        compare_program(text.at, name, command, &tally);
        vec_free(&text);
    }
    printf("%s: %llu programs, %llu executions, %llu wrong, %llu differ, %llu too large\n",
           model_word(options.model), (unsigned long long)tally.programs,
           (unsigned long long)tally.executions, (unsigned long long)tally.wrong,
           (unsigned long long)tally.differ, (unsigned long long)tally.skipped);
    return tally.differ != 0;
}

int main(int argc, char **argv)
{
    int at = 1;
    for (; at < argc && !strncmp(argv[at], "--", 2); at++)
        if (!strcmp(argv[at], "--cxx20"))
            options.axioms.release_sequence_cxx20 = true;
        else if (!strcmp(argv[at], "--x86-code"))
            options.axioms.x86_code = true;
        else if (!strcmp(argv[at], "--pure"))
            options.pure = true;
        else if (!strncmp(argv[at], "--preemptions=", 14))
            options.interleave = true, options.preemptions = atoi(argv[at] + 14);
        else
            usage();
    argc -= at;
    argv += at;
    if (argc >= 3 && !strcmp(argv[0], "generate"))
        return generate(strtoull(argv[1], NULL, 0), strtoull(argv[2], NULL, 0),
                        argc > 3 ? atoi(argv[3]) : 8);
    if (argc >= 1 && !strcmp(argv[0], "count"))
        return count(argc - 1, argv + 1);
    if (argc >= 4 && !strcmp(argv[0], "build"))
        return twin_build(argv[1], argv[2], argv[3], argv + 4) ? 0 : 2;
    if (argc == 3 && !strcmp(argv[0], "list"))
        return list(argv[1], argv[2]);
    if (argc >= 6 && (!strcmp(argv[0], "compare") || !strcmp(argv[0], "wide"))) {
        bool has_events = strcmp(argv[4], "--") != 0;
        options.model = model_of(argv[1]);
        return compare(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0),
                       has_events ? atoi(argv[4]) : 8, argv[0][0] == 'w' ? SHAPE_WIDE : SHAPE_FREE,
                       argv + (has_events ? 6 : 5));
    }
    if (argc >= 5 && !strcmp(argv[0], "races") && !strcmp(argv[3], "--")) {
        options.model = MODEL_RC11;
        return compare(strtoull(argv[1], NULL, 0), strtoull(argv[2], NULL, 0), 0, SHAPE_HANDOVER,
                       argv + 4);
    }
    if (argc >= 6 && (!strcmp(argv[0], "verdicts") || !strcmp(argv[0], "ends")) &&
        !strcmp(argv[4], "--")) {
        options.model = model_of(argv[1]);
        return compare(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0), 0,
                       argv[0][0] == 'e' ? SHAPE_ENDS : SHAPE_LIVES, argv + 5);
    }
    if (argc >= 5 && !strcmp(argv[0], "check") && !strcmp(argv[3], "--")) {
        Tally tally = {0};
        options.model = model_of(argv[1]);
        compare_program(argv[2], "program", argv + 4, &tally);
        return tally.differ != 0;
    }
    usage();
}
