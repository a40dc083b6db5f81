/* futex_twin.c: do explorations reach what interleaving reaches, where threads wait by futex? For
 * each line of standard input, a text for tests/twin/futexes.c, all interleavings are walked here,
 * a futex call being one step, as in the kernel; and the program is explored under sc. The final
 * values of its cells and of what its threads return, and whether a thread can be stuck, must be
 * equal.
 *   futex_twin PROGRAM CELLS RETURNED FOLDER      (addresses of these variables, in hexadecimal)
 * Prints a line for each text that differs, then "N texts, M differ". Exit status 1 if any does. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, CELLS = 2, SLOTS = 1 << 20 };

typedef struct Thread {
    long seen;
    int at, stage, local; /* place in the word; within a call; what the call remembers */
    int asleep;           /* 1 + the cell whose queue it is in, or 0 */
} Thread;
typedef struct State {
    Thread thread[THREADS];
    int cell[CELLS];
} State;
typedef struct Final {
    long value[CELLS + THREADS];
} Final;
typedef struct Finals {
    Final *at;
    int count;
} Finals;

static const char *word[THREADS];
static int threads;
static State *visited;
static bool stuck;

static void add_final(Finals *set, const Final *one)
{
    for (int i = 0; i < set->count; i++)
        if (!memcmp(&set->at[i], one, sizeof *one))
            return;
    set->at = realloc(set->at, sizeof *set->at * (size_t)(set->count + 1));
    set->at[set->count++] = *one;
}

static bool is_new(const State *s)
{
    unsigned long hash = 1;
    for (size_t i = 0; i < sizeof *s / 4; i++)
        hash =
            (hash ^ ((const unsigned *)(const void *)s)[i]) * 0x9e3779b97f4a7c15ul + (hash >> 29);
    static const State none;
    size_t slot = hash >> 20 & (SLOTS - 1);
    for (; memcmp(&visited[slot], &none, sizeof none); slot = (slot + 1) & (SLOTS - 1))
        if (!memcmp(&visited[slot], s, sizeof *s))
            return false;
    visited[slot] = *s;
    return true;
}

static void end_call(Thread *t, long result)
{
    t->seen = t->seen * 31 + result;
    t->at += 2;
    t->stage = t->local = 0;
}

static void walk(State s, Finals *finals);

/* T waits while cell C is VALUE; goes on at STAGE, or ends its call. */
static void wait_while(State *s, Thread *t, int c, int value, int stage)
{
    bool sleeps = s->cell[c] == value;
    t->stage = stage;
    t->local = sleeps ? 0 : EAGAIN;
    t->asleep = sleeps ? 1 + c : 0;
}

/* One step of thread T, and all that follows. Stage 9: a wait ends the call. */
static void step(State s, int number, Finals *finals)
{
    Thread *t = &s.thread[number];
    char what = word[number][t->at];
    int c = word[number][t->at + 1] - '0', *cell = &s.cell[c];
    bool unlocks = what == 'U';
    if (t->stage == 9) {
        end_call(t, t->local);
    } else if (strchr("WVZ", what)) {
        *cell = what == 'W' ? 1 : what == 'V' ? 2 : 0;
        end_call(t, 0);
    } else if (what == 'R') {
        end_call(t, *cell);
    } else if (what == 'A') {
        end_call(t, (*cell)++);
    } else if (strchr("stu", what)) {
        wait_while(&s, t, c, what - 's', 9);
    } else if (what == 'L') {
        if (t->stage == 1)
            wait_while(&s, t, c, 0, 0);
        else if (*cell)
            end_call(t, 0);
        else
            t->stage = 1;
    } else if (what == 'D') { /* 0 try, 1 exchange, 2 wait */
        if (t->stage == 2) {
            wait_while(&s, t, c, 2, 1);
        } else {
            int seen = *cell;
            if (t->stage == 1)
                *cell = 2;
            else if (!seen)
                *cell = 1;
            t->local = 0;
            if (!seen)
                end_call(t, 0);
            else
                t->stage = t->stage == 1 || seen == 2 ? 2 : 1;
        }
    } else if (unlocks && t->stage == 0) {
        t->stage = 1;
        if ((*cell)-- == 1)
            end_call(t, 0);
    } else if (unlocks && t->stage == 1) {
        *cell = 0;
        t->stage = 2;
    } else { /* wakes */
        int woken = 0;
        for (int i = 0; i < threads; i++) {
            if (s.thread[i].asleep != 1 + c)
                continue;
            woken++;
            if (what == 'K') {
                s.thread[i].asleep = 0;
                continue;
            }
            State other = s;
            other.thread[i].asleep = 0;
            end_call(&other.thread[number], !unlocks);
            walk(other, finals);
        }
        if (woken && what != 'K')
            return;
        end_call(t, woken);
    }
    walk(s, finals);
}

static void walk(State s, Finals *finals)
{
    bool ended = true, moves = false;
    if (!is_new(&s))
        return;
    for (int i = 0; i < threads; i++) {
        const Thread *t = &s.thread[i];
        if (!word[i][t->at] || word[i][t->at] == ' ')
            continue;
        ended = false;
        if (t->asleep)
            continue;
        moves = true;
        step(s, i, finals);
    }
    stuck |= !ended && !moves;
    if (!ended)
        return;
    Final final = {{0}};
    for (int i = 0; i < CELLS; i++)
        final.value[i] = s.cell[i];
    for (int i = 0; i < threads; i++)
        final.value[CELLS + i] = s.thread[i].seen;
    add_final(finals, &final);
}

/* False if the exploration did not end with its counts. */
static bool explore(const char *program, const char *text, unsigned long cells,
                    unsigned long returned, const char *folder, Finals *finals, bool *is_stuck)
{
    char path[512], command[2048], line[8192];
    long executions, blocked, stuck_count;
    snprintf(path, sizeof path, "%s/finals", folder);
    unlink(path);
    snprintf(command, sizeof command,
             "HEDDLE_TWIN_PROGRAM='%s' HEDDLE_DEBUG='eager-confirm,keep-going,liveness=%s.table,"
             "model=sc,outcomes=%s' timeout 60 %s",
             text, program, path, program);
    FILE *said = popen(command, "r");
    bool good = said && fscanf(said, "%*s %ld executions %ld blocked %ld stuck", &executions,
                               &blocked, &stuck_count) == 3;
    if (!said || pclose(said) || !good)
        return false;
    *is_stuck = stuck_count > 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        Final final = {{0}};
        unsigned long address, value;
        for (char *at = line; sscanf(at, "%lx=%lx", &address, &value) == 2;
             at = strchr(at, ' ') + 1) {
            if (address >= cells && address < cells + 4 * CELLS)
                final.value[(address - cells) / 4] = (int)value;
            else if (address >= returned && address < returned + 8 * THREADS)
                final.value[CELLS + (address - returned) / 8] = (long)value;
        }
        add_final(finals, &final);
    }
    if (file)
        fclose(file);
    return true;
}

int main(int argc, char **argv)
{
    char text[256];
    long texts = 0, differ = 0;
    if (argc != 5)
        return 2;
    visited = malloc(sizeof *visited * SLOTS);
    while (fgets(text, sizeof text, stdin)) {
        text[strcspn(text, "\n")] = 0;
        State start = {0};
        Finals mine = {NULL, 0}, theirs = {NULL, 0};
        bool is_stuck = false;
        memset(visited, 0, sizeof *visited * SLOTS);
        stuck = false;
        threads = 0;
        for (const char *at = text; *at && threads < THREADS; at++)
            if (at == text || at[-1] == ' ') {
                start.thread[threads].seen = 1;
                word[threads++] = at;
            }
        walk(start, &mine);
        bool same = explore(argv[1], text, strtoul(argv[2], NULL, 16), strtoul(argv[3], NULL, 16),
                            argv[4], &theirs, &is_stuck) &&
                    is_stuck == stuck && mine.count == theirs.count;
        for (int i = 0; i < theirs.count && same; i++) {
            int before = mine.count;
            add_final(&mine, &theirs.at[i]);
            same = mine.count == before;
        }
        if (!same)
            printf("%s: %d outcomes%s, interleaved %d%s\n", text, theirs.count,
                   is_stuck ? " and stuck" : "", mine.count, stuck ? " and stuck" : "");
        texts++;
        differ += !same;
        free(mine.at);
        free(theirs.at);
    }
    printf("%ld texts, %ld differ\n", texts, differ);
    return differ > 0;
}
