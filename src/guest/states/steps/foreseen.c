#include "guest/states/steps/foreseen.h"
#include "guest/states/state.h"
#include "guest/states/present.h"
#include "guest/states/steps/late.h"
#include "guest/states/steps/offers.h"
#include "guest/states/symmetry.h"
#include "guest/states/tickets.h"
#include "guest/states/visited.h"

bool foreseen_compares;
static uint64_t compared; /* decisions of the step that is compared */

static bool is_same(const StatesDone *a, const StatesDone *b)
{
    return a->call == b->call && a->returned == b->returned && a->late == b->late &&
           a->over == b->over && (!a->returned || value_equal(a->result, b->result)) &&
           a->ended == b->ended && a->requests == b->requests && a->wrote == b->wrote &&
           a->site == b->site;
}

/* Is the first of the decisions that differ "private" in NATIVE? */
static bool is_more_private(uint64_t native, uint64_t foreseen)
{
    int more = __builtin_clzll(foreseen) - __builtin_clzll(native); /* bits that NATIVE has */
    native >>= MAX(more, 0);
    foreseen >>= MAX(-more, 0);
    return native > foreseen;
}

bool foreseen_goes_further(void)
{
    return is_more_private(states_touched.decisions, compared);
}

/* Returns the decisions of one of COUNT steps that is taken in this WAY. */
static uint64_t decisions_of(uint32_t way, const TakenStep *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (steps[i].way == way)
            return taken_decisions(&steps[i]);
    return UINT64_MAX;
}

/* Is the present state the one that STEP leads to? */
static bool leads_to(const TakenStep *step)
{
    StatesKey key = tickets_key();
    return visited_find(key) == step->to && (!symmetry_used || states_has_turn(key, step->turn));
}

/* Does the move of T from the present state, which is lost, end? (late.h) */
static bool has_end(uint32_t t, uint32_t way, uint32_t ways)
{
    StatesDone done;
    if (!late_used)
        return true;
    late_begin_move(t, way, ways);
    states_step((int)t, way, &done);
    late_end_move();
    return late_accepts();
}

void foreseen_compare(const StatesClient *client, const char *copy, uint32_t t,
                      const TakenStep *steps, uint32_t count)
{
    uint32_t offered = 0;
    states_restore(copy);
    bool is_idle = states_thread[t].call == STATES_IDLE && !client->program;
    uint32_t ways = offers_ways(t);
    bool has_stores = states_buffers[t].count != 0;
    foreseen_compares = true;
    for (uint32_t way = 0; way < ways; way++, states_restore(copy)) {
        compared = decisions_of(way, steps, count);
        offered += (!is_idle || offers_call(t, way)) && has_end(t, way, ways);
    }
    bool fails = offered + has_stores != count;
    for (uint32_t i = 0; i < count && !fails; i++) {
        StatesDone done;
        states_restore(copy);
        compared = taken_decisions(&steps[i]);
        if (late_used)
            late_begin_move(t, steps[i].way, ways);
        states_step((int)t, steps[i].way, &done);
        late_end_move();
        fails =
            !foreseen_goes_further() &&
            (!taken_is_alike(&steps[i]) || !is_same(&done, &steps[i].done) || !leads_to(&steps[i]));
    }
    foreseen_compares = false;
    if (fails)
        die("internal error: thread %u takes other steps than were foreseen", t);
    states_restore(copy);
}
