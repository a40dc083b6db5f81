/* compare_twins.c: does a reduced exploration reach what the plain one reaches? For each line of
 * standard input, a text for tests/twin/{waits,confirms,polls}.c, the program is explored twice,
 * with reads that confirm (guest/explore/confirm.h) and with plain-search, without symmetry; final
 * memories, and whether a thread can be stuck, must be equal, and complete executions not be more.
 * A memory with the value dead1 or dead2 is no outcome (polls.c); the latter says that threads
 * would have been stuck.
 *   compare_twins PROGRAM LIVENESS_TABLE MODEL FOLDER
 * Prints a line for each text that differs, then "N texts, M differ; executions blocked" of the
 * reduced explorations and of the plain ones. Exit status 1 if any differs. */
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
    char *memories; /* sorted lines, each once */
} Result;

static const char *program, *table, *model, *folder;

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

static char *sort_lines(char *text, long *stuck)
{
    size_t count = 0, room = 1, bytes = strlen(text);
    for (const char *at = text; *at; at++)
        room += *at == '\n';
    char **line = malloc(room * sizeof *line), *sorted = calloc(1, bytes + 2);
    for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n")) {
        *stuck += strstr(at, "=dead2 ") != NULL;
        if (!strstr(at, "=dead1 ") && !strstr(at, "=dead2 "))
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

/* False if the exploration did not end with its counts. */
static bool explore(const char *text, const char *how, Result *out)
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
        struct rlimit seconds = {60, 60};
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
    bool good = sscanf(said, "%*s %ld executions %ld blocked %ld stuck", &out->executions,
                       &out->blocked, &out->stuck) == 3;
    free(said);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    out->memories = file >= 0 ? sort_lines(read_all(file), &out->stuck) : calloc(1, 1);
    return good;
}

int main(int argc, char **argv)
{
    char text[512];
    long texts = 0, differ = 0;
    Result sums[2] = {{0}, {0}};
    if (argc != 5)
        return 2;
    program = argv[1], table = argv[2], model = argv[3], folder = argv[4];
    while (fgets(text, sizeof text, stdin)) {
        text[strcspn(text, "\n")] = 0;
        Result few, all;
        bool ended = explore(text, ",plain-search,graph-symmetry=never", &all);
        ended &= explore(text, "", &few);
        bool same = ended && !few.stuck == !all.stuck && few.executions <= all.executions &&
                    !strcmp(few.memories, all.memories);
        if (!same)
            printf("%s: %s%ld executions %ld stuck, plain %ld %ld\n", text,
                   ended ? "" : "did not end: ", few.executions, few.stuck, all.executions,
                   all.stuck);
        fflush(stdout);
        texts++;
        differ += !same;
        sums[0].executions += few.executions, sums[0].blocked += few.blocked;
        sums[1].executions += all.executions, sums[1].blocked += all.blocked;
        free(few.memories);
        free(all.memories);
    }
    printf("%ld texts, %ld differ; %ld %ld, plain %ld %ld\n", texts, differ, sums[0].executions,
           sums[0].blocked, sums[1].executions, sums[1].blocked);
    return differ > 0;
}
