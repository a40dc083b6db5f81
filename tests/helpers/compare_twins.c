/* compare_twins.c: does a reduced exploration reach what the plain one reaches?
 *
 *     compare_twins PROGRAM LIVENESS_TABLE MODEL FOLDER [RETURNED]
 *
 * For each line of standard input, a text for tests/twin/{waits,confirms,polls}.c, the program is
 * explored twice, with reads that confirm (guest/explore/reduce/confirm/confirm.h) and with
 * plain-search, without symmetry; final memories, and whether a thread can be stuck, must be equal,
 * and complete executions not be more. A memory with the value dead1 or dead2 is no outcome
 * (polls.c); the latter says that threads would have been stuck.
 *
 * With the address of what threads have returned, for tests/twin/looks.c: a violation must be found
 * by both or by none, and only what is returned counts of memories, since a cell that races is
 * among them where that was noticed. A third exploration, without any reductions, whose threads
 * give up after a few rounds, must find a violation if these do, and reach nothing else. An
 * exploration that takes long is not compared, nor are numbers of executions: which rounds are left
 * out depends on what was learnt of memory.
 *
 * Prints a line for each text that differs, then "N texts, M differ; executions blocked" of the
 * reduced explorations and of the plain ones, and how many texts were violated or not compared.
 * Exit status 1 if any differs. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Result {
    long executions, blocked, stuck;
    bool ended, violated;
    char *memories; /* sorted lines, each once */
} Result;

static const char *program, *table, *model, *folder;
static unsigned long returned; /* 0: all of memory counts */
#define RETURNED_BYTES 64

static char *read_all(int file)
{
    size_t used = 0, room = 4096;
    char *bytes = malloc(room);
    for (ssize_t got; (got = read(file, bytes + used, room - used - 1)) > 0;) {
        used += (size_t)got;
        if (used + 1 == room)
            bytes = realloc(bytes, room *= 2);
    }
    bytes[used] = 0;
    close(file);
    return bytes;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Of LINE, "ADDRESS=VALUE ADDRESS=VALUE .", leaves what threads have returned. */
static void keep_returned(char *line)
{
    char *to = line;
    for (char *word = line; *word;) {
        size_t bytes = strcspn(word, " ");
        bytes += word[bytes] == ' ';
        if (*word == '.' || strtoul(word, NULL, 16) - returned < RETURNED_BYTES) {
            memmove(to, word, bytes);
            to += bytes;
        }
        word += bytes;
    }
    *to = 0;
}

static char *sort_lines(char *text, long *stuck)
{
    size_t count = 0, room = 1, bytes = strlen(text);
    for (const char *at = text; *at; at++)
        room += *at == '\n';
    char **line = malloc(room * sizeof *line), *sorted = calloc(1, bytes + 2);
    for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) {
        *stuck += strstr(at, "=dead2 ") != NULL;
        if (strstr(at, "=dead1 ") || strstr(at, "=dead2 "))
            continue;
        if (returned)
            keep_returned(at);
        line[count++] = at;
    }
    qsort(line, count, sizeof *line, compare_lines);
    char *end = sorted;
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(line[i], line[i - 1]))
            end += sprintf(end, "%s\n", line[i]);
    free(line);
    free(text);
    return sorted;
}

static void explore(const char *text, const char *how, Result *out)
{
    char path[512], keys[1024];
    int ends[2];
    snprintf(path, sizeof path, "%s/memories", folder);
    unlink(path);
    snprintf(keys, sizeof keys, "eager-confirm,keep-going,liveness=%s,model=%s,outcomes=%s%s",
             table, model, path, how);
    if (pipe(ends))
        exit(2);
    pid_t child = fork();
    if (!child) {
        struct rlimit seconds = {returned ? 1 : 60, returned ? 1 : 60};
        setrlimit(RLIMIT_CPU, &seconds);
        setenv("HEDDLE_TWIN_PROGRAM", text, 1);
        setenv("HEDDLE_DEBUG", keys, 1);
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execl(program, program, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    char *said = read_all(ends[0]);
    waitpid(child, NULL, 0);
    long cut = 0;
    *out = (Result){.violated = !strncmp(said, "violated ", 9)};
    const char *form = out->violated ? "%*s %*s %ld executions %ld blocked %ld stuck %ld cut"
                                     : "%*s %ld executions %ld blocked %ld stuck %ld cut";
    out->ended =
        sscanf(said, form, &out->executions, &out->blocked, &out->stuck, &cut) == 4 && !cut;
    free(said);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    out->memories = file >= 0 ? sort_lines(read_all(file), &out->stuck) : calloc(1, 1);
}

/* Is each line of FEW one of MANY? Both are sorted. */
static bool has_all_lines(const char *many, const char *few)
{
    while (*few) {
        size_t bytes = strcspn(few, "\n") + 1;
        while (*many && strncmp(many, few, bytes) != 0)
            many += strcspn(many, "\n") + 1;
        if (!*many)
            return false;
        few += bytes;
    }
    return true;
}

/* Says how TEXT differs, unless SAME. */
static bool tell(const char *text, bool same, const Result *few, const char *name,
                 const Result *other)
{
    if (!same)
        printf("%s: %s%s%ld executions %ld stuck, %s %s%ld %ld\n", text,
               few->ended ? "" : "did not end: ", few->violated ? "violated " : "", few->executions,
               few->stuck, name, other->violated ? "violated " : "", other->executions,
               other->stuck);
    return same;
}

static bool is_same_as_plain(const char *text, const Result *few, const Result *all)
{
    if (returned && (!few->ended || !all->ended))
        return true;
    bool same = few->ended && all->ended && few->violated == all->violated;
    if (same && !few->violated)
        same = !few->stuck == !all->stuck && (returned || few->executions <= all->executions) &&
               !strcmp(few->memories, all->memories);
    return tell(text, same, few, "plain", all);
}

static bool is_same_unreduced(const char *text, const Result *few)
{
    Result every;
    explore(text, ",no-reductions,graph-symmetry=never", &every);
    bool same = !few->ended || !every.ended ||
                (few->violated == every.violated &&
                 (few->violated || has_all_lines(few->memories, every.memories)));
    tell(text, same, few, "without reductions", &every);
    free(every.memories);
    return same;
}

int main(int argc, char **argv)
{
    char text[512];
    long texts = 0, differ = 0, violated = 0, too_large = 0;
    Result sums[2] = {{0}, {0}};
    if (argc != 5 && argc != 6)
        return 2;
    program = argv[1], table = argv[2], model = argv[3], folder = argv[4];
    returned = argc == 6 ? strtoul(argv[5], NULL, 16) : 0;
    while (fgets(text, sizeof text, stdin)) {
        text[strcspn(text, "\n")] = 0;
        Result few, all;
        explore(text, ",plain-search,graph-symmetry=never", &all);
        explore(text, "", &few);
        bool same = is_same_as_plain(text, &few, &all);
        if (same && returned)
            same = is_same_unreduced(text, &few);
        fflush(stdout);
        texts++;
        differ += !same;
        violated += few.violated;
        too_large += !few.ended;
        sums[0].executions += few.executions, sums[0].blocked += few.blocked;
        sums[1].executions += all.executions, sums[1].blocked += all.blocked;
        free(few.memories);
        free(all.memories);
    }
    printf("%ld texts, %ld differ; %ld %ld, plain %ld %ld", texts, differ, sums[0].executions,
           sums[0].blocked, sums[1].executions, sums[1].blocked);
    if (returned)
        printf("; %ld violated, %ld too large", violated, too_large);
    printf("\n");
    return differ > 0;
}
