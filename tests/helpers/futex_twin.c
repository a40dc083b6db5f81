/* futex_twin.c: do explorations reach what interleaving reaches, where threads wait by futex? For
 * each line of standard input, a text for tests/twin/futexes.c, all interleavings are walked here,
 * a futex call being one step, as in the kernel; and the program is explored. A thread that loops
 * is stuck as one that sleeps is if it would go round for ever by itself.
 *   futex_twin PROGRAM CELLS RETURNED FOLDER MODEL ASSERTIONS SEED
 * CELLS and RETURNED are the addresses of these variables, in hexadecimal. The final values of the
 * cells and of what threads return, and whether a thread can be stuck, must be equal. Then so many
 * assertions, drawn from SEED, are judged midway, each on what one thread has seen after one of its
 * steps: half of them fail in an interleaving, half in none. An exploration, and a search of states
 * where the model is sc, must find just those that fail, and confirm them; random schedules must
 * find none of the others, and each must come to an end or be stuck. Everything is seq_cst, so that
 * all models allow the same.
 * Prints a line for each text that differs, then "N texts, M assertions, K differ". Exit status 1
 * if any does. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, CELLS = 3, SLOTS = 1 << 20, PLACES = 64, SCHEDULES = 40 };

#define LOOPS "TBXFfNE" /* letters of loops, and of what goes with them */

typedef struct Thread {
    long seen;
    int at, stage, local; /* place in the word; within a call; what the call remembers */
    int asleep;           /* 1 + the cell whose queue it is in, or 0 */
    int bits;             /* that it waits for */
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

static const char *text, *word[THREADS];
static int threads;
static State *visited;
static bool stuck;
static struct { /* by place in the text: all that its thread can have seen then */
    long *at;
    int count;
} midway[PLACES];

static void add_final(Finals *set, const Final *one)
{
    for (int i = 0; i < set->count; i++)
        if (!memcmp(&set->at[i], one, sizeof *one))
            return;
    set->at = realloc(set->at, sizeof *set->at * (size_t)(set->count + 1));
    set->at[set->count++] = *one;
}

static bool is_seen(long place, long seen)
{
    for (int i = 0; i < midway[place].count; i++)
        if (midway[place].at[i] == seen)
            return true;
    return false;
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

static void end_call(State *s, int number, long result)
{
    Thread *t = &s->thread[number];
    long place = word[number] + t->at - text;
    t->seen = t->seen * 31 + result;
    t->at += 2;
    t->stage = t->local = 0;
    if (is_seen(place, t->seen))
        return;
    midway[place].at = realloc(midway[place].at, sizeof(long) * (size_t)(midway[place].count + 1));
    midway[place].at[midway[place].count++] = t->seen;
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

/* What a call does to those that sleep on a cell, in two parts: COUNT of them are woken, or moved
 * to cell TO. */
typedef struct Part {
    int cell, bits, count, to; /* to: -1 to wake */
} Part;
typedef struct Call {
    int number, result; /* the thread; what the call returns, or -1: how many were woken or moved */
    Part part[2];
} Call;

/* Does the parts of CALL from number PART on, of which COUNT are left, to threads from FROM on, in
 * every way; then ends the call. DONE were woken or moved. */
static void wake(State s, const Call *call, int part, int count, int from, int done, Finals *finals)
{
    const Part *p = &call->part[part];
    int asleep = 0;
    for (int i = from; i < threads; i++)
        asleep += s.thread[i].asleep == 1 + p->cell && s.thread[i].bits & p->bits;
    int left = count < asleep ? count : asleep;
    if (!left && part == 0) {
        wake(s, call, 1, call->part[1].count, 0, done, finals);
        return;
    }
    if (!left) {
        end_call(&s, call->number, call->result < 0 ? done : call->result);
        walk(s, finals);
        return;
    }
    for (int i = from; i < threads && asleep >= left; i++) {
        if (s.thread[i].asleep != 1 + p->cell || !(s.thread[i].bits & p->bits))
            continue;
        State other = s;
        other.thread[i].asleep = p->to < 0 ? 0 : 1 + p->to;
        wake(other, call, part, left - 1, i + 1, done + 1, finals);
        asleep--;
    }
}

/* The call WHAT of thread NUMBER on cell C, which wakes or moves others. */
static Call call_of(State *s, int number, char what, int c)
{
    enum { ANY = 3, ALL = THREADS };
    Call call = {number, what == 'U' ? 0 : -1, {{c, ANY, 1, -1}, {c, ANY, 0, -1}}};
    switch (what) {
    case 'j':
        call.part[0].count = 2;
        break;
    case 'K':
        call.part[0].count = ALL;
        break;
    case 'i':
        call.part[0].bits = 1;
        break;
    case 'I':
        call.part[0] = (Part){c, 2, ALL, -1};
        break;
    case 'm':
        call.part[0].to = 1 - c;
        break;
    case 'n':
        call.part[0].to = c;
        break;
    case 'M':
        call.part[1] = (Part){c, ANY, ALL, 1 - c};
        break;
    case 'x':
        call.part[1] = (Part){c, ANY, 1, 1 - c};
        break;
    case 'y':
        call.part[1] = (Part){1 - c, ANY, s->cell[1 - c]++ == 0, -1};
        break;
    }
    return call;
}

/* One access of thread NUMBER, which is in a loop of its word; true if that ended it. */
static bool step_in_loop(State *s, int number)
{
    Thread *t = &s->thread[number];
    char what = word[number][t->at];
    int c = word[number][t->at + 1] - '0', *cell = &s->cell[c], *taken;
    int found = *cell;
    bool ends = false;
    switch (what) {
    case 'B': /* stage 0: reads how many cells after this one there are */
        if (t->stage == 0) {
            t->local = found < 2 ? found : 2;
            t->stage = t->local > 0;
            return false;
        }
        taken = &s->cell[(c + t->stage) % CELLS];
        t->stage = t->stage == t->local ? 0 : t->stage + 1;
        t->local = t->stage ? t->local : 0;
        found = *taken;
        *taken = 0;
        ends = found != 0;
        break;
    case 'T':
        taken = &s->cell[(c + t->stage) % CELLS];
        t->stage = (t->stage + 1) % CELLS;
        found = *taken;
        *taken = 0;
        ends = found != 0;
        break;
    case 'X':
        *cell = 1;
        ends = found == 0;
        break;
    case 'F':
        *cell |= 2;
        ends = !(found & 2);
        break;
    case 'f':
        *cell &= ~2;
        ends = true;
        break;
    case 'N':
        ends = found != 0;
        break;
    case 'E':
        ends = t->stage == 1 && s->cell[(c + 1) % CELLS] == t->local;
        found = t->stage == 1 ? t->local : found;
        t->local = t->stage == 0 ? found : 0;
        t->stage ^= 1;
        break;
    }
    if (ends)
        end_call(s, number, found);
    return ends;
}

/* Would thread NUMBER end its loop if it ran by itself? */
static bool leaves_loop(State s, int number)
{
    for (int steps = 0; steps < 2 * (CELLS + 1); steps++)
        if (step_in_loop(&s, number))
            return true;
    return false;
}

/* One step of thread NUMBER, and all that follows. Stage 9: a wait ends the call. */
static void step(State s, int number, Finals *finals)
{
    Thread *t = &s.thread[number];
    char what = word[number][t->at];
    int c = word[number][t->at + 1] - '0', *cell = &s.cell[c];
    bool unlocks = what == 'U';
    if (strchr(LOOPS, what)) {
        step_in_loop(&s, number);
    } else if (t->asleep) { /* the time is over */
        t->asleep = 0;
        end_call(&s, number, 30);
    } else if (t->stage == 9) {
        end_call(&s, number, t->local);
    } else if (strchr("WVZ", what)) {
        *cell = what == 'W' ? 1 : what == 'V' ? 2 : 0;
        end_call(&s, number, 0);
    } else if (what == 'R') {
        end_call(&s, number, *cell);
    } else if (what == 'A') {
        end_call(&s, number, *cell);
        ++*cell;
    } else if (strchr("stuopq", what)) {
        t->bits = what == 'p' ? 1 : what == 'q' ? 2 : 3;
        wait_while(&s, t, c, what < 's' ? 0 : what - 's', 9);
    } else if (what == 'L') {
        t->bits = 3;
        if (t->stage == 1)
            wait_while(&s, t, c, 0, 0);
        else if (*cell)
            end_call(&s, number, 0);
        else
            t->stage = 1;
    } else if (what == 'D') { /* 0 try, 1 exchange, 2 wait */
        if (t->stage == 2) {
            t->bits = 3;
            wait_while(&s, t, c, 2, 1);
        } else {
            int seen = *cell;
            if (t->stage == 1)
                *cell = 2;
            else if (!seen)
                *cell = 1;
            t->local = 0;
            if (!seen)
                end_call(&s, number, 0);
            else
                t->stage = t->stage == 1 || seen == 2 ? 2 : 1;
        }
    } else if (unlocks && t->stage == 0) {
        t->stage = 1;
        if ((*cell)-- == 1)
            end_call(&s, number, 0);
    } else if (unlocks && t->stage == 1) {
        *cell = 0;
        t->stage = 2;
    } else if (what == 'x' && *cell) {
        end_call(&s, number, EAGAIN);
    } else {
        Call call = call_of(&s, number, what, c);
        wake(s, &call, 0, call.part[0].count, 0, 0, finals);
        return;
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
        if (t->asleep && word[i][t->at] != 'o')
            continue;
        moves |= !strchr(LOOPS, word[i][t->at]) || leaves_loop(s, i);
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

/* What the program says when it is explored. */
typedef struct Said {
    char verdict[32], violation[32];
    long executions, blocked, stuck;
    bool complete, confirmed;
} Said;

static Said ask(const char *program, const char *hooks, const char *wrong)
{
    char command[2048], line[4096];
    Said said = {.complete = false};
    snprintf(command, sizeof command,
             "HEDDLE_TWIN_PROGRAM='%s' HEDDLE_TWIN_WRONG='%s' HEDDLE_DEBUG='liveness=%s.table,%s' "
             "timeout 60 %s 2>/dev/null",
             text, wrong, program, hooks, program);
    FILE *output = popen(command, "r");
    while (output && fgets(line, sizeof line, output)) {
        int counts = 0; /* where they begin: the kind of a violation is a word, or none */
        if (!said.complete &&
            sscanf(line, "%31s %n%31[a-z]%n", said.verdict, &counts, said.violation, &counts) >= 1)
            said.complete = sscanf(line + counts, "%ld executions %ld blocked %ld stuck",
                                   &said.executions, &said.blocked, &said.stuck) == 3;
        said.confirmed |= !strncmp(line, "confirmed", 9);
    }
    if (output)
        pclose(output);
    return said;
}

/* False if the exploration did not end with its counts. */
static bool explore(const char *program, const char *model, unsigned long cells,
                    unsigned long returned, const char *folder, Finals *finals, bool *is_stuck)
{
    char path[512], hooks[1024], line[8192];
    snprintf(path, sizeof path, "%s/finals", folder);
    unlink(path);
    snprintf(hooks, sizeof hooks, "eager-confirm,keep-going,model=%s,outcomes=%s", model, path);
    Said said = ask(program, hooks, "-1 0");
    if (!said.complete)
        return false;
    *is_stuck = said.stuck > 0;
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

/* Draws an assertion that fails in some interleaving, or in none; false if the place that is drawn
 * has no such one. */
static bool draw_assertion(bool fails, long *place, long *seen)
{
    static const int of_waits[] = {0, EAGAIN, 30};
    *place = random() % (long)strlen(text);
    if (!midway[*place].count)
        return false;
    *seen = midway[*place].at[random() % midway[*place].count];
    if (!fails)
        *seen +=
            (strchr("stuopq", text[*place]) ? of_waits[random() % 3] : random() % 3) - *seen % 31;
    return is_seen(*place, *seen) == fails;
}

static bool finds(const Said *said)
{
    return !strcmp(said->verdict, "violated") && !strcmp(said->violation, "assertion");
}

/* Judges one assertion in all ways; NULL, or what differs. */
static const char *judge(const char *program, const char *model, bool fails, const char *wrong)
{
    char hooks[128];
    snprintf(hooks, sizeof hooks, "eager-confirm,keep-going,confirm,model=%s", model);
    Said said = ask(program, hooks, wrong);
    if (!said.complete || finds(&said) != fails)
        return fails ? "not found" : "found";
    if (fails && !said.confirmed)
        return "not confirmed";
    snprintf(hooks, sizeof hooks, "keep-going,schedules=%d,model=%s", SCHEDULES, model);
    said = ask(program, hooks, wrong);
    if (!said.complete || (finds(&said) && !fails))
        return "by schedules";
    if (!finds(&said) && said.executions + said.stuck != SCHEDULES)
        return "a schedule is lost";
    if (strcmp(model, "sc") != 0)
        return NULL;
    said = ask(program, "states=always,confirm,model=sc", wrong);
    if (!strcmp(said.verdict, "inconclusive") && strpbrk(text, "mMxn"))
        return NULL; /* states do not follow moves, and say so */
    bool other = stuck && !strcmp(said.verdict, "violated"); /* it may be found first */
    if (!said.complete || !strcmp(said.verdict, "inconclusive") ||
        (finds(&said) ? !fails || !said.confirmed : fails && !other))
        return "by states";
    return NULL;
}

static long judge_some(const char *program, const char *model, long wanted, long *differ)
{
    long judged = 0;
    for (int tries = 0; judged < wanted && tries < 50; tries++) {
        long place, seen;
        bool fails = judged % 2 == 0;
        char wrong[64];
        if (!draw_assertion(fails, &place, &seen))
            continue;
        snprintf(wrong, sizeof wrong, "%ld %ld", place, seen);
        const char *how = judge(program, model, fails, wrong);
        if (how)
            printf("%s: %s (assertion '%s', which fails in %s interleaving)\n", text, how, wrong,
                   fails ? "an" : "no");
        *differ += how != NULL;
        judged++;
    }
    return judged;
}

/* Are the outcomes those of all interleavings? Walks these. */
static bool same_outcomes(char **argv)
{
    State start = {0};
    Finals mine = {NULL, 0}, theirs = {NULL, 0};
    bool is_stuck = false;
    memset(visited, 0, sizeof *visited * SLOTS);
    for (int i = 0; i < PLACES; i++)
        midway[i].count = 0;
    stuck = false;
    threads = 0;
    for (const char *at = text; *at && threads < THREADS; at++)
        if (at == text || at[-1] == ' ') {
            start.thread[threads].seen = 1;
            word[threads++] = at;
        }
    walk(start, &mine);
    bool same = explore(argv[1], argv[5], strtoul(argv[2], NULL, 16), strtoul(argv[3], NULL, 16),
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
    free(mine.at);
    free(theirs.at);
    return same;
}

int main(int argc, char **argv)
{
    char line[PLACES];
    long texts = 0, assertions = 0, differ = 0;
    if (argc != 8)
        return 2;
    visited = malloc(sizeof *visited * SLOTS);
    srandom((unsigned)atoi(argv[7]));
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        text = line;
        differ += !same_outcomes(argv);
        assertions += judge_some(argv[1], argv[5], atol(argv[6]), &differ);
        texts++;
    }
    printf("%ld texts, %ld assertions, %ld differ\n", texts, assertions, differ);
    return differ > 0;
}
