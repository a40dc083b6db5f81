/* verdicts_judge.c: what can go wrong in a program of verdicts.h, by performing all of its
 * interleavings, and whether Heddle says so.
 *
 *   verdicts generate SEED COUNT              print random programs
 *   verdicts judge PROGRAM                    what can go wrong in it
 *   verdicts compare MODEL SEED COUNT -- COMMAND...
 *       For each program: COMMAND, with the text in HEDDLE_TWIN_PROGRAM, explores it. A violation
 *       that it reports must be one that some interleaving has, and if it reports none, none has.
 *       With `confirm' in HEDDLE_DEBUG every violation must show again.
 *   verdicts check MODEL PROGRAM -- COMMAND...    the same for one program
 *
 * Why interleavings are enough for every model: all atomic accesses are sequentially consistent, so
 * without a data race every execution of C11, and of x86 code, is an interleaving. Races are found
 * in interleavings, too, by vector clocks: a program has a race in C11 if and only if an
 * interleaving has one. With a race, rc11 must report something, and all else is allowed; sc
 * explores it; tso and pso are then not compared.
 *
 * One thing is not sequentially consistent: a try that fails reads the lock relaxed and orders
 * nothing. So a thread that goes by it may destroy a mutex of which rc11 lets it see an older
 * state, although no interleaving has that: misuse is allowed there, too (`unordered').
 *
 * A path ends at its first violation but for races, as an execution does. Accesses to a block come
 * in two steps: its address is loaded, then used. */
#include "verdicts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "base/str.h"
#include "clocks.h"
#include "said.h"

enum { INSTANCES = 16, FREE = 0, DEAD = 9 };
_Static_assert((int)VT_THREADS <= (int)CLOCK_THREADS, "a clock has no room for all threads");
/* ---- the machine ---- */

typedef struct Machine {
    int next[VT_THREADS], loaded[VT_THREADS]; /* loaded: instance + 1, between two steps */
    int looked[VT_THREADS];                   /* in vain, in the loop that it is in */
    int created[VT_THREADS], joined[VT_THREADS];
    int creator[VT_THREADS]; /* who created it by an operation; main is 0 */
    int registers[VT_THREADS][VT_REGISTERS];
    Clock clock[VT_THREADS];
    Place cell[VT_CELLS], pointer[VT_BLOCKS], item[INSTANCES][VT_ITEMS];
    int mutex[VT_MUTEXES]; /* FREE, DEAD, or the holder + 1 */
    Clock mutex_released[VT_MUTEXES];
    Place life[VT_MUTEXES];   /* accessed by every use, written by who destroys */
    Place inside[VT_MUTEXES]; /* written by who initialises, takes or gives back */
    int marked[VT_MUTEXES];   /* by pthread_mutex_init */
    int freed[INSTANCES], instances;
} Machine;

static const VtProgram *program;
static unsigned found; /* bits of Wrong */
static bool unordered; /* a mutex is destroyed, and nothing orders that and a use of it */
static HashMap seen;
static long steps_left;

static void goes_wrong(Wrong wrong)
{
    found |= 1u << wrong;
}

/* A race does not end the path, for sc explores what races. */
static void touch(const Machine *m, int t, Place *place, bool plain, bool write)
{
    if (place_touch(place, t, &m->clock[t], plain, write))
        goes_wrong(WRONG_RACE);
}

/* Each returns false if the path ends here. */
static bool step_mutex(Machine *m, int t, const VtOp *op)
{
    int *state = &m->mutex[op->about];
    unsigned before = found;
    bool taken = strchr("LT", op->code) && *state == FREE;
    if (taken)
        clock_join(&m->clock[t], &m->mutex_released[op->about]);
    found &= ~(1u << WRONG_RACE);
    touch(m, t, &m->life[op->about], op->code == 'D', op->code == 'D');
    unordered |= found >> WRONG_RACE & 1;
    found = before;
    if (op->code == 'U' ? *state != t + 1
                        : op->code != 'I' && (*state == DEAD || (op->code == 'D' && *state))) {
        goes_wrong(WRONG_MISUSE); /* not the owner; destroyed; destroyed while held */
        return false;
    }
    if (op->code == 'I' && *state != DEAD && m->marked[op->about]) {
        goes_wrong(WRONG_MISUSE);
        return false;
    }
    switch (op->code) {
    case 'U':
        touch(m, t, &m->inside[op->about], true, true);
        m->mutex_released[op->about] = m->clock[t];
        *state = FREE;
        break;
    case 'D':
        clock_join(&m->clock[t], &m->mutex_released[op->about]);
        *state = DEAD;
        m->marked[op->about] = 0;
        break;
    case 'I':
        touch(m, t, &m->inside[op->about], true, true);
        *state = FREE;
        m->marked[op->about] = 1;
        break;
    default: /* lock, which is only tried when it is free; or try */
        if (op->code == 'T')
            m->registers[t][op->target] = *state == FREE;
        if (*state == FREE) {
            clock_join(&m->clock[t], &m->mutex_released[op->about]);
            touch(m, t, &m->inside[op->about], true, true);
            *state = t + 1;
        }
    }
    return true;
}

static bool step_block(Machine *m, int t, const VtOp *op)
{
    int instance = m->loaded[t] - 1;
    Place *item = &m->item[instance][op->code == 'n' ? 0 : op->number % VT_ITEMS];
    bool outside = op->code == 'x' || op->code == 'f', frees = (op->code | 0x20) == 'f';
    if (outside) /* also wrong when the block is gone: then it may be called either */
        goes_wrong(frees ? WRONG_WRONG_FREE : WRONG_OUTSIDE);
    if (m->freed[instance])
        goes_wrong(frees ? WRONG_DOUBLE : WRONG_LATE);
    if (outside || m->freed[instance])
        return false;
    switch (op->code) {
    case 'F':
        m->freed[instance] = 1;
        return true;
    case 'h':
        if (!item->written) {
            goes_wrong(WRONG_UNINITIALISED);
            return false;
        }
        m->registers[t][op->target] = place_access(item, &m->clock[t], true, false, 0, false);
        touch(m, t, item, false, false);
        return true;
    case 'H':
        touch(m, t, item, false, true);
        place_access(item, &m->clock[t], false, true, 1, false);
        return true;
    default:
        touch(m, t, item, true, op->code != 'g');
        if (op->code != 'g') {
            item->value = item->written = 1;
            item->released = (Clock){{0}};
        }
        return true;
    }
}

static bool step_cell(Machine *m, int t, const VtOp *op)
{
    Place *cell = &m->cell[op->about % VT_CELLS];
    if (op->code == 'c') { /* one that fails is a read */
        bool succeeds = cell->value == op->number;
        place_access(cell, &m->clock[t], true, succeeds, 2, false);
        touch(m, t, cell, false, succeeds);
        m->registers[t][op->target] = succeeds;
        return true;
    }
    if (op->code == 'W') { /* a round of it */
        place_access(cell, &m->clock[t], true, false, 0, false);
        touch(m, t, cell, false, false);
        return true;
    }
    bool plain = op->code == 'r' || op->code == 'w', writes = op->code != 'l' && op->code != 'r';
    if (!plain) { /* its own acquire counts before it is compared */
        int old =
            place_access(cell, &m->clock[t], op->code != 's', writes, op->number, op->code == 'a');
        if (op->code != 's')
            m->registers[t][op->target] = old;
        touch(m, t, cell, false, writes);
        return true;
    }
    touch(m, t, cell, true, writes);
    if (op->code == 'r') {
        m->registers[t][op->target] = cell->value;
    } else {
        cell->value = op->number;
        cell->released = (Clock){{0}};
    }
    return true;
}

static bool step_allocate(Machine *m, int t, const VtOp *op)
{
    int instance = m->instances++;
    ASSERT(instance < INSTANCES);
    for (int i = 0; op->code == 'Z' && i < VT_ITEMS; i++) {
        m->item[instance][i].written = 1;
        touch(m, t, &m->item[instance][i], true, true);
    }
    place_access(&m->pointer[op->about], &m->clock[t], false, true, instance + 1, false);
    return true;
}

/* The first operation of T that is left and that no guard leaves out. */
static int next_of(const Machine *m, int t)
{
    int next = m->next[t];
    while (next < program->length[t] && !vt_enabled(&program->op[t][next], m->registers[t]))
        next++;
    return next;
}

/* Is T at its end, and has joined those that it created? CLOCK then learns what they did. */
static bool has_ended(const Machine *m, int t, Clock *clock)
{
    if (next_of(m, t) < program->length[t])
        return false;
    for (int u = 1; u < program->threads; u++)
        if (m->created[u] && m->creator[u] == t && !m->joined[u] && !has_ended(m, u, clock))
            return false;
    clock_join(clock, &m->clock[t]);
    return true;
}

/* Creates a thread, or joins it if it has been created. */
static void step_thread(Machine *m, int t, const VtOp *op)
{
    int u = op->about;
    if (op->code == 'B') {
        m->created[u] = 1;
        m->creator[u] = t;
        clock_join(&m->clock[u], &m->clock[t]);
    } else if (m->created[u] && m->creator[u] == t && !m->joined[u]) {
        has_ended(m, u, &m->clock[t]);
        m->joined[u] = 1;
    }
}

#define ON_BLOCKS "FhHgGnxf"

/* Performs the next step of T, with this choice; false if the path ends. */
static bool step(Machine *m, int t, int choice)
{
    const VtOp *op = &program->op[t][m->next[t]];
    m->clock[t].at[t]++;
    bool good = true;
    if (strchr(ON_BLOCKS, op->code) && !m->loaded[t]) {
        Place *pointer = &m->pointer[op->about];
        m->loaded[t] = place_access(pointer, &m->clock[t], true, false, 0, false);
        m->next[t] += !m->loaded[t];
        if (!m->loaded[t] && op->code == 'n') {
            goes_wrong(WRONG_CRASH);
            return false;
        }
        return true;
    }
    if (strchr("LUTDI", op->code))
        good = step_mutex(m, t, op);
    else if (strchr(ON_BLOCKS, op->code))
        good = step_block(m, t, op);
    else if (strchr("MZ", op->code))
        good = step_allocate(m, t, op);
    else if (strchr("BJ", op->code))
        step_thread(m, t, op);
    else if (op->code == 'C')
        m->registers[t][op->target] = choice;
    else if (op->code == 'E')
        good = op->number && (goes_wrong(WRONG_STATUS), false); /* the program ends */
    else if (op->code == 'A')
        good = m->registers[t][op->target] != op->number || (goes_wrong(WRONG_ASSERTION), false);
    else
        good = step_cell(m, t, op);
    m->loaded[t] = m->looked[t] = 0;
    m->next[t]++;
    return good;
}

/* Skips what a guard leaves out; can T go on? */
static bool can_step(Machine *m, int t)
{
    Clock unused = {{0}};
    m->next[t] = next_of(m, t);
    if (!m->created[t] || m->next[t] >= program->length[t])
        return false;
    const VtOp *op = &program->op[t][m->next[t]];
    if (op->code == 'J' && m->created[op->about] && m->creator[op->about] == t)
        return m->joined[op->about] || has_ended(m, op->about, &unused);
    if (op->code == 'W')
        return m->cell[op->about % VT_CELLS].value == op->number;
    return op->code != 'L' || m->mutex[op->about] == FREE || m->mutex[op->about] == DEAD;
}

/* Nobody can go on: a livelock if somebody looks at a location in a loop, else a deadlock. */
static void stands_still(const Machine *m)
{
    bool waits = false, loops = false;
    for (int t = 0; t < program->threads; t++)
        if (m->created[t] && m->next[t] < program->length[t]) {
            waits = true;
            loops |= program->op[t][m->next[t]].code == 'W';
        }
    if (waits)
        goes_wrong(loops ? WRONG_LIVELOCK : WRONG_DEADLOCK);
}

/* T, which can't leave its loop now, looks once more: that read may race. Once a loop is enough,
 * since any of its rounds may be this one. */
static bool can_look(const Machine *m, int t)
{
    return m->created[t] && m->next[t] < program->length[t] &&
           program->op[t][m->next[t]].code == 'W' && !m->looked[t];
}
static void look(Machine *m, int t)
{
    m->looked[t] = 1;
    m->clock[t].at[t]++;
    step_cell(m, t, &program->op[t][m->next[t]]);
}

static void search(const Machine *before)
{
    bool any = false, absent;
    Machine still = *before; /* where each thread stands, past what its guards leave out */
    if (steps_left-- <= 0)
        return;
    hashmap_put(&seen, hash_bytes(before, sizeof *before, 5), &absent);
    if (!absent)
        return;
    for (int t = 0; t < program->threads; t++) {
        Machine probe = *before;
        if (!can_step(&probe, t)) {
            still.next[t] = probe.next[t];
            if (can_look(&probe, t)) {
                look(&probe, t);
                search(&probe);
            }
            continue;
        }
        any = true;
        const VtOp *op = &program->op[t][probe.next[t]];
        for (int choice = 0; choice < (op->code == 'C' ? op->number : 1); choice++) {
            Machine after = probe;
            if (step(&after, t, choice))
                search(&after);
        }
    }
    if (!any)
        stands_still(&still);
}

/* The set of what can go wrong; false if there are too many interleavings. */
static bool judge(const VtProgram *what, unsigned *wrongs)
{
    Machine start;
    memset(&start, 0, sizeof start);       /* padding is hashed */
    for (int i = 0; i < VT_THREADS; i++) { /* what main does before it creates them comes first */
        start.clock[i].at[i] = 1;
        start.created[i] = !what->late[i];
    }
    program = what;
    found = 0;
    unordered = false;
    steps_left = 400000;
    hashmap_clear(&seen);
    search(&start);
    *wrongs = found;
    return steps_left > 0;
}

/* ---- random programs ---- */

typedef struct Generator {
    Random random;
    Buffer *text;
    int registers, theme;
} Generator;

static int below(Generator *g, int bound)
{
    return (int)random_below(&g->random, (uint64_t)bound);
}

static void put(Generator *g, char code, int about, int number, int target, int guard, int value)
{
    buffer_printf(g->text, "%c%d%d%d%d%d", code, about, number, target, guard, value);
}

static const char *const themes[] = {"LLTTlswrC", "LLLTDDrwC", "MZZFhHgGl", "MZFFhhGlsw",
                                     "lsarwwrCA", "LTMZFhHwr", "CCAlsaLTA", "WWslcaLC",
                                     "MZFnnxfFl", "EClscaWLA", "clcsawrAC", "pqqss"};

/* Block 1, of which an item has the value that cell 0 had, written plainly and then loaded, is made
 * known by cell 1: its atomic locations begin with what the thread happened to read. */
static void put_publication(Generator *g)
{
    put(g, 'l', 0, 0, 0, VT_NO_GUARD, 0);
    put(g, 'Z', 1, 0, 0, VT_NO_GUARD, 0);
    put(g, 'G', 1, 0, 0, 0, 1);
    put(g, 'h', 1, 0, VT_REGISTERS - 1, VT_NO_GUARD, 0);
    put(g, 's', 1, 1, 0, VT_NO_GUARD, 0);
    g->registers = 1;
}

/* A load and a store; whoever sees that block 1 is known loads its item, and asserts what it
 * is not. */
static void put_look(Generator *g)
{
    put(g, 'l', below(g, 3) == 0, 0, 1, VT_NO_GUARD, 0);
    put(g, 's', 0, 1, 0, below(g, 2) ? 1 : VT_NO_GUARD, below(g, 2));
    put(g, 'l', 1, 0, 2, VT_NO_GUARD, 0);
    put(g, 'h', 1, 0, 3, 2, 1);
    put(g, 'A', 0, below(g, 2), 3, below(g, 2) ? 1 : 2, 1);
    g->registers = VT_REGISTERS;
}

/* One operation, or a pair that belongs together; returns how many steps it has. */
static int put_item(Generator *g)
{
    const char *letters = themes[g->theme];
    char code = letters[below(g, (int)strlen(letters))];
    int guard = g->registers && below(g, 3) == 0 ? below(g, g->registers) : VT_NO_GUARD;
    int value = below(g, 2), target = MIN(g->registers, VT_REGISTERS - 1);
    int about = below(g, 3) == 0, number = 1 + below(g, 2);
    switch (code) {
    case 'p':
        put_publication(g);
        return 3;
    case 'q':
        put_look(g);
        return 3;
    case 'L':
        put(g, 'L', about, 0, 0, guard, value);
        if (below(g, 4)) {
            put(g, "swrl"[below(g, 4)], below(g, 2), 1, VT_REGISTERS - 1, guard, value);
            if (below(g, 8))
                put(g, 'U', about, 0, 0, guard, value);
            return 3;
        }
        return 1;
    case 'T':
        put(g, 'T', about, 0, target, guard, value);
        g->registers = target + 1;
        if (below(g, 6))
            put(g, 'U', about, 0, 0, target, 1);
        return 2;
    case 'D':
        put(g, 'D', about, 0, 0, guard, value);
        if (below(g, 2))
            put(g, 'I', about, 0, 0, guard, value);
        return 2;
    case 'F':
    case 'f':
    case 'x':
    case 'n':
    case 'h':
    case 'H':
    case 'g':
    case 'G':
        put(g, code, about, below(g, 2), VT_REGISTERS - 1, guard, value);
        return 2;
    case 'A':
        put(g, 'A', 0, number, g->registers ? below(g, g->registers) : 0, guard, value);
        return 1;
    case 'E':
        put(g, 'E', 0, below(g, 3), 0, guard, value);
        return 1;
    case 'C':
        put(g, 'C', 0, 2 + below(g, 2), target, guard, value);
        g->registers = target + 1;
        return 1;
    default:
        put(g, code, about, number, target, guard, value);
        if (strchr("larc", code))
            g->registers = target + 1;
        return 1;
    }
}

/* Who creates each thread, and who then joins it before its own end; 0 threads: all as they are. */
typedef struct Family {
    int parent[VT_THREADS]; /* -1: main, at its start */
    int joins[VT_THREADS];
} Family;

/* The thread T creates or joins children, perhaps; ALL: those that it must create are created. */
static void put_children(Generator *g, const Family *family, int t, int *done, bool all)
{
    for (int u = t + 1; u < VT_THREADS; u++) {
        if (family->parent[u] != t || (!all && below(g, 2)))
            continue;
        int guard = g->registers && below(g, 4) == 0 ? below(g, g->registers) : VT_NO_GUARD;
        if (done[u] == 0)
            put(g, 'B', u, 0, 0, guard, below(g, 2));
        else if (done[u] == 1 && family->joins[u] && !all)
            put(g, 'J', u, 0, 0, guard, below(g, 2));
        done[u]++;
    }
}

static void generate(uint64_t seed, Buffer *text)
{
    Generator g = {.random = {hash_mix(seed + 77)}, .text = text};
    g.theme = below(&g, (int)COUNT_OF(themes));
    int threads = 2 + (below(&g, 3) == 0), done[VT_THREADS] = {0};
    bool nested = below(&g, 3) == 0;
    Family family = {{0}, {0}};
    if (nested)
        threads = 3 + (below(&g, 5) == 0);
    for (int t = 1; t < VT_THREADS; t++) {
        family.parent[t] = nested && t < threads ? below(&g, t + 1) - 1 : -1;
        family.joins[t] = nested && below(&g, 2);
    }
    for (int t = 0; t < threads; t++) {
        int budget = threads == 2   ? 2 + below(&g, 5)
                     : threads == 3 ? 1 + below(&g, 4)
                                    : 1 + below(&g, 2);
        g.registers = 0;
        if (t)
            buffer_printf(text, "|");
        while (budget > 0) {
            put_children(&g, &family, t, done, false);
            budget -= put_item(&g);
        }
        put_children(&g, &family, t, done, true);
    }
    vec_push(text, 0);
}

/* ---- comparing ---- */

typedef struct Tally {
    uint64_t programs, differ, too_large, undecided, said[WRONG_COUNT], holds;
} Tally;

static const char *compare_one(const char *model, const VtProgram *what, const char *text,
                               char **command, Tally *tally)
{
    unsigned wrongs;
    bool weak = strcmp(model, "sc") != 0;
    if (!judge(what, &wrongs)) {
        tally->too_large++;
        return NULL;
    }
    bool racy = wrongs >> WRONG_RACE & 1;
    if (racy && weak && strcmp(model, "rc11") != 0) {
        tally->undecided++;
        return NULL;
    }
    Said said = said_by(command, text);
    const char *wrong = said_wrongly(said);
    if (wrong)
        return wrong;
    if (!weak)
        wrongs &= ~(1u << WRONG_RACE);
    if (said.kind == SAID_HOLDS) {
        tally->holds++;
        return wrongs ? "a violation was missed" : NULL;
    }
    tally->said[said.wrong]++;
    /* two initialisations that nothing orders are both, a race and misuse */
    if (said.wrong == WRONG_RACE && wrongs >> WRONG_MISUSE & 1 && strchr(text, 'I'))
        return NULL;
    if (said.wrong == WRONG_MISUSE && unordered && !strcmp(model, "rc11"))
        return NULL;
    return (wrongs >> said.wrong & 1) || (weak && racy) ? NULL : "a violation that is none";
}

static int check(const char *model, const char *text, char **command)
{
    Tally tally = {0};
    VtProgram what;
    const char *wrong =
        vt_parse(text, &what) ? compare_one(model, &what, text, command, &tally) : "can't be read";
    printf("%s%s\n", wrong ? "DIFFERS: " : "0 differ", wrong ? wrong : "");
    return wrong != NULL;
}

static int compare(const char *model, uint64_t seed, uint64_t count, char **command)
{
    Tally tally = {0};
    for (uint64_t i = seed; i < seed + count; i++) {
        Buffer text = {0};
        VtProgram what;
        generate(i, &text);
        tally.programs++;
        const char *wrong = vt_parse(text.at, &what)
                                ? compare_one(model, &what, text.at, command, &tally)
                                : "can't be read";
        if (wrong) {
            tally.differ++;
            printf("DIFFERS %s seed %llu: %s\n  %s\n  possible:", model, (unsigned long long)i,
                   wrong, text.at);
            said_print_wrongs(found);
            fflush(stdout);
        }
        vec_free(&text);
    }
    printf("verdicts under %s: %llu programs, %llu hold", model, (unsigned long long)tally.programs,
           (unsigned long long)tally.holds);
    for (int i = 0; i < WRONG_COUNT; i++)
        printf(", %llu %s", (unsigned long long)tally.said[i], wrong_words[i]);
    printf(", %llu differ, %llu with races left out, %llu too large\n",
           (unsigned long long)tally.differ, (unsigned long long)tally.undecided,
           (unsigned long long)tally.too_large);
    return tally.differ != 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "generate")) {
        uint64_t seed = strtoull(argv[2], NULL, 0), count = strtoull(argv[3], NULL, 0);
        for (uint64_t i = seed; i < seed + count; i++) {
            Buffer text = {0};
            generate(i, &text);
            puts(text.at);
            vec_free(&text);
        }
        return 0;
    }
    if (argc == 3 && !strcmp(argv[1], "judge")) {
        VtProgram what;
        unsigned wrongs;
        if (!vt_parse(argv[2], &what) || !judge(&what, &wrongs))
            return 2;
        said_print_wrongs(wrongs);
        return 0;
    }
    if (argc >= 7 && !strcmp(argv[1], "compare") && !strcmp(argv[5], "--"))
        return compare(argv[2], strtoull(argv[3], NULL, 0), strtoull(argv[4], NULL, 0), argv + 6);
    if (argc >= 6 && !strcmp(argv[1], "check") && !strcmp(argv[4], "--"))
        return check(argv[2], argv[3], argv + 5);
    fprintf(stderr, "usage: verdicts generate SEED COUNT | judge PROGRAM\n"
                    "       | compare MODEL SEED COUNT -- COMMAND...\n"
                    "       | check MODEL PROGRAM -- COMMAND...\n");
    return 2;
}
