#include "guest/explore/reduce/endless.h"
#include "guest/explore/search/rules.h"
#include "record/outcome.h"
#include <string.h>
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/runtime/fiber.h"

enum { LOOK = 32, PLACES = 256 };

static struct { /* by place in the code; a newer place replaces an older one */
    uintptr_t pc;
    uint32_t allowed; /* rounds that need no look */
    bool endless;
    int thread; /* at the last look at it; it had so many events, and needs none before it has NEXT
                 */
    uint32_t count, next;
} known[PLACES];

bool endless_answer_last(const Request *q)
{
    if (q->kind == REQUEST_FENCE)
        return true;
    if (q->kind != REQUEST_LOAD && q->kind != REQUEST_CAS && q->kind != REQUEST_RMW)
        return false;
    LocationId l = graph_find_location(q->address);
    if (!l)
        return false;
    const Location *x = &locations[l];
    EventId last = x->co[x->writes - 1];
    reply.value = write_value(last, x);
    reply.value_high = graph_value_high(last, x);
    reply.success = false;
    uint64_t value = block_part_value(q->part, reply.value, reply.value_high);
    bool is_word = q->part || q->size < 16;
    if (q->kind == REQUEST_CAS) {
        reply.success = value == q->expected && (is_word || reply.value_high == q->expected_high);
        return !reply.success || (is_word && q->operand == value); /* silent ones only */
    }
    if (q->kind == REQUEST_RMW) { /* silent ones only */
        Event probe = {.kind = EVENT_READ,
                       .size = q->size,
                       .part = q->part,
                       .op = q->op,
                       .value = reply.value,
                       .operand = q->operand};
        uint64_t high;
        return q->size < 16 && !q->merge && graph_rmw_value(&probe, &high) == reply.value;
    }
    return true;
}

/* Runs the ghost of T from its present request. Returns how often it came to a request at PC before
 * it left the loop, or UINT32_MAX if it did not. */
static uint32_t ghost_rounds(int t, uintptr_t pc)
{
    uint32_t rounds = 0;
    for (int i = 0; i < ENDLESS_ROUNDS; i++) {
        if (!endless_answer_last(&request))
            return rounds;
        ghost_step(t, threads[t].count - 1);
        if (request.kind == REQUEST_STOP)
            return rounds; /* something is found there: the thread itself will come to it */
        rounds += (uintptr_t)request.pc == pc;
    }
    return UINT32_MAX;
}

/* Ghost of the present thread: everything is put back as it was. */
static uint32_t rounds_left(int t)
{
    static GhostPlace real;
    bool races_were_off = memory_state.races_off;
    ghost_save(t, &real);
    memory_state.races_off = true;
    uint32_t rounds = ghost_rounds(t, (uintptr_t)real.request.pc);
    ghost_restore(t, &real);
    memory_state.races_off = races_were_off;
    bool opaque = opaque_ran(t);
    if (!options.checkpoints && (opaque || options.foreign_code))
        ghost_run_again(t);
    return rounds;
}

static bool grows_for_ever(int t)
{
    uintptr_t pc = (uintptr_t)request.pc;
    uint32_t place = (uint32_t)(pc * 0x9E3779B97F4A7C15u >> 56) % PLACES;
    if (known[place].pc != pc || !known[place].allowed) {
        known[place].pc = pc;
        known[place].allowed = LOOK;
        known[place].endless = false;
        known[place].next = 0;
    }
    if ((uint32_t)threads[t].count < known[place].allowed || waiting_run(t) < known[place].allowed)
        return false; /* there can't be more rounds */
    uint32_t count = (uint32_t)threads[t].count;
    bool same_run = known[place].thread == t && known[place].count <= count;
    known[place].count = count;
    if (same_run && count < known[place].next)
        return false; /* nor have there been enough since the last look */
    uint32_t enough = known[place].endless ? LOOK : known[place].allowed;
    uint32_t rounds = waiting_rounds(t, UINT32_MAX);
    known[place].thread = t;
    known[place].next = rounds < enough ? count + (enough - rounds) : 0;
    if (rounds < enough)
        return false;
    if (known[place].endless)
        return true;
    uint32_t more = rounds_left(t);
    known[place].endless = more == UINT32_MAX;
    known[place].allowed = known[place].endless ? LOOK : rounds + MAX(more, rounds / 2) + LOOK;
    return known[place].endless;
}

static void forget(void)
{
    memset(known, 0, sizeof known);
}

static void setup(void)
{
    uint32_t least = options.loop_bound ? options.loop_bound : LOOK;
    exploration.many_events = (int)MIN(least, options.event_bound);
}

uint32_t endless_why;

bool endless_look_at(int t)
{
    uint32_t count = (uint32_t)threads[t].count;
    if (UNLIKELY(count >= options.event_bound) &&
        (count >= ENDLESS_EVENTS || waiting_rounds(t, LOOK) < LOOK)) {
        endless_why |= OUTCOME_CUT_EVENTS;
        if (count >= EVENTS_OF_THREAD_LONG)
            exploration.must_end = true;
        return true;
    }
    if (!waiting_is_read(request.kind)) /* it has an effect, or is no round of a loop */
        return false;
    bool loops = options.loop_bound
                     ? count >= options.loop_bound &&
                           waiting_rounds(t, options.loop_bound) >= options.loop_bound
                     : count >= LOOK && grows_for_ever(t);
    endless_why |= loops ? OUTCOME_CUT_LOOP : 0;
    return loops;
}

/* ---- what the search asks ---- */

const Rule endless_rule = {.setup = setup, .forget = forget, .gives_up = endless_look_at};
