/* psc.c: does psc (rc11.c) have a cycle through a new event? A search in place of
 * matrices.
 *
 * Let e have no successor in its thread and be before no other event in happens-before. A cycle
 * that goes through e has e as a node, S(e), or between a seq_cst fence that happens before it and
 * an scb or eco step, L(e): any other part of a psc edge needs a later event of e's thread. So:
 * from S(e), is S(e) reached again; from L(e), a seq_cst fence that is hb-before e? The search has
 * three kinds of places: S(a)  a seq_cst event of the path: goes on by scb, and if it is a fence by
 * hb to L; L(x)  a fence came before x in hb: goes on by scb, by eco to R, and to S if x is a
 * seq_cst fence; R(y)  after scb or eco: goes on to S of the seq_cst fences that are y or come
 * after y in hb. After scb y is S, too, if it is seq_cst.
 *
 * What keeps it nearly linear: with a place also the later ones of the same kind in its thread are
 * reached (po is a part of scb, and hb;po of hb), so one number a kind and thread says what was
 * seen. For the same reason only the first event of a stretch needs to be followed by hb and by
 * po-other;hb;po-other. co and fr are transitive, so one place in coherence order a location says
 * which writes were seen; and of hb between accesses to one location only that to reads is no co or
 * fr. */
#include "guest/explore/graph/models/model.h"
#include "guest/runtime/pages.h"

typedef enum Kind { KIND_S, KIND_L, KIND_R, KINDS } Kind;

typedef struct Stretch { /* events FROM to END of a thread are new */
    int kind, thread, from, end;
} Stretch;

typedef struct Seen { /* of a location; valid in search `epoch` */
    uint64_t epoch;
    uint32_t stretch;       /* hb from an access in this stretch was followed */
    int writes;             /* co places from here on */
    int readers;            /* readers of co places from here on */
    int reads[MAX_THREADS]; /* reads of each thread from this index on */
} Seen;

static Seen *seen;
static uint64_t epoch;
static uint32_t stretch_number;
static Stretch *stack;
static int stack_top;
static int seen_from[KINDS][MAX_THREADS];
static int fences_from[MAX_THREADS]; /* seq_cst fences from this index on were seen */
static const Event *goal;
static bool goal_is_before; /* the goal is any seq_cst fence that is hb-before `goal` */

static void push(Kind kind, int t, int from)
{
    int end = MIN(seen_from[kind][t], threads[t].count);
    if (from >= end || (kind != KIND_S && !graphs.any_sc_fence))
        return;
    seen_from[kind][t] = from;
    stack[stack_top++] = (Stretch){(int)kind, t, from, end};
}

/* scb or eco leads to Y. */
static void arrive(const Event *y, bool by_scb)
{
    if (by_scb && model_is_sc(y))
        push(KIND_S, y->thread, y->index);
    push(KIND_R, y->thread, y->index);
}

/* The first event of thread U that comes after E in hb: clocks only grow in a thread. */
static int first_after(const Event *e, int u)
{
    if (u == e->thread)
        return e->index + 1;
    int low = 0, high = threads[u].count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (before(e, &thread_event(u, middle)->hb))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static Seen *seen_of(LocationId l)
{
    Seen *s = &seen[l];
    if (s->epoch == epoch)
        return s;
    s->epoch = epoch;
    s->stretch = 0;
    s->writes = s->readers = locations[l].writes;
    for (int t = 0; t < graph_thread_room(); t++)
        s->reads[t] = INT32_MAX;
    return s;
}

/* hb from X to reads of its location in other threads. */
static void follow_same_location(const Event *x, Seen *s)
{
    if (s->stretch == stretch_number)
        return; /* an earlier access of the stretch came before whatever X comes before */
    s->stretch = stretch_number;
    const Location *location = &locations[x->location];
    int from[MAX_THREADS];
    bool fresh = false;
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int u = thread_first(left);
        from[u] = u == x->thread ? INT32_MAX : first_after(x, u);
        fresh |= from[u] < MIN(s->reads[u], threads[u].count);
    }
    for (int j = 0; fresh && j < location->reads; j++) {
        const Event *y = &pool[location->read[j]];
        if (y->index >= from[y->thread] && y->index < s->reads[y->thread])
            arrive(y, true);
    }
    for (ThreadSet left = fresh ? threads_created : 0; left; left &= left - 1) {
        int u = thread_first(left);
        s->reads[u] = MIN(s->reads[u], from[u]);
    }
}

static void follow_access(const Event *x)
{
    Seen *s = seen_of(x->location);
    const Location *location = &locations[x->location];
    int place = x->kind == EVENT_WRITE ? x->co : rf_position(x);
    if (place >= 0 && place + 1 < s->writes) {
        int end = s->writes;
        s->writes = place + 1;
        for (int p = place + 1; p < end; p++)
            arrive(&pool[location->co[p]], true);
    }
    follow_same_location(x, s);
}

static LocationId location_of(const Event *e)
{
    return IS_ACCESS(e->kind) ? e->location : 0;
}

/* The first event after number I of thread T that is not an access to the same location. */
static int next_other(int t, int i)
{
    LocationId l = location_of(thread_event(t, i));
    for (i++; l && i < threads[t].count && location_of(thread_event(t, i)) == l; i++)
        ;
    return i;
}

/* hb?;po-other from Z. That a thread begins is po-before all that it does, and has no event: what
 * is po-other-before its creation is so before its first event. Later events of a thread follow
 * with the first: if one is of the location of the event before it, take one between them. */
static void follow_others(const Event *z)
{
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int u = thread_first(left);
        const Event *create = u ? &pool[threads[u].create] : NULL;
        int to = 0;
        if (!create || (create != z && !before(z, &create->hb))) {
            int first = u == z->thread ? z->index : first_after(z, u);
            to = first < threads[u].count ? next_other(u, first) : first;
        }
        push(KIND_S, u, to);
        push(KIND_R, u, to);
    }
}

/* po-other;hb?;po-other from X. */
static void follow_through_others(const Event *x)
{
    int next = next_other(x->thread, x->index);
    if (next < threads[x->thread].count)
        follow_others(thread_event(x->thread, next));
    if (x->kind == EVENT_CREATE && threads[x->other].count)
        follow_others(thread_event((int)x->other, 0));
}

/* scb from X; FIRST: of its stretch. */
static void follow_scb(const Event *x, bool first)
{
    push(KIND_S, x->thread, x->index + 1);
    push(KIND_R, x->thread, x->index + 1);
    if (IS_ACCESS(x->kind))
        follow_access(x);
    if (first)
        follow_through_others(x);
}

/* eco from X to reads: those of X and of later writes. */
static void follow_eco(const Event *x)
{
    if (!IS_ACCESS(x->kind))
        return;
    Seen *s = seen_of(x->location);
    const Location *location = &locations[x->location];
    int place = x->kind == EVENT_WRITE ? x->co : rf_position(x) + 1;
    if (place <= 0 || place >= s->readers)
        return;
    for (int j = 0; j < location->reads; j++) {
        const Event *y = &pool[location->read[j]];
        int from = rf_position(y);
        if (from >= place && from < s->readers)
            arrive(y, false);
    }
    s->readers = place;
}

/* hb from a seq_cst fence. */
static void leave_fence(const Event *a)
{
    for (ThreadSet left = threads_created; left; left &= left - 1)
        push(KIND_L, thread_first(left), first_after(a, thread_first(left)));
}

/* hb? from Y to seq_cst fences. */
static void find_fences(const Event *y)
{
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int u = thread_first(left);
        int from = u == y->thread ? y->index : first_after(y, u);
        int end = MIN(fences_from[u], threads[u].count);
        for (int i = from; i < end; i++) {
            const Event *b = thread_event(u, i);
            if (b->kind == EVENT_FENCE && model_is_sc(b)) {
                push(KIND_S, u, i);
                break; /* the others come after it in po */
            }
        }
        fences_from[u] = MIN(fences_from[u], from);
    }
}

static bool is_goal(const Event *a)
{
    return goal_is_before ? a->kind == EVENT_FENCE && before(a, &goal->hb) : a == goal;
}

/* Follows a stretch; true if the goal is in it. */
static bool follow(const Stretch *stretch)
{
    bool first = true, first_fence = true;
    stretch_number++;
    if (stretch->kind == KIND_R) {
        find_fences(thread_event(stretch->thread, stretch->from));
        return false;
    }
    for (int i = stretch->from; i < stretch->end; i++) {
        const Event *x = thread_event(stretch->thread, i);
        bool sc = model_is_sc(x), fence = sc && x->kind == EVENT_FENCE;
        if (stretch->kind == KIND_L) {
            if (fence)
                push(KIND_S, stretch->thread, i);
            follow_eco(x);
        } else if (!sc) {
            continue;
        } else if (is_goal(x)) {
            return true;
        } else if (fence && first_fence) {
            leave_fence(x);
            first_fence = false;
        }
        follow_scb(x, first);
        first = false;
    }
    return false;
}

static void begin(const Event *e, bool before_it)
{
    if (!seen) {
        seen = pages_reserve(sizeof(Seen) * MAX_LOCATIONS);
        stack = pages_reserve(sizeof(Stretch) * KINDS * MAX_EVENTS);
    }
    epoch++;
    stretch_number++;
    stack_top = 0;
    goal = e;
    goal_is_before = before_it;
    for (int t = 0; t < graph_thread_room(); t++)
        seen_from[KIND_S][t] = seen_from[KIND_L][t] = seen_from[KIND_R][t] = fences_from[t] =
            INT32_MAX;
}

static bool search(void)
{
    while (stack_top) {
        Stretch stretch = stack[--stack_top];
        if (follow(&stretch))
            return true;
    }
    return false;
}

bool model_psc_cycle(const Event *e)
{
    if (model_is_sc(e)) {
        begin(e, false);
        follow_scb(e, true);
        if (search())
            return true;
    }
    if (!graphs.any_sc_fence)
        return false;
    begin(e, true);
    follow_scb(e, true);
    follow_eco(e);
    return search();
}
