/* model_rc11.c: RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer, PLDI 2017). Coherence, atomicity and the
 * absence of porf cycles hold by construction; what is left is that psc is acyclic:
 *   scb  = po U po-other-location;hb;po-other-location U hb-same-location U co U fr
 *   psc  = ([SC] U [SC fence];hb?) ; scb ; ([SC] U hb?;[SC fence])  U  [SC fence];(hb U
 * hb;eco;hb);[SC fence] Three tiers, cheapest first:
 *   1. no cycle in po U rf U co U fr through the new event: psc, a subrelation of its closure, has
 * none either: consistent. (model_sc.c)
 *   2. a cycle that touches only seq_cst accesses: each step is in psc: inconsistent.
 *   3. otherwise the search of model_psc.c.
 * psc as it stands, with bit matrices, is there for finished graphs with added edges, and as the
 * judge of the third tier in tests. In a program of seq_cst accesses alone the first tier decides.
 */
#include "guest/explore/models/model.h"
#include <string.h>
#include "guest/runtime/pages.h"

/* ---- tier 2: the search of model_sc.c, restricted to seq_cst accesses ---- */

static int seen_from[MAX_THREADS];
static const Event *goal, *goal2;
static bool reaches(int t, int i);

/* The next seq_cst write after POSITION: co and fr are transitive, so others may be skipped. */
static bool later_write_reaches(const Location *x, int position, const Event *e)
{
    for (int p = position + 1; p < x->writes; p++) {
        const Event *w = &pool[x->co[p]];
        if (!model_is_sc(w) ||
            (e->kind == EVENT_READ && w->thread == e->thread && w->index == e->index + 1))
            continue;
        return reaches(w->thread, w->index);
    }
    return false;
}

static bool successors_reach(const Event *e)
{
    if (e->kind == EVENT_CREATE)
        return threads[e->other].count && reaches((int)e->other, 0);
    if (!IS_ACCESS(e->kind) || !model_is_sc(e))
        return false;
    const Location *x = &locations[e->location];
    if (e->kind == EVENT_WRITE) {
        EventId id = event_id(e);
        for (int j = 0; j < x->reads; j++) {
            const Event *r = &pool[x->read[j]];
            if (r->rf == id && model_is_sc(r) && reaches(r->thread, r->index))
                return true;
        }
        return e->co >= 0 && later_write_reaches(x, e->co, e);
    }
    int position = rf_position(e);
    return position >= 0 && later_write_reaches(x, position, e);
}

static bool reaches(int t, int i)
{
    int end = seen_from[t];
    if (i >= end)
        return false;
    end = MIN(end, threads[t].count);
    seen_from[t] = i;
    if (goal->thread == t && goal->index >= i && goal->index < end)
        return true;
    if (goal2 && goal2->thread == t && goal2->index >= i && goal2->index < end)
        return true;
    for (; i < end; i++)
        if (successors_reach(thread_event(t, i)))
            return true;
    return false;
}

static bool cycle_of_sc_accesses(const Event *e, const Event *r)
{
    if (!model_is_sc(e))
        return false;
    for (int t = 0; t < MAX_THREADS; t++)
        seen_from[t] = INT32_MAX;
    goal = e;
    goal2 = r && model_is_sc(r) ? r : NULL;
    const Location *x = &locations[e->location];
    return later_write_reaches(x, e->kind == EVENT_WRITE ? e->co : rf_position(e), e);
}

/* ---- tier 3: psc as defined ---- */

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

/* Closes it on the way. */
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

/* Of what fill has filled in. */
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

bool model_checks_psc;

static bool judge(const Event *e, const Event *r, bool consistent)
{
    bool by_search = !model_psc_cycle(e) && !(r && model_psc_cycle(r));
    fill(NULL, 0);
    bool by_matrices = !psc_cyclic();
    if (by_search != consistent || by_matrices != consistent)
        die("internal error: psc is %d, by its search %d, by matrices %d", consistent, by_search,
            by_matrices);
    return consistent;
}

/* acyclic(psc) */
static bool model_rc11_consistent(Event *e, Event *r)
{
    bool consistent = true;
    if (graph_any_sc && !model_sc_consistent(e, r))
        consistent = graph_any_not_sc && !cycle_of_sc_accesses(e, r) && !model_psc_cycle(e) &&
                     !(r && model_psc_cycle(r));
    return UNLIKELY(model_checks_psc) ? judge(e, r, consistent) : consistent;
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

/* Of what is in M_PSC. */
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

static bool rc11_allows_edges(const ModelEdge *edges, int count)
{
    if (!is_grounded(edges, count))
        return false;
    fill(edges, count);
    return is_coherent() && (!graph_any_sc || !psc_cyclic());
}

/* ---- tso with edges: the global order as a matrix ---- */

/* A mark with an added edge stands for a client's synchronisation, which drains the buffer; other
 * marks, choices and fences weaker than seq_cst are no instructions. */
static bool is_nothing(const Event *e, const ModelEdge *edges, int count)
{
    if (e->kind == EVENT_FENCE)
        return e->order != ORDER_SEQ_CST;
    if (e->kind != EVENT_MARK)
        return e->kind == EVENT_CHOOSE;
    for (int k = 0; k < count; k++)
        if (edges[k].from == event_id(e) || edges[k].to == event_id(e))
            return false;
    return true;
}

/* Is event J of a thread after event I of it, in the order that memory sees? */
static bool tso_ordered(const Event *a, const Event *b, const ModelEdge *edges, int count)
{
    if (is_nothing(a, edges, count) || is_nothing(b, edges, count))
        return false;
    bool load = b->kind == EVENT_READ && !b->rmw && b->request != REQUEST_RMW;
    bool store = a->kind == EVENT_WRITE && !a->rmw;
    if (!load || !store)
        return true;
    if (a->order == ORDER_SEQ_CST && b->order == ORDER_SEQ_CST && !a->plain && !b->plain)
        return true;
    for (int i = a->index + 1; i < b->index; i++) {
        const Event *e = thread_event(a->thread, i);
        if ((e->kind == EVENT_FENCE && e->order == ORDER_SEQ_CST) ||
            (IS_ACCESS(e->kind) && e->rmw) || e->kind == EVENT_CREATE || e->kind == EVENT_JOIN)
            return true;
        for (int k = 0; k < count; k++)
            if (edges[k].from == event_id(e) || edges[k].to == event_id(e))
                return true;
    }
    return false;
}

static bool tso_allows_edges(const ModelEdge *edges, int count)
{
    fill(NULL, 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const Event *a = &pool[order[i]], *b = &pool[order[j]];
            bool ordered = false;
            if (a->thread == b->thread)
                ordered = a->index < b->index && tso_ordered(a, b, edges, count);
            else if (a->kind == EVENT_CREATE || b->kind == EVENT_JOIN)
                ordered =
                    before(a, &b->hb) && ((a->kind == EVENT_CREATE && a->other == b->thread) ||
                                          (b->kind == EVENT_JOIN && b->other == a->thread));
            else /* co, fr, rfe: a read is after the write it reads from, if that is another
                    thread's */
                ordered = b->kind == EVENT_READ ? b->rf == order[i] : get(M_ECO, i, j);
            if (ordered)
                set(M_PSC, i, j);
        }
    return acyclic_with(edges, count);
}

static bool sc_allows_edges(const ModelEdge *edges, int count)
{
    fill(NULL, 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (get(M_HB, i, j) || get(M_ECO, i, j))
                set(M_PSC, i, j);
    return acyclic_with(edges, count);
}

bool model_graph_is_sc(void)
{
    return sc_allows_edges(NULL, 0);
}

bool model_allows_edges(const ModelEdge *edges, int count)
{
    switch (options.model) {
    case MODEL_SC:
        return sc_allows_edges(edges, count);
    case MODEL_TSO:
        return tso_allows_edges(edges, count);
    default:
        return rc11_allows_edges(edges, count);
    }
}

bool model_consistent(Event *e, Event *r)
{
    switch (options.model) {
    case MODEL_SC:
        return model_sc_consistent(e, r);
    case MODEL_TSO:
        return model_tso_consistent(e, r);
    default:
        return model_rc11_consistent(e, r);
    }
}
