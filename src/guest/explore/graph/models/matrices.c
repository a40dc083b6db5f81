/* matrices.c: the memory models on a finished graph, perhaps with edges that a client added,
 * written down as they are defined, with bit matrices: slow and obvious. It answers what is asked
 * rarely, and judges the fast searches in tests (HEDDLE_DEBUG=check-psc, check-edges). */
#include <string.h>
#include "guest/explore/graph/models/buffers.h"
#include "guest/runtime/pages.h"

typedef struct Matrix {
    uint64_t *bits; /* n rows of `words` words */
} Matrix;
enum { M_HB, M_PO_OTHER, M_SCB, M_ECO, M_PSC, M_LEFT, M_RIGHT, M_TEMP, M_TEMP2, M_COUNT };
static Matrix matrices[M_COUNT];
static int room; /* events for which the matrices have space */
static int n, words;
static int *number; /* event -> row */

static uint64_t *row(int m, int i)
{
    return matrices[m].bits + (size_t)i * (size_t)words;
}
static void set(int m, int i, int j)
{
    row(m, i)[j >> 6] |= UINT64_C(1) << (j & 63);
}
static bool get(int m, int i, int j)
{
    return row(m, i)[j >> 6] >> (j & 63) & 1;
}

static void prepare(void)
{
    n = order_count;
    if (n > room) {
        room = MAX(n, room * 2);
        size_t wide = (size_t)(room + 63) / 64;
        for (int m = 0; m < M_COUNT; m++)
            matrices[m].bits = pages_alloc(wide * 8 * (size_t)room);
        if (!number)
            number = pages_reserve(sizeof(int) * MAX_EVENTS);
    }
    words = (n + 63) / 64;
    for (int m = 0; m < M_COUNT; m++)
        memset(matrices[m].bits, 0, (size_t)words * 8 * (size_t)n);
    for (int i = 0; i < n; i++)
        number[order[i]] = i;
}

static void compose(int into, int a, int b)
{
    for (int i = 0; i < n; i++) {
        uint64_t *result = row(into, i);
        memset(result, 0, (size_t)words * 8);
        for (int q = 0; q < words; q++)
            for (uint64_t left = row(a, i)[q]; left; left &= left - 1) {
                const uint64_t *other = row(b, q * 64 + __builtin_ctzll(left));
                for (int z = 0; z < words; z++)
                    result[z] |= other[z];
            }
    }
}
static void add(int into, int from)
{
    for (size_t z = 0; z < (size_t)words * (size_t)n; z++)
        matrices[into].bits[z] |= matrices[from].bits[z];
}
static void close_transitively(int m)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            if (get(m, i, k))
                for (int z = 0; z < words; z++)
                    row(m, i)[z] |= row(m, k)[z];
}

/* Returns whether relation M has a cycle; leaves its transitive closure in M. */
static bool is_cyclic(int m)
{
    close_transitively(m);
    for (int i = 0; i < n; i++)
        if (get(m, i, i))
            return true;
    return false;
}

/* Happens-before as the clocks have it, with EDGES added. */
static void fill_hb(const ModelEdge *edges, int edge_count)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (i != j && before(&pool[order[i]], &pool[order[j]].hb))
                set(M_HB, i, j);
    for (int k = 0; k < edge_count; k++)
        set(M_HB, number[edges[k].from], number[edges[k].to]);
    if (edge_count)
        close_transitively(M_HB);
}

static void fill_scb(void)
{
    for (int j = 0; j < n; j++) {
        const Event *b = &pool[order[j]];
        for (int i = 0; i < n; i++) {
            const Event *a = &pool[order[i]];
            if (i == j || !get(M_HB, i, j))
                continue;
            LocationId la = IS_ACCESS(a->kind) ? a->location : 0;
            LocationId lb = IS_ACCESS(b->kind) ? b->location : 0;
            if (a->thread == b->thread) {
                set(M_SCB, i, j);
                if (!la || !lb || la != lb)
                    set(M_PO_OTHER, i, j);
            } else if (a->kind == EVENT_CREATE && a->other == b->thread) {
                set(M_PO_OTHER, i, j); /* the child's begin, which has no event, is po-before B */
            }
            if (la && la == lb)
                set(M_SCB, i, j);
        }
    }
    /* po-other;hb?;po-other: with hb reflexive only po pairs and those through a begin are added */
    compose(M_TEMP, M_PO_OTHER, M_HB);
    add(M_TEMP, M_PO_OTHER);
    compose(M_TEMP2, M_TEMP, M_PO_OTHER);
    add(M_SCB, M_TEMP2);
}

static void fill_location(const Location *x)
{
    for (int p = 1; p < x->writes; p++)
        for (int q = p + 1; q < x->writes; q++) {
            set(M_SCB, number[x->co[p]], number[x->co[q]]);
            set(M_ECO, number[x->co[p]], number[x->co[q]]);
        }
    for (int j = 0; j < x->reads; j++) {
        const Event *r = &pool[x->read[j]];
        int at = number[x->read[j]];
        if (r->rf)
            set(M_ECO, number[r->rf], at);
        for (int p = rf_position(r) + 1; p < x->writes; p++) {
            const Event *w = &pool[x->co[p]];
            if (w->thread == r->thread && w->index == r->index + 1 && w->rmw)
                continue;
            set(M_SCB, at, number[x->co[p]]);
            set(M_ECO, at, number[x->co[p]]);
        }
    }
}

static void fill(const ModelEdge *edges, int edge_count)
{
    prepare();
    fill_hb(edges, edge_count);
    fill_scb();
    for (LocationId l = 1; l <= location_count; l++)
        if (locations[l].writes > 1 || locations[l].reads)
            fill_location(&locations[l]);
    close_transitively(M_ECO);
}

/* Returns whether psc is cyclic. Call fill() first: it leaves hb, scb and eco in the matrices. */
static bool psc_cyclic(void)
{
    for (int i = 0; i < n; i++) {
        const Event *a = &pool[order[i]];
        if (!model_is_sc(a))
            continue;
        set(M_LEFT, i, i);
        set(M_RIGHT, i, i);
        if (a->kind == EVENT_FENCE)
            for (int k = 0; k < n; k++) {
                if (get(M_HB, i, k))
                    set(M_LEFT, i, k);
                if (get(M_HB, k, i))
                    set(M_RIGHT, k, i);
            }
    }
    compose(M_TEMP, M_LEFT, M_SCB);
    compose(M_PSC, M_TEMP, M_RIGHT);
    compose(M_TEMP, M_HB, M_ECO);
    compose(M_TEMP2, M_TEMP, M_HB);
    add(M_TEMP2, M_HB);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const Event *a = &pool[order[i]], *b = &pool[order[j]];
            if (a->kind == EVENT_FENCE && model_is_sc(a) && b->kind == EVENT_FENCE &&
                model_is_sc(b) && get(M_TEMP2, i, j))
                set(M_PSC, i, j);
        }
    return is_cyclic(M_PSC);
}

bool model_psc_is_cyclic(void)
{
    fill(NULL, 0);
    return psc_cyclic();
}

/* hb;eco? irreflexive: holds by construction without added edges. */
static bool is_coherent(void)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (get(M_HB, i, j) && (i == j || get(M_ECO, j, i)))
                return false;
    return true;
}

/* Returns whether the relation in M_PSC stays acyclic with EDGES added. */
static bool acyclic_with(const ModelEdge *edges, int count)
{
    for (int k = 0; k < count; k++)
        set(M_PSC, number[edges[k].from], number[edges[k].to]);
    return !is_cyclic(M_PSC);
}

/* No thin air: a client's synchronisation is made of program order and reads-from, too. */
static bool is_grounded(const ModelEdge *edges, int count)
{
    prepare();
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (i != j && in_prefix(&pool[order[i]], &pool[order[j]]))
                set(M_PSC, i, j);
    return acyclic_with(edges, count);
}

bool model_rc11_allows_edges(const ModelEdge *edges, int count)
{
    if (!is_grounded(edges, count))
        return false;
    fill(edges, count);
    return is_coherent() && (!graphs.any_sc || !psc_cyclic());
}

/* ---- store buffers: the global order as a matrix ---- */

static bool has_edge(const Event *mark, const ModelEdge *edges, int count)
{
    for (int k = 0; k < count; k++)
        if (edges[k].from == event_id(mark) || edges[k].to == event_id(mark))
            return true;
    return false;
}

/* Does memory see B after A, by one step? A mark with an added edge stands for a client's
 * synchronisation, which drains the buffer. */
static bool buffers_order(BuffersKeep *keep, const Event *a, const Event *b, const ModelEdge *edges,
                          int count)
{
    if (a->thread == b->thread)
        return a->index < b->index &&
               (keep(a, b) || (a->kind == EVENT_MARK && has_edge(a, edges, count)) ||
                (b->kind == EVENT_MARK && has_edge(b, edges, count)));
    if (a->kind == EVENT_CREATE || b->kind == EVENT_JOIN)
        return before(a, &b->hb) && ((a->kind == EVENT_CREATE && a->other == b->thread) ||
                                     (b->kind == EVENT_JOIN && b->other == a->thread));
    /* co, fr, rfe: a read is after the write it reads from, if that is another thread's */
    return b->kind == EVENT_READ ? b->rf == event_id(a)
                                 : get(M_ECO, number[event_id(a)], number[event_id(b)]);
}

bool buffers_allow_edges(BuffersKeep *keep, const ModelEdge *edges, int count)
{
    fill(NULL, 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (buffers_order(keep, &pool[order[i]], &pool[order[j]], edges, count))
                set(M_PSC, i, j);
    return acyclic_with(edges, count);
}

bool model_sc_allows_edges(const ModelEdge *edges, int count)
{
    fill(NULL, 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (get(M_HB, i, j) || get(M_ECO, i, j))
                set(M_PSC, i, j);
    return acyclic_with(edges, count);
}
