/* loops.c: a random program whose threads loop, for `heddle run --unbounded`, and its verdict by
 * brute force. loops SEED FILE.c sc|tso|races writes the program and prints what may be answered:
 * the kinds of violations that some state shows, or `dead' (deadlock or livelock) if none does but
 * some thread waits for ever, or `holds ends', `holds endless', or `too-large'.
 *
 * Main creates two threads, perhaps loops itself, and joins them; now and then it returns instead.
 * A thread performs a list of accesses once, twice or for ever. All interleavings of single
 * accesses, under tso with store buffers, are performed one by one. A state is wrong if an
 * assertion fails there; with `races', if two threads stand at accesses to the plain variable, one
 * of them a write; if from there nobody ever changes memory and the program does not end; if a
 * thread is blocked, other than in pthread_join, in all states from there on; if a thread, unless
 * it is in a loop for ever that it can't break out of, or joins such a thread, ends in no state
 * from there on; or if such a thread, from there on, makes exchanges in vain and no step that
 * changes memory. Nothing is shared with the tool. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, MOST_CODE = 48, MOST_STORES = 4, MOST_STATES = 150000, TABLE = 1 << 20 };
enum { X, Y, P, M0, M1, PLACES };

/* One step of a thread each. Those up to CHECK access a place; those from TEST on are local. */
enum {
    LOAD,   /* r = (r + place) % 3 */
    STORE,  /* place = r */
    PUT,    /* place = c */
    SWAP,   /* place and r are exchanged */
    CAS,    /* if place is r it becomes r + 1, and r 1, else r 0 */
    SPIN,   /* again, while place is not c */
    LOCK,   /* waits until place is 0, and makes it 1 */
    UNLOCK, /* place = 0 */
    TRY,    /* to lock: else goes to `target' */
    CHECK,  /* goes to `target' if place is c */
    SLEEP,  /* unlocks place and waits for a signal */
    WAKE,   /* who sleeps on place: one of them; with c all */
    CREATE,
    JOIN,
    END,
    TEST, /* goes to `target' if r is not c */
    STOP, /* goes to `target' if r is c */
    ASSERT,
    TURN, /* goes to `target' unless c rounds were made; c 0: for ever */
    SET,  /* r = c */
    JUMP
};
typedef struct Code {
    int kind, place, c, target;
} Code;
typedef struct Text { /* a thread */
    Code code[MOST_CODE];
    int count, rounds;
    char body[4096];
} Text;
static Text texts[THREADS];
static bool tso, races;
static uint64_t seed_state;

static int below(int bound)
{
    seed_state = seed_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((seed_state >> 33) % (uint64_t)bound);
}

/* ---- random threads ---- */

static const char *const name[PLACES] = {"x", "y", "p", "m0", "m1"};

static int emit(Text *t, int kind, int place, int c)
{
    t->code[t->count] = (Code){kind, place, c, 0};
    return t->count++;
}

#define SAY(t_, ...)                                                                               \
    snprintf((t_)->body + strlen((t_)->body), sizeof(t_)->body - strlen((t_)->body), __VA_ARGS__)

static void make_access(Text *t, bool plain)
{
    int place = below(2), c = below(3);
    switch (below(plain ? 9 : 7)) {
    case 0:
    case 1:
        emit(t, LOAD, place, 0);
        SAY(t, "r = (r + LOAD(&%s)) %% 3; ", name[place]);
        break;
    case 2:
        emit(t, STORE, place, 0);
        SAY(t, "STORE(&%s, r); ", name[place]);
        break;
    case 3:
        emit(t, PUT, place, c);
        SAY(t, "STORE(&%s, %d); ", name[place], c);
        break;
    case 4:
        emit(t, SWAP, place, 0);
        SAY(t, "r = atomic_exchange(&%s, r); ", name[place]);
        break;
    case 5:
        emit(t, CAS, place, 0);
        SAY(t, "{ int e = r; r = atomic_compare_exchange_strong(&%s, &e, (r + 1) %% 3); } ",
            name[place]);
        break;
    case 6:
        emit(t, SPIN, place, c);
        SAY(t, "while (LOAD(&%s) != %d) ; ", name[place], c);
        break;
    case 7:
        emit(t, LOAD, P, 0);
        SAY(t, "r = (r + p) %% 3; ");
        break;
    default:
        emit(t, STORE, P, 0);
        SAY(t, "p = r; ");
    }
}

/* What happens under mutex M. */
static void make_section(Text *t, int m, int depth)
{
    emit(t, LOCK, m, 0);
    SAY(t, "pthread_mutex_lock(&%s); ", name[m]);
    for (int left = 1 + below(2); left--;) {
        int place = below(2), c = below(3), which = below(tso ? 4 : 8);
        if (which == 3 && depth) {
            make_section(t, below(4) ? M0 + M1 - m : m, 0);
        } else if (which == 4) { /* wait until place is c */
            int check = emit(t, CHECK, place, c);
            emit(t, SLEEP, m, 0);
            emit(t, LOCK, m, 0);
            int back = emit(t, JUMP, 0, 0);
            t->code[check].target = t->count;
            t->code[back].target = check;
            SAY(t, "while (LOAD(&%s) != %d) pthread_cond_wait(&c%s, &%s); ", name[place], c,
                name[m], name[m]);
        } else if (which >= 5 && which <= 6) {
            emit(t, WAKE, m, which == 6);
            SAY(t, "pthread_cond_%s(&c%s); ", which == 6 ? "broadcast" : "signal", name[m]);
        } else {
            make_access(t, true);
        }
    }
    emit(t, UNLOCK, m, 0);
    SAY(t, "pthread_mutex_unlock(&%s); ", name[m]);
}

static void make_step(Text *t, int *stops, int *stop_count)
{
    int c = below(3), m = M0 + below(2), which = below(12), at;
    if (which < 5) {
        make_access(t, true);
    } else if (which < 8) {
        make_section(t, m, 1);
    } else if (which == 8) {
        at = emit(t, TRY, m, 0);
        emit(t, SET, 0, 1);
        emit(t, UNLOCK, m, 0);
        int over = emit(t, JUMP, 0, 0);
        t->code[at].target = t->count;
        emit(t, SET, 0, 0);
        t->code[over].target = t->count;
        SAY(t,
            "if (!pthread_mutex_trylock(&%s)) { r = 1; pthread_mutex_unlock(&%s); } else r = 0; ",
            name[m], name[m]);
    } else if (which == 9) {
        at = emit(t, TEST, 0, c);
        SAY(t, "if (r == %d) { ", c);
        make_access(t, true);
        SAY(t, "} ");
        t->code[at].target = t->count;
    } else if (which == 10) {
        stops[(*stop_count)++] = emit(t, STOP, 0, c);
        SAY(t, "if (r == %d) break; ", c);
    } else {
        emit(t, ASSERT, 0, c);
        SAY(t, "assert(r != %d); ", c);
    }
}

/* A loop, whose first step is an atomic access: it makes no round without one. */
static void make_loop(Text *t)
{
    int stops[8], stop_count = 0, first = t->count;
    t->rounds = below(3) ? 0 : 1 + below(2);
    SAY(t, "    int r = 0;\n    for (int i = 0; %s; ", t->rounds ? "i < ROUNDS" : "");
    SAY(t, "%s) {\n        ", t->rounds ? "i++" : "");
    make_access(t, false);
    for (int left = below(4); left--;)
        make_step(t, stops, &stop_count);
    SAY(t, "\n    }\n");
    int turn = emit(t, TURN, 0, t->rounds);
    t->code[turn].target = first;
    for (int i = 0; i < stop_count; i++)
        t->code[stops[i]].target = t->count;
}

static void make(uint64_t seed)
{
    seed_state = seed * 2654435761u + 1;
    for (int i = 0; i < 8; i++)
        below(2);
    emit(&texts[0], CREATE, 0, 1);
    emit(&texts[0], CREATE, 0, 2);
    for (int t = 0; t < THREADS; t++) {
        if (t || !below(3))
            make_loop(&texts[t]);
        if (!t && below(6)) {
            emit(&texts[0], JOIN, 0, 1);
            emit(&texts[0], JOIN, 0, 2);
        }
        emit(&texts[t], END, 0, 0);
    }
}

static void write_file(FILE *file)
{
    bool joins = false;
    for (int i = 0; i < texts[0].count; i++)
        joins |= texts[0].code[i].kind == JOIN;
    fprintf(
        file,
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stddef.h>\n"
        "static atomic_int x, y;\n#ifdef __OPTIMIZE__ /* or two accesses may become one "
        "*/\nvolatile\n#endif\n"
        "static int p;\n"
        "static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;\n"
        "static pthread_cond_t cm0 = PTHREAD_COND_INITIALIZER, cm1 = PTHREAD_COND_INITIALIZER;\n"
        "#define LOAD(at) atomic_load_explicit(at, memory_order_acquire)\n"
        "#define STORE(at, v) atomic_store_explicit(at, v, memory_order_release)\n");
    for (int t = 1; t < THREADS; t++)
        fprintf(file,
                "#define ROUNDS %d\nstatic void *run%d(void *unused)\n{\n%s    return "
                "unused;\n}\n#undef ROUNDS\n",
                texts[t].rounds, t, texts[t].body);
    fprintf(file,
            "#define ROUNDS %d\nint main(void)\n{\n    pthread_t other[2];\n    "
            "pthread_create(&other[0], NULL, run1, "
            "NULL);\n    pthread_create(&other[1], NULL, run2, NULL);\n%s",
            texts[0].rounds, texts[0].body);
    for (int t = 0; t < 2 && joins; t++)
        fprintf(file, "    pthread_join(other[%d], NULL);\n", t);
    fprintf(file, "    return 0;\n}\n");
}

/* ---- the machine ---- */

typedef struct Thread {
    uint8_t life; /* 0: not created, 1: runs, 2: has ended */
    uint8_t pc, round, r;
    uint8_t sleeps; /* 0, or 1 + the mutex of the condition */
    uint8_t stores;
    uint8_t place[MOST_STORES], value[MOST_STORES]; /* its store buffer, the oldest first */
} Thread;
typedef struct Machine {
    uint8_t at[PLACES];
    uint8_t over, failed;
    Thread thread[THREADS];
} Machine;

static int read_place(const Machine *m, const Thread *u, int place)
{
    for (int i = u->stores; i-- > 0;)
        if (u->place[i] == place)
            return u->value[i];
    return m->at[place];
}

static void write_place(Machine *m, Thread *u, int place, int value)
{
    if (!tso) {
        m->at[place] = (uint8_t)value;
        return;
    }
    u->place[u->stores] = (uint8_t)place;
    u->value[u->stores++] = (uint8_t)value;
}

static void flush(Machine *m, Thread *u)
{
    m->at[u->place[0]] = u->value[0];
    u->stores--;
    memmove(u->place, u->place + 1, MOST_STORES - 1);
    memmove(u->value, u->value + 1, MOST_STORES - 1);
    u->place[MOST_STORES - 1] = u->value[MOST_STORES - 1] = 0;
}

/* Can T go on, but for flushes? */
static bool can_step(const Machine *m, int t)
{
    const Thread *u = &m->thread[t];
    const Code *code = &texts[t].code[u->pc];
    if (m->over || u->life != 1 || u->sleeps)
        return false;
    switch (code->kind) {
    case STORE:
    case PUT:
        return u->stores < MOST_STORES;
    case LOCK:
        return !u->stores && !m->at[code->place];
    case JOIN:
        return !u->stores && m->thread[code->c].life == 2;
    case SWAP:
    case CAS:
    case TRY:
    case UNLOCK: /* by a locked instruction */
    case CREATE:
    case END:
        return !u->stores;
    }
    return true;
}

static bool is_blocked(const Machine *m, int t)
{
    const Thread *u = &m->thread[t];
    return u->life == 1 && !u->stores && texts[t].code[u->pc].kind != JOIN && !can_step(m, t);
}

/* T makes a step, which wakes thread WOKEN if it is a signal. Returns whether it writes. */
static bool perform(Machine *m, int t, int woken)
{
    Thread *u = &m->thread[t];
    const Code *code = &texts[t].code[u->pc++];
    int old = read_place(m, u, code->place), r = u->r;
    switch (code->kind) {
    case LOAD:
        u->r = (uint8_t)((r + old) % 3);
        return false;
    case STORE:
    case PUT:
        write_place(m, u, code->place, code->kind == STORE ? r : code->c);
        return true;
    case UNLOCK:
        m->at[code->place] = 0;
        return true;
    case SWAP:
        u->r = (uint8_t)old;
        m->at[code->place] = (uint8_t)r;
        return true;
    case CAS:
        u->r = old == r;
        if (old == r)
            m->at[code->place] = (uint8_t)((r + 1) % 3);
        return old == r;
    case SPIN:
        u->pc = (uint8_t)(u->pc - (old != code->c));
        return false;
    case LOCK:
        m->at[code->place] = 1;
        return true;
    case TRY:
        if (old)
            u->pc = (uint8_t)code->target;
        m->at[code->place] = 1;
        return !old;
    case CHECK:
        if (old == code->c)
            u->pc = (uint8_t)code->target;
        return false;
    case SLEEP:
        m->at[code->place] = 0;
        u->sleeps = (uint8_t)(code->place + 1);
        return true;
    case WAKE:
        for (int i = 0; i < THREADS; i++)
            if ((code->c || i == woken) && m->thread[i].sleeps == code->place + 1)
                m->thread[i].sleeps = 0;
        return false;
    case CREATE:
        m->thread[code->c].life = 1;
        return true;
    case JOIN:
        return true;
    case END:
        *u = (Thread){.life = 2};
        m->over |= t == 0;
        return true;
    case TEST:
        u->pc = r == code->c ? u->pc : (uint8_t)code->target;
        return false;
    case STOP:
        u->pc = r != code->c ? u->pc : (uint8_t)code->target;
        return false;
    case ASSERT:
        m->failed |= r == code->c;
        return false;
    case TURN:
        if (code->c)
            u->round++;
        if (!code->c || u->round < code->c)
            u->pc = (uint8_t)code->target;
        return false;
    case SET:
        u->r = (uint8_t)code->c;
        return false;
    case JUMP:
        u->pc = (uint8_t)code->target;
        return false;
    }
    abort();
}

/* Do two threads stand at accesses to p, one of them a write? */
static bool is_race(const Machine *m)
{
    int at = 0, writes = 0;
    for (int t = 0; t < THREADS; t++) {
        const Code *code = &texts[t].code[m->thread[t].pc];
        if (m->thread[t].life != 1 || code->place != P ||
            (code->kind != LOAD && code->kind != STORE))
            continue;
        at++;
        writes |= code->kind == STORE;
    }
    return at > 1 && writes && !m->over;
}

/* ---- the search ---- */

static Machine *states;
static int state_count, edge_count;
static int *table;
typedef struct Edge {
    int from, to, thread;
    bool writes; /* memory is another afterwards, or a thread has begun, ended or been joined */
    bool tries;  /* an exchange that changes nothing */
} Edge;
static Edge *edges;

static int enter(const Machine *m)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < sizeof *m; i++)
        hash = (hash ^ ((const unsigned char *)m)[i]) * 1099511628211u;
    uint32_t slot = (uint32_t)(hash >> 20) % TABLE;
    for (; table[slot]; slot = (slot + 1) % TABLE)
        if (!memcmp(&states[table[slot] - 1], m, sizeof *m))
            return table[slot] - 1;
    if (state_count == MOST_STATES) {
        puts("too-large");
        exit(0);
    }
    states[state_count] = *m;
    table[slot] = ++state_count;
    return state_count - 1;
}

static void lead(int from, const Machine *m, int thread, bool writes)
{
    int to = enter(m);
    const Thread *u = &states[from].thread[thread];
    const Code *code = &texts[thread].code[u->pc];
    bool flushes = states[to].thread[thread].stores < u->stores;
    bool changes = memcmp(states[from].at, m->at, sizeof m->at) != 0;
    bool lives = !flushes && (code->kind == CREATE || code->kind == JOIN || code->kind == END);
    bool tries = !flushes && !changes &&
                 (code->kind == SWAP || code->kind == TRY || (code->kind == CAS && !writes));
    edges[edge_count++] = (Edge){from, to, thread, changes || lives, tries};
}

static void expand(int s)
{
    for (int t = 0; t < THREADS && !states[s].over && !states[s].failed; t++) {
        Machine m = states[s];
        if (m.thread[t].stores) {
            flush(&m, &m.thread[t]);
            lead(s, &m, t, true);
        }
        if (!can_step(&states[s], t))
            continue;
        const Code *code = &texts[t].code[states[s].thread[t].pc];
        bool any = false;
        for (int w = 0; w < THREADS && code->kind == WAKE && !code->c; w++)
            if (states[s].thread[w].sleeps == code->place + 1) {
                m = states[s];
                any = true;
                bool writes = perform(&m, t, w);
                lead(s, &m, t, writes);
            }
        if (any)
            continue;
        m = states[s];
        bool writes = perform(&m, t, -1);
        lead(s, &m, t, writes);
    }
}

/* Marks all states from which a marked one can be reached. */
static void spread_back(bool *marked)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int e = edge_count; e-- > 0;)
            if (marked[edges[e].to] && !marked[edges[e].from])
                marked[edges[e].from] = changed = true;
    }
}

static bool all_marked(const bool *marked)
{
    return !memchr(marked, 0, (size_t)state_count);
}

/* Is thread T in a loop for ever that it can't break out of? */
static bool is_perpetual(const Machine *m, int t)
{
    const Thread *u = &m->thread[t];
    if (u->life != 1)
        return false;
    int turn = -1;
    for (int i = 0; i < texts[t].count; i++)
        if (texts[t].code[i].kind == TURN && !texts[t].code[i].c)
            turn = i;
    if (turn < 0 || u->pc > turn)
        return false;
    for (int i = texts[t].code[turn].target; i < turn; i++)
        if (texts[t].code[i].kind == STOP)
            return false;
    return true; /* (no loop without an exit is entered late: what comes before leads into it) */
}

/* Can each thread come to its end, but those that are meant to run for ever? */
static bool all_end(bool *marked)
{
    bool good = true;
    for (int t = 0; t < THREADS && good; t++) {
        for (int s = 0; s < state_count; s++) {
            const Machine *m = &states[s];
            const Code *code = &texts[t].code[m->thread[t].pc];
            marked[s] = m->over || m->thread[t].life != 1 || is_perpetual(m, t) ||
                        (code->kind == JOIN && is_perpetual(m, code->c));
        }
        spread_back(marked);
        good = all_marked(marked);
    }
    return good;
}

/* Does a thread that runs for ever end up in exchanges in vain? */
static bool all_change(bool *marked)
{
    bool good = true, *tries = malloc(MOST_STATES);
    for (int t = 0; t < THREADS && good; t++) {
        for (int s = 0; s < state_count; s++) {
            marked[s] = states[s].over || states[s].thread[t].life != 1;
            tries[s] = false;
        }
        for (int e = 0; e < edge_count; e++)
            if (edges[e].thread == t) {
                marked[edges[e].from] |= edges[e].writes;
                tries[edges[e].from] |= edges[e].tries;
            }
        spread_back(marked);
        spread_back(tries);
        for (int s = 0; s < state_count; s++)
            good &= marked[s] || !tries[s];
    }
    free(tries);
    return good;
}

/* Does nobody wait for ever? *ENDLESS: the program need not come to its end. */
static bool nobody_waits(bool *endless)
{
    bool *marked = malloc(MOST_STATES), good = true;
    for (int s = 0; s < state_count; s++)
        marked[s] = states[s].over;
    spread_back(marked);
    *endless = !all_marked(marked);
    for (int e = 0; e < edge_count; e++)
        marked[edges[e].from] |= edges[e].writes;
    spread_back(marked);
    good = all_marked(marked);
    for (int t = 0; t < THREADS && good; t++) {
        for (int s = 0; s < state_count; s++)
            marked[s] = states[s].over || !is_blocked(&states[s], t);
        spread_back(marked);
        good = all_marked(marked);
    }
    good = good && all_end(marked) && all_change(marked);
    free(marked);
    return good;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 4 ? fopen(argv[2], "w") : NULL;
    if (!file) {
        fprintf(stderr, "loops SEED FILE.c sc|tso|races\n");
        return 2;
    }
    tso = !strcmp(argv[3], "tso");
    races = !strcmp(argv[3], "races");
    make(strtoull(argv[1], NULL, 10));
    write_file(file);
    fclose(file);
    states = malloc(sizeof *states * MOST_STATES);
    edges = malloc(sizeof *edges * MOST_STATES * 2 * THREADS);
    table = calloc(TABLE, sizeof *table);
    Machine start;
    memset(&start, 0, sizeof start);
    start.thread[0].life = 1;
    enter(&start);
    bool fails = false, race = false, endless;
    for (int s = 0; s < state_count; s++) {
        fails |= states[s].failed;
        race |= races && is_race(&states[s]);
        expand(s);
    }
    if (fails || race)
        printf("%s%s\n", fails ? "assertion " : "", race ? "race" : "");
    else if (!nobody_waits(&endless))
        puts("dead");
    else
        puts(endless ? "holds endless" : "holds ends");
    return 0;
}
