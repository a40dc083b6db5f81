/* copies.c: graphs that differ from others only in which of several threads that are alike
 * (alike.h) did what. The statement, and why no outcome is lost: doc/proofs/symmetry.md. */
#include "guest/explore/reduce/symmetry/alike.h"
#include "guest/explore/search/rules.h"
#include <limits.h>
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/runtime/fiber.h"

/* Where two threads that are alike differ. */
typedef struct Difference {
    int index;         /* of their events; they are the same before */
    bool out_of_order; /* false also if nothing is decided at INDEX */
} Difference;

/* Do A and B lie at the same place of their threads' own heaps, stacks or storage? */
static bool are_own_places(const Event *a, const Event *b)
{
    uintptr_t x = (uintptr_t)locations[a->location].address,
              y = (uintptr_t)locations[b->location].address;
    if (in_heap((void *)x))
        return x - HEAP_BASE - a->thread * HEAP_SLOT == y - HEAP_BASE - b->thread * HEAP_SLOT &&
               (x - HEAP_BASE) / HEAP_SLOT == a->thread;
    if (fiber_of_storage((void *)x) == a->thread)
        return fibers[a->thread].thread_pointer - x == fibers[b->thread].thread_pointer - y;
    return x - STACK_BASE - (uintptr_t)a->thread * STACK_SLOT ==
               y - STACK_BASE - (uintptr_t)b->thread * STACK_SLOT &&
           (x - STACK_BASE) / STACK_SLOT == a->thread;
}

/* Do A and B, to own places of their threads, read what these wrote by the same event, or initial
 * values? */
static bool read_own_writes(const Event *a, const Event *b)
{
    const Event *x = &pool[a->rf], *y = &pool[b->rf];
    return a->rf && b->rf ? x->thread == a->thread && y->thread == b->thread && x->index == y->index
                          : a->rf == b->rf;
}

/* Results of comparing events of the same index of two threads that are the same before. */
typedef enum Comparison { SAME, IN_ORDER, OUT_OF_ORDER, UNDECIDED } Comparison;

static Comparison compare_accesses(const Event *a, const Event *b)
{
    if (a->location != b->location) {
        if (!are_own_places(a, b))
            return UNDECIDED;
        return a->kind == EVENT_WRITE || read_own_writes(a, b) ? SAME : UNDECIDED;
    }
    if (a->kind == EVENT_READ && a->rf == b->rf)
        return SAME;
    int x = a->kind == EVENT_READ ? rf_position(a) : a->co,
        y = b->kind == EVENT_READ ? rf_position(b) : b->co;
    if (x < 0 || y < 0)
        return UNDECIDED; /* the write of an RMW that has no place */
    return x < y ? IN_ORDER : OUT_OF_ORDER;
}

/* T and S, created later, are alike. */
static Comparison compare_events(const Event *a, const Event *b)
{
    if (a->kind != b->kind || a->pc != b->pc)
        alike_refuse(); /* they had the same answers: they are not alike */
    switch (a->kind) {
    case EVENT_READ:
    case EVENT_WRITE:
        return compare_accesses(a, b);
    case EVENT_FENCE:
    case EVENT_MARK:
    case EVENT_END:
        return SAME;
    default:
        return UNDECIDED;
    }
}

static Difference difference(int t, int s)
{
    int i = 0, count = MIN(threads[t].count, threads[s].count);
    const EventId *of_t = threads[t].po, *of_s = threads[s].po;
    for (; i < count; i++) {
        Comparison c = compare_events(&pool[of_t[i]], &pool[of_s[i]]);
        if (c != SAME)
            return (Difference){i, c == OUT_OF_ORDER};
    }
    return (Difference){i, false};
}

/* May T and S be found to differ, or not to be alike, only by their events from number FROM on, and
 * so that the graph is out of order? */
static bool may_show_from(int t, int s, int from)
{
    int count = MIN(threads[t].count, threads[s].count);
    const EventId *of_t = threads[t].po, *of_s = threads[s].po;
    for (int i = from; i < count; i++) {
        const Event *a = &pool[of_t[i]], *b = &pool[of_s[i]];
        if (a->kind != b->kind || a->pc != b->pc)
            return true;
        Comparison c = compare_events(a, b);
        if (c != SAME)
            return c == OUT_OF_ORDER;
    }
    return false;
}

/* Is the graph out of order for S and a thread like it that was created before? ONLY: one of the
 * two is that thread, and it shows by its events from number FROM on; or -1. */
static bool is_out_of_order(int s, int only, int from)
{
    for (int t = alike_before(s); t; t = alike_before(t)) {
        if (only >= 0 && ((s != only && t != only) || !may_show_from(t, s, from)))
            continue;
        Difference d = difference(t, s);
        if (d.out_of_order && d.index >= from)
            return true;
    }
    return false;
}

/* Is the present graph a copy? */
static bool is_one(void)
{
    if (facts_met[FACT_blocks])
        return false;
    for (ThreadSet left = threads_created & alikes.ever; left; left &= left - 1)
        if (is_out_of_order(thread_first(left), -1, 0))
            return true;
    return false;
}

/* ---- what stays ---- */

static inline bool has_older_after(const Event *e, int position)
{
    const Location *x = &locations[e->location];
    for (int p = position + 1; p < x->writes; p++)
        if (pool[x->co[p]].stamp <= e->stamp)
            return true;
    return false;
}

/* Can E never be deleted, because of how it was added? See copies.c. */
static inline bool is_fixed(const Event *e)
{
    switch (e->kind) {
    case EVENT_READ:
        return !e->confirms && (e->spurious || has_older_after(e, rf_position(e)));
    case EVENT_WRITE:
        return e->co >= 0 && !(e->rmw && thread_event(e->thread, e->index - 1)->confirms) &&
               has_older_after(e, e->co);
    case EVENT_CHOOSE:
        return e->value != 0;
    default:
        return false;
    }
}

static bool reads_younger(const Event *e)
{
    return e->kind == EVENT_READ && e->revisited;
}

/* The prefixes of the newest events have most of the older ones in them. */
static void find_permanent(Clock *p)
{
    *p = (Clock){{0}};
    for (int i = order_count; i-- > 0;) {
        const Event *e = &pool[order[i]];
        if (before(e, p))
            continue;
        if (reads_younger(e))
            clock_join(p, &pool[e->rf].porf);
        if (is_fixed(e))
            clock_join(p, &e->porf);
    }
}

/* May event number K of S be in P? Sees that it is not, mostly, in less time than P takes. */
static bool may_be_permanent(int s, int k)
{
    for (int i = order_count; i-- > 0;) {
        const Event *e = &pool[order[i]];
        if ((e->porf.at[s] > k && is_fixed(e)) || (reads_younger(e) && pool[e->rf].porf.at[s] > k))
            return true;
    }
    return false;
}

/* Will every further write to READ's location stand after the one that READ reads? */
static bool reads_sealed(const Event *read)
{
    const Location *x = &locations[read->location];
    for (int p = rf_position(read); p > 0; p--)
        if (!pool[x->co[p]].rmw)
            return false;
    return true;
}

/* E is where a thread and S are out of order: does that stay, if nothing older changes? */
static bool is_hopeless(const Event *e, int s)
{
    return e->kind == EVENT_WRITE || reads_sealed(thread_event(s, e->index)) ||
           (reads_younger(e) && !model_synchronises_by_order(options.model));
}

static bool is_locked(const Event *e, Difference d, int s, const Clock *p)
{
    if (e->index > d.index || e->index >= p->at[s])
        return false;
    const Event *other = thread_event(s, e->index);
    return other->kind == EVENT_READ && other->location == e->location && reads_sealed(other);
}

/* Is the graph, out of order for S and another thread, so for good? *P is P once it is FOUND. */
static bool is_for_good(int s, Clock *p, bool *found)
{
    Difference of[MAX_THREADS];
    ThreadSet earlier = 0, hopeless = 0; /* those whose difference stays if nothing older changes */
    int first = INT_MAX;
    for (int t = alike_before(s); t; t = alike_before(t)) {
        of[t] = difference(t, s);
        earlier |= thread_bit(t);
        if (of[t].out_of_order)
            first = MIN(first, of[t].index);
    }
    if (!*found && !may_be_permanent(s, first))
        return false;
    if (!*found)
        find_permanent(p);
    *found = true;
    for (ThreadSet left = earlier; left; left &= left - 1) {
        int t = thread_first(left);
        if (!of[t].out_of_order || of[t].index >= p->at[s])
            continue;
        const Event *e = thread_event(t, of[t].index);
        if (before(e, p))
            return true;
        if (is_hopeless(e, s))
            hopeless |= thread_bit(t);
    }
    if (!hopeless)
        return false;
    for (int i = 0; i < order_count; i++) {
        const Event *e = &pool[order[i]];
        int t = e->thread;
        if (hopeless >> t & 1 && e->index == of[t].index)
            return true; /* all older reads are permanent or locked */
        if (e->kind == EVENT_READ && !before(e, p) && !e->confirms && e->company != COMPANY_NONE &&
            !(earlier >> t & 1 && is_locked(e, of[t], s, p)))
            return false;
    }
    return false;
}

/* Does what are_all does; by differences of ONLY's events from number FROM on and another thread's,
 * unless ONLY is -1. */
static bool is_all(int only, int from)
{
    Clock p;
    bool found = false;
    for (ThreadSet left = threads_created & alikes.ever; left; left &= left - 1) {
        int s = thread_first(left);
        if (!is_out_of_order(s, only, from))
            continue;
        if (is_for_good(s, &p, &found))
            return true;
    }
    return false;
}

/* Are all leaves below the present graph copies? False also where that is not known. */
static bool are_all(void)
{
    return !facts_met[FACT_blocks] && is_all(-1, 0);
}

/* Does an older read read E? Reads that confirm are revisited as soon as a write is added. */
static bool is_read_by_older(const Event *e)
{
    const Location *x = &locations[e->location];
    for (int i = e->kind == EVENT_WRITE && x->revisited ? x->reads : 0; i-- > 0;)
        if (pool[x->read[i]].rf == event_id(e))
            return true;
    return false;
}

/* Asks that after T has added an access, alone or as a read-modify-write, to a graph of which it
 * was not known. An access that is maximal, and is read by no older one, adds nothing to P, so that
 * it shows only by where its own thread differs from others now. */
static bool shows_by(int t)
{
    const Event *e = last_event(t);
    int from = e->index - (e->kind == EVENT_WRITE && e->rmw);
    if (facts_met[FACT_blocks])
        return false;
    if (is_fixed(e) || (from < e->index && is_fixed(thread_event(t, from))) || is_read_by_older(e))
        return is_all(-1, 0);
    return alikes.ever >> t & 1 && is_all(t, from);
}

/* ---- what the search asks ---- */

static bool has_met(void)
{
    return alikes.met;
}

static bool counted(bool left)
{
    reductions_used[REDUCTION_symmetry] += left;
    return left;
}

static bool is_copy(void)
{
    return counted(is_one());
}

static bool all_copies(void)
{
    return counted(are_all());
}

static bool shows_copy(int t)
{
    return counted(shows_by(t));
}

const Rule copies_rule = {
    .active = has_met, .is_copy = is_copy, .all_copies = all_copies, .shows_copy = shows_copy};
