/* An edge (x, y) stands for a step of a relation; a relation is acyclic iff the graph of its steps
 * is, which sorting it topologically decides.
 *
 * co is the chain of the writes of a location. fr is the step from a read to the write that follows
 * what it reads from, then co. Happens-before: an event's clock says how many events of each thread
 * are before it or are it. Its steps are program order and, where a clock learns of thread U, the
 * last event of U that it learns of. Coherence compares an access with the greatest place in the
 * coherence order that any access of its location, before it by its clock, has written or read.
 *
 * Initial writes have no place here: nothing is before them, so that no cycle meets one. */
#include "judge/graph/sparse_inside.h"
#include <stdlib.h>
#include <string.h>

uint32_t sparse_sort(Arena *arena, SparseGraph *d, uint32_t *sorted, uint32_t *left)
{
    uint32_t *first = arena_array_of(arena, uint32_t, (size_t)d->nodes + 2);
    uint32_t *to = arena_array_of(arena, uint32_t, d->edges.count + 1);
    uint32_t *waits = arena_array_of(arena, uint32_t, (size_t)d->nodes + 1), done = 0, count = 0;
    for (size_t i = 0; i < d->edges.count; i++) {
        first[d->edges.at[i].from + 2]++;
        waits[d->edges.at[i].to]++;
    }
    for (uint32_t i = 2; i < d->nodes + 2; i++)
        first[i] += first[i - 1];
    for (size_t i = 0; i < d->edges.count; i++)
        to[first[d->edges.at[i].from + 1]++] = d->edges.at[i].to;
    for (uint32_t i = 0; i < d->nodes; i++)
        if (!waits[i])
            sorted[count++] = i;
    for (; done < count; done++)
        for (uint32_t i = first[sorted[done]]; i < first[sorted[done] + 1]; i++)
            if (!--waits[to[i]])
                sorted[count++] = to[i];
    for (uint32_t i = 0; left && i < d->nodes; i++)
        if (waits[i])
            *left = i;
    vec_free(&d->edges);
    return count;
}

bool sparse_has_cycle(const Sparse *s, SparseGraph *d, AxiomRule rule, AxiomFinding *finding)
{
    uint32_t left = 0, *sorted = arena_array_of(s->arena, uint32_t, (size_t)d->nodes + 1);
    if (sparse_sort(s->arena, d, sorted, &left) == d->nodes)
        return false;
    *finding = (AxiomFinding){rule, (int)(left % s->n)};
    return true;
}

/* ---- the basic relations ---- */

uint32_t sparse_write_after(const Sparse *s, uint32_t e)
{
    const AxiomEvent *at = sparse_event(s, e);
    if (at->kind == AXIOM_WRITE)
        return s->co_next[e];
    return at->rf == AXIOM_NONE ? s->first_write[at->location] : s->co_next[at->rf];
}
static const Sparse *sorting; /* for qsort */
static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}
static int by_program_order(const void *a, const void *b)
{
    const AxiomEvent *e = sparse_event(sorting, *(const uint32_t *)a);
    const AxiomEvent *f = sparse_event(sorting, *(const uint32_t *)b);
    return compare_numbers((uint64_t)e->thread << 32 | e->index,
                           (uint64_t)f->thread << 32 | f->index);
}
static int by_coherence(const void *a, const void *b)
{
    const AxiomEvent *e = sparse_event(sorting, *(const uint32_t *)a);
    const AxiomEvent *f = sparse_event(sorting, *(const uint32_t *)b);
    return compare_numbers((uint64_t)(unsigned)e->location << 32 | e->coherence,
                           (uint64_t)(unsigned)f->location << 32 | f->coherence);
}
static int by_access(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const AxiomEvent *e = sparse_event(sorting, i), *f = sparse_event(sorting, j);
    if (e->location != f->location)
        return e->location < f->location ? -1 : 1;
    return compare_numbers((uint64_t)e->thread << 32 | sorting->place[i],
                           (uint64_t)f->thread << 32 | sorting->place[j]);
}

static bool malformed(AxiomFinding *finding, uint32_t e)
{
    *finding = (AxiomFinding){AXIOM_RULE_WELL_FORMED, (int)e};
    return false;
}

static bool order_threads(Sparse *s, AxiomFinding *finding)
{
    for (uint32_t i = 0; i < s->n; i++) {
        s->by_po[i] = i;
        s->threads = MAX(s->threads, sparse_event(s, i)->thread + 1);
    }
    qsort(s->by_po, s->n, sizeof *s->by_po, by_program_order);
    s->begin = arena_array_of(s->arena, uint32_t, (size_t)s->threads + 2);
    for (uint32_t i = 0, t = 0; i <= s->n; i++)
        for (; t <= s->threads && (i == s->n || sparse_event(s, s->by_po[i])->thread >= t); t++)
            s->begin[t] = i;
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t e = s->by_po[i], t = sparse_event(s, e)->thread;
        bool last = i + 1 == s->begin[t + 1];
        s->place[e] = i - s->begin[t];
        s->next[e] = last ? SPARSE_NONE : s->by_po[i + 1];
        if ((!last && sparse_event(s, s->next[e])->index == sparse_event(s, e)->index) ||
            (sparse_event(s, e)->kind == AXIOM_BEGIN && s->place[e]) ||
            (sparse_event(s, e)->kind == AXIOM_END && !last))
            return malformed(finding, e);
    }
    return true;
}

static bool order_locations(Sparse *s, AxiomFinding *finding)
{
    uint32_t writes = 0, accesses = 0;
    uint32_t *sorted = arena_array_of(s->arena, uint32_t, (size_t)s->n + 1);
    for (uint32_t l = 0; l < s->graph->locations; l++)
        s->first_write[l] = SPARSE_NONE;
    for (uint32_t i = 0; i < s->n; i++) {
        s->co_next[i] = SPARSE_NONE;
        if (sparse_event(s, i)->kind == AXIOM_WRITE)
            sorted[writes++] = i;
        if (sparse_is_access(sparse_event(s, i)))
            s->by_location[accesses++] = i;
    }
    qsort(sorted, writes, sizeof *sorted, by_coherence);
    for (uint32_t i = 0; i < writes; i++) {
        const AxiomEvent *w = sparse_event(s, sorted[i]),
                         *v = i ? sparse_event(s, sorted[i - 1]) : NULL;
        if (!v || v->location != w->location)
            s->first_write[w->location] = sorted[i];
        else if (v->coherence == w->coherence)
            return malformed(finding, sorted[i]);
        else
            s->co_next[sorted[i - 1]] = sorted[i];
    }
    qsort(s->by_location, accesses, sizeof *s->by_location, by_access);
    for (uint32_t i = 0, l = 0; i <= accesses; i++) {
        for (; l <= s->graph->locations &&
               (i == accesses || (uint32_t)sparse_event(s, s->by_location[i])->location >= l);
             l++)
            s->list_begin[l] = i;
        if (i < accesses)
            s->list[s->by_location[i]] = i;
    }
    return true;
}

static bool check_access(const AxiomGraph *g, const AxiomEvent *e)
{
    if (e->location < 0 || (unsigned)e->location >= g->locations)
        return false;
    if (e->kind == AXIOM_READ) {
        uint64_t value = g->initial ? g->initial[e->location] : 0;
        if (e->rf != AXIOM_NONE) {
            if (e->rf < 0 || (size_t)e->rf >= g->count)
                return false;
            const AxiomEvent *w = &g->events[e->rf];
            if (w->kind != AXIOM_WRITE || w->location != e->location)
                return false;
            value = w->value;
        }
        return value == e->value;
    }
    if (e->rmw != AXIOM_NONE) {
        if (e->rmw < 0 || (size_t)e->rmw >= g->count)
            return false;
        const AxiomEvent *r = &g->events[e->rmw];
        if (r->kind != AXIOM_READ || r->location != e->location || r->thread != e->thread ||
            r->index + 1 != e->index || r->plain || e->plain)
            return false;
    }
    return e->coherence != 0;
}

/* The event at the other end of a creation or a join; SPARSE_NONE if there is none. */
static uint32_t peer_of(const Sparse *s, uint32_t e)
{
    uint32_t t = sparse_event(s, e)->peer;
    if (t >= s->threads || s->begin[t] == s->begin[t + 1])
        return SPARSE_NONE;
    bool creates = sparse_event(s, e)->kind == AXIOM_CREATE;
    uint32_t peer = s->by_po[creates ? s->begin[t] : s->begin[t + 1] - 1];
    return sparse_event(s, peer)->kind == (creates ? AXIOM_BEGIN : AXIOM_END) ? peer : SPARSE_NONE;
}

static bool build(Sparse *s, AxiomFinding *finding)
{
    size_t n = (size_t)s->n + 1, locations = s->graph->locations;
    uint32_t **arrays[] = {&s->by_po, &s->place, &s->next, &s->co_next, &s->by_location, &s->list};
    for (size_t i = 0; i < COUNT_OF(arrays); i++)
        *arrays[i] = arena_array_of(s->arena, uint32_t, n);
    s->first_write = arena_array_of(s->arena, uint32_t, locations + 1);
    s->list_begin = arena_array_of(s->arena, uint32_t, locations + 2);
    sorting = s;
    for (uint32_t i = 0; i < s->n; i++)
        if (sparse_is_access(sparse_event(s, i)) && !check_access(s->graph, sparse_event(s, i)))
            return malformed(finding, i);
    if (!order_threads(s, finding) || !order_locations(s, finding))
        return false;
    for (uint32_t i = 0; i < s->n; i++) {
        const AxiomEvent *e = sparse_event(s, i);
        bool created = e->kind == AXIOM_CREATE &&
                       (e->peer >= s->threads || s->begin[e->peer] == s->begin[e->peer + 1]);
        if ((e->kind == AXIOM_CREATE || e->kind == AXIOM_JOIN) && peer_of(s, i) == SPARSE_NONE &&
            !created)
            return malformed(finding, i);
    }
    return true;
}

void sparse_add_threads(const Sparse *s, SparseGraph *d) /* asw */
{
    for (uint32_t i = 0; i < s->n; i++)
        if (sparse_event(s, i)->kind == AXIOM_CREATE)
            sparse_join(d, i, peer_of(s, i));
        else if (sparse_event(s, i)->kind == AXIOM_JOIN)
            sparse_join(d, peer_of(s, i), i);
    for (size_t i = 0; i < s->graph->edge_count; i++)
        sparse_join(d, (uint32_t)s->graph->edges[i].from, (uint32_t)s->graph->edges[i].to);
}

static void add_communication(const Sparse *s, SparseGraph *d, bool internal)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const AxiomEvent *e = sparse_event(s, i);
        if (!sparse_is_access(e))
            continue;
        sparse_join(d, i, sparse_write_after(s, i));
        if (e->kind == AXIOM_READ && e->rf != AXIOM_NONE &&
            (internal || sparse_event(s, (uint32_t)e->rf)->thread != e->thread))
            sparse_join(d, (uint32_t)e->rf, i);
    }
}

bool sparse_atomicity_fails(const Sparse *s, AxiomFinding *finding)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const AxiomEvent *w = sparse_event(s, i);
        if (w->kind != AXIOM_WRITE || w->rmw == AXIOM_NONE)
            continue;
        uint32_t after = sparse_write_after(s, (uint32_t)w->rmw);
        if (after != SPARSE_NONE && sparse_event(s, after)->coherence < w->coherence) {
            *finding = (AxiomFinding){AXIOM_RULE_ATOMICITY, (int)i};
            return true;
        }
    }
    return false;
}

static bool sparse_sc_fails(Sparse *s, AxiomFinding *finding)
{
    SparseGraph d = {.nodes = s->n};
    for (uint32_t i = 0; i < s->n; i++)
        sparse_join(&d, i, s->next[i]);
    sparse_add_threads(s, &d);
    add_communication(s, &d, true);
    return sparse_has_cycle(s, &d, AXIOM_RULE_INTERLEAVING, finding) ||
           sparse_atomicity_fails(s, finding);
}

/* ---- tso and pso ---- */

static bool per_location_fails(const Sparse *s, AxiomFinding *finding)
{
    SparseGraph d = {.nodes = s->n};
    for (uint32_t l = 0; l < s->graph->locations; l++)
        for (uint32_t i = s->list_begin[l] + 1; i < s->list_begin[l + 1]; i++)
            if (sparse_event(s, s->by_location[i])->thread ==
                sparse_event(s, s->by_location[i - 1])->thread)
                sparse_join(&d, s->by_location[i - 1], s->by_location[i]);
    add_communication(s, &d, true);
    return sparse_has_cycle(s, &d, AXIOM_RULE_PER_LOCATION, finding);
}

/* Kinds of events of a thread: all earlier ones of some kinds are in memory before an event is. */
typedef enum Chain {
    CHAIN_ALL = 1,
    CHAIN_LOCKED,
    CHAIN_READ,
    CHAIN_WRITE,
    CHAIN_SC_WRITE,
    CHAIN_RELEASE_FENCE,
    CHAIN_END
} Chain;

static bool is_locked(const Sparse *s, const bool *outside, uint32_t i)
{
    const AxiomEvent *e = sparse_event(s, i);
    if (e->kind == AXIOM_FENCE)
        return sparse_is_seq_cst(e) || outside[i];
    if (!sparse_is_access(e) || s->options.x86_code)
        return !sparse_is_access(e) || e->locked;
    uint32_t after = s->next[i];
    return e->kind == AXIOM_WRITE
               ? e->rmw != AXIOM_NONE
               : after != SPARSE_NONE && sparse_event(s, after)->kind == AXIOM_WRITE &&
                     sparse_event(s, after)->rmw == (int)i;
}

static unsigned chains_of(const AxiomEvent *e, bool locked) /* that it is a part of */
{
    bool writes = e->kind == AXIOM_WRITE;
    return 1u << CHAIN_ALL | (unsigned)locked << CHAIN_LOCKED |
           (unsigned)(e->kind == AXIOM_READ) << CHAIN_READ | (unsigned)writes << CHAIN_WRITE |
           (unsigned)(writes && sparse_is_seq_cst(e)) << CHAIN_SC_WRITE |
           (unsigned)(e->kind == AXIOM_FENCE && sparse_is_release(e)) << CHAIN_RELEASE_FENCE;
}

/* The chains that come before E, a part of a locked operation or not. */
typedef unsigned ChainsBefore(const Sparse *s, const AxiomEvent *e, bool locked);

static unsigned before_in_tso(const Sparse *s, const AxiomEvent *e, bool locked)
{
    unsigned chains = locked ? 1u << CHAIN_ALL : 1u << CHAIN_LOCKED;
    bool writes = e->kind == AXIOM_WRITE, reads = e->kind == AXIOM_READ;
    chains |= sparse_is_access(e) ? 1u << CHAIN_READ : 0;
    chains |= writes ? 1u << CHAIN_WRITE : 0;
    chains |= reads && (sparse_is_seq_cst(e) || s->options.x86_code) ? 1u << CHAIN_SC_WRITE : 0;
    return chains;
}

/* Writes to the location of E come in addition. */
static unsigned before_in_pso(const Sparse *s, const AxiomEvent *e, bool locked)
{
    (void)s;
    unsigned chains = locked ? 1u << CHAIN_ALL : 1u << CHAIN_LOCKED;
    bool writes = e->kind == AXIOM_WRITE, reads = e->kind == AXIOM_READ;
    chains |= 1u << CHAIN_READ;
    chains |= reads && sparse_is_seq_cst(e) ? 1u << CHAIN_SC_WRITE : 0;
    chains |= sparse_is_release(e) ? 1u << CHAIN_ALL : 0;
    return chains | (writes ? 1u << CHAIN_RELEASE_FENCE : 0);
}

static bool buffers_fail(const Sparse *s, ChainsBefore *chains_before, AxiomFinding *finding)
{
    if (per_location_fails(s, finding) || sparse_atomicity_fails(s, finding))
        return true;
    SparseGraph d = {.nodes = s->n * CHAIN_END};
    bool *outside = arena_array_of(s->arena, bool, (size_t)s->n + 1);
    uint32_t *written = arena_array_of(s->arena, uint32_t, (size_t)s->graph->locations + 1);
    for (size_t i = 0; i < s->graph->edge_count; i++)
        outside[s->graph->edges[i].from] = outside[s->graph->edges[i].to] = true;
    for (uint32_t k = 0; k < s->n; k++) {
        uint32_t e = s->by_po[k], previous = s->place[e] ? s->by_po[k - 1] : SPARSE_NONE;
        const AxiomEvent *at = sparse_event(s, e);
        bool locked = is_locked(s, outside, e);
        unsigned part = chains_of(at, locked), before = chains_before(s, at, locked);
        for (uint32_t c = CHAIN_ALL; c < CHAIN_END; c++) {
            if (previous != SPARSE_NONE) {
                sparse_join(&d, c * s->n + previous, c * s->n + e);
                if (before >> c & 1)
                    sparse_join(&d, c * s->n + previous, e);
            }
            if (part >> c & 1)
                sparse_join(&d, e, c * s->n + e);
        }
        if (at->kind == AXIOM_WRITE) { /* written: the last write of this thread, plus one */
            uint32_t last = written[at->location];
            if (last && sparse_event(s, last - 1)->thread == at->thread)
                sparse_join(&d, last - 1, e);
            written[at->location] = e + 1;
        }
    }
    sparse_add_threads(s, &d);
    add_communication(s, &d, false);
    return sparse_has_cycle(s, &d, AXIOM_RULE_GLOBAL_ORDER, finding);
}

static bool sparse_tso_fails(Sparse *s, AxiomFinding *finding)
{
    return buffers_fail(s, before_in_tso, finding);
}

static bool sparse_pso_fails(Sparse *s, AxiomFinding *finding)
{
    return buffers_fail(s, before_in_pso, finding);
}

/* ---- the judge ---- */

bool sparse_has_parts(const AxiomGraph *graph)
{
    for (size_t i = 0; i < graph->count; i++)
        if (sparse_is_access(&graph->events[i]) && graph->events[i].bytes)
            return true;
    return false;
}

bool sparse_consistent(const AxiomGraph *graph, MemoryModel model, AxiomOptions options,
                       Arena *arena, AxiomFinding *finding)
{
    AxiomFinding ignored;
    if (!finding)
        finding = &ignored;
    *finding = (AxiomFinding){AXIOM_RULE_ALL, AXIOM_NONE};
    Sparse s = {.graph = graph, .options = options, .arena = arena, .n = (uint32_t)graph->count};
    if (!build(&s, finding))
        return false;
    typedef bool Fails(Sparse *, AxiomFinding *);
    static Fails *const fails_under[MODEL_COUNT] = {
#define X(NAME, word, ...) [MODEL_##NAME] = sparse_##word##_fails,
        MEMORY_MODELS(X)
#undef X
    };
    ASSERT(model < MODEL_COUNT);
    return !fails_under[model](&s, finding);
}
