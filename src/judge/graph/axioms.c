/* Every relation below is the one of the same name in the papers; nothing is optimised, so that a
 * reader can hold file and definition side by side. Nodes of the matrices: the events of the graph
 * by their number, then one initial write a location, po-before every event (as in the RC11 paper).
 *
 * Creation and join are not in those papers. They are edges from the creation to the first event of
 * the thread and from its last event to the join ("additional synchronises-with"), part of hb and
 * of the orders whose acyclicity SC, TSO and no-thin-air ask for. Under TSO both ends are locked
 * instructions, as they are in any implementation: the child must see what the parent's store
 * buffer held. */
#include "judge/graph/axioms.h"
#include "judge/graph/sparse.h"

#define AXIOMS_SHORT 1000 /* events; matrices of more take seconds: see sparse.h */

typedef struct Axioms { /* the graph and its basic relations */
    const AxiomGraph *graph;
    AxiomOptions options;
    Arena *arena;
    size_t nodes;
    Relation po, rf, co, fr, rmw, asw;
} Axioms;

const char *axiom_rule_text(AxiomRule rule)
{
    static const char *const text[] = {
#define X(name, sentence) sentence,
        AXIOM_RULES(X)
#undef X
    };
    return text[rule];
}

/* --- Events as sets -------------------------------------------------------------------------- */

static bool is_access(const AxiomEvent *e)
{
    return e->kind == AXIOM_READ || e->kind == AXIOM_WRITE;
}
static bool is_atomic(const AxiomEvent *e)
{
    return (is_access(e) && !e->plain) || e->kind == AXIOM_FENCE;
}
static bool is_acquire(const AxiomEvent *e) /* E with order acq or stronger */
{
    return is_atomic(e) && e->kind != AXIOM_WRITE &&
           (e->order == AXIOM_CONSUME || e->order == AXIOM_ACQUIRE || e->order == AXIOM_ACQ_REL ||
            e->order == AXIOM_SEQ_CST);
}
static bool is_release(const AxiomEvent *e) /* E with order rel or stronger */
{
    return is_atomic(e) && e->kind != AXIOM_READ &&
           (e->order == AXIOM_RELEASE || e->order == AXIOM_ACQ_REL || e->order == AXIOM_SEQ_CST);
}
static bool is_seq_cst(const AxiomEvent *e)
{
    return is_atomic(e) && e->order == AXIOM_SEQ_CST;
}

static const AxiomEvent *event_of(const Axioms *a, size_t node) /* NULL: an initial write */
{
    return node < a->graph->count ? &a->graph->events[node] : NULL;
}
static int location_of(const Axioms *a, size_t node) /* AXIOM_NONE: not an access */
{
    const AxiomEvent *e = event_of(a, node);
    if (!e)
        return (int)(node - a->graph->count);
    return is_access(e) ? e->location : AXIOM_NONE;
}
static bool same_location(const Axioms *a, size_t x, size_t y)
{
    return location_of(a, x) != AXIOM_NONE && location_of(a, x) == location_of(a, y);
}
/* The bytes of its location that a node accesses; an initial write has all. */
static unsigned bytes_of(const Axioms *a, size_t node)
{
    const AxiomEvent *e = event_of(a, node);
    return e && e->bytes ? e->bytes : ~0u;
}
static bool share_bytes(const Axioms *a, size_t x, size_t y)
{
    return same_location(a, x, y) && bytes_of(a, x) & bytes_of(a, y);
}
static size_t initial_write(const Axioms *a, int location)
{
    return a->graph->count + (size_t)location;
}

typedef bool EventTest(const AxiomEvent *e);
static bool is_write(const AxiomEvent *e)
{
    return e->kind == AXIOM_WRITE;
}
static bool is_atomic_read(const AxiomEvent *e)
{
    return e->kind == AXIOM_READ && !e->plain;
}
static bool is_atomic_write(const AxiomEvent *e)
{
    return e->kind == AXIOM_WRITE && !e->plain;
}
static bool is_fence(const AxiomEvent *e)
{
    return e->kind == AXIOM_FENCE;
}
static bool is_seq_cst_fence(const AxiomEvent *e)
{
    return is_fence(e) && is_seq_cst(e);
}

/* [TEST] as a set of nodes; initial writes are plain writes. */
static const bool *set_of(const Axioms *a, EventTest *test)
{
    static const AxiomEvent initial = {.kind = AXIOM_WRITE, .plain = true};
    bool *set = arena_array_of(a->arena, bool, a->nodes + 1);
    for (size_t i = 0; i < a->nodes; i++) {
        const AxiomEvent *e = event_of(a, i);
        set[i] = test(e ? e : &initial);
    }
    return set;
}
/* [TEST] as a relation: the identity on the set. */
static Relation identity_on(const Axioms *a, EventTest *test)
{
    const bool *set = set_of(a, test);
    Relation r = relation_new(a->arena, a->nodes);
    for (size_t i = 0; i < a->nodes; i++)
        if (set[i])
            relation_add(r, i, i);
    return r;
}
typedef bool PairTest(const Axioms *a, size_t x, size_t y);
static bool other_location(const Axioms *a, size_t x, size_t y)
{
    return !same_location(a, x, y);
}
static Relation pairs_of(const Axioms *a, Relation r, PairTest *test)
{
    Relation out = relation_new(a->arena, r.size);
    for (size_t i = 0; i < r.size; i++)
        for (size_t j = 0; j < r.size; j++)
            if (relation_has(r, i, j) && test(a, i, j))
                relation_add(out, i, j);
    return out;
}
/* The pairs of R whose accesses both have byte B; without parts a location is one byte. */
static Relation of_byte(const Axioms *a, Relation r, unsigned b)
{
    Relation out = relation_new(a->arena, r.size);
    for (size_t i = 0; i < r.size; i++)
        for (size_t j = 0; j < r.size; j++)
            if (relation_has(r, i, j) && same_location(a, i, j) &&
                (bytes_of(a, i) & bytes_of(a, j)) >> b & 1)
                relation_add(out, i, j);
    return out;
}
static unsigned byte_count(const Axioms *a)
{
    for (size_t i = 0; i < a->graph->count; i++)
        if (is_access(&a->graph->events[i]) && a->graph->events[i].bytes)
            return 16;
    return 1;
}
static Relation optional(const Axioms *a, Relation r) /* r? */
{
    Relation out = relation_copy(a->arena, r);
    relation_add_identity(out);
    return out;
}
static Relation then(const Axioms *a, Relation r, Relation s) /* r ; s */
{
    return relation_compose(a->arena, r, s);
}
static Relation either(const Axioms *a, Relation r, Relation s) /* r | s */
{
    return relation_union(a->arena, r, s);
}

/* --- The basic relations --------------------------------------------------------------------- */

static bool malformed(AxiomFinding *finding, size_t event)
{
    *finding = (AxiomFinding){AXIOM_RULE_WELL_FORMED, (int)event};
    return false;
}

static bool has_byte(const AxiomEvent *e, unsigned b)
{
    return !e->bytes || e->bytes >> b & 1;
}
/* The write that gives READ, a read, its byte B: the last one to it, up to the one that it names;
 * NULL is the initial one. */
static const AxiomEvent *source_of(const AxiomGraph *g, const AxiomEvent *read, unsigned b)
{
    const AxiomEvent *last = NULL;
    if (read->rf == AXIOM_NONE || !g->events[read->rf].bytes) /* a write of all bytes */
        return read->rf == AXIOM_NONE ? NULL : &g->events[read->rf];
    unsigned place = g->events[read->rf].coherence;
    for (size_t i = 0; i < g->count; i++) {
        const AxiomEvent *w = &g->events[i];
        if (w->kind == AXIOM_WRITE && w->location == read->location && w->coherence <= place &&
            has_byte(w, b) && (!last || last->coherence < w->coherence))
            last = w;
    }
    return last;
}
/* The word of which READ has byte B. */
static uint64_t byte_read(const AxiomGraph *g, const AxiomEvent *read, unsigned b)
{
    const AxiomEvent *w = source_of(g, read, b);
    return w ? w->value : g->initial ? g->initial[read->location] : 0;
}

static bool check_access(const AxiomGraph *g, size_t i, AxiomFinding *finding)
{
    const AxiomEvent *e = &g->events[i];
    if (e->location < 0 || (unsigned)e->location >= g->locations)
        return malformed(finding, i);
    if (e->kind == AXIOM_READ) {
        if (e->rf != AXIOM_NONE) {
            if (e->rf < 0 || (size_t)e->rf >= g->count)
                return malformed(finding, i);
            const AxiomEvent *w = &g->events[e->rf];
            if (w->kind != AXIOM_WRITE || w->location != e->location)
                return malformed(finding, i);
        }
        for (unsigned b = 0; b < 8; b++)
            if (has_byte(e, b) && (byte_read(g, e, b) ^ e->value) >> 8 * b & 0xff)
                return malformed(finding, i);
        return true;
    }
    if (e->rmw != AXIOM_NONE) {
        if (e->rmw < 0 || (size_t)e->rmw >= g->count)
            return malformed(finding, i);
        const AxiomEvent *r = &g->events[e->rmw];
        if (r->kind != AXIOM_READ || r->location != e->location || r->thread != e->thread ||
            r->index + 1 != e->index || r->plain || e->plain)
            return malformed(finding, i);
    }
    return e->coherence != 0 || malformed(finding, i);
}

/* Positions in program order and coherence order are each taken once; threads that are created
 * begin with BEGIN, and those that are joined end with END. */
static bool well_formed(const AxiomGraph *g, AxiomFinding *finding)
{
    for (size_t i = 0; i < g->count; i++) {
        const AxiomEvent *e = &g->events[i];
        if (is_access(e) && !check_access(g, i, finding))
            return false;
        bool found = e->kind != AXIOM_CREATE && e->kind != AXIOM_JOIN;
        for (size_t j = 0; j < g->count; j++) {
            const AxiomEvent *f = &g->events[j];
            if (i != j && e->thread == f->thread && e->index == f->index)
                return malformed(finding, i);
            if (i != j && e->kind == AXIOM_WRITE && f->kind == AXIOM_WRITE &&
                e->location == f->location && e->coherence == f->coherence)
                return malformed(finding, i);
            if (e->thread == f->thread && ((e->kind == AXIOM_BEGIN && f->index < e->index) ||
                                           (e->kind == AXIOM_END && f->index > e->index)))
                return malformed(finding, i);
            if (!found && f->thread == e->peer &&
                f->kind == (e->kind == AXIOM_CREATE ? AXIOM_BEGIN : AXIOM_END))
                found = true;
        }
        if (!found) /* a thread that was created and has not run yet is fine */
            for (size_t j = 0; j < g->count; j++)
                if (g->events[j].thread == e->peer || e->kind == AXIOM_JOIN)
                    return malformed(finding, i);
    }
    return true;
}

static void add_events(Axioms *a, size_t i, size_t j)
{
    const AxiomEvent *e = &a->graph->events[i], *f = &a->graph->events[j];
    if (e->thread == f->thread && e->index < f->index)
        relation_add(a->po, i, j);
    if (e->kind == AXIOM_WRITE && f->kind == AXIOM_WRITE && share_bytes(a, i, j) &&
        e->coherence < f->coherence)
        relation_add(a->co, i, j);
    if (f->kind == AXIOM_WRITE && f->rmw == (int)i)
        relation_add(a->rmw, i, j);
    if ((e->kind == AXIOM_CREATE && f->kind == AXIOM_BEGIN && e->peer == f->thread) ||
        (e->kind == AXIOM_END && f->kind == AXIOM_JOIN && f->peer == e->thread))
        relation_add(a->asw, i, j);
}

/* rf of byte B alone. */
static Relation sources_of_byte(const Axioms *a, unsigned b)
{
    Relation rf = relation_new(a->arena, a->nodes);
    for (size_t i = 0; i < a->graph->count; i++) {
        const AxiomEvent *e = &a->graph->events[i], *w;
        if (e->kind != AXIOM_READ || !has_byte(e, b))
            continue;
        w = source_of(a->graph, e, b);
        relation_add(rf, w ? (size_t)(w - a->graph->events) : initial_write(a, e->location), i);
    }
    return rf;
}

/* fr of byte B alone. */
static Relation froms_of_byte(const Axioms *a, unsigned b)
{
    return then(a, relation_inverse(a->arena, sources_of_byte(a, b)), of_byte(a, a->co, b));
}

static bool axioms_build(Axioms *a, const AxiomGraph *graph, AxiomOptions options, Arena *arena,
                         AxiomFinding *finding)
{
    *finding = (AxiomFinding){AXIOM_RULE_ALL, AXIOM_NONE};
    if (!well_formed(graph, finding))
        return false;
    *a = (Axioms){graph, options, arena, .nodes = graph->count + graph->locations};
    a->po = relation_new(arena, a->nodes);
    a->rf = relation_new(arena, a->nodes);
    a->co = relation_new(arena, a->nodes);
    a->rmw = relation_new(arena, a->nodes);
    a->asw = relation_new(arena, a->nodes);
    for (size_t i = 0; i < graph->count; i++)
        for (size_t j = 0; j < graph->count; j++)
            if (i != j)
                add_events(a, i, j);
    for (size_t i = 0; i < graph->count; i++) {
        const AxiomEvent *e = &graph->events[i];
        for (unsigned location = 0; location < graph->locations; location++)
            relation_add(a->po, initial_write(a, (int)location), i);
        if (e->kind == AXIOM_WRITE)
            relation_add(a->co, initial_write(a, e->location), i);
    }
    for (size_t i = 0; i < graph->edge_count; i++)
        relation_add(a->asw, (size_t)graph->edges[i].from, (size_t)graph->edges[i].to);
    a->fr = relation_new(arena, a->nodes);
    for (unsigned b = 0; b < byte_count(a); b++) { /* fr = rf^-1 ; co, of each byte */
        a->rf = either(a, a->rf, sources_of_byte(a, b));
        a->fr = either(a, a->fr, froms_of_byte(a, b));
    }
    return true;
}

/* --- What the models share ------------------------------------------------------------------- */

static bool fails(const Axioms *a, AxiomFinding *finding, AxiomRule rule, size_t node)
{
    if (node == a->nodes)
        return false;
    *finding = (AxiomFinding){rule, node < a->graph->count ? (int)node : AXIOM_NONE};
    return true;
}
static bool has_cycle(const Axioms *a, AxiomFinding *finding, AxiomRule rule, Relation r)
{
    return fails(a, finding, rule, relation_cycle_at(a->arena, r));
}
/* rmw & (fr ; co) = 0 */
static bool atomicity_fails(const Axioms *a, AxiomFinding *finding)
{
    Relation between = then(a, a->fr, a->co);
    for (size_t i = 0; i < a->nodes; i++)
        for (size_t j = 0; j < a->nodes; j++)
            if (relation_has(a->rmw, i, j) && relation_has(between, i, j))
                return fails(a, finding, AXIOM_RULE_ATOMICITY, j);
    return false;
}
static Relation communication(const Axioms *a) /* rf | co | fr */
{
    return either(a, a->rf, either(a, a->co, a->fr));
}
/* eco = (rf | co | fr)+, of each byte: what two accesses of a byte have to do with each other
 * through a third, which may have other bytes as well, is not an order of theirs. */
static Relation extended_coherence(const Axioms *a)
{
    Relation eco = relation_new(a->arena, a->nodes);
    for (unsigned b = 0; b < byte_count(a); b++) {
        Relation of_b =
            either(a, sources_of_byte(a, b), of_byte(a, either(a, a->co, froms_of_byte(a, b)), b));
        relation_close(of_b);
        eco = either(a, eco, of_b);
    }
    return eco;
}

/* --- SC -------------------------------------------------------------------------------------- */

static bool sc_fails(const Axioms *a, AxiomFinding *finding)
{
    Relation order = either(a, communication(a), either(a, a->po, a->asw));
    return has_cycle(a, finding, AXIOM_RULE_INTERLEAVING, order) || atomicity_fails(a, finding);
}

/* --- TSO ------------------------------------------------------------------------------------- */

static bool has_edge(const AxiomGraph *graph, int event)
{
    for (size_t i = 0; i < graph->edge_count; i++)
        if (graph->edges[i].from == event || graph->edges[i].to == event)
            return true;
    return false;
}
/* Does E drain the store buffer before it and hold back what follows? Both halves of a successful
 * read-modify-write do, the read of one that failed need not. */
static bool is_locked(const Axioms *a, const AxiomEvent *e)
{
    size_t number = (size_t)(e - a->graph->events);
    if (e->kind == AXIOM_FENCE)
        return is_seq_cst(e) || has_edge(a->graph, (int)number);
    if (!is_access(e) || a->options.x86_code)
        return !is_access(e) || e->locked;
    bool paired = e->kind == AXIOM_WRITE && e->rmw != AXIOM_NONE;
    for (size_t i = 0; i < a->nodes; i++)
        paired |= relation_has(a->rmw, number, i);
    return paired;
}
/* Is the program order from E to F kept in the global order of x86-TSO? */
static bool tso_keeps(const Axioms *a, const AxiomEvent *e, const AxiomEvent *f)
{
    if (is_locked(a, e) || is_locked(a, f))
        return true;
    if (!is_access(e) || !is_access(f)) /* fences weaker than seq_cst compile to nothing */
        return false;
    if (e->kind == AXIOM_WRITE && f->kind == AXIOM_READ)
        return is_seq_cst(e) && (is_seq_cst(f) || a->options.x86_code);
    return true;
}

/* Is it kept in that of PSO? Accesses only read or only write here: others are locked. */
static bool pso_keeps(const Axioms *a, const AxiomEvent *e, const AxiomEvent *f)
{
    if (is_locked(a, e) || is_locked(a, f) || e->kind == AXIOM_READ)
        return true;
    if (f->kind == AXIOM_READ)
        return is_seq_cst(e) && is_seq_cst(f) && is_write(e);
    bool barrier = is_release(f) || (is_fence(e) && is_release(e) && is_write(f));
    size_t i = (size_t)(e - a->graph->events), j = (size_t)(f - a->graph->events);
    return barrier || (is_write(e) && is_write(f) && share_bytes(a, i, j));
}

typedef bool Keeps(const Axioms *a, const AxiomEvent *e, const AxiomEvent *f);

/* Does a read have bytes from more than one write? Then none of them is in the store buffer. */
static bool waits_for(const Axioms *a, size_t read)
{
    size_t writes = 0;
    for (size_t i = 0; i < a->nodes; i++)
        writes += relation_has(a->rf, i, read);
    return writes > 1;
}

static bool buffers_fail(const Axioms *a, Keeps *keeps, AxiomFinding *finding)
{
    for (unsigned b = 0; b < byte_count(a); b++) {
        Relation per_location = either(a, either(a, of_byte(a, a->po, b), of_byte(a, a->co, b)),
                                       either(a, sources_of_byte(a, b), froms_of_byte(a, b)));
        if (has_cycle(a, finding, AXIOM_RULE_PER_LOCATION, per_location))
            return true;
    }
    if (atomicity_fails(a, finding))
        return true;
    Relation order = either(a, a->asw, either(a, a->co, a->fr));
    for (size_t i = 0; i < a->nodes; i++)
        for (size_t j = 0; j < a->graph->count; j++) {
            const AxiomEvent *e = event_of(a, i), *f = event_of(a, j);
            bool external = !e || e->thread != f->thread;
            if (relation_has(a->rf, i, j) && (external || waits_for(a, j)))
                relation_add(order, i, j);
            if (relation_has(a->po, i, j) && (!e || keeps(a, e, f)))
                relation_add(order, i, j);
        }
    return has_cycle(a, finding, AXIOM_RULE_GLOBAL_ORDER, order);
}
static bool tso_fails(const Axioms *a, AxiomFinding *finding)
{
    return buffers_fail(a, tso_keeps, finding);
}
static bool pso_fails(const Axioms *a, AxiomFinding *finding)
{
    return buffers_fail(a, pso_keeps, finding);
}

/* --- RC11 ------------------------------------------------------------------------------------ */

/* rs = [W] ; po|loc? ; [W rlx] ; (rf ; rmw)*, or without the po|loc part for C++20 */
static Relation release_sequence(const Axioms *a)
{
    Relation chain = then(a, a->rf, a->rmw);
    relation_close(chain);
    relation_add_identity(chain);
    Relation writes = identity_on(a, is_atomic_write);
    Relation head = writes;
    if (!a->options.release_sequence_cxx20)
        head =
            then(a, then(a, identity_on(a, is_write), optional(a, pairs_of(a, a->po, share_bytes))),
                 writes);
    return then(a, head, chain);
}
/* sw = [E rel] ; ([F] ; po)? ; rs ; rf ; [R rlx] ; (po ; [F])? ; [E acq] */
static Relation synchronises_with(const Axioms *a)
{
    Relation fence = identity_on(a, is_fence);
    Relation before = optional(a, then(a, fence, a->po));
    Relation after = optional(a, then(a, a->po, fence));
    Relation r = then(a, identity_on(a, is_release), before);
    r = then(a, r, release_sequence(a));
    r = then(a, r, a->rf);
    r = then(a, r, identity_on(a, is_atomic_read));
    r = then(a, r, after);
    return then(a, r, identity_on(a, is_acquire));
}
static Relation happens_before(const Axioms *a) /* (po | sw | asw)+ */
{
    Relation hb = either(a, either(a, a->po, a->asw), synchronises_with(a));
    relation_close(hb);
    return hb;
}
/* psc_base | psc_F */
static Relation partial_seq_cst(const Axioms *a, Relation hb, Relation eco)
{
    Relation po_elsewhere = pairs_of(a, a->po, other_location);
    Relation scb = either(a, a->po, then(a, then(a, po_elsewhere, hb), po_elsewhere));
    scb = either(a, scb, pairs_of(a, hb, share_bytes));
    scb = either(a, scb, either(a, a->co, a->fr));
    Relation events = identity_on(a, is_seq_cst), fences = identity_on(a, is_seq_cst_fence);
    Relation hb_optional = optional(a, hb);
    Relation left = either(a, events, then(a, fences, hb_optional));
    Relation right = either(a, events, then(a, hb_optional, fences));
    Relation base = then(a, then(a, left, scb), right);
    Relation between = either(a, hb, then(a, then(a, hb, eco), hb));
    return either(a, base, then(a, then(a, fences, between), fences));
}

static bool rc11_fails(const Axioms *a, AxiomFinding *finding)
{
    Relation hb = happens_before(a);
    Relation eco = communication(a);
    relation_close(eco);
    Relation of_bytes = byte_count(a) == 1 ? eco : extended_coherence(a);
    Relation coherence = then(a, hb, optional(a, of_bytes));
    return fails(a, finding, AXIOM_RULE_COHERENCE, relation_reflexive_at(coherence)) ||
           atomicity_fails(a, finding) ||
           has_cycle(a, finding, AXIOM_RULE_THIN_AIR, either(a, either(a, a->po, a->asw), a->rf)) ||
           has_cycle(a, finding, AXIOM_RULE_SEQ_CST, partial_seq_cst(a, hb, eco));
}

/* --- IMM, with no dependencies ---------------------------------------------------------------- */

/* Is E a barrier: a fence with a meaning, or the creation, beginning, end or joining of a thread?
 */
static bool is_barrier(const AxiomEvent *e)
{
    return !is_access(e) && (!is_fence(e) || is_acquire(e) || is_release(e));
}
static bool is_exclusive_read(const AxiomEvent *e)
{
    return e->kind == AXIOM_READ && e->locked;
}
/* bob = po;[W rel] | [W rel];po|loc;[W] | po;[F] | [F];po | [R acq];po */
static bool imm_keeps(const Axioms *a, size_t i, size_t j)
{
    const AxiomEvent *e = event_of(a, i), *f = event_of(a, j);
    return is_barrier(e) || is_barrier(f) || (is_write(f) && is_release(f)) ||
           (e->kind == AXIOM_READ && is_acquire(e)) ||
           (is_write(e) && is_release(e) && is_write(f) && same_location(a, i, j));
}
/* The pairs of R that are, or are not, in one thread; initial writes are in none. */
static Relation by_thread(const Axioms *a, Relation r, bool same)
{
    Relation out = relation_new(a->arena, a->nodes);
    for (size_t i = 0; i < a->nodes; i++)
        for (size_t j = 0; j < a->graph->count; j++) {
            const AxiomEvent *e = event_of(a, i), *f = event_of(a, j);
            if (relation_has(r, i, j) && (e && e->thread == f->thread) == same)
                relation_add(out, i, j);
        }
    return out;
}
/* ar = rfe | bob | ppo | detour | psc_F, where
 *   ppo = [R];(rfi | rmw | [R_ex];po)+;[W]
 *   detour = (coe ; rfe) & po */
static Relation imm_order(const Axioms *a, Relation hb, Relation eco)
{
    Relation rfe = by_thread(a, a->rf, false), po = by_thread(a, a->po, true);
    Relation order = either(a, rfe, a->asw);
    Relation detour = then(a, by_thread(a, a->co, false), rfe);
    for (size_t i = 0; i < a->graph->count; i++)
        for (size_t j = 0; j < a->graph->count; j++)
            if (relation_has(po, i, j) && (imm_keeps(a, i, j) || relation_has(detour, i, j)))
                relation_add(order, i, j);
    Relation ppo = either(a, by_thread(a, a->rf, true), a->rmw);
    ppo = either(a, ppo, then(a, identity_on(a, is_exclusive_read), po));
    relation_close(ppo);
    ppo = then(a, then(a, identity_on(a, is_atomic_read), ppo), identity_on(a, is_write));
    Relation fences = identity_on(a, is_seq_cst_fence);
    Relation between = either(a, hb, then(a, then(a, hb, eco), hb));
    Relation psc_f = then(a, then(a, fences, between), fences);
    return either(a, either(a, order, ppo), psc_f);
}

bool axioms_imm_consistent(const AxiomGraph *graph, AxiomOptions options, Arena *arena,
                           bool *cyclic)
{
    Axioms a;
    AxiomFinding finding;
    *cyclic = false;
    if (!axioms_build(&a, graph, options, arena, &finding))
        return false;
    ASSERT(byte_count(&a) == 1);
    *cyclic = relation_cycle_at(arena, either(&a, either(&a, a.po, a.asw), a.rf)) < a.nodes;
    Relation hb = happens_before(&a), eco = communication(&a);
    relation_close(eco);
    return relation_reflexive_at(then(&a, hb, optional(&a, eco))) >= a.nodes &&
           !atomicity_fails(&a, &finding) &&
           !has_cycle(&a, &finding, AXIOM_RULE_SEQ_CST, partial_seq_cst(&a, hb, eco)) &&
           relation_cycle_at(arena, imm_order(&a, hb, eco)) >= a.nodes;
}

/* --- The judge ------------------------------------------------------------------------------- */

bool axioms_consistent(const AxiomGraph *graph, MemoryModel model, AxiomOptions options,
                       Arena *arena, AxiomFinding *finding)
{
    AxiomFinding ignored;
    if (!finding)
        finding = &ignored;
    if (graph->count > AXIOMS_SHORT && !sparse_has_parts(graph))
        return sparse_consistent(graph, model, options, arena, finding);
    Axioms a;
    if (!axioms_build(&a, graph, options, arena, finding))
        return false;
    typedef bool Fails(const Axioms *, AxiomFinding *);
    static Fails *const fails_under[MODEL_COUNT] = {
#define X(NAME, word, ...) [MODEL_##NAME] = word##_fails,
        MEMORY_MODELS(X)
#undef X
    };
    ASSERT(model < MODEL_COUNT);
    return !fails_under[model](&a, finding);
}

Relation axioms_happens_before(const AxiomGraph *graph, AxiomOptions options, Arena *arena)
{
    Axioms a;
    AxiomFinding finding;
    bool built = axioms_build(&a, graph, options, arena, &finding);
    ASSERT(built);
    return happens_before(&a);
}

bool axioms_race(const AxiomGraph *graph, AxiomOptions options, Arena *arena, size_t *first,
                 size_t *second)
{
    Relation hb = axioms_happens_before(graph, options, arena);
    for (size_t i = 0; i < graph->count; i++)
        for (size_t j = i + 1; j < graph->count; j++) {
            const AxiomEvent *e = &graph->events[i], *f = &graph->events[j];
            if (!is_access(e) || !is_access(f) || e->location != f->location ||
                !((e->bytes ? e->bytes : ~0u) & (f->bytes ? f->bytes : ~0u)))
                continue;
            if ((e->kind == AXIOM_WRITE || f->kind == AXIOM_WRITE) && (e->plain || f->plain) &&
                !relation_has(hb, i, j) && !relation_has(hb, j, i)) {
                *first = i;
                *second = j;
                return true;
            }
        }
    return false;
}
