/* axioms.c: the consistent graphs of a program under RC11 (Lahav, Vafeiadis, Kang, Hur and Dreyer,
 * PLDI 2017), literally, with their release sequences (oracle_c11) or those of C++20.
 *
 * RC11 forbids cycles of program order and reads-from, so that a consistent graph is built by
 * adding one event after the other, each with every write that it may read, or every place in the
 * coherence order; a graph is kept if the axioms hold of it. A thread whose next step does not read
 * takes it at once: in every larger graph in which it is taken it is the same event, and the others
 * can be put around it later. Graphs that were met are not extended again.
 *
 * Loops: a graph in which a thread has repeated loops too often is not extended by that thread. The
 * program is stuck if a graph can be met from which, every read seeing the last write, the machine
 * of machine.c can't come to the end. */
#include "oracle.h"

enum { EVENTS = 44, MOST_PLACES = 20, MOST_WRITES = 14, NOWHERE = 255 };
enum { READS = 1, WRITES = 2, IS_FENCE = 4, IS_MARK = 8 };
enum { MARK_NONE, MARK_CREATE, MARK_JOIN, MARK_END, MARK_FREE };
typedef struct Event {
    int8_t thread, index, rf, other; /* rf: event; other: thread of a mark */
    uint8_t kind, reads, writes /* orders */, place, node, mark, spurious;
    int16_t value;
} Event;
typedef struct Graph {
    Event event[EVENTS];
    int events, places;
    uint8_t place[MOST_PLACES], writes[MOST_PLACES], mo[MOST_PLACES][MOST_WRITES];
    Self self[THREADS];
    int back[THREADS];
    int8_t count[THREADS];
    bool cut[THREADS];
    uint32_t freed;
    int64_t told[THREADS];
    bool full;
} Graph;

static struct {
    const Program *program;
    Judged *judged;
    int rounds, barrier;
    long most, graphs;
    uint64_t (*met)[2];
    size_t met_size, met_count;
    bool has_sc;
} a;

/* ---- relations over at most 64 nodes ---- */

typedef struct Relation {
    uint64_t row[64];
} Relation;
static int nodes;

static Relation compose(const Relation *x, const Relation *y)
{
    Relation z = {{0}};
    for (int i = 0; i < nodes; i++) {
        uint64_t left = x->row[i], row = 0;
        for (; left; left &= left - 1)
            row |= y->row[__builtin_ctzll(left)];
        z.row[i] = row;
    }
    return z;
}
static Relation join(const Relation *x, const Relation *y)
{
    Relation z = {{0}};
    for (int i = 0; i < nodes; i++)
        z.row[i] = x->row[i] | y->row[i];
    return z;
}
static void close_transitively(Relation *x)
{
    for (int k = 0; k < nodes; k++)
        for (int i = 0; i < nodes; i++)
            if (x->row[i] >> k & 1)
                x->row[i] |= x->row[k];
}
static Relation reflexive(const Relation *x)
{
    Relation z = {{0}};
    for (int i = 0; i < nodes; i++)
        z.row[i] = x->row[i] | 1ull << i;
    return z;
}
static Relation restrict_to(const Relation *x, uint64_t from, uint64_t to)
{
    Relation z = {{0}};
    for (int i = 0; i < nodes; i++)
        z.row[i] = from >> i & 1 ? x->row[i] & to : 0;
    return z;
}
static bool is_irreflexive(const Relation *x)
{
    for (int i = 0; i < nodes; i++)
        if (x->row[i] >> i & 1)
            return false;
    return true;
}

/* ---- the axioms ---- */

static int read_node[EVENTS], write_node[EVENTS]; /* a read-modify-write is two nodes */
static struct {
    int thread, index, place, order;
    int kind;
} node[64];
static Relation hb;

static void set(Relation *x, int from, int to)
{
    x->row[from] |= 1ull << to;
}

static bool make_nodes(const Graph *g)
{
    nodes = 0;
    for (int i = 0; i < g->events; i++) {
        const Event *e = &g->event[i];
        if (nodes + 2 > 64)
            return false;
        if (e->kind & READS || e->kind >= IS_FENCE) {
            node[nodes].order = e->reads, node[nodes].kind = e->kind & ~WRITES;
            read_node[i] = write_node[i] = nodes;
            node[nodes].thread = e->thread, node[nodes].index = 2 * e->index,
            node[nodes++].place = e->place;
        }
        if (e->kind & WRITES) {
            node[nodes].order = e->writes, node[nodes].kind = WRITES;
            write_node[i] = nodes;
            if (!(e->kind & READS))
                read_node[i] = nodes;
            node[nodes].thread = e->thread, node[nodes].index = 2 * e->index + 1,
            node[nodes++].place = e->place;
        }
    }
    return true;
}

static bool acquires(int order)
{
    return order == ACQ || order == AR || order == SC;
}
static bool releases(int order)
{
    return order == REL || order == AR || order == SC;
}

/* What creation, end and join order beside program order. */
static void add_threads(const Graph *g, Relation *x)
{
    for (int i = 0; i < g->events; i++)
        for (int j = 0; j < g->events; j++) {
            const Event *e = &g->event[i], *f = &g->event[j];
            if ((e->mark == MARK_CREATE && f->thread == e->other) ||
                (e->mark == MARK_END && f->mark == MARK_JOIN && f->other == e->thread))
                set(x, read_node[i], read_node[j]);
        }
}

static bool is_psc_cyclic(const Relation *sb, const Relation *mo, const Relation *rb,
                          const Relation *eco, uint64_t sc, uint64_t fences)
{
    Relation other_place, same_place;
    for (int i = 0; i < nodes; i++) {
        other_place.row[i] = same_place.row[i] = 0;
        for (int j = 0; j < nodes; j++) {
            bool same = node[i].place == node[j].place && node[i].place != NOWHERE;
            if (sb->row[i] >> j & 1 && !same)
                set(&other_place, i, j);
            if (hb.row[i] >> j & 1 && same)
                set(&same_place, i, j);
        }
    }
    Relation way = compose(&other_place, &hb), scb = compose(&way, &other_place);
    scb = join(&scb, sb);
    scb = join(&scb, &same_place);
    scb = join(&scb, mo);
    scb = join(&scb, rb);
    Relation maybe = reflexive(&hb), before = restrict_to(&maybe, sc & fences, UINT64_MAX);
    Relation after = restrict_to(&maybe, UINT64_MAX, sc & fences);
    for (int i = 0; i < nodes; i++)
        if (sc >> i & 1)
            set(&before, i, i), set(&after, i, i);
    Relation psc = compose(&before, &scb);
    psc = compose(&psc, &after);
    Relation through = compose(&hb, eco);
    through = compose(&through, &hb);
    through = join(&through, &hb);
    through = restrict_to(&through, sc & fences, sc & fences);
    psc = join(&psc, &through);
    close_transitively(&psc);
    return !is_irreflexive(&psc);
}

/* Is G consistent? Leaves hb. */
static bool is_consistent(const Graph *g)
{
    Relation sb = {{0}}, rf = {{0}}, mo = {{0}}, rmw = {{0}}, back = {{0}}, same = {{0}};
    uint64_t reads = 0, writes = 0, fences = 0, atomic = 0, release = 0, acquire = 0, sc = 0;
    for (int i = 0; i < nodes; i++) {
        uint64_t bit = 1ull << i;
        int order = node[i].order;
        for (int j = 0; j < nodes; j++) {
            if (i != j && (node[i].thread < 0
                               ? node[j].thread >= 0
                               : node[i].thread == node[j].thread && node[i].index < node[j].index))
                set(&sb, i, j);
            if (node[i].thread >= 0 && sb.row[i] >> j & 1 && node[i].kind == WRITES &&
                node[j].kind == WRITES && node[i].place == node[j].place && node[i].order != NA &&
                node[j].order != NA)
                set(&same, i, j);
        }
        if (node[i].kind == IS_MARK)
            continue;
        reads |= node[i].kind == READS ? bit : 0;
        writes |= node[i].kind == WRITES ? bit : 0;
        fences |= node[i].kind == IS_FENCE ? bit : 0;
        atomic |= order != NA ? bit : 0;
        release |= node[i].kind != READS && releases(order) ? bit : 0;
        acquire |= node[i].kind != WRITES && acquires(order) ? bit : 0;
        sc |= order == SC ? bit : 0;
    }
    for (int i = 0; i < g->events; i++) {
        const Event *e = &g->event[i];
        if (e->kind & READS && e->kind < IS_FENCE) {
            set(&rf, write_node[e->rf], read_node[i]);
            set(&back, read_node[i], write_node[e->rf]);
        }
        if (e->kind == (READS | WRITES))
            set(&rmw, read_node[i], write_node[i]);
    }
    for (int x = 0; x < g->places; x++)
        for (int p = 0; p < g->writes[x]; p++)
            for (int q = p + 1; q < g->writes[x]; q++)
                set(&mo, write_node[g->mo[x][p]], write_node[g->mo[x][q]]);
    Relation rb = compose(&back, &mo), broken = compose(&rb, &mo);
    for (int i = 0; i < nodes; i++)
        if (broken.row[i] & rmw.row[i])
            return false;
    Relation eco = join(&rf, &mo);
    eco = join(&eco, &rb);
    close_transitively(&eco);
    Relation chain = compose(&rf, &rmw);
    close_transitively(&chain);
    chain = reflexive(&chain);
    if (oracle_c11) {
        Relation later = reflexive(&same);
        chain = compose(&later, &chain);
    }
    chain = restrict_to(&chain, writes & atomic, UINT64_MAX);
    Relation from_fence = restrict_to(&sb, fences, UINT64_MAX),
             to_fence = restrict_to(&sb, UINT64_MAX, fences);
    from_fence = reflexive(&from_fence);
    to_fence = reflexive(&to_fence);
    Relation sw = compose(&from_fence, &chain), read = restrict_to(&rf, UINT64_MAX, reads & atomic);
    sw = compose(&sw, &read);
    sw = compose(&sw, &to_fence);
    sw = restrict_to(&sw, release, acquire);
    hb = join(&sb, &sw);
    add_threads(g, &hb);
    close_transitively(&hb);
    Relation maybe = reflexive(&eco), cycle = compose(&hb, &maybe);
    if (!is_irreflexive(&hb) || !is_irreflexive(&cycle))
        return false;
    return !a.has_sc || !is_psc_cyclic(&sb, &mo, &rb, &eco, sc, fences);
}

/* ---- what the last event of G does wrong ---- */

static bool ordered(int i, int j)
{
    return hb.row[write_node[i]] >> read_node[j] & 1;
}

static void judge_free(const Graph *g, int last)
{
    const Event *f = &g->event[last];
    for (int i = 0; i < last; i++) {
        const Event *e = &g->event[i];
        bool access = e->kind < IS_FENCE && e->thread >= 0 && node_of_place(e->place) == f->node;
        if (access && !ordered(i, last))
            a.judged->kinds |= KIND_FREED;
        if (f->mark == MARK_FREE && e->mark == MARK_FREE && e->node == f->node)
            a.judged->kinds |= KIND_DOUBLE;
    }
}

static void judge_access(const Graph *g, int last)
{
    const Event *e = &g->event[last];
    int own = node_of_place(e->place);
    if (own >= 0 && g->freed >> own & 1)
        a.judged->kinds |= KIND_FREED;
    for (int i = 0; i < last; i++) {
        const Event *f = &g->event[i];
        if (f->kind >= IS_FENCE || f->place != e->place || f->thread == e->thread || f->thread < 0)
            continue;
        bool plain = f->reads == NA || e->reads == NA, writes = (f->kind | e->kind) & WRITES;
        if (plain && writes && !ordered(i, last))
            a.judged->kinds |= KIND_RACE;
    }
}

/* ---- building ---- */

static void extend(Graph g);

static int place_of(Graph *g, int place)
{
    for (int x = 0; x < g->places; x++)
        if (g->place[x] == place)
            return x;
    if (g->places == MOST_PLACES || g->events == EVENTS) {
        g->full = true;
        return 0;
    }
    int x = g->places++;
    g->place[x] = (uint8_t)place;
    g->writes[x] = 1;
    g->mo[x][0] = (uint8_t)g->events;
    g->event[g->events++] = (Event){.thread = -1,
                                    .index = 0,
                                    .rf = -1,
                                    .kind = WRITES,
                                    .reads = NA,
                                    .writes = NA,
                                    .place = (uint8_t)place};
    return x;
}

static bool is_room(Graph *g, int x)
{
    g->full |= g->events == EVENTS || g->writes[x] == MOST_WRITES;
    return !g->full;
}

/* Adds E, of thread T, to G; a write at POSITION of its coherence order. False: not consistent. */
static bool add(Graph *g, int t, Event e, int position)
{
    int x = e.kind < IS_FENCE ? place_of(g, e.place) : 0;
    if (!is_room(g, x))
        return false;
    int number = g->events++;
    e.thread = (int8_t)t;
    e.index = g->count[t]++;
    g->event[number] = e;
    if (e.kind < IS_FENCE && e.kind & WRITES) {
        for (int p = g->writes[x]++; p > position; p--)
            g->mo[x][p] = g->mo[x][p - 1];
        g->mo[x][position] = (uint8_t)number;
    }
    if (!make_nodes(g)) {
        g->full = true;
        return false;
    }
    if (!is_consistent(g))
        return false;
    if (e.kind < IS_FENCE)
        judge_access(g, number);
    else if (e.mark == MARK_FREE)
        judge_free(g, number);
    return true;
}

static void go_on(Graph *g)
{
    if (g->full)
        a.judged->too_large = true;
    else
        extend(*g);
}

static void add_mark(Graph *g, int t, int mark, int other, int node_number)
{
    add(g, t,
        (Event){.kind = IS_MARK,
                .rf = -1,
                .reads = NA,
                .place = NOWHERE,
                .mark = (uint8_t)mark,
                .other = (int8_t)other,
                .node = (uint8_t)node_number},
        0);
}

static void add_zeroes(Graph *g, int t, int node_number)
{
    for (int f = 0; f < FIELDS; f++)
        add(g, t,
            (Event){.kind = WRITES,
                    .rf = -1,
                    .reads = NA,
                    .writes = NA,
                    .place = (uint8_t)(VARIABLES + node_number * FIELDS + f)},
            1);
}

static void end_thread(Graph *g, int t)
{
    add_mark(g, t, MARK_END, 0, 0);
    for (int kind = NODE_STACK; kind <= NODE_TLS; kind++) {
        int n = t * NODES_OF_THREAD + kind;
        if (!code_has(&a.program->thread[t], kind == NODE_STACK ? OP_STACK : OP_TLS))
            continue;
        g->event[g->events - 1].node = (uint8_t)n;
        if (!g->full)
            judge_free(g, g->events - 1);
        g->freed |= 1u << n;
    }
    uint8_t allocated = g->self[t].allocated;
    g->self[t] = (Self){.created = 1, .begun = 1, .ended = 1, .allocated = allocated};
}

static void begin_thread(Graph *g, int t)
{
    g->self[t].created = g->self[t].begun = 1;
    if (code_has(&a.program->thread[t], OP_STACK))
        add_zeroes(g, t, t * NODES_OF_THREAD + NODE_STACK);
}

static void tell(Graph *g, int t)
{
    int64_t all[REGISTERS];
    for (int r = 0; r < REGISTERS; r++)
        all[r] = g->self[t].reg[r];
    if (t) {
        g->told[class_of(a.program, t)] += told_of(all);
        return;
    }
    int16_t last[2] = {0, 0};
    for (int x = 0; x < g->places; x++)
        if (g->place[x] == 6 || g->place[x] == 7)
            last[g->place[x] - 6] = g->event[g->mo[x][g->writes[x] - 1]].value;
    g->told[0] += last[0] * 31 + last[1];
}

/* Each place in the coherence order. */
static void add_store(const Graph *before, int t, Event e)
{
    Graph g = *before;
    int x = place_of(&g, e.place), writes = g.writes[x];
    for (int position = 1; position <= writes; position++) {
        Graph next = g;
        bool consistent = add(&next, t, e, position);
        next.self[t].pc++;
        if (consistent || next.full)
            go_on(&next);
    }
}

static void free_node(Graph *g, int t, const Step *s)
{
    int16_t pointer = g->self[t].reg[s->reg];
    int n = node_of_value(pointer);
    if (!pointer)
        return;
    if (n % NODES_OF_THREAD < NODE_HEAP)
        a.judged->kinds |= KIND_INVALID;
    add_mark(g, t, MARK_FREE, 0, n);
    g->freed |= 1u << n;
}

/* T takes its next step if that does not read. False: it does. True: *BRANCHED says whether the
 * graphs after it were extended already. */
static bool take_quiet(Graph *g, int t, bool *branched)
{
    Self *self = &g->self[t];
    *branched = false;
    if (self->pc >= a.program->thread[t].length) {
        end_thread(g, t);
        return true;
    }
    const Step *s = &a.program->thread[t].step[self->pc];
    switch (s->op) {
    case OP_STORE:
        *branched = true;
        add_store(g, t,
                  (Event){.kind = WRITES,
                          .rf = -1,
                          .reads = s->order == VOL ? RLX : s->order,
                          .writes = s->order == VOL ? RLX : s->order,
                          .place = (uint8_t)self_place(self, s),
                          .value = self_value(self, s->value)});
        return true;
    case OP_UNLOCK:
        *branched = true;
        add_store(g, t,
                  (Event){.kind = WRITES,
                          .rf = -1,
                          .reads = REL,
                          .writes = REL,
                          .place = (uint8_t)(LOCK_PLACE + s->place)});
        return true;
    case OP_FENCE:
        add(g, t, (Event){.kind = IS_FENCE, .rf = -1, .reads = s->order, .place = NOWHERE}, 0);
        break;
    case OP_NEW: {
        int n = self_new_node(a.program, t, self, s);
        g->full |= n < 0;
        if (n >= 0)
            add_zeroes(g, t, n);
        break;
    }
    case OP_FREE:
        free_node(g, t, s);
        break;
    case OP_CREATE:
        add_mark(g, t, MARK_CREATE, s->place, 0);
        begin_thread(g, s->place);
        break;
    case OP_JOIN:
        if (!g->self[s->place].ended)
            return false;
        add_mark(g, t, MARK_JOIN, s->place, 0);
        break;
    case OP_TELL:
        tell(g, t);
        break;
    default:
        return false;
    }
    self->pc++;
    return true;
}

typedef struct Reading { /* a step that reads, and what it makes of what it finds */
    int place, reads, failure, writes;
    enum { NEVER, ALWAYS, IF_EXPECTED, IF_ZERO_OR_WAIT, IF_ZERO, AT_LEAST } when;
    int16_t expected, value;
    bool adds, weak;
} Reading;

static Reading reading_of(const Graph *g, int t, const Step *s)
{
    const Self *self = &g->self[t];
    int order = s->order == VOL ? RLX : s->order;
    Reading r = {.reads = order, .failure = order, .writes = order};
    if (is_access(s->op))
        r.place = self_place(self, s);
    switch (s->op) {
    case OP_LOAD:
        r.when = NEVER;
        break;
    case OP_ADD:
    case OP_XCHG:
        r.when = ALWAYS, r.value = self_value(self, s->value), r.adds = s->op == OP_ADD;
        break;
    case OP_CAS:
    case OP_WEAK:
        r.when = IF_EXPECTED, r.expected = self_value(self, s->expected),
        r.value = self_value(self, s->value);
        r.failure = s->failure, r.weak = s->op == OP_WEAK;
        break;
    case OP_LOCK:
    case OP_TRY:
    case OP_TIMED:
        r = (Reading){.place = LOCK_PLACE + s->place,
                      .reads = ACQ,
                      .failure = RLX,
                      .writes = RLX,
                      .value = 1};
        r.when = s->op == OP_LOCK ? IF_ZERO_OR_WAIT : IF_ZERO;
        break;
    default: /* a barrier */
        r = (Reading){.place = ARRIVED_PLACE,
                      .reads = AR,
                      .writes = AR,
                      .value = 1,
                      .adds = true,
                      .when = ALWAYS};
        if (self->phase)
            r = (Reading){.place = ARRIVED_PLACE,
                          .reads = ACQ,
                          .failure = ACQ,
                          .when = AT_LEAST,
                          .expected = (int16_t)(a.barrier * (self->passed + 1))};
    }
    return r;
}

/* T has found FOUND and, if SUCCEEDS, written. */
static void answer(Graph *g, int t, const Step *s, int16_t found, bool succeeds)
{
    Self *self = &g->self[t];
    if (s->op == OP_BARRIER) {
        self->passed = (uint8_t)(self->passed + self->phase);
        self->pc = (uint8_t)(self->pc + self->phase);
        self->phase = !self->phase;
        return;
    }
    if (s->op == OP_TRY || s->op == OP_TIMED) {
        self->reg[s->reg] = succeeds;
        if (!succeeds)
            self->pc = s->to;
    } else if (s->op != OP_LOCK && s->reg >= 0) {
        self->reg[s->reg] = found;
    }
    if (s->flag >= 0)
        self->reg[s->flag] = succeeds;
    self->pc++;
}

static void read_from(const Graph *before, int t, const Step *s, const Reading *r, int x,
                      int position)
{
    int w = before->mo[x][position];
    int16_t found = before->event[w].value;
    bool fits = r->when == ALWAYS || (r->when == IF_EXPECTED && found == r->expected) ||
                ((r->when == IF_ZERO || r->when == IF_ZERO_OR_WAIT) && !found);
    if ((r->when == IF_ZERO_OR_WAIT && found) || (r->when == AT_LEAST && found < r->expected))
        return;
    for (int spurious = 0; spurious <= (fits && r->weak); spurious++) {
        Graph g = *before;
        Event e = {.kind = READS,
                   .rf = (int8_t)w,
                   .place = (uint8_t)r->place,
                   .value = found,
                   .reads = (uint8_t)(r->when == NEVER ? r->reads : r->failure),
                   .spurious = (uint8_t)spurious};
        bool writes = fits && !spurious;
        if (writes) {
            e.kind = READS | WRITES, e.reads = (uint8_t)r->reads, e.writes = (uint8_t)r->writes;
            e.value = (int16_t)(r->adds ? found + r->value : r->value);
        }
        bool consistent = add(&g, t, e, position + 1);
        answer(&g, t, s, found, writes);
        if (consistent || g.full)
            go_on(&g);
    }
}

/* ---- which graphs were met ---- */

static void mix(uint64_t *key, uint64_t word)
{
    key[0] = (key[0] ^ word) * 0xFF51AFD7ED558CCDu, key[0] ^= key[0] >> 31;
    key[1] = (key[1] + word) * 0xC4CEB9FE1A85EC53u, key[1] ^= key[1] >> 29;
}

static uint64_t name_of(const Event *e)
{
    return e->thread < 0 ? 64u : (uint64_t)e->thread * 1024 + (uint64_t)e->index + 128;
}

static bool is_new(const Graph *g)
{
    uint64_t key[2] = {1, 2};
    for (int t = 0; t < a.program->threads; t++) {
        mix(key, 7);
        for (int i = 0; i < g->events; i++) /* in program order */
            if (g->event[i].thread == t && g->event[i].kind < IS_FENCE && g->event[i].kind & READS)
                mix(key, name_of(&g->event[g->event[i].rf]) * 2 + g->event[i].spurious);
    }
    for (int place = 0; place < PLACES; place++)
        for (int x = 0; x < g->places; x++)
            if (g->place[x] == place) {
                mix(key, (uint64_t)place + 1000000);
                for (int p = 1; p < g->writes[x]; p++)
                    mix(key, name_of(&g->event[g->mo[x][p]]));
            }
    if (a.met_count * 2 >= a.met_size) {
        size_t size = a.met_size ? 2 * a.met_size : 4096;
        uint64_t(*grown)[2] = calloc(size, sizeof *grown);
        for (size_t i = 0; i < a.met_size; i++)
            if (a.met[i][0] | a.met[i][1]) {
                size_t at = a.met[i][0] & (size - 1);
                while (grown[at][0] | grown[at][1])
                    at = (at + 1) & (size - 1);
                grown[at][0] = a.met[i][0], grown[at][1] = a.met[i][1];
            }
        free(a.met);
        a.met = grown, a.met_size = size;
    }
    size_t at = key[0] & (a.met_size - 1);
    for (; a.met[at][0] | a.met[at][1]; at = (at + 1) & (a.met_size - 1))
        if (a.met[at][0] == key[0] && a.met[at][1] == key[1])
            return false;
    a.met[at][0] = key[0], a.met[at][1] = key[1];
    a.met_count++;
    return true;
}

static void last_values(const Graph *g, int16_t *memory)
{
    memset(memory, 0, PLACES * sizeof *memory);
    for (int x = 0; x < g->places; x++)
        memory[g->place[x]] = g->event[g->mo[x][g->writes[x] - 1]].value;
}

static void note_outcome(const Graph *g)
{
    Outcome o;
    int16_t memory[PLACES];
    memset(&o, 0, sizeof o);
    last_values(g, memory);
    memcpy(o.variable, memory, sizeof o.variable);
    memcpy(o.told, g->told, sizeof o.told);
    oracle_add(a.judged, &o);
}

static void look_whether_stuck(const Graph *g)
{
    int16_t memory[PLACES];
    last_values(g, memory);
    int ends = machine_can_end(g->self, memory, g->freed);
    if (ends == 0)
        a.judged->kinds |= KIND_STUCK;
    a.judged->too_large |= ends < 0;
}

/* Local steps and such as do not read, as far as there are any. False: G was given up, or all that
 * follows it was extended. */
static bool run_quietly(Graph *g, bool *failed)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (int t = 0; t < a.program->threads; t++) {
            Self *self = &g->self[t];
            while (self->begun && !self->ended && !self->failed && !g->cut[t]) {
                int rounds = g->back[t];
                bool branched;
                if (!self_advance(a.program, t, self, &g->back[t])) {
                    a.judged->kinds |= KIND_ASSERTION;
                    break;
                }
                if (g->back[t] > a.rounds) {
                    g->cut[t] = a.judged->bounded = true;
                    break;
                }
                if (g->back[t] != rounds)
                    continue;
                if (!take_quiet(g, t, &branched))
                    break;
                if (branched || g->full) {
                    a.judged->too_large |= g->full;
                    return false;
                }
                moved = true;
            }
            *failed |= self->failed;
        }
    }
    return true;
}

static void extend(Graph g)
{
    bool failed = false, ended = true;
    if (a.judged->too_large || !run_quietly(&g, &failed))
        return;
    if (++a.graphs > a.most) {
        a.judged->too_large = true;
        return;
    }
    if (!is_new(&g))
        return;
    for (int t = 0; t < a.program->threads; t++)
        ended &= !g.self[t].created || g.self[t].ended;
    if (ended) {
        note_outcome(&g);
        return;
    }
    if (!failed)
        look_whether_stuck(&g);
    for (int t = 0; t < a.program->threads; t++) {
        const Self *self = &g.self[t];
        if (!self->begun || self->ended || self->failed || g.cut[t])
            continue;
        const Step *s = &a.program->thread[t].step[self->pc];
        if (s->op == OP_JOIN)
            continue;
        Reading r = reading_of(&g, t, s);
        int x = place_of(&g, r.place);
        if (g.full) {
            a.judged->too_large = true;
            return;
        }
        for (int position = 0; position < g.writes[x]; position++)
            read_from(&g, t, s, &r, x, position);
    }
}

void axioms_judge(const Program *p, int rounds, long most, Judged *j)
{
    static Graph g;
    a.program = p, a.judged = j, a.rounds = rounds, a.most = most, a.graphs = 0;
    a.barrier = barrier_size(p);
    a.met_count = 0;
    if (a.met)
        memset(a.met, 0, a.met_size * sizeof *a.met);
    a.has_sc = false;
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < p->thread[t].length; i++) {
            const Step *s = &p->thread[t].step[i];
            a.has_sc |=
                (is_access(s->op) || s->op == OP_FENCE) &&
                (s->order == SC || ((s->op == OP_CAS || s->op == OP_WEAK) && s->failure == SC));
        }
    machine_begin(p);
    memset(&g, 0, sizeof g);
    begin_thread(&g, 0);
    extend(g);
    j->states = a.graphs;
}
