/* machine.c: all states of a machine whose threads have store buffers.
 *
 * A load has its value when it is executed: that of the last store to its place in its thread's
 * buffer, or that of memory. Stores leave their buffer
 *   sc     at once;
 *   tso    in the order in which they came;
 *   pso    in any order, but not before an older one to the same place, nor before any older one if
 *          it is a release store or if a release fence stands between.
 * A buffer is empty where its thread makes a seq_cst fence or a read-modify-write (under tso also a
 * seq_cst store, or a compare-exchange that fails: those are locked instructions of x86), takes a
 * lock, arrives at a barrier, creates, joins or ends. A lock is given back by a release store,
 * under tso by a locked instruction, as glibc does it. A seq_cst load waits until no seq_cst store
 * is in its thread's buffer.
 *
 * The program is stuck if some state can be reached from which no state can be that has all threads
 * ended. Memory that was freed is used if an access is executed, or a store of another thread than
 * the one that has freed it leaves its buffer, after that. */
#include "oracle.h"

enum { MOST_STORES = 6 };
typedef struct Store {
    int16_t value;
    uint8_t place;
    uint8_t release, sc, fences;
} Store;
typedef struct State {
    Self self[THREADS];
    int16_t memory[PLACES];
    uint32_t freed;
    uint8_t freed_by[NODES];
    uint8_t stores[THREADS], fences[THREADS];
    Store store[THREADS][MOST_STORES];
    int64_t told[THREADS];
} State;

typedef struct Machine {
    const Program *program;
    Model model;
    int barrier;
    State *state;  /* all that were met */
    uint8_t *mark; /* 1: the program can end from here; 2: it can't; 0: unknown */
    long count, room;
    uint32_t *table; /* of number + 1 */
    uint32_t table_size;
    uint32_t (*edge)[2]; /* from, to */
    long edges, edge_room;
    unsigned kinds;
    bool full; /* a buffer */
    uint32_t next[64];
    int nexts;
    bool violates; /* the step just taken */
} Machine;
static Machine m;

static uint64_t hash_of(const void *data, size_t bytes)
{
    const uint64_t *word = data;
    uint64_t h = 0x9E3779B97F4A7C15u;
    for (size_t i = 0; i < bytes / 8; i++)
        h = (h ^ word[i]) * 0xFF51AFD7ED558CCDu, h ^= h >> 29;
    return h ^ h >> 32;
}

static void table_grow(void)
{
    free(m.table);
    m.table_size = m.table_size ? m.table_size * 2 : 1 << 10;
    m.table = calloc(m.table_size, sizeof *m.table);
    for (long i = 0; i < m.count; i++) {
        uint64_t h = hash_of(&m.state[i], sizeof(State));
        while (m.table[h & (m.table_size - 1)])
            h++;
        m.table[h & (m.table_size - 1)] = (uint32_t)i + 1;
    }
}

/* The number of S; it is added if it is new. */
static uint32_t state_get(const State *s)
{
    _Static_assert(sizeof(State) % 8 == 0, "hashed by words");
    if (m.count * 2 >= (long)m.table_size)
        table_grow();
    uint64_t h = hash_of(s, sizeof *s);
    for (; m.table[h & (m.table_size - 1)]; h++) {
        uint32_t i = m.table[h & (m.table_size - 1)] - 1;
        if (!memcmp(&m.state[i], s, sizeof *s))
            return i;
    }
    if (m.count == m.room) {
        m.room = m.room ? 2 * m.room : 256;
        m.state = realloc(m.state, (size_t)m.room * sizeof *m.state);
        m.mark = realloc(m.mark, (size_t)m.room);
    }
    m.state[m.count] = *s;
    m.mark[m.count] = 0;
    m.table[h & (m.table_size - 1)] = (uint32_t)m.count + 1;
    return (uint32_t)m.count++;
}

static void violate(unsigned kind)
{
    m.kinds |= kind;
    m.violates = true;
}

/* After a step of T: local steps, then the new state. */
static void reach(State *s, int t)
{
    if (m.violates)
        return;
    if (t >= 0 && !self_advance(m.program, t, &s->self[t], NULL)) {
        violate(KIND_ASSERTION);
        return;
    }
    uint32_t number = state_get(s);
    if (m.nexts < 64)
        m.next[m.nexts++] = number;
}

static void touch(const State *s, int place)
{
    int node = node_of_place(place);
    if (node >= 0 && s->freed >> node & 1)
        violate(KIND_FREED);
}

static int16_t look(const State *s, int t, int place)
{
    for (int n = s->stores[t] - 1; n >= 0; n--)
        if (s->store[t][n].place == place)
            return s->store[t][n].value;
    return s->memory[place];
}

static void put(State *s, int t, int place, int16_t value, int order)
{
    bool locked = m.model == MODEL_SC || (m.model == MODEL_TSO && order == SC);
    touch(s, place);
    if (locked)
        s->memory[place] = value;
    else if (s->stores[t] == MOST_STORES)
        m.full = true;
    else
        s->store[t][s->stores[t]++] = (Store){.place = (uint8_t)place,
                                              .value = value,
                                              .release = order == REL || order == AR || order == SC,
                                              .sc = order == SC,
                                              .fences = s->fences[t]};
}

static void leave(const State *before, int t, int n)
{
    State s = *before;
    Store store = before->store[t][n];
    int node = node_of_place(store.place);
    m.violates = false;
    if (node >= 0 && s.freed >> node & 1 && s.freed_by[node] != t + 1)
        violate(KIND_FREED);
    s.memory[store.place] = store.value;
    s.stores[t]--;
    for (int o = n; o < s.stores[t]; o++)
        s.store[t][o] = s.store[t][o + 1];
    s.store[t][s.stores[t]] = (Store){0};
    if (!s.stores[t])
        s.fences[t] = 0;
    reach(&s, -1);
}

static bool may_leave(const State *s, int t, int n)
{
    const Store *store = s->store[t];
    for (int o = 0; o < n; o++)
        if (m.model == MODEL_TSO || store[o].place == store[n].place || store[n].release ||
            store[o].fences < store[n].fences)
            return false;
    return true;
}

static void finish(State *s, int t, int16_t found, int8_t reg)
{
    if (reg >= 0)
        s->self[t].reg[reg] = found;
    s->self[t].pc++;
    reach(s, t);
}

static bool waits_for_sc_stores(const State *s, int t)
{
    for (int n = 0; n < s->stores[t]; n++)
        if (s->store[t][n].sc)
            return true;
    return false;
}

static void take_load(State *s, int t, const Step *step, int order)
{
    int place = self_place(&s->self[t], step);
    if (order == SC && waits_for_sc_stores(s, t))
        return;
    touch(s, place);
    finish(s, t, look(s, t, place), step->reg);
}

static void take_rmw(const State *before, int t, const Step *step)
{
    State s = *before;
    int place = self_place(&s.self[t], step);
    bool cas = step->op == OP_CAS || step->op == OP_WEAK;
    int16_t found = look(&s, t, place), value = self_value(&s.self[t], step->value);
    bool fails = cas && found != self_value(&s.self[t], step->expected);
    for (int spurious = step->op == OP_WEAK && !fails; spurious >= 0; spurious--) {
        s = *before;
        m.violates = false;
        if (fails || spurious) {
            s.self[t].reg[step->flag] = 0;
            if (m.model != MODEL_TSO || !s.stores[t])
                take_load(&s, t, step, step->failure);
        } else if (!s.stores[t]) {
            touch(&s, place);
            s.memory[place] = (int16_t)(step->op == OP_ADD ? found + value : value);
            if (cas)
                s.self[t].reg[step->flag] = 1;
            finish(&s, t, found, step->reg);
        }
    }
}

static void take_lock(State *s, int t, const Step *step)
{
    int place = LOCK_PLACE + step->place;
    bool tries = step->op != OP_LOCK, taken = look(s, t, place) != 0;
    if (taken && !tries)
        return;
    if (s->stores[t] && (!taken || m.model == MODEL_TSO))
        return;
    if (!taken)
        s->memory[place] = 1;
    else
        s->self[t].pc = step->to; /* which giving back is stepped over */
    finish(s, t, !taken, tries ? step->reg : -1);
}

static void take_free(State *s, int t, const Step *step)
{
    int16_t pointer = s->self[t].reg[step->reg];
    if (pointer) {
        int node = node_of_value(pointer);
        if (node % NODES_OF_THREAD < NODE_HEAP)
            violate(KIND_INVALID);
        else if (s->freed >> node & 1)
            violate(KIND_DOUBLE);
        s->freed |= 1u << node;
        s->freed_by[node] = (uint8_t)(t + 1);
    }
    finish(s, t, 0, -1);
}

/* Does anything in S point to NODE, or is about to be written there? */
static bool is_named(const State *s, int node)
{
    const int16_t pointer = (int16_t)(POINTER + node);
    for (int t = 0; t < THREADS; t++) {
        for (int r = FIRST_POINTER; r < REGISTERS; r++)
            if (s->self[t].reg[r] == pointer)
                return true;
        for (int n = 0; n < s->stores[t]; n++)
            if (s->store[t][n].value == pointer || node_of_place(s->store[t][n].place) == node)
                return true;
    }
    for (int place = 0; place < LOCK_PLACE; place++)
        if (s->memory[place] == pointer && holds_pointers(place))
            return true;
    return false;
}

/* The thread gets a new node; or, when there are no more, one that is freed and that nothing points
 * to: nobody can tell it from a new one. */
static void take_new(State *s, int t, const Step *step)
{
    Self *self = &s->self[t];
    if (self_new_node(m.program, t, self, step) >= 0) {
        finish(s, t, 0, -1);
        return;
    }
    int node = t * NODES_OF_THREAD + NODE_HEAP, end = (t + 1) * NODES_OF_THREAD;
    self->reg[step->reg] = 0;
    while (node < end && (!(s->freed >> node & 1) || is_named(s, node)))
        node++;
    if (node == end) {
        m.full = true;
        return;
    }
    s->freed &= ~(1u << node);
    s->freed_by[node] = 0;
    for (int f = 0; f < FIELDS; f++)
        s->memory[VARIABLES + node * FIELDS + f] = 0;
    self->reg[step->reg] = (int16_t)(POINTER + node);
    finish(s, t, 0, -1);
}

static void take_barrier(State *s, int t)
{
    Self *self = &s->self[t];
    if (!self->phase) {
        if (s->stores[t])
            return;
        s->memory[ARRIVED_PLACE]++;
        self->phase = 1;
        reach(s, -1);
    } else if (s->memory[ARRIVED_PLACE] >= m.barrier * (self->passed + 1)) {
        self->phase = 0;
        self->passed++;
        finish(s, t, 0, -1);
    }
}

static void begin_thread(State *s, int t)
{
    s->self[t].created = s->self[t].begun = 1;
    if (!self_advance(m.program, t, &s->self[t], NULL))
        violate(KIND_ASSERTION);
}

static void take_tell(State *s, int t)
{
    int64_t all[REGISTERS];
    if (s->stores[t])
        return;
    for (int r = 0; r < REGISTERS; r++)
        all[r] = s->self[t].reg[r];
    s->told[t ? class_of(m.program, t) : 0] +=
        t ? told_of(all) : look(s, t, 6) * 31 + look(s, t, 7);
    finish(s, t, 0, -1);
}

static void end_thread(State *s, int t)
{
    Self *self = &s->self[t];
    if (s->stores[t])
        return;
    for (int kind = NODE_STACK; kind <= NODE_TLS; kind++) {
        int node = t * NODES_OF_THREAD + kind;
        s->freed |= 1u << node;
        s->freed_by[node] = (uint8_t)(t + 1);
    }
    uint8_t allocated = self->allocated;
    *self = (Self){.created = 1, .begun = 1, .ended = 1, .allocated = allocated};
    reach(s, -1);
}

static void take_step(const State *before, int t)
{
    State s = *before;
    Self *self = &s.self[t];
    m.violates = false;
    if (self->pc >= m.program->thread[t].length) {
        end_thread(&s, t);
        return;
    }
    const Step *step = &m.program->thread[t].step[self->pc];
    switch (step->op) {
    case OP_LOAD:
        take_load(&s, t, step, step->order);
        return;
    case OP_STORE:
        if (m.model == MODEL_TSO && step->order == SC && s.stores[t])
            return;
        put(&s, t, self_place(self, step), self_value(self, step->value), step->order);
        finish(&s, t, 0, -1);
        return;
    case OP_ADD:
    case OP_XCHG:
    case OP_CAS:
    case OP_WEAK:
        take_rmw(before, t, step);
        return;
    case OP_FENCE:
        if (step->order == SC && s.stores[t])
            return;
        if (step->order >= REL && s.stores[t])
            s.fences[t]++;
        finish(&s, t, 0, -1);
        return;
    case OP_NEW:
        take_new(&s, t, step);
        return;
    case OP_FREE:
        take_free(&s, t, step);
        return;
    case OP_LOCK:
    case OP_TRY:
    case OP_TIMED:
        take_lock(&s, t, step);
        return;
    case OP_UNLOCK:
        if (m.model == MODEL_TSO && s.stores[t])
            return;
        put(&s, t, LOCK_PLACE + step->place, 0, m.model == MODEL_TSO ? SC : REL);
        finish(&s, t, 0, -1);
        return;
    case OP_BARRIER:
        take_barrier(&s, t);
        return;
    case OP_CREATE:
        if (s.stores[t])
            return;
        begin_thread(&s, step->place);
        finish(&s, t, 0, -1);
        return;
    case OP_JOIN:
        if (!s.stores[t] && s.self[step->place].ended)
            finish(&s, t, 0, -1);
        return;
    default:
        take_tell(&s, t);
    }
}

static bool is_complete(const State *s)
{
    for (int t = 0; t < m.program->threads; t++)
        if (s->self[t].created && !s->self[t].ended)
            return false;
    return true;
}

/* All states after S are in m.next; m.violates afterwards: some step was a violation. */
static void expand(const State *at)
{
    State s = *at; /* states move when there are more */
    bool violates = false;
    m.nexts = 0;
    for (int t = 0; t < m.program->threads; t++) {
        if (!s.self[t].begun || s.self[t].ended)
            continue;
        take_step(&s, t);
        violates |= m.violates;
        for (int n = 0; n < s.stores[t]; n++)
            if (may_leave(&s, t, n)) {
                leave(&s, t, n);
                violates |= m.violates;
            }
    }
    m.violates = violates;
}

static void note_edge(uint32_t from, uint32_t to)
{
    if (m.edges == m.edge_room) {
        m.edge_room = m.edge_room ? 2 * m.edge_room : 1024;
        m.edge = realloc(m.edge, (size_t)m.edge_room * sizeof *m.edge);
    }
    m.edge[m.edges][0] = from, m.edge[m.edges++][1] = to;
}

/* Marks states from which one with mark 1 can be reached: by their edges, backwards. */
static bool all_can_end(void)
{
    uint32_t *first = calloc((size_t)m.count + 1, sizeof *first),
             *from = malloc((size_t)(m.edges + 1) * sizeof *from);
    uint32_t *stack = malloc(((size_t)m.count + 1) * sizeof *stack);
    long depth = 0, marked = 0;
    for (long e = 0; e < m.edges; e++)
        first[m.edge[e][1] + 1]++;
    for (long i = 0; i < m.count; i++)
        first[i + 1] += first[i];
    uint32_t *fill = calloc((size_t)m.count + 1, sizeof *fill);
    for (long e = 0; e < m.edges; e++) {
        uint32_t to = m.edge[e][1];
        from[first[to] + fill[to]++] = m.edge[e][0];
    }
    for (long i = 0; i < m.count; i++)
        if (m.mark[i])
            stack[depth++] = (uint32_t)i, marked++;
    while (depth) {
        uint32_t to = stack[--depth];
        for (uint32_t k = first[to]; k < first[to + 1]; k++)
            if (!m.mark[from[k]])
                m.mark[from[k]] = 1, marked++, stack[depth++] = from[k];
    }
    free(first), free(from), free(stack), free(fill);
    return marked == m.count;
}

static void begin(const Program *p, Model model)
{
    m.program = p;
    m.model = model;
    m.barrier = barrier_size(p);
    m.count = m.edges = 0;
    m.kinds = 0;
    m.full = m.violates = false;
    if (m.table)
        memset(m.table, 0, m.table_size * sizeof *m.table);
}

static void note_outcome(const State *s, Judged *j)
{
    Outcome o;
    memset(&o, 0, sizeof o);
    memcpy(o.variable, s->memory, sizeof o.variable);
    memcpy(o.told, s->told, sizeof o.told);
    oracle_add(j, &o);
}

void machine_judge(const Program *p, Model model, long most, Judged *j)
{
    begin(p, model);
    State s;
    memset(&s, 0, sizeof s);
    begin_thread(&s, 0);
    if (!m.violates)
        state_get(&s);
    for (long i = 0; i < m.count; i++) {
        if (is_complete(&m.state[i])) {
            m.mark[i] = 1;
            note_outcome(&m.state[i], j);
            continue;
        }
        expand(&m.state[i]);
        m.mark[i] = m.violates; /* what is wrong is told: it counts as an end */
        for (int n = 0; n < m.nexts; n++)
            note_edge((uint32_t)i, m.next[n]);
        if (m.count > most || m.full) {
            j->too_large = true;
            return;
        }
    }
    j->kinds = m.kinds;
    if (!all_can_end())
        j->kinds |= KIND_STUCK;
    j->states = m.count;
}

/* ---- for axioms.c ---- */

void machine_begin(const Program *p)
{
    begin(p, MODEL_SC);
}

int machine_can_end(const Self *self, const int16_t *memory, uint32_t freed)
{
    enum { MOST = 20000 };
    static uint32_t stack[MOST + 64], parent[MOST + 64];
    static uint32_t visited[MOST + 64];
    State s;
    memset(&s, 0, sizeof s);
    memcpy(s.self, self, sizeof s.self);
    memcpy(s.memory, memory, sizeof s.memory);
    s.freed = freed;
    for (int t = 0; t < m.program->threads; t++)
        if (s.self[t].begun && !s.self[t].ended && !self_advance(m.program, t, &s.self[t], NULL))
            return 1;
    uint32_t start = state_get(&s);
    int depth = 0;
    long count = 0;
    static uint8_t *seen;
    static long seen_room;
    bool ends = false;
    stack[depth] = start, parent[depth++] = UINT32_MAX;
    /* breadth does not matter: whoever is visited is visited once */
    for (int at = 0; at < depth && !ends; at++) {
        uint32_t i = stack[at];
        if (m.mark[i] == 2)
            continue;
        if (m.mark[i] == 1 || is_complete(&m.state[i])) {
            for (uint32_t up = (uint32_t)at; up != UINT32_MAX; up = parent[up])
                m.mark[stack[up]] = 1;
            ends = true;
            break;
        }
        expand(&m.state[i]);
        if (m.violates) {
            for (uint32_t up = (uint32_t)at; up != UINT32_MAX; up = parent[up])
                m.mark[stack[up]] = 1;
            ends = true;
            break;
        }
        visited[count++] = i;
        if (seen_room < m.room) {
            seen = realloc(seen, (size_t)m.room);
            memset(seen + seen_room, 0, (size_t)(m.room - seen_room));
            seen_room = m.room;
        }
        for (int n = 0; n < m.nexts; n++)
            if (!seen[m.next[n]] && depth < MOST) {
                seen[m.next[n]] = 1;
                stack[depth] = m.next[n], parent[depth++] = (uint32_t)at;
            }
    }
    bool full = m.full || depth >= MOST;
    for (int k = 0; k < depth; k++)
        if (stack[k] < seen_room)
            seen[stack[k]] = 0;
    for (long k = 0; k < count && !ends && !full; k++)
        m.mark[visited[k]] = 2;
    return ends ? 1 : full ? -1 : 0;
}
