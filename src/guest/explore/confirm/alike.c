#include "guest/explore/confirm/alike.h"
#include <string.h>
#include "guest/explore/checkpoint.h"
#include "guest/explore/confirm/walk.h"
#include "guest/explore/ghost.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/values.h"
#include "guest/explore/waiting.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/pages.h"

#define MOST_CANDIDATES 3 /* older requests that the present one may repeat */
#define MOST_DEPTH 3      /* answers on one way */
#define MOST_STEPS 60     /* of either side, on all ways together */

typedef struct Sides { /* place i of both walks: after i answers */
    GhostWalk present, other;
} Sides;

static bool is_same(const Sides *sides, int depth)
{
    const GhostPlace *a = &sides->present.place[depth], *b = &sides->other.place[depth];
    ghost_looked = false;
    bool same = a->bytes == b->bytes && a->cursor.used == b->cursor.used &&
                ghost_same_stack(b->stack, a->stack, a->bytes);
    ghost_looked = false;
    return same;
}

/* From place DEPTH of WALK with answer V to the next one. */
static bool take_step(GhostWalk *walk, int depth, uint64_t v, uint64_t *written)
{
    walk_restore(walk, depth);
    uint32_t log = undo_count;
    bool good = walk_step_writing(walk, v, written);
    undo_to(log);
    if (good)
        walk_save(walk, depth + 1);
    return good;
}

static bool are_alike(Sides *sides, int depth);

static bool are_alike_after(Sides *sides, int depth, uint64_t v)
{
    uint64_t mine, others;
    if (!take_step(&sides->present, depth, v, &mine) ||
        !take_step(&sides->other, depth, v, &others) || mine != others ||
        !ghost_same_requests(&sides->present.place[depth + 1].request,
                             &sides->other.place[depth + 1].request))
        return false;
    /* memory is not as it would be after a write */
    return mine ? is_same(sides, depth + 1) : are_alike(sides, depth + 1);
}

/* Both stand at place DEPTH, with the same request. */
static bool are_alike(Sides *sides, int depth)
{
    if (is_same(sides, depth))
        return true;
    if (depth == MOST_DEPTH)
        return false;
    request = sides->present.place[depth].request;
    if (request.kind == REQUEST_FENCE || (request.kind == REQUEST_MARK && request.op))
        return are_alike_after(sides, depth, 0);
    int count;
    const uint64_t *values = walk_is_read() ? walk_values(walk_location(), &count) : NULL;
    for (int i = 0; values && i < count; i++)
        if (!are_alike_after(sides, depth, values[i]))
            return false;
    return values != NULL;
}

/* Place 0 of the other side is T's event E, which made the request of the present one. */
static void stand_at_event(Sides *sides, const Event *e)
{
    GhostPlace *place = &sides->other.place[0];
    if (!place->stack)
        place->stack = pages_reserve(STACK_SLOT);
    place->bytes = e->snapshot_bytes;
    memcpy(place->stack, snapshot_buffer + e->snapshot, e->snapshot_bytes);
    place->request = sides->present.place[0].request;
    place->cursor = (HeapCursor){e->heap_used, e->heap_count};
    place->past = pasts_at(e);
    place->log = undo_count;
}

/* The present side stands after the answer: is it alike to T at one of its requests up to FIRST? */
static bool repeats(Sides *sides, int t, const Event *first)
{
    int from = MAX(waiting_pure_from(t), threads[t].opaque_at), left = MOST_CANDIDATES;
    if (!waiting_is_read(sides->present.place[0].request.kind))
        return false;
    for (int i = first->index; i >= from && left; i--) {
        const Event *e = thread_event(t, i);
        if (e->kind != EVENT_READ || e->rmw ||
            !ghost_same_request(&sides->present.place[0].request, e) ||
            !ghost_memory_unchanged(t, e->log_position))
            continue;
        left--;
        stand_at_event(sides, e);
        if (are_alike(sides, 0))
            return true;
    }
    return false;
}

/* Is it alike to T after FIRST with the same answer? */
static bool is_shortcut(Sides *sides, int t, const Event *first, const Event *answer)
{
    GhostPlace *place = &sides->other.place[0];
    if (!place->stack)
        place->stack = pages_reserve(STACK_SLOT);
    walk_restore(&sides->present, 0);
    ghost_supposed.answer = answer;
    ghost_kept = place->stack;
    bool is_kept = ghost_try(t, first->index, 1) == GHOST_ALIKE && !ghost_kept;
    ghost_kept = NULL;
    ghost_supposed.answer = NULL;
    if (!is_kept)
        return false;
    place->bytes = sides->present.place[0].bytes;
    place->request = sides->present.place[0].request;
    place->cursor = sides->present.place[0].cursor;
    place->past = ghost_kept_past;
    place->log = undo_count;
    return are_alike(sides, 0);
}

/* Answers T's present request, which is place 0 of REAL, with V: that is where the present side
 * stands. It may have written plain memory on the way, which stays so. */
static bool stand_after(Sides *sides, const GhostWalk *real, uint64_t v)
{
    sides->present.thread = sides->other.thread = real->thread;
    sides->present.steps = sides->other.steps = MOST_STEPS;
    sides->present.touched = sides->other.touched = false;
    reply.value = v;
    reply.success = false;
    ghost_step(real->thread, threads[real->thread].count - 1);
    ghost_looked = false;
    walk_save(&sides->present, 0);
    return request.kind != REQUEST_STOP;
}

bool alike_what_if(int t, const Event *first, uint64_t v)
{
    static Sides sides;
    static GhostWalk real;
    static Event answer; /* most of it stays zero */
    if ((memory_stack_written >> t & 1) || first->index < threads[t].opaque_at)
        return false;
    Supposition kept = ghost_supposed;
    waiting_suppose(&answer, first, v);
    uint32_t log = undo_count;
    walk_begin(&real, t);
    bool good = stand_after(&sides, &real, v) &&
                (repeats(&sides, t, first) ||
                 (answer.request != REQUEST_RMW && is_shortcut(&sides, t, first, &answer)));
    ghost_touched |= sides.present.place[0].log > log || sides.present.touched ||
                     sides.other.touched || request.kind == REQUEST_STOP;
    walk_end(&real);
    ghost_supposed = kept;
    return good;
}
