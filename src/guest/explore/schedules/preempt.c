#include "guest/explore/schedules/preempt.h"
#include "guest/explore/schedules/bounded.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/graph/graph.h"
#include "guest/runtime/pages.h"

#define MOST_STATES (UINT32_C(1) << 17)

typedef struct State {
    EventIndex done[MAX_THREADS]; /* events of each thread */
    uint8_t last;                 /* who ran last */
    uint8_t spare;                /* no padding: states are compared as bytes */
} State;

int preempt_slack;
static State *states; /* all that were reached */
static uint32_t state_count;
static uint32_t *table; /* open addressing: number + 1 */
static uint32_t *level; /* states that are still to be looked at */
typedef struct Switch { /* away from a thread that could go on */
    uint32_t state;
    int to;
} Switch;
static Switch *switches, *later_switches;
static int end_of[MAX_THREADS]; /* events of each thread that count */

static void preempt_setup(void)
{
    states = pages_reserve(sizeof(State) * MOST_STATES);
    table = pages_reserve(sizeof(uint32_t) * MOST_STATES * 2);
    level = pages_reserve(sizeof(uint32_t) * MOST_STATES);
    switches = pages_reserve(sizeof(Switch) * MOST_STATES);
    later_switches = pages_reserve(sizeof(Switch) * MOST_STATES);
}

static const PreemptPair *pairs; /* that are ordered besides */
static uint32_t pair_count;

void preempt_order(const PreemptPair *given, uint32_t count)
{
    pairs = given;
    pair_count = count;
}

static bool is_done(const State *s, const Event *e)
{
    return e->index < s->done[e->thread];
}

static bool has_ended(const State *s, int t)
{
    return threads[t].count && s->done[t] == threads[t].count && last_event(t)->kind == EVENT_END;
}

static bool sc(void)
{
    return model_is_interleaved(options.model);
}

/* Have those gone before that must come before write W, other than its own read? */
static bool may_write(const State *s, const Event *w)
{
    const Location *x = &locations[w->location];
    if (!sc())
        return true;
    EventId previous = x->co[w->co - 1];
    if (previous && !is_done(s, &pool[previous]) &&
        !(w->rmw && pool[previous].thread == w->thread && pool[previous].index + 1 == w->index))
        return false;
    for (int j = 0; j < x->reads; j++) {
        const Event *r = &pool[x->read[j]];
        if (rf_position(r) < w->co && !is_done(s, r) && r->index < end_of[r->thread] &&
            !(w->rmw && r->thread == w->thread && r->index + 1 == w->index))
            return false;
    }
    return true;
}

static const Event *next_of(const State *s, int t)
{
    return s->done[t] < end_of[t] ? thread_event(t, s->done[t]) : NULL;
}

/* Can T's next event come now, in this graph? */
static bool may_step(const State *s, int t)
{
    const Event *e = next_of(s, t);
    if (!e || (t && !s->done[t] && !is_done(s, &pool[threads[t].create])))
        return false;
    for (uint32_t i = 0; i < pair_count; i++)
        if (&pool[pairs[i].after] == e && !is_done(s, &pool[pairs[i].before]))
            return false;
    switch (e->kind) {
    case EVENT_READ:
        if (e->rf && !is_done(s, &pool[e->rf]))
            return false;
        return !e->rmw || may_write(s, thread_event(t, e->index + 1));
    case EVENT_WRITE:
        return may_write(s, e);
    case EVENT_JOIN:
        return has_ended(s, (int)e->other);
    default:
        return true;
    }
}

/* Does what thread T waits for with E hold now? */
static bool wait_is_over(const State *s, const Event *e)
{
    const Location *x = &locations[e->location];
    if (!sc())
        return !e->rf || is_done(s, &pool[e->rf]);
    int p = x->writes - 1;
    while (p > 0 && !is_done(s, &pool[x->co[p]]))
        p--;
    return graph_test_holds_for(e, write_value(x->co[p], x), graph_value_high(x->co[p], x));
}

/* Would a switch away from T be a preemption? */
static bool could_go_on(const State *s, int t)
{
    const Event *e = next_of(s, t);
    if (!e)
        return false;
    if (e->kind == EVENT_JOIN)
        return has_ended(s, (int)e->other);
    return e->request != REQUEST_AWAIT || wait_is_over(s, e);
}

/* Adds the state after a step of T, if it is new; false if there are too many. */
static bool reach(const State *from, int t, uint32_t *count)
{
    const Event *e = next_of(from, t);
    if (state_count >= MOST_STATES)
        return false;
    State *fresh = &states[state_count];
    *fresh = *from;
    fresh->last = (uint8_t)t;
    fresh->done[t] = (EventIndex)(from->done[t] + (e->kind == EVENT_READ && e->rmw ? 2 : 1));
    uint32_t mask = MOST_STATES * 2 - 1;
    uint32_t slot = (uint32_t)hash_bytes(fresh, sizeof *fresh, 7) & mask;
    for (; table[slot]; slot = (slot + 1) & mask)
        if (!memcmp(&states[table[slot] - 1], fresh, sizeof *fresh))
            return true;
    table[slot] = ++state_count;
    level[(*count)++] = state_count - 1;
    return true;
}

static bool is_complete(const State *s)
{
    for (ThreadSet left = threads_created; left; left &= left - 1)
        if (s->done[thread_first(left)] < end_of[thread_first(left)])
            return false;
    return true;
}

static void forget_states(void)
{
    uint32_t mask = MOST_STATES * 2 - 1;
    for (uint32_t i = 0; i < state_count; i++) { /* cheaper than the whole table */
        uint32_t slot = (uint32_t)hash_bytes(&states[i], sizeof states[i], 7) & mask;
        while (table[slot]) {
            table[slot] = 0;
            slot = (slot + 1) & mask;
        }
    }
    state_count = 0;
}

/* A switch that costs is performed only on the next level: what can be reached without it, on this
 * one, is known by then. */
static bool search(int most)
{
    State start;
    memset(&start, 0, sizeof start);
    uint32_t count = 0, switch_count = 0;
    if (is_complete(&start) || !may_step(&start, 0) || !reach(&start, 0, &count))
        return true;
    for (int preemptions = 0;; preemptions++) {
        uint32_t later_count = 0;
        for (uint32_t i = 0; i < switch_count; i++)
            if (!reach(&states[switches[i].state], switches[i].to, &count))
                return true;
        while (count) {
            uint32_t number = level[--count];
            State s = states[number];
            if (is_complete(&s))
                return true;
            if (may_step(&s, s.last) && !reach(&s, s.last, &count))
                return true;
            bool costs = could_go_on(&s, s.last);
            for (ThreadSet left = threads_created & ~thread_bit(s.last); left; left &= left - 1) {
                int t = thread_first(left);
                if (!may_step(&s, t))
                    continue;
                if (costs ? later_count == MOST_STATES : !reach(&s, t, &count))
                    return true;
                if (costs)
                    later_switches[later_count++] = (Switch){number, t};
            }
        }
        if (preemptions == most || !later_count)
            return false;
        Switch *swap = switches;
        switches = later_switches;
        later_switches = swap;
        switch_count = later_count;
    }
}

bool preempt_within(int most)
{
    if (!states)
        preempt_setup();
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left);
        end_of[t] = threads[t].count;
        /* the read of a wait that never ends is not performed */
        if (end_of[t] && last_event(t)->waits == WAITS_BLOCKED &&
            last_event(t)->request == REQUEST_AWAIT && !last_event(t)->rmw)
            end_of[t]--;
    }
    bool within = search(most);
    forget_states();
    return within;
}

/* Buster (Marmanis, Kokologiannakis, Vafeiadis, TACAS 2023): with threads that have no further
 * event in the graph taken as ended, a graph needs no more preemptions than any that contains it.
 * TruSt reaches an execution also through graphs with events that are deleted again on the way;
 * these were added maximally, thread by thread, and bring at most one more switch for each thread
 * but two. So a graph that needs more than the bound and this slack leads to nothing within the
 * bound. That is the argument as we understand it, tested against all interleavings of random
 * programs (tests/twin; with much less slack executions are lost), not proved here. Under weaker
 * models nothing is pruned. */
bool preempt_hopeless(void)
{
    if (!sc())
        return false;
    int slack = -2;
    for (ThreadSet left = threads_created; left; left &= left - 1)
        slack += threads[thread_first(left)].count > 0;
    return !preempt_within(options.preemptions + MAX(slack, 0) + preempt_slack);
}

bool preempt_is_beyond(void)
{
    return !in_bound.active && !preempt_within(options.preemptions);
}
