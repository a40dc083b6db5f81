#include "guest/explore/reduce/confirm/paths.h"
#include "base/hash.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/reduce/confirm/alike.h"
#include "guest/explore/reduce/confirm/ordered.h"
#include "guest/explore/facts/passing.h"
#include "guest/explore/reduce/confirm/walk.h"
#include "guest/explore/facts/values.h"
#include "guest/explore/reduce/waiting/waiting.h"

/* A decision is given up after so many answers, and questions of rule C, on all ways. A queue with
 * six nodes needs some hundred: one for each tail, each link and each head. */
#define MOST_STEPS 1000

typedef struct Paths {
    GhostWalk walk;
    const Event *first;
    Location *x;
    bool is_taken; /* passing_use_taken */
    bool withheld; /* the other write withholds writes to x */
} Paths;

/* The thread stands at a read of x: does rule C hold for it? */
static bool confirms_here(Paths *paths)
{
    int count;
    if (request.kind == REQUEST_CAS && request.expected != paths->first->value)
        return false;
    const uint64_t *values = values_use(paths->x, VALUES_ALL, &count);
    for (int i = 0; values && i < count; i++) {
        if (values[i] == paths->first->value)
            continue;
        if (request.kind == REQUEST_RMW && !graph_is_silent_rmw(&request, values[i]))
            return false;
        if (paths->walk.steps-- <= 0)
            return false;
        Supposition kept = ghosts.supposed;
        bool waits = waiting_what_if(paths->walk.thread, paths->first, values[i]) ||
                     alike_what_if(paths->walk.thread, paths->first, values[i]);
        ghosts.supposed = kept;
        if (!waits)
            return false;
    }
    return values != NULL;
}

/* The thread stands at a read of x: is it one that reads w, the write that FIRST sees, only where
 * no newer write to x is before the other write? ACQUIRED: all such are known here. Else it must
 * take w itself: see N2 of confirm.h. */
static bool excludes_newer(const Paths *paths, bool acquired)
{
    return acquired || (paths->is_taken && request.kind == REQUEST_CAS);
}

/* The thread stands at a request: is every way from here good? ACQUIRED: what the other write
 * passes on was learnt. */
static bool is_good(Paths *paths, int depth, bool acquired)
{
    while (request.kind == REQUEST_FENCE || (request.kind == REQUEST_MARK && request.op)) {
        acquired |= request.kind == REQUEST_FENCE && is_acquire(request.order) && !paths->withheld;
        if (!walk_step(&paths->walk, 0))
            return false;
    }
    if (!walk_is_read())
        return false;
    int again =
        waiting_repeats(paths->walk.thread); /* after first: it goes the way that it really went */
    if (again >= 0 && again <= paths->first->index)
        return true;
    Location *y = walk_location();
    if (y == paths->x)
        return excludes_newer(paths, acquired) && confirms_here(paths);
    int count;
    const uint64_t *values = depth < WALK_DEPTH ? walk_values(y, &count) : NULL;
    if (!values)
        return false;
    walk_save(&paths->walk, depth + 1);
    for (int i = 0; i < count; i++) {
        bool good = !walk_has_effect(values[i]) && walk_step(&paths->walk, values[i]) &&
                    is_good(paths, depth + 1, acquired);
        walk_restore(&paths->walk, depth + 1);
        if (!good)
            return false;
    }
    return true;
}

/* The values that may still come to the location of READ, one between first and the present request
 * with a choice, and those of them whose writes may withhold a write to x; false if nothing can be
 * decided. */
static bool find_coming(const Event *first, const Event *read, uint32_t *coming, uint32_t *withheld)
{
    *withheld = 0;
    if (read->plain == 1 || read->size > 8 || read->part || read->weak ||
        read->request == REQUEST_AWAIT)
        return false;
    Location *y = &locations[read->location];
    const Clock *prefix = &thread_event(read->thread, read->index - 1)->porf;
    if (!values_use_coming(y, read->thread, prefix, coming))
        return false;
    if (*coming && !ordered_is())
        *withheld = passing_use(&locations[first->location], y) & *coming;
    return true;
}

static bool is_taken(const Event *first)
{
    return !ordered_is() && passing_use_taken(&locations[first->location], first);
}

static bool has_choice(const Event *e)
{
    return e->kind == EVENT_READ && !e->confirms;
}

uint64_t paths_key(int t, const Event *first)
{
    uint64_t key = 0;
    for (int i = first->index + 1; i < threads[t].count; i++) {
        const Event *e = thread_event(t, i);
        uint32_t coming, withheld;
        if (!has_choice(e))
            continue;
        key = !find_coming(first, e, &coming, &withheld)
                  ? hash_mix(key + 1)
                  : hash_mix(hash_mix(key + 2 + coming) + 2 * (uint64_t)withheld + is_taken(first));
    }
    return key;
}

/* The ways that begin with another write for READ. */
static bool are_good_from(Paths *paths, const Event *read)
{
    uint32_t coming, withheld;
    int count;
    Location *y = &locations[read->location];
    if (!find_coming(paths->first, read, &coming, &withheld))
        return false;
    bool acquires = ordered_is() || is_acquire(read->order);
    const uint64_t *values = values_use(y, VALUES_ALL, &count);
    for (int i = 0; values && i < count; i++) {
        if (!(coming >> i & 1))
            continue;
        if (read->request == REQUEST_CAS && read->expected == values[i])
            return false; /* it would succeed */
        walk_to_event(&paths->walk, read);
        paths->withheld = withheld >> i & 1;
        bool good =
            walk_step(&paths->walk, values[i]) && is_good(paths, 0, acquires && !paths->withheld);
        walk_restore(&paths->walk, 0);
        if (!good)
            return false;
    }
    return values != NULL;
}

bool paths_confirm(int t, const Event *first, int *steps)
{
    static Paths paths;
    bool good = true;
    *steps = 0;
    if ((undo_stack_written >> t & 1) || first->index < threads[t].opaque_at)
        return false;
    uint32_t run_from = thread_event(t, waiting_pure_from(t))->log_position;
    for (uint32_t q = run_from; q < undo_count; q++)
        if (ghost_is_state(&undo_log[q], t))
            return false;
    paths.first = first;
    paths.x = &locations[first->location];
    paths.is_taken = is_taken(first);
    walk_begin(&paths.walk, t);
    paths.walk.steps = MOST_STEPS;
    for (int i = first->index + 1; good && i < threads[t].count; i++)
        if (has_choice(thread_event(t, i)))
            good = are_good_from(&paths, thread_event(t, i));
    walk_end(&paths.walk);
    *steps = MOST_STEPS - MAX(0, paths.walk.steps);
    return good;
}
