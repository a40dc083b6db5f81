/* search.h: the depth-first search that the memory models share. A new event is inconsistent if a
 * way leads from its successors in coherence order back to it, along program order as far as the
 * model keeps it, reads-from, coherence, from-reads, creation and join.
 *
 * A model includes this file once, after it has defined (as macros or static inline functions)
 *   SEARCH_LEVELS           the number of its levels: see below
 *   search_level_after(e)   the level of what comes after E in its thread
 *   search_follows(l, e)    is E, which stands after an event of level L, ordered after that event?
 *   search_join(l, m)       the level that orders what L or M orders
 *   search_passes(e)        may the way go through access E?
 *   search_waits(r, e)      is it an edge that R reads from E, a write of its own thread?
 * or, with one level, which orders everything, only the first and the last two of these; and
 *   SEARCH_PREFIX           if all of program order and reads-from is followed: then a way to any
 *                           event of the goal's porf prefix leads on to the goal
 *   SEARCH_ALONE            if an event need not be among those that its own level orders: such an
 *                           event is remembered by itself when it is entered
 *
 * A level says which of the later events of a thread are ordered after an event: all of them, all
 * but loads, and so on. The visited part of a thread is, for each level, a suffix: one number a
 * level and thread says what was seen, and nothing is cleared per event. Reading one's own write is
 * no edge: where program order keeps it, it is there already.
 *
 * The recursion is as deep as there are threads times levels, because each call lowers one of these
 * numbers or ends at once. */
#include "guest/explore/graph/models/model.h"
#include "guest/runtime/pages.h"

#if SEARCH_LEVELS == 1
static inline int search_level_after(const Event *e)
{
    (void)e;
    return 0;
}
static inline bool search_follows(int level, const Event *e)
{
    (void)level, (void)e;
    return true;
}
#define search_join(l, m) ((l) | (m))
#endif

static int search_seen[SEARCH_LEVELS][MAX_THREADS]; /* events from this index on were visited */
static const Event *search_goal, *search_goal2;
static bool search_visit(int level, int t, int i);

#ifdef SEARCH_ALONE
static bool search_alone(const Event *e, int level);
#endif
static inline bool search_enter(const Event *e)
{
    int level = search_level_after(e);
#ifdef SEARCH_ALONE
    if (!search_follows(level, e))
        return search_alone(e, level);
#endif
    DEBUG_ASSERT(search_follows(level, e));
    if (SEARCH_LEVELS == 1 && e->index >= search_seen[0][e->thread])
        return false;
    return search_visit(level, e->thread, e->index);
}

/* Follows coherence or from-reads to the next write after POSITION. Both are transitive, so writes
 * that the way may not go through are skipped. */
static inline bool search_later_write(const Location *x, int position)
{
    for (int p = position + 1; p < x->writes; p++)
        if (search_passes(&pool[x->co[p]]))
            return search_enter(&pool[x->co[p]]);
    return false;
}

static inline bool search_readers(const Event *e)
{
    const Location *x = &locations[e->location];
    EventId id = event_id(e);
    for (int j = 0; j < x->reads; j++) {
        const Event *r = &pool[x->read[j]];
        if (r->rf == id && (r->thread != e->thread || search_waits(r, e)) && search_passes(r) &&
            search_enter(r))
            return true;
    }
    return false;
}

static bool search_successors(const Event *e)
{
    if (IS_ACCESS(e->kind)) {
        if (!search_passes(e))
            return false;
        if (e->kind == EVENT_WRITE)
            return search_readers(e) ||
                   (e->co >= 0 && search_later_write(&locations[e->location], e->co));
        int position = rf_position(e);
        return position >= 0 && search_later_write(&locations[e->location], position);
    }
    if (e->kind == EVENT_CREATE)
        return threads[e->other].count && search_visit(SEARCH_LEVELS - 1, (int)e->other, 0);
    if (e->kind == EVENT_END && e->other) {
        const Event *j = &pool[e->other];
        return j->kind == EVENT_JOIN && j->other == e->thread &&
               (SEARCH_LEVELS > 1 || j->index < search_seen[0][j->thread]) &&
               j->index < threads[j->thread].count && threads[j->thread].po[j->index] == e->other &&
               search_visit(SEARCH_LEVELS - 1, j->thread, j->index);
    }
    return false;
}

/* Is GOAL among the events I to END of thread T that LEVEL orders? */
static inline bool search_meets(const Event *goal, int level, int t, int i, int end)
{
#ifdef SEARCH_PREFIX
    (void)level, (void)end;
    return i < goal->porf.at[t];
#endif
    return goal->thread == t && goal->index >= i && goal->index < end &&
           search_follows(level, goal);
}

/* Visits what LEVEL orders among the events of T from I on. */
static bool search_visit(int level, int t, int i)
{
    int end = threads[t].count;
    for (int wide = level; wide < SEARCH_LEVELS; wide++)
        if (search_join(wide, level) == wide)
            end = MIN(end, search_seen[wide][t]);
    if (i >= end)
        return false;
    search_seen[level][t] = i;
    if (search_meets(search_goal, level, t, i, end) ||
        (search_goal2 && search_meets(search_goal2, level, t, i, end)))
        return true;
    for (; i < end; i++) {
        const Event *e = thread_event(t, i);
        if (!search_follows(level, e))
            continue;
        if (search_successors(e))
            return true;
        int joined = search_join(level, search_level_after(e));
        if (joined != level) /* from here on more is ordered */
            return search_visit(joined, t, i + 1);
    }
    return false;
}

#ifdef SEARCH_ALONE
static uint64_t *search_entered, search_number; /* by event: the last search that entered it */

static bool search_alone(const Event *e, int level)
{
    if (search_entered[event_id(e)] == search_number)
        return false;
    search_entered[event_id(e)] = search_number;
    return e == search_goal || e == search_goal2 || search_successors(e) ||
           search_visit(level, e->thread, e->index + 1);
}
#endif

static inline void search_begin(const Event *goal, const Event *goal2)
{
    for (int level = 0; level < SEARCH_LEVELS; level++)
        for (int t = 0; t < FEW_THREADS; t++)
            search_seen[level][t] = INT32_MAX;
    for (int level = 0; UNLIKELY(facts_met[FACT_many_threads]) && level < SEARCH_LEVELS; level++)
        for (int t = FEW_THREADS; t < MAX_THREADS; t++)
            search_seen[level][t] = INT32_MAX;
    search_goal = goal;
    search_goal2 = goal2;
#ifdef SEARCH_ALONE
    if (!search_entered)
        search_entered = pages_reserve(sizeof *search_entered * MAX_EVENTS);
    search_number++;
#endif
}

/* Does a way lead from E to E or to R, which reads from E (or is NULL)? Neither has successors in
 * its thread. */
static inline bool search_cycle(const Event *e, const Event *r)
{
    const Location *x = &locations[e->location];
    int position = e->kind == EVENT_WRITE ? e->co : rf_position(e);
    if (position + 1 >= x->writes)
        return false;
    search_begin(e, r);
    return search_later_write(x, position);
}
