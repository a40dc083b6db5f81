#include "guest/explore/graph/models/client_internal.h"
#include <string.h>
#include "guest/runtime/pages.h"

typedef ClientSet Set;

typedef struct Operation {
    Set before_return, after_call; /* hb? */
    Set left;                      /* po-other;hb? to the return */
    Set right;                     /* hb?;po-other from the call */
    const Event *call, *ret;
    uint32_t known; /* pairs with others: in hb already */
} Operation;

/* Everything that is known of the present graph, and of the present question. */
typedef struct Rc11Client {
    uint32_t count;
    Operation operations[MODEL_CLIENT_MOST];
    /* Plausible edges are told by these, COUNT words each: by operation a, the b with which the
     * pair is not coherent; by operation b, the a whose return comes after its call in program
     * order and reads-from. */
    uint32_t plausible[2 * MODEL_CLIENT_MOST];
    int sc_events[CLIENT_EVENTS], sc_count, fence_count; /* fences come first */
    int sc_number[CLIENT_EVENTS];                        /* -1: not seq_cst */
    bool prepared;                                       /* the next two are filled in */
    Set *scb;                                            /* by event, without added edges */
    const Event *last_other_of[CLIENT_EVENTS];

    uint32_t with_new;                /* operations a with new edges (a, b) */
    Set new_after[MODEL_CLIENT_MOST]; /* of such an a: what comes after the calls b */
    Set new_right[MODEL_CLIENT_MOST];
    Set fence_before[CLIENT_EVENTS], fence_after[CLIENT_EVENTS]; /* hb' */
    Set successors[CLIENT_EVENTS]; /* psc, by number of the seq_cst events */
} Rc11Client;
static Rc11Client rc11;

static void add_range(uint64_t *set, int from, int to)
{
    for (int i = from; i < to; i++)
        client_add(set, i);
}
static int place_of(const Event *e)
{
    return client.base[e->thread] + e->index;
}
static LocationId location_of(const Event *e)
{
    return IS_ACCESS(e->kind) ? e->location : 0;
}
static bool before_or_same(const Event *a, const Event *b)
{
    return a == b || before(a, &b->hb);
}

/* Events that E happens before: of each thread, those from some index on. */
static void add_after(uint64_t *set, const Event *e)
{
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left), low = 0, high = threads[t].count;
        while (low < high) {
            int middle = (low + high) / 2;
            if (before(e, &thread_event(t, middle)->hb))
                high = middle;
            else
                low = middle + 1;
        }
        if (t == e->thread)
            low = MAX(low, e->index + 1);
        add_range(set, client.base[t] + low, client.base[t] + threads[t].count);
    }
}
static void add_before(uint64_t *set, const Event *e)
{
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left), end = MIN((int)e->hb.at[t], threads[t].count);
        if (t == e->thread)
            end = MIN(end, (int)e->index);
        add_range(set, client.base[t], client.base[t] + end);
    }
}

/* ---- po to another location ---- */

/* The first event of the thread after E that is no access to its location: all that is po-other
 * after E comes after it; or NULL. */
static const Event *first_other(const Event *e)
{
    LocationId l = location_of(e);
    for (int i = e->index + 1; i < threads[e->thread].count; i++)
        if (!l || location_of(thread_event(e->thread, i)) != l)
            return thread_event(e->thread, i);
    return NULL;
}
/* The last one before it; if there is none, what created the thread. */
static const Event *last_other(const Event *e)
{
    LocationId l = location_of(e);
    for (int i = e->index - 1; i >= 0; i--)
        if (!l || location_of(thread_event(e->thread, i)) != l)
            return thread_event(e->thread, i);
    return e->thread ? &pool[threads[e->thread].create] : NULL;
}
/* The begin of a thread, which is no event, is po-other before all of it and after its creation. */
static const Event *first_of_child(const Event *e)
{
    return e->kind == EVENT_CREATE && threads[e->other].count ? thread_event((int)e->other, 0)
                                                              : NULL;
}

/* po-other;hb?;po-other from an event whose first_other is FIRST. The last_other of later events of
 * a thread is not earlier (if it is of another location than theirs it still counts, else the event
 * between does). */
static void add_through(uint64_t *set, const Event *first)
{
    for (ThreadSet left = first ? threads_created : 0; left; left &= left - 1) {
        int t = thread_first(left), low = 0, high = threads[t].count;
        while (low < high) {
            int middle = (low + high) / 2;
            const Event *last = rc11.last_other_of[client.base[t] + middle];
            if (last && before_or_same(first, last))
                high = middle;
            else
                low = middle + 1;
        }
        add_range(set, client.base[t] + low, client.base[t] + threads[t].count);
    }
}

/* ---- preparation ---- */

static void find_sc_events(void)
{
    rc11.sc_count = rc11.fence_count = 0;
    memset(rc11.sc_number, -1, sizeof *rc11.sc_number * (size_t)client.n);
    for (int fences = 1; fences >= 0 && graphs.any_sc; fences--)
        for (int i = 0; i < client.n; i++)
            if (model_is_sc(client.at[i]) && (client.at[i]->kind == EVENT_FENCE) == fences) {
                rc11.sc_number[i] = rc11.sc_count;
                rc11.sc_events[rc11.sc_count++] = i;
                rc11.fence_count += fences;
            }
}

static void fill_scb(int i)
{
    const Event *e = client.at[i];
    uint64_t *set = rc11.scb[i];
    client_clear(set);
    if (IS_ACCESS(e->kind)) { /* hb to the same location, co, fr */
        const Location *x = &locations[e->location];
        add_after(set, e);
        const uint64_t *same = client_location(e->location);
        for (int w = 0; w < client.words; w++)
            set[w] &= same[w];
        int position = e->kind == EVENT_WRITE ? e->co : rf_position(e);
        for (int p = position + 1; p < x->writes; p++)
            client_add(set, place_of(&pool[x->co[p]]));
    }
    add_range(set, i + 1, client.base[e->thread] + threads[e->thread].count);
    add_through(set, first_other(e));
    add_through(set, first_of_child(e));
}

static void fill_operation(Operation *o)
{
    client_clear(o->before_return);
    client_clear(o->after_call);
    client_clear(o->left);
    client_clear(o->right);
    client_add(o->before_return, place_of(o->ret));
    add_before(o->before_return, o->ret);
    client_add(o->after_call, place_of(o->call));
    add_after(o->after_call, o->call);
    add_through(o->right, o->call);
    for (int i = 0; i < client.n; i++) {
        const Event *first = first_other(client.at[i]), *child = first_of_child(client.at[i]);
        if ((first && before_or_same(first, o->ret)) || (child && before_or_same(child, o->ret)))
            client_add(o->left, i);
    }
}

/* Computes what the condition on seq_cst events needs, once an edge passes that on coherence. */
static void prepare(void)
{
    client_find_locations();
    if (!rc11.scb)
        rc11.scb = pages_reserve(sizeof(Set) * CLIENT_EVENTS);
    for (int i = 0; i < client.n; i++)
        rc11.last_other_of[i] = last_other(client.at[i]);
    for (int i = 0; i < client.n; i++)
        if (rc11.fence_count || rc11.sc_number[i] >= 0)
            fill_scb(i);
    for (uint32_t k = 0; k < rc11.count; k++)
        fill_operation(&rc11.operations[k]);
    rc11.prepared = true;
}

static void begin(const EventId *calls, const EventId *returns, uint32_t operation_count)
{
    rc11.count = operation_count;
    find_sc_events();
    rc11.prepared = false;
    for (uint32_t k = 0; k < rc11.count; k++) {
        rc11.operations[k].call = &pool[calls[k]];
        rc11.operations[k].ret = &pool[returns[k]];
    }
    for (uint32_t a = 0; a < rc11.count; a++) {
        rc11.operations[a].known = 0;
        for (uint32_t b = 0; b < rc11.count; b++)
            if (before(rc11.operations[a].ret, &rc11.operations[b].call->hb))
                rc11.operations[a].known |= 1u << b;
    }
    client_pairs_find(calls, returns, rc11.count, rc11.plausible);
    for (uint32_t b = 0; b < rc11.count; b++) {
        rc11.plausible[rc11.count + b] = 0;
        for (uint32_t a = 0; a < rc11.count; a++)
            if (in_prefix(rc11.operations[b].call, rc11.operations[a].ret))
                rc11.plausible[rc11.count + b] |= 1u << a;
    }
}

static ModelClientSummary summary(void)
{
    return (ModelClientSummary){.bytes = rc11.plausible,
                                .count = 2 * rc11.count * sizeof *rc11.plausible,
                                .exact = !rc11.sc_count};
}

/* ---- a question ---- */

static void unite_new(const uint32_t *after)
{
    rc11.with_new = 0;
    for (uint32_t a = 0; a < rc11.count; a++) {
        uint32_t fresh = after[a] & ~rc11.operations[a].known;
        if (!fresh)
            continue;
        rc11.with_new |= 1u << a;
        client_clear(rc11.new_after[a]);
        client_clear(rc11.new_right[a]);
        for (; fresh; fresh &= fresh - 1) {
            client_unite(rc11.new_after[a], rc11.operations[__builtin_ctz(fresh)].after_call);
            client_unite(rc11.new_right[a], rc11.operations[__builtin_ctz(fresh)].right);
        }
    }
}

static void add_scb(uint64_t *set, int i)
{
    client_unite(set, rc11.scb[i]);
    const uint64_t *same =
        IS_ACCESS(client.at[i]->kind) ? client_location(client.at[i]->location) : NULL;
    for (uint32_t left = rc11.with_new; left; left &= left - 1) {
        uint32_t a = (uint32_t)__builtin_ctz(left);
        if (client_has(rc11.operations[a].left, i))
            client_unite(set, rc11.new_right[a]);
        if (same && client_has(rc11.operations[a].before_return, i))
            for (int w = 0; w < client.words; w++)
                set[w] |= rc11.new_after[a][w] & same[w];
    }
}

static void fill_fences(const uint32_t *after)
{
    for (int f = 0; f < rc11.fence_count; f++) {
        const Event *fence = client.at[rc11.sc_events[f]];
        client_clear(rc11.fence_before[f]);
        client_clear(rc11.fence_after[f]);
        add_before(rc11.fence_before[f], fence);
        add_after(rc11.fence_after[f], fence);
        for (uint32_t left = rc11.with_new; left; left &= left - 1) {
            uint32_t a = (uint32_t)__builtin_ctz(left);
            if (client_has(rc11.operations[a].before_return, rc11.sc_events[f]))
                client_unite(rc11.fence_after[f], rc11.new_after[a]);
            for (uint32_t to = after[a] & ~rc11.operations[a].known; to; to &= to - 1)
                if (client_has(rc11.operations[__builtin_ctz(to)].after_call, rc11.sc_events[f]))
                    client_unite(rc11.fence_before[f], rc11.operations[a].before_return);
        }
    }
}

/* eco from the events in SET. */
static void add_eco(uint64_t *into, const uint64_t *set)
{
    for (LocationId l = 1; l <= location_count; l++) {
        const uint64_t *all = client_location(l);
        int first = INT32_MAX;
        for (int w = 0; w < client.words; w++)
            for (uint64_t left = all[w] & set[w]; left; left &= left - 1)
                first = MIN(first, client_key(client.at[64 * w + __builtin_ctzll(left)]));
        for (int w = 0; w < client.words && first < INT32_MAX; w++)
            for (uint64_t left = all[w]; left; left &= left - 1)
                if (client_key(client.at[64 * w + __builtin_ctzll(left)]) > first)
                    client_add(into, 64 * w + __builtin_ctzll(left));
    }
}

static void fill_psc(int s)
{
    Set reached;
    int i = rc11.sc_events[s];
    client_clear(reached);
    memset(rc11.successors[s], 0, sizeof rc11.successors[s]);
    add_scb(reached, i);
    if (s < rc11.fence_count)
        for (int w = 0; w < client.words; w++)
            for (uint64_t left = rc11.fence_after[s][w]; left; left &= left - 1)
                add_scb(reached, 64 * w + __builtin_ctzll(left));
    for (int r = 0; r < rc11.sc_count; r++)
        if (client_has(reached, rc11.sc_events[r]) ||
            (r < rc11.fence_count && client_meet(reached, rc11.fence_before[r])))
            client_add(rc11.successors[s], r);
    if (s >= rc11.fence_count)
        return;
    client_clear(reached);
    add_eco(reached, rc11.fence_after[s]);
    for (int r = 0; r < rc11.fence_count; r++)
        if (client_has(rc11.fence_after[s], rc11.sc_events[r]) ||
            client_meet(reached, rc11.fence_before[r]))
            client_add(rc11.successors[s], r);
}

/* Takes away events without successors among the rest. */
static bool is_acyclic(void)
{
    Set rest = {0};
    int sc_words = (rc11.sc_count + 63) / 64, left = rc11.sc_count;
    add_range(rest, 0, rc11.sc_count);
    for (bool changed = true; changed && left;) {
        changed = false;
        for (int s = 0; s < rc11.sc_count; s++) {
            bool leads_on = !client_has(rest, s);
            for (int w = 0; w < sc_words && !leads_on; w++)
                leads_on = (rc11.successors[s][w] & rest[w]) != 0;
            if (leads_on)
                continue;
            rest[s >> 6] &= ~(UINT64_C(1) << (s & 63));
            changed = true;
            left--;
        }
    }
    return !left;
}

/* Is there a cycle of program order, reads-from and new edges? */
static bool is_out_of_thin_air(const uint32_t *fresh)
{
    uint32_t leads_to[MODEL_CLIENT_MOST], rest = 0; /* from return to return */
    for (uint32_t a = 0; a < rc11.count; a++) {
        leads_to[a] = 0;
        for (uint32_t left = fresh[a]; left; left &= left - 1)
            leads_to[a] |= rc11.plausible[rc11.count + (uint32_t)__builtin_ctz(left)];
        rest |= (uint32_t)(leads_to[a] != 0) << a;
    }
    for (uint32_t before_round = 0; before_round != rest;) {
        before_round = rest;
        for (uint32_t left = rest; left; left &= left - 1)
            if (!(leads_to[__builtin_ctz(left)] & rest))
                rest &= ~(left & -left);
    }
    return rest != 0;
}

bool model_client_plausible(const uint32_t *after)
{
    uint32_t fresh[MODEL_CLIENT_MOST];
    for (uint32_t a = 0; a < rc11.count; a++) {
        fresh[a] = after[a] & ~rc11.operations[a].known;
        if (fresh[a] & rc11.plausible[a])
            return false;
    }
    return !is_out_of_thin_air(fresh);
}

static bool allows(const uint32_t *after, const uint32_t *added)
{
    (void)added;
    if (!model_client_plausible(after))
        return false;
    if (!rc11.sc_count)
        return true;
    if (!rc11.prepared)
        prepare();
    unite_new(after);
    fill_fences(after);
    for (int s = 0; s < rc11.sc_count; s++)
        fill_psc(s);
    return is_acyclic();
}

const ModelClient model_rc11_client = {begin, allows, summary, client_own_pairs_find};
