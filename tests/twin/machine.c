/* machine.c: is the block of a program used after its free, in some run of the machine? All runs
 * are performed, a step at a time: a thread executes its next instruction, or a store leaves its
 * thread's buffer. It knows no axioms, no graphs and no happens-before.
 *
 * A load has its value when it is executed: that of the last store to its location in the buffer of
 * its thread, or that of memory. Stores leave
 *   sc     at once;
 *   tso    in the order in which they came;
 *   pso    in any order, but not before an older one to the same location, not before any older one
 *          if it is a release store, nor before one from which a release fence separates it.
 * The buffer is empty when a seq_cst fence, a read-modify-write that succeeds, creation, end and
 * join of a thread are executed. A seq_cst load waits until no seq_cst store is in the buffer. Code
 * for x86 (tso): seq_cst stores, and compare-exchanges that fail, are locked instructions, too.
 *
 * The end of the block is executed in program order. Too late is a load or a store that is executed
 * after it, and a store that is executed before and leaves its buffer after it, unless it is one of
 * the thread that frees. */
#include "enumerate.h"
#include "base/hash.h"

enum { MAIN = 0, MOST_STORES = TWIN_LENGTH, MOST_STATES = 3000000 };

typedef struct Store {
    int location, value;
    bool pair, release, sc;
    int fences; /* release fences of the thread before it */
} Store;
typedef struct State {
    int next[TWIN_THREADS + 1];
    int registers[TWIN_THREADS + 1][TWIN_REGISTERS];
    int memory[TWIN_LOCATIONS];
    int fences[TWIN_THREADS + 1], stores[TWIN_THREADS + 1];
    bool created, joined;
    unsigned freed; /* threads that have freed it, as bits */
    Store store[4][MOST_STORES];
} State;
typedef struct Machine {
    const TwinProgram *program;
    TwinOptions options;
    HashMap seen, seen_other;
    int states;
    bool late, gave_up;
} Machine;

static void run(Machine *m, const State *s);

static bool is_x86(const Machine *m)
{
    return m->options.model == MODEL_TSO && m->options.axioms.x86_code;
}

static void touch(Machine *m, const State *s, const TwinInstruction *i)
{
    m->late |= s->freed && i->location < TWIN_BLOCK;
}

/* The value that thread T sees. */
static int look(const State *s, int t, int location)
{
    for (int n = s->stores[t] - 1; n >= 0; n--)
        if (location - s->store[t][n].location <= s->store[t][n].pair &&
            location >= s->store[t][n].location)
            return s->store[t][n].value;
    return s->memory[location];
}

static void put(State *s, const TwinInstruction *i, int value)
{
    s->memory[i->location] = value;
    if (i->pair)
        s->memory[i->location + 1] = value;
}

static void execute_store(Machine *m, State *s, int t, const TwinInstruction *i)
{
    int value = twin_value(i->value, s->registers[t]);
    bool sc = i->order == TWIN_SC;
    if (sc && is_x86(m) && s->stores[t])
        return;
    touch(m, s, i);
    if (m->options.model == MODEL_SC || (sc && is_x86(m))) {
        put(s, i, value);
    } else {
        ASSERT(s->stores[t] < MOST_STORES);
        s->store[t][s->stores[t]++] =
            (Store){.location = i->location,
                    .value = value,
                    .pair = i->pair,
                    .release = i->order >= TWIN_REL && i->order <= TWIN_SC,
                    .sc = sc,
                    .fences = s->fences[t]};
    }
    s->next[t]++;
    run(m, s);
}

static void execute_load(Machine *m, State *s, int t, const TwinInstruction *i, int order)
{
    for (int n = 0; n < s->stores[t]; n++)
        if (order == TWIN_SC && s->store[t][n].sc)
            return;
    touch(m, s, i);
    int found = look(s, t, i->location);
    if (i->pair)
        s->registers[t][i->destination + 1] = look(s, t, i->location + 1);
    if (i->destination >= 0)
        s->registers[t][i->destination] = found;
    s->next[t]++;
    run(m, s);
}

static void execute_rmw(Machine *m, State *s, int t, const TwinInstruction *i)
{
    int found = look(s, t, i->location);
    bool fails = i->op == TWIN_CAS && found != twin_value(i->expected, s->registers[t]);
    if (fails && !is_x86(m)) {
        execute_load(m, s, t, i, i->failure);
        return;
    }
    if (s->stores[t])
        return;
    touch(m, s, i);
    if (!fails)
        put(s, i, twin_value(i->value, s->registers[t]) + (i->op == TWIN_ADD ? found : 0));
    if (i->destination >= 0)
        s->registers[t][i->destination] = found;
    s->next[t]++;
    run(m, s);
}

static void execute(Machine *m, const State *before, int t, const TwinInstruction *i)
{
    State s = *before;
    switch (i->op) {
    case TWIN_LOAD:
        execute_load(m, &s, t, i, i->order);
        return;
    case TWIN_STORE:
        execute_store(m, &s, t, i);
        return;
    case TWIN_FENCE:
        if (i->order == TWIN_SC && s.stores[t])
            return;
        s.fences[t] += i->order >= TWIN_REL;
        break;
    case TWIN_FREE:
        s.freed |= 1u << t;
        break;
    default:
        execute_rmw(m, &s, t, i);
        return;
    }
    s.next[t]++;
    run(m, &s);
}

/* May the store N of thread T leave the buffer? */
static bool may_leave(const Machine *m, const State *s, int t, int n)
{
    const Store *store = &s->store[t][n];
    if (m->options.model == MODEL_TSO)
        return n == 0;
    for (int o = 0; o < n; o++)
        if (s->store[t][o].location == store->location || store->release ||
            s->store[t][o].fences < store->fences)
            return false;
    return true;
}

static void leave(Machine *m, const State *before, int t, int n)
{
    State s = *before;
    const Store *store = &before->store[t][n];
    m->late |= store->location < TWIN_BLOCK && s.freed & ~(1u << t);
    s.memory[store->location] = store->value;
    if (store->pair)
        s.memory[store->location + 1] = store->value;
    s.stores[t]--;
    for (int o = n; o < s.stores[t]; o++)
        s.store[t][o] = s.store[t][o + 1];
    s.store[t][s.stores[t]] = (Store){0};
    run(m, &s);
}

/* The next instruction of T whose guard holds; NULL if it has none or has to wait. Main creates the
 * others after `pre`, and joins them after `mid`. */
static const TwinInstruction *next_of(const Machine *m, State *s, int t)
{
    const TwinProgram *p = m->program;
    for (;; s->next[t]++) {
        int n = s->next[t];
        const TwinBlock *b = t == MAIN ? &p->pre : &p->thread[t - 1];
        if (t == MAIN && n >= p->pre.length) {
            s->created |= !s->stores[t];
            n -= p->pre.length;
            b = &p->mid;
            if (!s->created)
                return NULL;
        }
        if (t == MAIN && b == &p->mid && n >= p->mid.length) {
            n -= p->mid.length;
            b = &p->post;
            bool ended = !s->stores[t];
            for (int u = 1; u <= p->threads; u++)
                ended &= s->next[u] >= p->thread[u - 1].length && !s->stores[u];
            s->joined |= ended;
            if (!s->joined)
                return NULL;
        }
        if (t != MAIN && !s->created)
            return NULL;
        if (n >= b->length)
            return NULL;
        if (twin_enabled(&b->code[n], s->registers[t]))
            return &b->code[n];
    }
}

static bool is_new(Machine *m, const State *s)
{
    bool first, second;
    *hashmap_put(&m->seen, hash_bytes(s, sizeof *s, 1), &first) = 1;
    *hashmap_put(&m->seen_other, hash_bytes(s, sizeof *s, 2), &second) = 1;
    m->gave_up |= m->states++ > MOST_STATES;
    return first || second;
}

static void run(Machine *m, const State *before)
{
    State s = *before;
    const TwinInstruction *next[TWIN_THREADS + 1];
    for (int t = m->program->threads; t >= 0; t--) /* main last: it joins who has ended */
        next[t] = next_of(m, &s, t);
    for (int t = 1; t <= m->program->threads; t++) /* it may have created them just now */
        next[t] = next_of(m, &s, t);
    if (m->late || m->gave_up || !is_new(m, &s))
        return;
    for (int t = 0; t <= m->program->threads; t++) {
        for (int n = 0; n < s.stores[t]; n++)
            if (may_leave(m, &s, t, n))
                leave(m, &s, t, n);
        if (next[t])
            execute(m, &s, t, next[t]);
    }
}

bool twin_machine_uses_late(const TwinProgram *program, TwinOptions options, bool *gave_up)
{
    Machine m = {.program = program, .options = options};
    State *start = calloc(1, sizeof *start);
    if (program->threads >= (int)COUNT_OF(start->store)) {
        *gave_up = true;
    } else {
        memcpy(start->memory, program->initial, sizeof start->memory);
        run(&m, start);
        *gave_up |= m.gave_up;
    }
    free(start);
    hashmap_free(&m.seen);
    hashmap_free(&m.seen_other);
    return m.late;
}
