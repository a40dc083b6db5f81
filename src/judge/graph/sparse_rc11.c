/* RC11 on long executions, see sparse.h.
 *
 * Release sequences by clocks: what an acquire learns from a write is `released` of it. A release
 * write releases its own clock, a write behind a release fence that of the fence; by the rule of
 * C11 a write releases what earlier release writes of its thread to its location did, too; and the
 * write of a read-modify-write what the write released that it read from.
 *
 * psc: a node is an event and how far a path that begins at a seq_cst event has come in the
 * definition, left ; scb ; right or [F] ; (hb | hb ; eco ; hb) ; [F]:
 *
 *   AT_SC    at a seq_cst event, between two steps of psc
 *   LEFT     left is done, scb comes next; LEFT_HB: inside hb? behind a fence
 *   PO       in po; CO: in co or fr; SAME: in hb to an access of the same location
 *   OTHER    behind the first po to another location of po ; hb ; po; OTHER_HB: behind its hb
 *   RIGHT    scb is done; RIGHT_HB: inside hb? before a fence
 *   FENCE_HB inside the first hb behind a fence, ECO: inside eco, ECO_HB: in the hb behind it
 *
 * Since hb, po, co and eco have no cycles of their own, a cycle is one of psc. A step of hb | eco
 * to all that follows in a thread, a location or a coherence order goes along a chain. */
#include "judge/graph/sparse_inside.h"
#include <string.h>

typedef enum Mode {
    AT_SC,
    LEFT,
    LEFT_HB,
    PO,
    CO,
    SAME,
    OTHER,
    OTHER_HB,
    RIGHT,
    RIGHT_HB,
    FENCE_HB,
    ECO,
    ECO_HB,
    MODES
} Mode;

static uint32_t *clock_of(const Sparse *s, uint32_t e)
{
    return s->clock + (size_t)e * s->threads;
}
static void join_clock(const Sparse *s, uint32_t *into, const uint32_t *from)
{
    for (uint32_t t = 0; from && t < s->threads; t++)
        into[t] = MAX(into[t], from[t]);
}
static bool is_acquire(const AxiomEvent *e)
{
    return sparse_is_atomic(e) && e->kind != AXIOM_WRITE && e->order != AXIOM_RELAXED &&
           e->order != AXIOM_RELEASE;
}
static bool is_fence(const AxiomEvent *e)
{
    return e->kind == AXIOM_FENCE && sparse_is_seq_cst(e);
}
static uint32_t previous_of(const Sparse *s, uint32_t e)
{
    return s->place[e] ? s->by_po[s->begin[sparse_event(s, e)->thread] + s->place[e] - 1]
                       : SPARSE_NONE;
}
/* The access of the same thread and location before E, or SPARSE_NONE; or after it. */
static uint32_t same_location_beside(const Sparse *s, uint32_t e, bool after)
{
    const AxiomEvent *at = sparse_event(s, e);
    uint32_t i = s->list[e], l = (uint32_t)at->location;
    if (after ? i + 1 == s->list_begin[l + 1] : i == s->list_begin[l])
        return SPARSE_NONE;
    uint32_t other = s->by_location[after ? i + 1 : i - 1];
    return sparse_event(s, other)->thread == at->thread ? other : SPARSE_NONE;
}

/* ---- happens-before ---- */

typedef struct Clocks {
    uint32_t *released;   /* n times threads: of writes */
    uint32_t *fence;      /* by thread: that of its last release fence */
    uint32_t *acquirable; /* by thread: what its next acquire fence learns */
    uint32_t *head;       /* of writes: the last release write of the thread to the location, or
                             SPARSE_NONE; of reads that of the write before */
} Clocks;

static void learn(const Sparse *s, Clocks *c, uint32_t e)
{
    const AxiomEvent *at = sparse_event(s, e);
    uint32_t *own = clock_of(s, e), previous = previous_of(s, e);
    uint32_t *fence = c->fence + (size_t)at->thread * s->threads;
    uint32_t *acquirable = c->acquirable + (size_t)at->thread * s->threads;
    if (previous != SPARSE_NONE)
        join_clock(s, own, clock_of(s, previous));
    if (at->kind == AXIOM_READ && !at->plain && at->rf != AXIOM_NONE) {
        const uint32_t *released = c->released + (size_t)at->rf * s->threads;
        join_clock(s, is_acquire(at) ? own : acquirable, released);
        join_clock(s, acquirable, released);
    }
    if (at->kind == AXIOM_FENCE && is_acquire(at))
        join_clock(s, own, acquirable);
    own[at->thread] = s->place[e] + 1;
    if (at->kind == AXIOM_FENCE && sparse_is_release(at))
        memcpy(fence, own, sizeof *own * s->threads);
    if (!sparse_is_access(at))
        return;
    uint32_t before = same_location_beside(s, e, false);
    c->head[e] = before == SPARSE_NONE ? SPARSE_NONE : c->head[before];
    if (at->kind == AXIOM_READ || at->plain)
        return;
    uint32_t *released = c->released + (size_t)e * s->threads;
    if (sparse_is_release(at))
        c->head[e] = e;
    join_clock(s, released, fence);
    if (c->head[e] == e || (c->head[e] != SPARSE_NONE && !s->options.release_sequence_cxx20))
        join_clock(s, released, clock_of(s, c->head[e]));
    if (at->rmw != AXIOM_NONE && sparse_event(s, (uint32_t)at->rmw)->rf != AXIOM_NONE)
        join_clock(s, released,
                   c->released + (size_t)sparse_event(s, (uint32_t)at->rmw)->rf * s->threads);
}

/* Fills the clocks; false if po | rf has a cycle. */
static bool find_clocks(Sparse *s, AxiomFinding *finding)
{
    SparseGraph d = {.nodes = s->n}, threads = {.nodes = s->n};
    uint32_t left = 0, *sorted = arena_array_of(s->arena, uint32_t, (size_t)s->n + 1);
    for (uint32_t i = 0; i < s->n; i++) {
        sparse_join(&d, i, s->next[i]);
        if (sparse_event(s, i)->kind == AXIOM_READ && sparse_event(s, i)->rf != AXIOM_NONE)
            sparse_join(&d, (uint32_t)sparse_event(s, i)->rf, i);
    }
    sparse_add_threads(s, &d);
    sparse_add_threads(s, &threads); /* those that end at an event: a list of few */
    if (sparse_sort(s->arena, &d, sorted, &left) < s->n) {
        *finding = (AxiomFinding){AXIOM_RULE_THIN_AIR, (int)left};
        vec_free(&threads.edges);
        return false;
    }
    size_t words = (size_t)s->n * s->threads + 1, of_threads = (size_t)s->threads * s->threads + 1;
    s->clock = arena_array_of(s->arena, uint32_t, words);
    Clocks c = {.released = arena_array_of(s->arena, uint32_t, words),
                .fence = arena_array_of(s->arena, uint32_t, of_threads),
                .acquirable = arena_array_of(s->arena, uint32_t, of_threads),
                .head = arena_array_of(s->arena, uint32_t, (size_t)s->n + 1)};
    for (uint32_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < threads.edges.count; j++)
            if (threads.edges.at[j].to == sorted[i])
                join_clock(s, clock_of(s, sorted[i]), clock_of(s, threads.edges.at[j].from));
        learn(s, &c, sorted[i]);
    }
    vec_free(&threads.edges);
    return true;
}

/* Steps whose closure is happens-before. The nodes are events in mode FROM; the step ends in TO. */
static void add_happens_before(const Sparse *s, SparseGraph *d, Mode from, Mode to,
                               bool fences_only)
{
    for (uint32_t e = 0; e < s->n; e++) {
        const uint32_t *own = clock_of(s, e);
        uint32_t previous = previous_of(s, e), t = sparse_event(s, e)->thread;
        for (uint32_t u = 0; u < s->threads; u++) {
            uint32_t known = previous == SPARSE_NONE ? 0 : clock_of(s, previous)[u];
            uint32_t last = u == t           ? previous
                            : own[u] > known ? s->by_po[s->begin[u] + own[u] - 1]
                                             : SPARSE_NONE;
            if (last != SPARSE_NONE && (!fences_only || is_fence(sparse_event(s, last))))
                sparse_join(d, (uint32_t)from * s->n + last, (uint32_t)to * s->n + e);
        }
    }
}

/* ---- coherence ---- */

/* Finds, among the accesses of location L by thread T, the first whose place is PLACE or more, or
 * whose clock knows PLACE events of thread BY. */
static uint32_t first_access(const Sparse *s, uint32_t l, uint32_t t, uint32_t place, uint32_t by,
                             bool by_clock)
{
    uint32_t low = s->list_begin[l], high = s->list_begin[l + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, e = s->by_location[middle];
        uint32_t thread = sparse_event(s, e)->thread;
        bool reached =
            thread > t ||
            (thread == t && (by_clock ? clock_of(s, e)[by] >= place : s->place[e] >= place));
        if (reached)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool coherence_fails(const Sparse *s, AxiomFinding *finding)
{
    /* greatest places that the accesses of a thread to a location, up to this one, wrote and read
     */
    uint32_t *wrote = arena_array_of(s->arena, uint32_t, (size_t)s->n + 1);
    uint32_t *read = arena_array_of(s->arena, uint32_t, (size_t)s->n + 1);
    for (uint32_t l = 0; l < s->graph->locations; l++)
        for (uint32_t i = s->list_begin[l]; i < s->list_begin[l + 1]; i++) {
            uint32_t e = s->by_location[i], before = same_location_beside(s, e, false);
            const AxiomEvent *at = sparse_event(s, e);
            wrote[i] = before == SPARSE_NONE ? 0 : wrote[i - 1];
            read[i] = before == SPARSE_NONE ? 0 : read[i - 1];
            if (at->kind == AXIOM_WRITE)
                wrote[i] = MAX(wrote[i], at->coherence);
            else if (at->rf != AXIOM_NONE)
                read[i] = MAX(read[i], sparse_event(s, (uint32_t)at->rf)->coherence);
        }
    for (uint32_t e = 0; e < s->n; e++) {
        const AxiomEvent *at = sparse_event(s, e);
        if (!sparse_is_access(at))
            continue;
        uint32_t l = (uint32_t)at->location;
        uint32_t own = at->kind == AXIOM_WRITE ? at->coherence
                       : at->rf == AXIOM_NONE  ? 0
                                               : sparse_event(s, (uint32_t)at->rf)->coherence;
        for (uint32_t u = 0; u < s->threads; u++) {
            uint32_t known = u == at->thread ? s->place[e] : clock_of(s, e)[u];
            uint32_t end = first_access(s, l, u, known, 0, false);
            if (end == s->list_begin[l] || sparse_event(s, s->by_location[end - 1])->thread != u)
                continue;
            if (wrote[end - 1] > own ||
                (at->kind == AXIOM_WRITE ? read[end - 1] >= own : read[end - 1] > own)) {
                *finding = (AxiomFinding){AXIOM_RULE_COHERENCE, (int)e};
                return true;
            }
        }
    }
    return false;
}

/* ---- psc ---- */

static bool other_location(const Sparse *s, uint32_t e, uint32_t f)
{
    const AxiomEvent *x = sparse_event(s, e), *y = sparse_event(s, f);
    return !sparse_is_access(x) || !sparse_is_access(y) || x->location != y->location;
}

static uint32_t at(const Sparse *s, Mode mode, uint32_t e)
{
    return e == SPARSE_NONE ? SPARSE_NONE : (uint32_t)mode * s->n + e;
}

/* scb, from LEFT to RIGHT, but for the steps of hb in it. */
static void add_scb(const Sparse *s, SparseGraph *d)
{
    for (uint32_t t = 0; t < s->threads; t++) {
        uint32_t after = SPARSE_NONE; /* the first event after E with another location */
        for (uint32_t i = s->begin[t + 1]; i-- > s->begin[t];) {
            uint32_t e = s->by_po[i], next = s->next[e];
            if (next != SPARSE_NONE && other_location(s, e, next))
                after = next; /* else it is that of the next event, which has the same location */
            sparse_join(d, at(s, LEFT, e), at(s, OTHER, after));
            sparse_join(d, at(s, LEFT, e), at(s, PO, next));
            sparse_join(d, at(s, PO, e), at(s, PO, next));
            sparse_join(d, at(s, PO, e), at(s, RIGHT, e));
        }
        uint32_t before = SPARSE_NONE; /* the last event before E with another location */
        for (uint32_t i = s->begin[t]; i < s->begin[t + 1]; i++) {
            uint32_t e = s->by_po[i], previous = previous_of(s, e);
            if (previous != SPARSE_NONE && other_location(s, e, previous))
                before = previous;
            sparse_join(d, at(s, OTHER_HB, before), at(s, RIGHT, e));
        }
    }
    for (uint32_t e = 0; e < s->n; e++) {
        const AxiomEvent *x = sparse_event(s, e);
        if (!sparse_is_access(x))
            continue;
        uint32_t after = sparse_write_after(s, e), l = (uint32_t)x->location;
        sparse_join(d, at(s, LEFT, e), at(s, CO, after));
        sparse_join(d, at(s, CO, e), at(s, RIGHT, e));
        if (x->kind == AXIOM_WRITE)
            sparse_join(d, at(s, CO, e), at(s, CO, after));
        sparse_join(d, at(s, SAME, e), at(s, RIGHT, e));
        sparse_join(d, at(s, SAME, e), at(s, SAME, same_location_beside(s, e, true)));
        for (uint32_t u = 0; u < s->threads; u++) {
            uint32_t first = u == x->thread
                                 ? s->list[e] + 1
                                 : first_access(s, l, u, s->place[e] + 1, x->thread, true);
            if (first < s->list_begin[l + 1] && sparse_event(s, s->by_location[first])->thread == u)
                sparse_join(d, at(s, LEFT, e), at(s, SAME, s->by_location[first]));
        }
    }
}

/* eco, from FENCE_HB to ECO and on. */
static void add_eco(const Sparse *s, SparseGraph *d)
{
    static const Mode from[] = {FENCE_HB, ECO};
    for (uint32_t e = 0; e < s->n; e++) {
        const AxiomEvent *x = sparse_event(s, e);
        for (unsigned i = 0; sparse_is_access(x) && i < COUNT_OF(from); i++) {
            sparse_join(d, at(s, from[i], e), at(s, ECO, sparse_write_after(s, e)));
            if (x->kind == AXIOM_READ && x->rf != AXIOM_NONE)
                sparse_join(d, at(s, from[i], (uint32_t)x->rf), at(s, ECO, e));
        }
    }
}

static bool psc_fails(const Sparse *s, AxiomFinding *finding)
{
    bool any = false;
    for (uint32_t e = 0; e < s->n; e++)
        any |= sparse_is_seq_cst(sparse_event(s, e));
    if (!any)
        return false;
    SparseGraph d = {.nodes = s->n * MODES};
    for (uint32_t e = 0; e < s->n; e++) {
        const AxiomEvent *x = sparse_event(s, e);
        sparse_join(&d, at(s, LEFT_HB, e), at(s, LEFT, e));
        sparse_join(&d, at(s, RIGHT, e), at(s, RIGHT_HB, e));
        if (!sparse_is_seq_cst(x))
            continue;
        sparse_join(&d, at(s, AT_SC, e), at(s, LEFT, e));
        sparse_join(&d, at(s, RIGHT, e), at(s, AT_SC, e));
        if (!is_fence(x))
            continue;
        sparse_join(&d, at(s, AT_SC, e), at(s, LEFT_HB, e));
        sparse_join(&d, at(s, RIGHT_HB, e), at(s, AT_SC, e));
        sparse_join(&d, at(s, FENCE_HB, e), at(s, AT_SC, e));
        sparse_join(&d, at(s, ECO_HB, e), at(s, AT_SC, e));
    }
    add_scb(s, &d);
    add_eco(s, &d);
    static const Mode hb[][2] = {{LEFT_HB, LEFT_HB},   {OTHER, OTHER_HB},    {OTHER_HB, OTHER_HB},
                                 {RIGHT_HB, RIGHT_HB}, {FENCE_HB, FENCE_HB}, {ECO, ECO_HB},
                                 {ECO_HB, ECO_HB}};
    for (unsigned i = 0; i < COUNT_OF(hb); i++)
        add_happens_before(s, &d, hb[i][0], hb[i][1], false);
    add_happens_before(s, &d, AT_SC, FENCE_HB, true);
    return sparse_has_cycle(s, &d, AXIOM_RULE_SEQ_CST, finding);
}

bool sparse_rc11_fails(Sparse *s, AxiomFinding *finding)
{
    return !find_clocks(s, finding) || coherence_fails(s, finding) ||
           sparse_atomicity_fails(s, finding) || psc_fails(s, finding);
}
