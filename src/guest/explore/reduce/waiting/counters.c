#include "guest/explore/reduce/waiting/counters.h"
#include "guest/explore/search/rules.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/reduce/confirm/walk.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/search/ops.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/explore/reduce/waiting/arrivals.h"

/* A location in which threads count themselves in and out, as far as it is known. */
typedef struct Counter {
    uint64_t address; /* 0: it is not counted */
    uint64_t initial, step;
    unsigned size, most; /* how many threads there may be */
    bool refused;
} Counter;

static Counter counter_at(uint64_t address)
{
    unsigned size = (unsigned)facts_of(FACT_counter, address);
    if (!size)
        return (Counter){0};
    return (Counter){.address = address,
                     .initial = facts_of(FACT_counter_initial, address),
                     .step = facts_of(FACT_counter_step, address),
                     .size = size,
                     .most = (unsigned)facts_of(FACT_counter_most, address),
                     .refused = facts_of(FACT_counter_refused, address) != 0};
}

/* The counter that has one of these bytes and is not refused; its address is 0 if there is none. */
static Counter counter_in(uint64_t address, unsigned size)
{
    uint64_t at;
    for (unsigned i = 0; arrivals_have_turns && (at = facts_object(FACT_counter, i)); i++)
        if (address < at + facts_of(FACT_counter, at) && at < address + size) {
            Counter counter = counter_at(at);
            return counter.refused ? (Counter){0} : counter;
        }
    return (Counter){0};
}

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
    const uint64_t address = (uintptr_t)locations[begin->location].address;
    const Counter counter = counter_at(address);
    if (counter.refused || !facts_have_room(FACT_counter, address))
        return false;
    *learns |= !counter.address;
    return !counter.address || counter.step == step;
}

void counters_learn(const Event *begin)
{
    const Location *x = &locations[begin->location];
    const uint64_t address = (uintptr_t)x->address;
    facts_add(FACT_counter_initial, address, write_value(x->co[0], x));
    facts_add(FACT_counter_step, address, added(begin->op, begin->operand, begin->size));
    facts_add(FACT_counter_most, address, (uint64_t)__builtin_popcountll(threads_created));
    facts_note(FACT_counter, address, begin->size);
}

/* K2: may T, after its events so far, add STEP to X, or take it away? */
static bool is_in_turn(int t, const Location *x, const Counter *counter, uint64_t step)
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
    ghosts.looked = false;
    if (request.kind == REQUEST_STOP || request.kind == REQUEST_STALL)
        return false;
    *accesses = accesses_since(walk->thread, log);
    return true;
}

static uint64_t value_of(const Counter *counter, uint64_t m)
{
    return cut_to_size(counter->initial + counter->step * m, counter->size);
}

/* Does the thread, at place 0, go on alike whichever of the first COUNT values it gets? */
static bool is_blind(GhostWalk *walk, const Counter *counter, uint64_t count)
{
    bool same = true;
    uint64_t first = 0, accesses;
    for (uint64_t m = 0; same && m < count; m++) {
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
static bool spins_with(GhostWalk *walk, const Counter *counter, uint64_t v)
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

/* Does the thread, which adds at place 0 and is answered V, make one more request, and is back
 * there then? (By K2 it takes away what it has added.) */
static bool is_turned_away(GhostWalk *walk, const Counter *counter, uint64_t v)
{
    uint64_t accesses;
    bool same = step_on(walk, v, &accesses) && !accesses && request.kind == REQUEST_RMW;
    if (same)
        walk_save(walk, 1);
    for (uint64_t m = 1; same && m <= counter->most; m++) {
        walk_restore(walk, 1);
        same = step_on(walk, value_of(counter, m), &accesses) && !accesses && walk_is_at(walk, 0);
    }
    walk_restore(walk, 0);
    return same;
}

/* K4 of a load. */
static bool spins_unless_first(GhostWalk *walk, const Counter *counter)
{
    uint64_t m = 1;
    while (m <= counter->most && spins_with(walk, counter, value_of(counter, m)))
        m++;
    return m > counter->most;
}

/* K5 of an addition. */
static bool is_gate(GhostWalk *walk, const Counter *counter)
{
    uint64_t few = 0, m;
    while (few <= counter->most && !is_turned_away(walk, counter, value_of(counter, few)))
        few++;
    for (m = few; m <= counter->most && is_turned_away(walk, counter, value_of(counter, m));)
        m++;
    return few <= counter->most && m > counter->most && is_blind(walk, counter, few);
}

/* K3 of T's present request, or else K4 if it is a load, K5 if it adds. */
static bool is_indifferent(int t, const Counter *counter, bool adds)
{
    static GhostWalk walk;
    if (undo_stack_written >> t & 1)
        return false;
    walk_begin(&walk, t);
    bool loads = request.kind == REQUEST_LOAD;
    bool same = is_blind(&walk, counter, (uint64_t)counter->most + 1) ||
                (loads && spins_unless_first(&walk, counter)) || (adds && is_gate(&walk, counter));
    walk_end(&walk);
    return same;
}

static bool is_allowed(int t, const Counter *counter)
{
    if ((uintptr_t)request.address != counter->address || request.size != counter->size ||
        request.plain == 1 || request.part || request.merge || facts_met[FACT_blocks] ||
        !options.checkpoints)
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
        return is_indifferent(t, counter, false);
    uint64_t step = added(request.op, request.operand, request.size);
    return request.kind == REQUEST_RMW && (request.op == RMW_ADD || request.op == RMW_SUB) &&
           is_in_turn(t, x, counter, step) && is_indifferent(t, counter, step == counter->step);
}

bool counters_are_at(const Location *x)
{
    return facts_met[FACT_counter] && counter_in((uintptr_t)x->address, x->size).address;
}

static void note_access(int t)
{
    const Counter counter = counter_in((uintptr_t)request.address, request.size);
    if (!counter.address)
        return;
    facts_note(FACT_counter_most, counter.address, (uint64_t)__builtin_popcountll(threads_created));
    if (!is_allowed(t, &counter))
        facts_note(FACT_counter_refused, counter.address, 1);
}

static void note_plain(const Location *x)
{
    if (LIKELY(!facts_met[FACT_counter]))
        return;
    const Counter counter = counter_in((uintptr_t)x->address, x->size);
    if (counter.address && !ghost_runs())
        facts_note(FACT_counter_refused, counter.address, 1);
}

/* ---- what the search asks ---- */

static bool is_any(void)
{
    return facts_met[FACT_counter];
}

static void listen(void)
{
    memory_hooks.met = note_plain;
}

const Rule counters_rule = {.setup = listen};
const Rule counted_rule = {.active = is_any, .access = note_access};
