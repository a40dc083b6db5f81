/* imm.c: random programs of loads, stores, read-modify-writes, fences and loops, and what IMM allows them to do that
 * RC11 does not, by enumerating graphs: imm SEED COUNT prints a line a program, "TEXT LB LSE", where LB is 1 if IMM has an
 * outcome (registers and final memory) that RC11 has not, and LSE if IMM has one where read-modify-writes are single
 * instructions. imm TEXT does the same of one program. interp.c runs the texts.
 *
 * The axioms are those of IMM (Podkopaev, Lahav, Vafeiadis: Bridging the gap between programming languages and hardware
 * weak memory models, POPL 2019, section 3) and RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017), with C++20's
 * release sequences, literally, with bit matrices. For seq_cst accesses psc is that of RC11 in both. Nothing is shared
 * with the runtime.
 *
 * Where read-modify-writes are single instructions (LSE of ARMv8.1, AMO of RISC-V) nothing comes after them in ppo but by
 * a dependency: no [R_ex];po, and rmw;po is only rmw. That is no published model; ARM's own (aarch64.cat: aob, dob)
 * orders so. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text has a thread between slashes; an instruction is a letter, then for each location it accesses the location (x, y,
 * z), the order (r relaxed, a acquire, l release, b both, s seq_cst), and an operand:
 *   Lxr    load into the next register            Sxr1  store 1 (or 2); Sxr* the newest register
 *   Cxr1   compare-exchange of 0 for 1             Xxr1  exchange
 *   Fa     fence                                   I     skips the next instruction unless the newest register is 0
 *   Axr    load until it is not 0                  Bxryr while x is 0, or y's value to a register
 *   K, U   lock and unlock the one mutex */
typedef struct Op {
    char kind;
    int location[2];
    char order[2];
    char operand;
} Op;
#define MOST_OPS 10
enum { LOCATIONS = 4, MUTEX = 3 /* a location of its own */ };
#define MOST_THREADS 3
typedef struct Program {
    Op op[MOST_THREADS][MOST_OPS];
    int count[MOST_THREADS], threads;
} Program;

enum { READ, WRITE, FENCE };
typedef struct Event {
    int thread, kind, location, value;
    char order;
    bool exclusive; /* of a read-modify-write, even one that fails */
    int write;      /* of a read: its write, as an index in the thread's events, or -1 */
    uint32_t deps;  /* events of its thread on which it depends, by data or control */
} Event;
#define MOST_EVENTS 10
typedef struct Trace {
    Event event[MOST_EVENTS];
    int count, reg, regs[4], mixed; /* MIXED: what a B has gathered */
    uint32_t reg_deps, control;
    uint64_t outcome;
    bool skip, rounds; /* ROUNDS: a loop has gone round */
} Trace;
#define MOST_TRACES 4000
static Trace *traces[MOST_THREADS];
static int trace_count[MOST_THREADS];
static bool too_big, lse, free_of_deps;
static uint32_t written[LOCATIONS]; /* values that are written to each location, in runs that may end early, too */

/* ---- texts ---- */

static bool parse(const char *text, Program *p)
{
    memset(p, 0, sizeof *p);
    for (p->threads = 1; *text; text++) {
        int t = p->threads - 1;
        if (*text == '/') {
            p->threads++;
            continue;
        }
        if (t >= MOST_THREADS || p->count[t] >= MOST_OPS)
            return false;
        Op *op = &p->op[t][p->count[t]++];
        op->kind = *text;
        if (*text == 'I')
            continue;
        if (*text == 'K' || *text == 'U') {
            op->location[0] = MUTEX;
            op->order[0] = *text == 'K' ? 'a' : 'l';
            op->operand = '1';
            continue;
        }
        if (*text == 'F') {
            op->order[0] = *++text;
            continue;
        }
        for (int i = 0; i < (op->kind == 'B' ? 2 : 1); i++) {
            op->location[i] = *++text - 'x';
            op->order[i] = *++text;
        }
        if (strchr("SCX", op->kind))
            op->operand = *++text;
    }
    return true;
}

static unsigned long long state;
static unsigned draw(unsigned n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(state >> 33) % n;
}

static void draw_program(char *out)
{
    int threads = draw(3) ? 2 : 3;
    unsigned relaxed = 2 + draw(9); /* how many of ten accesses are */
    bool buffers = draw(2); /* loads first, then stores, of two locations */
    bool exchanges = draw(2), locks = !draw(6), equal = !draw(6);
    char *begin = out, *end = out;
    for (int t = 0; t < threads; t++) {
        if (t)
            *out++ = '/';
        if (equal && t == 1) { /* the first two threads do the same */
            out += sprintf(out, "%.*s", (int)(end - begin), begin);
            continue;
        }
        bool has_register = false, locked = false, skips = false;
        for (int i = 0, n = 1 + (int)draw(threads == 2 ? 4 : 3); i < n; i++) {
            if (locks && !skips && !draw(3)) {
                *out++ = locked ? 'U' : 'K';
                locked = !locked;
            }
            char x = (char)('x' + draw(buffers ? 2 : 3));
            bool skipped = skips, r = draw(10) < relaxed;
            skips = false;
            char load = r ? 'r' : "as"[draw(4) == 0], store = r ? 'r' : "ls"[draw(4) == 0], both = r ? 'r' : "albs"[draw(4)];
            unsigned k = draw(24);
            if (buffers && draw(4))
                k = 2 * i < n ? (draw(8) ? 0 : 15 + draw(8)) : 8 + draw(10);
            if (exchanges && !draw(3))
                k = 15 + draw(3);
            if (k < 8)
                out += sprintf(out, "L%c%c", x, load), has_register = true;
            else if (k < 15)
                out += sprintf(out, "S%c%c%c", x, store, has_register && draw(2) ? '*' : (char)('1' + draw(2)));
            else if (k < 16)
                out += sprintf(out, "X%c%c1", x, both), has_register = true;
            else if (k < 18)
                out += sprintf(out, "C%c%c1", x, both), has_register = true;
            else if (k < 19)
                out += sprintf(out, "F%c", "albs"[draw(4)]);
            else if (k < 21 && has_register && !skipped && i + 1 < n)
                *out++ = 'I', skips = true;
            else if (k < 22)
                out += sprintf(out, "A%c%c", x, load);
            else if (k < 23)
                out += sprintf(out, "B%c%c%c%c", x, load, (char)('x' + draw(buffers ? 2 : 3)), draw(4) ? 'r' : 'a');
            else
                out += sprintf(out, "L%cr", x), has_register = true;
        }
        if (locked)
            *out++ = 'U';
        end = t ? end : out;
    }
    *out = 0;
}

/* ---- what threads do with any values that their reads may get ---- */

static Event *add(Trace *t, int thread, int kind, int location, char order)
{
    if (t->count >= MOST_EVENTS) {
        too_big = true;
        return NULL;
    }
    Event *e = &t->event[t->count++];
    *e = (Event){.thread = thread, .kind = kind, .location = location, .order = order, .write = -1, .deps = t->control};
    return e;
}

static void run(const Program *p, int thread, int i, Trace t, const uint32_t *values);

/* The read of a loop or load; then goes on with instruction I. GATHERS: the value is or'ed to what B gathers. */
static void read_on(const Program *p, int thread, int i, Trace t, const uint32_t *values, const Op *op)
{
    for (int v = 0; v < 3; v++) {
        Trace n = t;
        if (!(values[op->location[0]] >> v & 1))
            continue;
        Event *e = add(&n, thread, READ, op->location[0], op->order[0]);
        if (!e)
            return;
        e->value = v;
        uint32_t me = 1u << (n.count - 1);
        n.regs[op->kind != 'L'] = v;
        if (op->kind == 'L') {
            n.reg = v;
            n.reg_deps = me;
            n.outcome = n.outcome * 4 + (unsigned)v + 1;
            run(p, thread, i + 1, n, values);
            continue;
        }
        n.control |= me;
        if (v) {
            if (op->kind == 'B')
                n.outcome = n.outcome * 4 + (unsigned)n.mixed;
            n.mixed = 0;
            run(p, thread, i + 1, n, values);
        } else if (op->kind == 'B') { /* once more round; a loop that only reads its variable shows nothing new then */
            int rounds = 0;
            for (int k = n.count - 1; k > 0 && n.event[k - 1].kind == READ; k--)
                rounds++;
            if (rounds > 4)
                continue;
            for (int u = 0; u < 3; u++) {
                Trace m = n;
                if (!(values[op->location[1]] >> u & 1))
                    continue;
                Event *f = add(&m, thread, READ, op->location[1], op->order[1]);
                if (!f)
                    return;
                f->value = u;
                m.mixed |= u;
                m.regs[2] = u;
                read_on(p, thread, i, m, values, op);
            }
        }
    }
}

static void exchange_on(const Program *p, int thread, int i, Trace t, const uint32_t *values, const Op *op)
{
    for (int v = 0; v < 3; v++) {
        Trace n = t;
        if (!(values[op->location[0]] >> v & 1))
            continue;
        Event *e = add(&n, thread, READ, op->location[0], op->order[0]);
        if (!e)
            return;
        e->value = v;
        e->exclusive = true;
        if (op->kind == 'K') {
            n.control |= 1u << (n.count - 1);
        } else {
            n.reg = n.regs[0] = v;
            n.regs[3] = op->kind == 'C' ? v == 0 : n.regs[3];
            n.reg_deps = 1u << (n.count - 1);
            n.outcome = n.outcome * 4 + (unsigned)v + 1;
        }
        if (op->kind == 'K' && v)
            continue; /* a lock that is taken: the attempt shows nothing that the next does not */
        if (op->kind != 'C' || v == 0) {
            e->write = n.count;
            Event *w = add(&n, thread, WRITE, op->location[0], op->order[0]);
            if (!w)
                return;
            w->value = op->operand - '0';
            written[w->location] |= 1u << w->value;
            w->exclusive = true;
        }
        run(p, thread, i + 1, n, values);
    }
}

static void run(const Program *p, int thread, int i, Trace t, const uint32_t *values)
{
    if (i >= p->count[thread]) {
        if (trace_count[thread] == MOST_TRACES)
            too_big = true;
        else
            traces[thread][trace_count[thread]++] = t;
        return;
    }
    const Op *op = &p->op[thread][i];
    if (t.skip) {
        t.skip = false;
        run(p, thread, i + 1, t, values);
        return;
    }
    switch (op->kind) {
    case 'L':
    case 'A':
    case 'B':
        read_on(p, thread, i, t, values, op);
        return;
    case 'C':
    case 'X':
    case 'K':
        exchange_on(p, thread, i, t, values, op);
        return;
    case 'U':
    case 'S': {
        Event *e = add(&t, thread, WRITE, op->location[0], op->order[0]);
        if (!e)
            return;
        e->value = op->kind == 'U' ? 0 : op->operand == '*' ? t.reg : op->operand - '0';
        written[e->location] |= 1u << e->value;
        if (op->operand == '*')
            e->deps |= t.reg_deps;
        break;
    }
    case 'F':
        if (!add(&t, thread, FENCE, -1, op->order[0]))
            return;
        break;
    default:
        t.control |= t.reg_deps;
        t.skip = t.reg != 0;
    }
    run(p, thread, i + 1, t, values);
}

static void make_traces(const Program *p)
{
    uint32_t values[LOCATIONS] = {1, 1, 1, 1};
    for (int l = 0; l < LOCATIONS; l++)
        written[l] = 1;
    for (bool more = true; more && !too_big;) {
        more = false;
        for (int t = 0; t < p->threads; t++) {
            trace_count[t] = 0;
            run(p, t, 0, (Trace){0}, values);
        }
        for (int l = 0; l < LOCATIONS; l++) {
            more |= values[l] != written[l];
            values[l] = written[l];
        }
    }
}

/* ---- graphs ---- */

#define MOST (MOST_THREADS * MOST_EVENTS + LOCATIONS)
typedef struct Relation {
    uint64_t row[MOST];
} Relation;
static int n;
static Event events[MOST];
static int rf[MOST];                /* of reads */
static int place[MOST];             /* of writes, in their location's order */
static Relation po, dep, rmw, same; /* same location */
static uint64_t reads, writes, fences, acquires, releases, strong, strong_fences, exclusives;

#define EACH(i, set) for (uint64_t left_##i = (set); left_##i; left_##i &= left_##i - 1)
#define FIRST(i) __builtin_ctzll(left_##i)

static void close(Relation *r)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            if (r->row[i] >> k & 1)
                r->row[i] |= r->row[k];
}
static bool is_acyclic(Relation r)
{
    close(&r);
    for (int i = 0; i < n; i++)
        if (r.row[i] >> i & 1)
            return false;
    return true;
}
static Relation compose(const Relation *a, const Relation *b)
{
    Relation out = {{0}};
    for (int i = 0; i < n; i++) {
        out.row[i] = 0;
        EACH(k, a->row[i])
        out.row[i] |= b->row[FIRST(k)];
    }
    return out;
}
static Relation reflexive(Relation r)
{
    for (int i = 0; i < n; i++)
        r.row[i] |= UINT64_C(1) << i;
    return r;
}
static Relation unite(const Relation *a, const Relation *b)
{
    Relation out = {{0}};
    for (int i = 0; i < n; i++)
        out.row[i] = a->row[i] | b->row[i];
    return out;
}
static Relation restricted(const Relation *r, uint64_t from, uint64_t to)
{
    Relation out = {{0}};
    for (int i = 0; i < n; i++)
        out.row[i] = from >> i & 1 ? r->row[i] & to : 0;
    return out;
}

static bool is_consistent(bool imm)
{
    Relation r = {{0}}, external = {{0}}, internal = {{0}}, mo = {{0}}, fr = {{0}};
    for (int i = 0; i < n; i++) {
        if (events[i].kind == READ) {
            r.row[rf[i]] |= UINT64_C(1) << i;
            Relation *half = events[rf[i]].thread == events[i].thread ? &internal : &external;
            half->row[rf[i]] |= UINT64_C(1) << i;
        }
        for (int j = 0; j < n; j++) {
            if (i == j || events[j].kind != WRITE || events[i].location != events[j].location)
                continue;
            if (events[i].kind == WRITE && place[i] < place[j])
                mo.row[i] |= UINT64_C(1) << j;
            if (events[i].kind == READ && place[rf[i]] < place[j])
                fr.row[i] |= UINT64_C(1) << j;
        }
    }
    Relation eco = unite(&r, &mo);
    eco = unite(&eco, &fr);
    close(&eco);
    /* release sequences of C++20: a write, then read-modify-writes */
    Relation step = compose(&r, &rmw), rs = step;
    close(&rs);
    rs = reflexive(rs);
    Relation seen = compose(&rs, &r); /* reads of a write's release sequence */
    Relation sw = {{0}};
    for (int w = 0; w < n; w++) {
        if (events[w].kind != WRITE)
            continue;
        uint64_t to = seen.row[w] & acquires;
        EACH(k, seen.row[w])
        to |= po.row[FIRST(k)] & fences & acquires;
        if (releases >> w & 1)
            sw.row[w] |= to;
        for (int f = 0; f < n; f++)
            if ((fences & releases) >> f & 1 && po.row[f] >> w & 1)
                sw.row[f] |= to;
    }
    Relation hb = unite(&po, &sw);
    close(&hb);
    Relation around = compose(&hb, &eco);
    for (int i = 0; i < n; i++)
        if (hb.row[i] >> i & 1 || eco.row[i] >> i & 1 || around.row[i] >> i & 1)
            return false;
    for (int i = 0; i < n; i++) /* atomicity: nothing between */
        EACH(w, rmw.row[i])
    EACH(k, fr.row[i])
    if (mo.row[FIRST(k)] >> FIRST(w) & 1)
        return false;
    /* psc */
    Relation far = compose(&around, &hb), psc_f = unite(&hb, &far);
    psc_f = restricted(&psc_f, strong_fences, strong_fences);
    Relation other = {{0}}, local = {{0}};
    for (int i = 0; i < n; i++) {
        other.row[i] = events[i].thread < 0 ? 0 : po.row[i] & ~same.row[i];
        local.row[i] = hb.row[i] & same.row[i];
    }
    Relation out = compose(&other, &hb), scb = compose(&out, &other);
    for (int i = 0; i < n; i++)
        scb.row[i] |= po.row[i] | local.row[i] | mo.row[i] | fr.row[i];
    Relation left = {{0}}, right = {{0}};
    for (int i = 0; i < n; i++) {
        uint64_t me = UINT64_C(1) << i;
        left.row[i] = (strong >> i & 1 ? me : 0) | (strong_fences >> i & 1 ? me | hb.row[i] : 0);
        right.row[i] = ((strong | strong_fences) >> i & 1 ? me : 0) | (hb.row[i] & strong_fences);
    }
    Relation psc = compose(&left, &scb);
    psc = compose(&psc, &right);
    psc = unite(&psc, &psc_f);
    if (!is_acyclic(psc))
        return false;
    if (!imm) {
        Relation porf = unite(&po, &r);
        return is_acyclic(porf);
    }
    Relation ar = external, pre = free_of_deps ? internal : unite(&dep, &internal);
    for (int i = 0; i < n; i++)
        if (exclusives >> i & 1 && reads >> i & 1)
            pre.row[i] |= lse ? rmw.row[i] : po.row[i]; /* [R_ex];po */
    close(&pre);
    for (int i = 0; i < n; i++) {
        uint64_t me = UINT64_C(1) << i;
        if (reads & me)
            ar.row[i] |= pre.row[i] & writes;
        if (events[i].thread < 0)
            continue;
        ar.row[i] |= po.row[i] & ((writes & releases) | fences);
        if ((reads & acquires) & me || fences & me)
            ar.row[i] |= po.row[i];
        if (writes & releases & me)
            ar.row[i] |= po.row[i] & same.row[i] & writes;
        EACH(k, mo.row[i]) /* detour */
        if (events[FIRST(k)].thread != events[i].thread)
            ar.row[i] |= external.row[FIRST(k)] & po.row[i];
    }
    ar = unite(&ar, &psc_f);
    return is_acyclic(ar);
}

static uint64_t seen_rc11[1 << 16], seen_imm[1 << 16];
static int rc11_count, imm_count;
static long work;

static bool is_member(const uint64_t *set, int count, uint64_t key)
{
    for (int i = 0; i < count; i++)
        if (set[i] == key)
            return true;
    return false;
}

static bool cyclic; /* FREE_OF_DEPS: does IMM have a graph with a cycle of po and rf if nothing depends on a read? */

/* Instead of the numbers of outcomes: what tests/random would find (asked.h). */
static int last_value[3];
static uint64_t (*key_of_outcome)(const Trace *const *chosen);
static const Trace *const *chosen_traces;
static uint64_t seen_free[1 << 16]; /* by IMM if nothing depends on a read */
static int free_count;

static void judge(uint64_t key)
{
    for (int l = 0; l < 3; l++) {
        int last = l;
        for (int i = 0; i < n; i++)
            if (events[i].kind == WRITE && events[i].location == l && place[i] > place[last])
                last = i;
        key = key * 4 + (unsigned)events[last].value;
        last_value[l] = events[last].value;
    }
    if (key_of_outcome)
        key = key_of_outcome(chosen_traces);
    if (free_of_deps) {
        Relation porf = po;
        for (int i = 0; i < n; i++)
            if (events[i].kind == READ)
                porf.row[rf[i]] |= UINT64_C(1) << i;
        bool is_new = !is_member(seen_free, free_count, key) && free_count < 1 << 16;
        if ((is_new || !cyclic) && is_consistent(true)) {
            cyclic = cyclic || !is_acyclic(porf);
            if (is_new)
                seen_free[free_count++] = key;
        }
        return;
    }
    bool old = is_member(seen_rc11, rc11_count, key);
    if (!old && is_consistent(false) && rc11_count < 1 << 16)
        seen_rc11[rc11_count++] = key;
    if (!is_member(seen_imm, imm_count, key) && is_consistent(true) && imm_count < 1 << 16)
        seen_imm[imm_count++] = key;
}

/* Saves time: coherence and atomicity refuse the others, in both models. */
static bool may_be_next(int w, uint64_t todo, int at)
{
    EACH(i, todo)
    if (po.row[FIRST(i)] >> w & 1)
        return false;
    for (int r = 0; r < n; r++)
        if (rmw.row[r] >> w & 1 && place[rf[r]] != at - 1)
            return false;
    return true;
}

/* All orders of the writes of location L and of those after it: WRITES are those not placed yet. */
static void place_writes(int l, uint64_t todo, int at, uint64_t key)
{
    if (++work > 3000000) {
        too_big = true;
        return;
    }
    if (l == LOCATIONS) {
        judge(key);
        return;
    }
    if (!todo) {
        uint64_t next = 0;
        for (int i = LOCATIONS; i < n; i++)
            if (events[i].kind == WRITE && events[i].location == l + 1)
                next |= UINT64_C(1) << i;
        place_writes(l + 1, next, 1, key);
        return;
    }
    EACH(i, todo)
    {
        if (!may_be_next(FIRST(i), todo, at))
            continue;
        place[FIRST(i)] = at;
        place_writes(l, todo & ~(UINT64_C(1) << FIRST(i)), at + 1, key);
        if (too_big)
            return;
    }
}

static void choose_sources(int i, uint64_t key)
{
    while (i < n && events[i].kind != READ)
        i++;
    if (i == n) {
        uint64_t first = 0;
        for (int k = LOCATIONS; k < n; k++)
            if (events[k].kind == WRITE && events[k].location == 0)
                first |= UINT64_C(1) << k;
        place_writes(0, first, 1, key);
        return;
    }
    for (int w = 0; w < n && !too_big; w++)
        if (events[w].kind == WRITE && events[w].location == events[i].location &&
            events[w].value == events[i].value && !(po.row[i] >> w & 1)) {
            rf[i] = w;
            choose_sources(i + 1, key);
        }
}

static void make_graph(const Trace *const *chosen, int threads)
{
    uint64_t key = 0;
    chosen_traces = chosen;
    memset(&po, 0, sizeof po);
    memset(&dep, 0, sizeof dep);
    memset(&rmw, 0, sizeof rmw);
    n = LOCATIONS;
    for (int l = 0; l < LOCATIONS; l++) {
        events[l] = (Event){.thread = -1, .kind = WRITE, .location = l, .order = 'r', .write = -1};
        place[l] = 0;
    }
    for (int t = 0; t < threads; t++) {
        int base = n;
        key = key * 1000003 + chosen[t]->outcome * 5 + 1;
        for (int i = 0; i < chosen[t]->count; i++) {
            Event *e = &events[n];
            *e = chosen[t]->event[i];
            for (int k = base; k < n; k++) {
                po.row[k] |= UINT64_C(1) << n;
                if (e->deps >> (k - base) & 1)
                    dep.row[k] |= UINT64_C(1) << n;
            }
            if (e->write >= 0)
                rmw.row[n] |= UINT64_C(1) << (base + e->write);
            n++;
        }
    }
    for (int l = 0; l < LOCATIONS; l++)
        for (int i = LOCATIONS; i < n; i++)
            po.row[l] |= UINT64_C(1) << i;
    reads = writes = fences = acquires = releases = strong = strong_fences = exclusives = 0;
    for (int i = 0; i < n; i++) {
        const Event *e = &events[i];
        uint64_t me = UINT64_C(1) << i;
        *(e->kind == READ ? &reads : e->kind == WRITE ? &writes : &fences) |= me;
        if (e->kind != WRITE && strchr("abs", e->order))
            acquires |= me;
        if (e->kind != READ && strchr("lbs", e->order))
            releases |= me;
        if (e->order == 's')
            *(e->kind == FENCE ? &strong_fences : &strong) |= me;
        if (e->exclusive)
            exclusives |= me;
        same.row[i] = 0;
        for (int j = 0; j < n; j++)
            if (e->kind != FENCE && events[j].kind != FENCE && events[j].location == e->location)
                same.row[i] |= UINT64_C(1) << j;
    }
    choose_sources(0, key);
}

static void enumerate(const Program *p, int t, const Trace **chosen)
{
    if (t == p->threads) {
        make_graph(chosen, t);
        return;
    }
    for (int k = 0; k < trace_count[t] && !too_big; k++) {
        chosen[t] = &traces[t][k];
        enumerate(p, t + 1, chosen);
    }
}

/* Has IMM an outcome that RC11 has not; the same with single instructions. */
static int answer[2];

/* Sets CYCLIC for TEXT; false if that was too much to look at. */
static bool decide_cyclic(const char *text)
{
    Program p;
    const Trace *chosen[MOST_THREADS];
    if (!parse(text, &p))
        return false;
    free_of_deps = true;
    lse = too_big = cyclic = false;
    free_count = 0;
    work = 0;
    make_traces(&p);
    if (!too_big)
        enumerate(&p, 0, chosen);
    free_of_deps = false;
    return !too_big;
}

/* Answers both for TEXT. Returns whether that was not too much to look at. */
static bool decide(const char *text)
{
    Program p;
    const Trace *chosen[MOST_THREADS];
    if (!parse(text, &p))
        return false;
    for (int i = 0; i < (key_of_outcome ? 1 : 2); i++) {
        lse = i;
        too_big = false;
        answer[i] = rc11_count = imm_count = 0;
        work = 0;
        make_traces(&p);
        if (!too_big)
            enumerate(&p, 0, chosen);
        if (too_big)
            return false;
        for (int k = 0; k < imm_count; k++)
            answer[i] |= !is_member(seen_rc11, rc11_count, seen_imm[k]);
    }
    return true;
}

static void make_room(void)
{
    for (int t = 0; t < MOST_THREADS; t++)
        traces[t] = calloc(MOST_TRACES, sizeof **traces);
}

#ifndef IMM_WITHOUT_MAIN
int main(int argc, char **argv)
{
    make_room();
    if (argc == 2) {
        decide(argv[1]);
        printf("%s %d %d\n", argv[1], answer[0], answer[1]);
        return 0;
    }
    if (argc != 3)
        return 2;
    unsigned long long seed = strtoull(argv[1], NULL, 10);
    for (int i = 0, made = 0, count = atoi(argv[2]); made < count; i++) {
        char text[256];
        state = seed * 1000003 + (unsigned long long)i;
        draw(2);
        draw_program(text);
        if (!decide(text))
            continue;
        printf("%s %d %d\n", text, answer[0], answer[1]);
        made++;
    }
    return 0;
}
#endif
