#include "guest/explore/reduce/confirm/walk.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/facts/values.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/runtime/fiber.h"

#define MOST_STEPS 600

void walk_save(GhostWalk *walk, int number)
{
    ghost_save(walk->thread, &walk->place[number]);
}

void walk_restore(GhostWalk *walk, int number)
{
    ghost_restore(walk->thread, &walk->place[number]);
    ghosts.looked = false;
}

void walk_begin(GhostWalk *walk, int t)
{
    int first = waiting_pure_from(t);
    uint32_t run_from =
        first < threads[t].count ? thread_event(t, first)->log_position : undo_count;
    walk->thread = t;
    walk->steps = MOST_STEPS;
    walk->touched = false;
    walk->races_were_off = memory_state.races_off;
    memory_state.races_off = true;
    walk_save(walk, 0);
    ghosts.supposed = (Supposition){.run_from = run_from, .from = undo_count};
}

void walk_end(GhostWalk *walk)
{
    walk_restore(walk, 0);
    memory_state.races_off = walk->races_were_off;
}

void walk_to_event(const GhostWalk *walk, const Event *read)
{
    ghost_go_to(walk->thread, read);
    request.kind = read->request; /* by these walk_step tells whether it succeeds */
    request.expected = read->expected;
    ghosts.looked = false;
}

bool walk_step(GhostWalk *walk, uint64_t v)
{
    uint32_t log = undo_count;
    if (walk->steps-- <= 0)
        return false;
    reply.value = v;
    reply.success = request.kind == REQUEST_CAS && v == request.expected;
    ghost_step(walk->thread, threads[walk->thread].count - 1);
    ghosts.looked = false;
    walk->touched |= undo_count > log || request.kind == REQUEST_STOP;
    return request.kind != REQUEST_STOP && !ghost_written(walk->thread, log) &&
           ghost_touches_nothing_new(walk->thread, undo_count);
}

bool walk_is_read(void)
{
    return waiting_is_read(request.kind) && request.plain != 1 && request.size <= 8 &&
           !request.part;
}

bool walk_has_effect(uint64_t v)
{
    return (request.kind == REQUEST_CAS && v == request.expected) ||
           (request.kind == REQUEST_RMW && !graph_is_silent_rmw(&request, v));
}

Location *walk_location(void)
{
    LocationId l = graph_find_location(request.address);
    while (l && (locations[l].address != request.address || locations[l].size != request.size))
        l = locations[l].next;
    return l ? &locations[l] : NULL;
}

const uint64_t *walk_values(Location *y, int *count)
{
    return y ? values_use(y, VALUES_ALL, count)
             : values_use_at(request.address, request.size, count);
}

bool walk_is_at(const GhostWalk *walk, int number)
{
    const GhostPlace *place = &walk->place[number];
    const Fiber *fiber = &fibers[walk->thread];
    uint32_t bytes = (uint32_t)(fiber->base - (char *)fiber->sp);
    return place->bytes == bytes && ghost_same_requests(&place->request, &request) &&
           place->cursor.used == heap_cursor[walk->thread].used &&
           ghost_same_stack(place->stack, fiber->sp, bytes);
}
