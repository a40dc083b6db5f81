#include "guest/explore/confirm/paths.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/checkpoint.h"
#include "guest/explore/ghost.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/confirm/passing.h"
#include "guest/explore/values.h"
#include "guest/explore/waiting.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"

#define MOST_STEPS 600 /* of all the ways of one decision */
#define MOST_DEPTH 6   /* reads on one way */

typedef struct Place { /* where a thread stands */
    char *stack;
    uint32_t bytes;
    Request request;
    HeapCursor cursor;
    uint32_t log;
} Place;

typedef struct Walk {
    int thread;
    const Event *first;
    Location *x;
    int steps;
    Place place[MOST_DEPTH + 1];
} Walk;

static void save_place(const Walk *walk, Place *place)
{
    const Fiber *fiber = &fibers[walk->thread];
    if (!place->stack)
        place->stack = pages_reserve(STACK_SLOT);
    place->bytes = (uint32_t)(fiber->base - (char *)fiber->sp);
    memcpy(place->stack, fiber->sp, place->bytes);
    place->request = request;
    place->cursor = heap_cursor[walk->thread];
    place->log = undo_count;
}

static void restore_place(const Walk *walk, const Place *place)
{
    Fiber *fiber = &fibers[walk->thread];
    undo_to(place->log);
    request = place->request;
    heap_cursor[walk->thread] = place->cursor;
    fiber->sp = fiber->base - place->bytes;
    memcpy(fiber->sp, place->stack, place->bytes);
    ghost_looked = false;
}

/* Answers the present request with V and runs the thread to its next one; false if the way is not
 * good, whatever comes. */
static bool take_step(Walk *walk, uint64_t v)
{
    uint32_t log = undo_count;
    if (walk->steps-- == 0)
        return false;
    reply.value = v;
    reply.success = false;
    ghost_step(walk->thread, threads[walk->thread].count - 1);
    ghost_looked = false;
    if (request.kind == REQUEST_STOP)
        return false;
    for (uint32_t q = log; q < undo_count; q++)
        if (ghost_is_state(&undo_log[q], walk->thread))
            return false;
    return ghost_touches_nothing_new(walk->thread, undo_count);
}

static Location *requested_location(void)
{
    LocationId l = graph_find_location(request.address);
    while (l && (locations[l].address != request.address || locations[l].size != request.size))
        l = locations[l].next;
    return l ? &locations[l] : NULL;
}

/* The thread stands at a read of x: does rule C hold for it? */
static bool confirms_here(const Walk *walk)
{
    int count;
    if (request.kind == REQUEST_CAS && request.expected != walk->first->value)
        return false;
    const uint64_t *values = values_use(walk->x, VALUES_NO_RETURN, &count);
    for (int i = 0; values && i < count; i++) {
        if (values[i] == walk->first->value)
            continue;
        if (request.kind == REQUEST_RMW && !graph_is_silent_rmw(&request, values[i]))
            return false;
        Supposition kept = ghost_supposed;
        bool waits = waiting_what_if(walk->thread, walk->first, values[i]);
        ghost_supposed = kept;
        if (!waits)
            return false;
    }
    return values != NULL;
}

/* Would the request, answered with V, have an effect? */
static bool has_effect(uint64_t v)
{
    return (request.kind == REQUEST_CAS && v == request.expected) ||
           (request.kind == REQUEST_RMW && !graph_is_silent_rmw(&request, v));
}

/* The thread stands at a request: is every way from here good? ACQUIRED: what the other write
 * passes on was learnt. */
static bool is_good(Walk *walk, int depth, bool acquired)
{
    while (request.kind == REQUEST_FENCE || (request.kind == REQUEST_MARK && request.op)) {
        acquired |= request.kind == REQUEST_FENCE && is_acquire(request.order);
        if (!take_step(walk, 0))
            return false;
    }
    if ((request.kind != REQUEST_LOAD && request.kind != REQUEST_CAS &&
         request.kind != REQUEST_RMW) ||
        request.plain || request.size > 8 || request.part)
        return false;
    int again =
        waiting_repeats(walk->thread); /* after first: it goes the way that it really went */
    if (again >= 0 && again <= walk->first->index)
        return true;
    Location *y = requested_location();
    if (y == walk->x)
        return acquired && confirms_here(walk);
    int count;
    const uint64_t *values = y && depth < MOST_DEPTH ? values_use(y, VALUES_ALL, &count) : NULL;
    if (!values)
        return false;
    Place *place = &walk->place[depth + 1];
    save_place(walk, place);
    for (int i = 0; i < count; i++) {
        bool good = !has_effect(values[i]) && take_step(walk, values[i]) &&
                    is_good(walk, depth + 1, acquired);
        restore_place(walk, place);
        if (!good)
            return false;
    }
    return true;
}

/* The values that may still come to the location of READ, one between first and the present request
 * with a choice; false if nothing can be decided. */
static bool find_coming(const Event *first, const Event *read, uint32_t *coming)
{
    if (read->plain || read->size > 8 || read->part || read->weak || read->request == REQUEST_AWAIT)
        return false;
    Location *y = &locations[read->location];
    const Clock *prefix = &thread_event(read->thread, read->index - 1)->porf;
    return values_use_coming(y, read->thread, prefix, coming) &&
           (!*coming || !model_synchronises_by_order(options.model) ||
            !(passing_use(&locations[first->location], y) & *coming));
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
        uint32_t coming;
        if (has_choice(e))
            key = hash_mix(key + 1 + (find_coming(first, e, &coming) ? coming : UINT64_C(1) << 32));
    }
    return key;
}

/* The ways that begin with another write for READ. */
static bool are_good_from(Walk *walk, const Event *read)
{
    uint32_t coming;
    int count;
    Location *y = &locations[read->location];
    if (!find_coming(walk->first, read, &coming))
        return false;
    bool acquired = !model_synchronises_by_order(options.model) || is_acquire(read->order);
    const uint64_t *values = values_use(y, VALUES_ALL, &count);
    Fiber *fiber = &fibers[walk->thread];
    for (int i = 0; values && i < count; i++) {
        if (!(coming >> i & 1))
            continue;
        if (read->request == REQUEST_CAS && read->expected == values[i])
            return false; /* it would succeed */
        fiber->sp = fiber->base - read->snapshot_bytes;
        memcpy(fiber->sp, snapshot_buffer + read->snapshot, read->snapshot_bytes);
        heap_cursor[walk->thread] = (HeapCursor){read->heap_used, read->heap_count};
        ghost_looked = false;
        bool good = take_step(walk, values[i]) && is_good(walk, 0, acquired);
        restore_place(walk, &walk->place[0]);
        if (!good)
            return false;
    }
    return values != NULL;
}

bool paths_confirm(int t, const Event *first)
{
    static Walk walk;
    if ((memory_stack_written >> t & 1) || first->index < threads[t].opaque_at)
        return false;
    uint32_t run_from = thread_event(t, waiting_pure_from(t))->log_position;
    for (uint32_t q = run_from; q < undo_count; q++)
        if (ghost_is_state(&undo_log[q], t))
            return false;
    walk.thread = t;
    walk.first = first;
    walk.x = &locations[first->location];
    walk.steps = MOST_STEPS;
    bool races_were_off = memory_races_off, good = true;
    memory_races_off = true;
    save_place(&walk, &walk.place[0]);
    ghost_supposed = (Supposition){.run_from = run_from, .from = undo_count};
    for (int i = first->index + 1; good && i < threads[t].count; i++)
        if (has_choice(thread_event(t, i)))
            good = are_good_from(&walk, thread_event(t, i));
    restore_place(&walk, &walk.place[0]);
    memory_races_off = races_were_off;
    return good;
}
