#include "guest/explore/reduce/waiting/counters.h"
#include "guest/explore/search/rules.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/reduce/confirm/walk.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/search/ops.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/explore/reduce/waiting/arrivals.h"

static uint64_t cut_to_size(uint64_t v, unsigned size)
{
    return size < 8 ? v & ((UINT64_C(1) << (8 * size)) - 1) : v;
}

/* Returns what such a read-modify-write adds. */
static uint64_t added(uint8_t op, uint64_t operand, unsigned size)
{
    return cut_to_size(op == RMW_ADD ? operand : 0 - operand, size);
}

static bool is_addition(const Event *e)
{
    return e->kind == EVENT_READ && e->rmw && e->request == REQUEST_RMW && !e->plain && !e->part &&
           !e->merge && e->size <= 8 && (e->op == RMW_ADD || e->op == RMW_SUB);
}

bool counters_may_be(const Event *begin, const Event *end, bool *learns)
{
    if (!reduction_is_on(REDUCTION_counters) || !is_addition(begin) || !is_addition(end) ||
        begin->location != end->location)
        return false;
    uint64_t step = added(begin->op, begin->operand, begin->size);
    if (!step || cut_to_size(step + added(end->op, end->operand, end->size), end->size))
        return false;
    const KnownCounter *counter = arrivals_counter((uintptr_t)locations[begin->location].address);
    if (!counter || counter->refused)
        return false;
    *learns |= !counter->address;
    return !counter->address || counter->step == step;
}

void counters_learn(const Event *begin)
{
    const Location *x = &locations[begin->location];
    KnownCounter *counter = arrivals_counter((uintptr_t)x->address);
    if (!counter)
        return;
    *counter = (KnownCounter){.address = (uintptr_t)x->address,
                              .initial = write_value(x->co[0], x),
                              .step = added(begin->op, begin->operand, begin->size),
                              .size = begin->size,
                              .most = (uint8_t)__builtin_popcountll(threads_created)};
    arrivals_any_counted = true;
    finding_restart();
}

/* K2: may T, after its events so far, add STEP to X, or take it away? */
static bool is_in_turn(int t, const Location *x, const KnownCounter *counter, uint64_t step)
{
    bool inside = false;
    for (int i = threads[t].count - 1; x && i >= 0; i--) {
        const Event *e = thread_event(t, i);
        if (&locations[e->location] != x || !is_addition(e))
            continue;
        inside = added(e->op, e->operand, e->size) == counter->step;
        break;
    }
    return inside ? !cut_to_size(step + counter->step, counter->size) : step == counter->step;
}

/* Returns a number for what T does to plain memory from log position FROM on; 0: nothing. */
static uint64_t accesses_since(int t, uint32_t from)
{
    uint64_t all = ghost_written(t, from);
    for (uint32_t q = from; q < undo_count; q++)
        all = hash_combine(all, hash_combine(undo_log[q].kind,
                                             (uintptr_t)undo_log[q].address + undo_log[q].cell)) |
              1;
    return all;
}

/* Runs T on with V, from place 0 of WALK to its next request. False if nothing is concluded. */
static bool step_on(GhostWalk *walk, uint64_t v, uint64_t *accesses)
{
    uint32_t log = undo_count;
    reply.value = v;
    reply.value_high = 0;
    reply.success = false;
    ghost_step(walk->thread, threads[walk->thread].count - 1);
    ghost_looked = false;
    if (request.kind == REQUEST_STOP || request.kind == REQUEST_STALL)
        return false;
    *accesses = accesses_since(walk->thread, log);
    return true;
}

static uint64_t value_of(const KnownCounter *counter, uint64_t m)
{
    return cut_to_size(counter->initial + counter->step * m, counter->size);
}

/* K3 of T's present request: WALK stands there. */
static bool is_blind(GhostWalk *walk, const KnownCounter *counter)
{
    bool same = true;
    uint64_t first = 0, accesses;
    for (uint64_t m = 0; same && m <= counter->most; m++) {
        same = step_on(walk, value_of(counter, m), &accesses);
        if (same && !m) {
            walk_save(walk, 1);
            first = accesses;
        } else {
            same = same && accesses == first && walk_is_at(walk, 1);
        }
        walk_restore(walk, 0);
    }
    return same;
}

/* Does the thread come from place 0, answered V, back to the same request, and from there, whatever
 * comes then, to where it would have come from place 0? */
static bool spins_with(GhostWalk *walk, const KnownCounter *counter, uint64_t v)
{
    uint64_t accesses, once, twice;
    bool same = step_on(walk, v, &accesses) && !accesses &&
                ghost_same_requests(&walk->place[0].request, &request);
    bool at_once = same && walk_is_at(walk, 0);
    walk_restore(walk, 0);
    for (uint64_t m = 0; same && !at_once && m <= counter->most; m++) {
        same = step_on(walk, value_of(counter, m), &once);
        walk_save(walk, 1);
        walk_restore(walk, 0);
        same = same && step_on(walk, v, &accesses) && step_on(walk, value_of(counter, m), &twice) &&
               once == twice && walk_is_at(walk, 1);
        walk_restore(walk, 0);
    }
    return same;
}

/* K3 of T's present request, or, if it MAY_SPIN, K4. */
static bool is_indifferent(int t, const KnownCounter *counter, bool may_spin)
{
    static GhostWalk walk;
    if (memory_stack_written >> t & 1)
        return false;
    walk_begin(&walk, t);
    bool same = is_blind(&walk, counter);
    if (!same && may_spin) {
        same = true;
        for (uint64_t m = 1; same && m <= counter->most; m++)
            same = spins_with(&walk, counter, value_of(counter, m));
    }
    walk_end(&walk);
    return same;
}

static bool is_allowed(int t, const KnownCounter *counter)
{
    if ((uintptr_t)request.address != counter->address || request.size != counter->size ||
        request.plain == 1 || request.part || request.merge || blocks_known || !options.checkpoints)
        return false;
    uint64_t initial = 0;
    const Location *x = walk_location();
    if (x)
        initial = write_value(x->co[0], x);
    else
        memcpy(&initial, request.address, counter->size);
    if (initial != counter->initial)
        return false;
    if (request.kind == REQUEST_LOAD)
        return is_indifferent(t, counter, true);
    return request.kind == REQUEST_RMW && (request.op == RMW_ADD || request.op == RMW_SUB) &&
           is_in_turn(t, x, counter, added(request.op, request.operand, request.size)) &&
           is_indifferent(t, counter, false);
}

static void refuse(KnownCounter *counter)
{
    counter->refused = 1;
    finding_restart();
}

bool counters_are_at(const Location *x)
{
    const KnownCounter *counter = arrivals_any_counted && arrivals_have_turns
                                      ? arrivals_counter_at((uintptr_t)x->address, x->size)
                                      : NULL;
    return counter && !counter->refused;
}

static void note_access(int t)
{
    KnownCounter *counter = arrivals_counter_at((uintptr_t)request.address, request.size);
    if (!counter || counter->refused || !arrivals_have_turns)
        return;
    uint8_t threads_now = (uint8_t)__builtin_popcountll(threads_created);
    if (threads_now > counter->most) {
        counter->most = threads_now;
        finding_restart();
    }
    if (!is_allowed(t, counter))
        refuse(counter);
}

static void note_plain(const Location *x)
{
    if (LIKELY(!arrivals_any_counted))
        return;
    KnownCounter *counter = arrivals_counter_at((uintptr_t)x->address, x->size);
    if (counter && !counter->refused && arrivals_have_turns && !ghost_runs()) {
        counter->refused = 1;
        op_begin_again();
    }
}

/* ---- what the search asks ---- */

static bool is_any(void)
{
    return arrivals_any_counted;
}

static void listen(void)
{
    memory_hooks.met = note_plain;
}

const Rule counters_rule = {.setup = listen};
const Rule counted_rule = {.active = is_any, .access = note_access};
