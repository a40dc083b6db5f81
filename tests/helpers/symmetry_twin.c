/* symmetry_twin.c: are the executions that symmetry leaves (guest/explore/reduce/symmetry/copies.c)
 * those of the search without it, up to exchanges of equal threads? For each line of standard
 * input, a text for tests/twin/interp.c (threads between bars) or tests/twin/locks.c and blocks.c
 * (between blanks), the program is explored twice. Every complete execution, as dump-graphs writes
 * it, is replaced by the least text that exchanges of neighbouring threads with equal words make of
 * it; the two sets of least texts must be equal, and of the reduced search no text may come twice.
 * Likewise whether threads can be stuck. A text that neither search ends, since it misuses a lock,
 * is left out. symmetry_twin PROGRAM MODEL FOLDER [KEYS-OF-THE-PLAIN-SEARCH [KEYS-OF-BOTH [apart]]]
 * apart: the texts tell threads apart, so their executions may come more than once.
 * Prints a line for each text that differs, then "N texts, M differ, D twice, L left out;
 * executions with, without". Exit status 1 if any differs. */
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

enum { MOST_THREADS = 10, MOST_TURNS = 5040, MOST_SEGMENTS = 64 };

static const char *program, *model, *folder, *of_plain = "", *of_both = "";
static int turns[MOST_TURNS][MOST_THREADS + 1], turn_count; /* thread to thread */

typedef struct Result {
    long executions, blocked, stuck, twice;
    char *texts; /* sorted lines, each once */
} Result;

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

/* Enters all permutations of threads T.. that stay within their groups. */
static void add_turns(int t, int count, const int *group, int *turn, unsigned used)
{
    if (t > count) {
        if (turn_count < MOST_TURNS)
            memcpy(turns[turn_count++], turn, sizeof turns[0]);
        return;
    }
    for (int to = 1; to <= count; to++)
        if (group[to] == group[t] && !(used >> to & 1)) {
            turn[t] = to;
            add_turns(t + 1, count, group, turn, used | 1u << to);
        }
}

/* The groups of neighbouring threads with equal words. */
static void find_turns(const char *text)
{
    char copy[4096], separator[2] = {strchr(text, '|') || strchr(text, ';') ? '|' : ' ', 0};
    char *last = NULL, *rest = copy;
    int count = 0, group[MOST_THREADS + 1] = {0}, turn[MOST_THREADS + 1] = {0};
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word; (word = strsep(&rest, separator)) && count < MOST_THREADS;) {
        char *colon = strchr(word, ':');
        if (colon && separator[0] == '|')
            continue; /* main's part, or initial values */
        count++;
        group[count] = last && !strcmp(last, word) ? group[count - 1] : count;
        last = word;
    }
    turn_count = 0;
    add_turns(1, count, group, turn, 0);
}

/* Copies the events of one segment, with the numbers of threads in "N.i" exchanged. */
static char *put_events(char *to, const char *from, const int *turn, bool all)
{
    while (*from) {
        bool number = all ? from[-1] == ' ' : from[-1] == '@' && *from != 'i';
        if (number) {
            char *end;
            long t = strtol(from, &end, 10);
            to += sprintf(to, "%d", t >= 1 && t <= MOST_THREADS && turn[t] ? turn[t] : (int)t);
            from = end;
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
    return to;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What TURN makes of LINE, a text of an execution. */
static void exchange(const char *line, const int *turn, char *out)
{
    char copy[8192], *rest = copy, *of[MOST_THREADS + 2] = {NULL}, *others[MOST_SEGMENTS];
    int other_count = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *part; rest && *rest;) {
        part = rest;
        char *end = strstr(part, "; ");
        rest = end ? end + 2 : NULL;
        if (end)
            *end = 0;
        int t = *part == 'T' ? atoi(part + 1) : -1;
        if (t >= 0 && t <= MOST_THREADS)
            of[t && turn[t] ? turn[t] : t] = part;
        else if (other_count < MOST_SEGMENTS)
            others[other_count++] = part;
    }
    char *to = out;
    *to = 0;
    for (int t = 0; t <= MOST_THREADS; t++)
        if (of[t])
            to = put_events(to + sprintf(to, "T%d:", t), strchr(of[t], ':') + 1, turn, false),
            to += sprintf(to, "; ");
    /* a location is known by its writes: its number may depend on who allocated it */
    char orders[MOST_SEGMENTS][512], *sorted[MOST_SEGMENTS];
    for (int i = 0; i < other_count; i++) {
        sorted[i] = orders[i];
        orders[i][0] = ':';
        put_events(orders[i] + 1, strchr(others[i], ':') + 1, turn, true);
    }
    qsort(sorted, (size_t)other_count, sizeof *sorted, compare_lines);
    for (int i = 0; i < other_count; i++)
        to += sprintf(to, "%s; ", sorted[i]);
}

static char *least(const char *line)
{
    char *best = NULL, text[16384];
    for (int i = 0; i < turn_count; i++) {
        exchange(line, turns[i], text);
        if (best && strcmp(text, best) >= 0)
            continue;
        free(best);
        best = strdup(text);
    }
    return best;
}

static char *least_texts(char *all, long *twice)
{
    size_t count = 0, room = 1, bytes = 1;
    for (const char *at = all; *at; at++)
        room += *at == '\n';
    char **line = malloc(room * sizeof *line);
    for (char *at; (at = strsep(&all, "\n")) && all;)
        bytes += strlen(line[count++] = least(at)) + 1;
    qsort(line, count, sizeof *line, compare_lines);
    char *sorted = calloc(1, bytes), *end = sorted;
    *twice = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && !strcmp(line[i], line[i - 1]))
            ++*twice;
        else
            end += sprintf(end, "%s\n", line[i]);
    }
    for (size_t i = 0; i < count; i++)
        free(line[i]);
    free(line);
    return sorted;
}

/* False if the exploration did not end with its counts. */
static bool explore(const char *text, const char *how, Result *out)
{
    char path[512], keys[1024];
    int ends[2];
    snprintf(path, sizeof path, "%s/graphs", folder);
    unlink(path);
    snprintf(keys, sizeof keys, "keep-going,model=%s,dump-graphs=%s,%s,%s", model, path, of_both,
             how);
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
    char *all = file >= 0 ? read_all(file) : calloc(1, 1);
    out->texts = least_texts(all, &out->twice);
    free(all);
    return good;
}

int main(int argc, char **argv)
{
    char text[4096], plain_keys[512];
    long texts = 0, differ = 0, twice = 0, left_out = 0;
    uint64_t with = 0, without = 0;
    if (argc < 4 || argc > 7)
        return 2;
    program = argv[1], model = argv[2], folder = argv[3];
    of_plain = argc > 4 ? argv[4] : "", of_both = argc > 5 ? argv[5] : "";
    bool apart = argc > 6 && !strcmp(argv[6], "apart");
    snprintf(plain_keys, sizeof plain_keys, "graph-symmetry=never,%s", of_plain);
    while (fgets(text, sizeof text, stdin)) {
        text[strcspn(text, "\n")] = 0;
        Result few = {0}, all = {0};
        find_turns(text);
        bool plain_ended = explore(text, plain_keys, &all), ended = explore(text, "", &few);
        if (!plain_ended && !ended) { /* misuse of a lock, which no search goes beyond */
            left_out++;
            continue;
        }
        bool same = ended && plain_ended && !few.stuck == !all.stuck &&
                    few.executions <= all.executions && !strcmp(few.texts, all.texts);
        if (!same)
            printf("%s: %s%ld executions %ld stuck, without symmetry %ld %ld\n", text,
                   ended && plain_ended ? "" : "did not end: ", few.executions, few.stuck,
                   all.executions, all.stuck);
        else if (few.twice && !apart)
            printf("%s: %ld executions twice\n", text, few.twice);
        fflush(stdout);
        texts++;
        differ += !same || (few.twice && !apart);
        twice += few.twice;
        with += (uint64_t)few.executions;
        without += (uint64_t)all.executions;
        free(few.texts);
        free(all.texts);
    }
    printf("%ld texts, %ld differ, %ld twice, %ld left out; executions %llu, without symmetry "
           "%llu\n",
           texts, differ, twice, left_out, (unsigned long long)with, (unsigned long long)without);
    return differ > 0 || !texts;
}
