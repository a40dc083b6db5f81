#include "guest/states/search.h"
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "guest/explore/explore.h"
#include "guest/explore/graph.h"
#include "guest/runtime/fiber.h"
#include "guest/states/buffers.h"
#include "guest/states/crew.h"
#include "guest/states/elsewhere.h"
#include "guest/states/frontier.h"
#include "guest/states/growth.h"
#include "guest/states/key.h"
#include "guest/states/part.h"
#include "guest/states/picture.h"
#include "guest/states/progress.h"
#include "guest/states/serial.h"
#include "guest/states/tickets.h"
#include "guest/states/transcript.h"
#include "guest/states/visited.h"
#include "guest/states/way.h"
#include "record/hooks.h"

enum { POLL_EVERY = 256, PLENTY = 1 << 19 };

uint64_t states_so_far;
static const StatesClient *client;
static StatesLimits limits;
static StatesResult *result;
/* The step that is made. */
typedef struct Present {
    uint32_t node;                  /* that is expanded */
    uint32_t next_thread, next_way; /* of it: what comes next */
    uint32_t thread;                /* or NOBODY */
    uint32_t way;
    StatesDone done;
} Present;
static Present now;
#define NOBODY UINT32_MAX
static double began;      /* when the search did, in seconds */
static uint32_t depth;    /* calls of a thread that are under way at most (sets.h) */
static Finding first_cut; /* why a step could not be followed */

/* ---- states ---- */

static uint32_t threads_inside(void)
{
    uint32_t inside = 0;
    for (uint32_t t = states_first; t <= states_threads; t++)
        inside |= (uint32_t)(states_thread[t].call >= 0) << t;
    return client->program && states_elements ? inside | PROGRESS_OVER : inside;
}

/* Threads that wait; but who waits for the end of a thread may do so for ever. */
static uint32_t threads_blocked(void)
{
    uint32_t blocked = 0;
    for (uint32_t t = states_first; t <= states_threads; t++)
        if (states_thread[t].call >= 0 && !states_buffers[t].count &&
            states_thread[t].request.kind != REQUEST_JOIN && !states_ways((int)t))
            blocked |= 1u << t;
    return blocked;
}

static uint16_t site_number(const void *pc)
{
    return pc ? (uint16_t)(states_site_index(pc) + 1) : 0;
}

/* The places in the code whose stores were flushed, numbered for steps. */
static Vec(const void *) flushed;

static uint16_t flushed_number(const void *pc)
{
    size_t i = 0;
    while (i < flushed.count && flushed.at[i] != pc)
        i++;
    if (i == flushed.count)
        vec_push(&flushed, pc);
    return (uint16_t)i;
}

static VisitedStep present_step(void)
{
    return (VisitedStep){.parent = now.node,
                         .call = now.done.call,
                         .requests = (uint16_t)MIN(now.done.requests, UINT16_MAX),
                         .thread = (uint8_t)now.thread,
                         .choice = now.done.call >= 0 ? 0 : (uint8_t)now.way,
                         .site = now.way == STATES_FLUSH ? flushed_number(now.done.site)
                                                         : site_number(now.done.site)};
}

/* The explanations after the step. Code that is the specification may run, and the present state be
 * lost. */
static uint32_t explain_step(uint32_t set)
{
    if (now.done.call >= 0)
        set = sets_call(set, now.thread, (uint32_t)now.done.call);
    if (now.done.returned)
        set = now.done.late ? sets_end(set, now.thread, now.done.ended, now.done.result)
                            : sets_return(set, now.thread, now.done.ended, now.done.result);
    for (uint32_t i = 0; i < now.done.over && set != SETS_NONE; i++)
        set = sets_leave(set, now.thread);
    return set;
}

/* The state that the step has led to was lost, because code has run that is the specification. */
static void take_step_again(void)
{
    StatesDone again;
    states_restore(frontier_copy(now.node));
    states_step((int)now.thread, now.way, &again);
    tickets_key();
    states_collect();
}

/* The present step has led to state TO. IS_NEW: which nobody has met before. */
static void note_step(uint32_t to, bool is_new, uint32_t inside, uint32_t blocked)
{
    if (is_new)
        progress_add_state(inside, blocked);
    if (now.node == VISITED_NONE)
        return;
    progress_add_step(visited_state_of(now.node), to, now.thread, now.done.call >= 0,
                      now.done.returned, now.done.wrote);
    picture_add_step(visited_state_of(now.node), to, now.thread, &now.done);
}

/* The present pair of a state and explanations is new. */
static void keep_node(const StatesCopy *copy, bool is_new_state)
{
    if (is_new_state) {
        growth_note(copy->at, visited_nodes());
        picture_add_state(copy->at);
    }
    frontier_push(copy);
}

static void tell_search(const CrewStep *step, const StatesCopy *copy)
{
    CrewStep told = *step;
    told.node = now.node;
    told.thread = (uint8_t)now.thread;
    told.way = now.way;
    told.begins = now.done.call >= 0;
    told.returns = now.done.returned;
    told.wrote = now.done.wrote;
    told.done = now.done;
    crew_tell(&told, copy);
}

/* The present state was reached from now.node, or is the start (VISITED_NONE); it is numbered, and
 * expanded later if it is new. */
static void arrive(uint32_t set, const ElsewhereStep *elsewhere)
{
    static StatesCopy copy;
    bool is_start = now.node == VISITED_NONE;
    CrewStep step = {.key = tickets_key()};
    if (elsewhere) {
        elsewhere_compare((int)now.thread, elsewhere, step.key, &now.done);
        if (elsewhere->made)
            transcript_note_passed();
    }
    states_collect();
    uint32_t known = visited_states();
    bool fresh;
    if (crew_is_member) {
        step.state = crew_state(step.key, &fresh);
    } else {
        step.state = visited_state(step.key);
        fresh = step.state == known;
    }
    if (fresh) {
        step.inside = (uint8_t)threads_inside();
        step.blocked = (uint8_t)threads_blocked();
    }
    if (!crew_is_member)
        note_step(step.state, fresh, step.inside, step.blocked);
    uint64_t runs = serial_states_runs();
    step.set = is_start ? set : explain_step(set);
    if (step.set == SETS_NONE)
        op_violation(VIOLATION_LINEARIZABILITY, NULL,
                     "no serial order of the calls gives these "
                     "results");
    VisitedStep first = {.parent = VISITED_NONE, .call = -1}, made = present_step();
    step.added = crew_is_member ? crew_is_new(step.state, step.set)
                                : visited_add(step.state, step.set, is_start ? &first : &made);
    if (step.added && serial_states_runs() != runs)
        take_step_again();
    if (step.added)
        states_copy(&copy);
    if (crew_is_member)
        tell_search(&step, &copy);
    else if (step.added)
        keep_node(&copy, fresh);
}

/* One of the crew has taken STEP. */
static uint32_t take_over(const CrewStep *step, const StatesCopy *copy)
{
    now.node = step->node;
    now.thread = step->thread;
    if (!step->added) {
        progress_add_step(visited_state_of(now.node), step->state, now.thread, step->begins,
                          step->returns, step->wrote);
        return step->state;
    }
    now.way = step->way;
    now.done = step->done;
    uint32_t known = visited_states(), state = visited_state(step->key);
    note_step(state, state == known, step->inside, step->blocked);
    uint32_t set =
        step->set == CREW_SET_UNKNOWN ? explain_step(visited_set_of(now.node)) : step->set;
    ASSERT(set != SETS_NONE);
    VisitedStep made = present_step();
    if (visited_add(state, set, &made))
        keep_node(copy, state == known);
    return state;
}

/* ---- steps ---- */

/* The lag: calls of others that returned during the call of a thread. */
static bool is_held_up(uint32_t thread)
{
    for (uint32_t t = states_first; t <= states_threads && limits.lag; t++)
        if (t != thread && states_thread[t].call != STATES_IDLE &&
            states_thread[t].overtaken >= limits.lag)
            return true;
    return false;
}

static bool may_begin(uint32_t thread, uint32_t call)
{
    if (!client->may_call(thread, states_thread[thread].made, call))
        return false;
    if (limits.elements && states_elements >= limits.elements &&
        client->change(call, false, VALUE_UNKNOWN) > 0) {
        result->refused++;
        return false;
    }
    if (states_buffers[thread].calls + 1 >= depth && buffers_used) {
        result->held++;
        return false;
    }
    if (is_held_up(thread)) {
        result->lagged++;
        return false;
    }
    return true;
}

/* In how many ways can thread T go on, but for flushes? */
static uint32_t ways_on(uint32_t t)
{
    return states_thread[t].call == STATES_IDLE && !client->program ? client->calls
                                                                    : states_ways((int)t);
}

static void take_step(uint32_t thread, uint32_t way)
{
    static ElsewhereStep elsewhere;
    now.thread = thread;
    now.way = way;
    result->transitions++;
    elsewhere.made = elsewhere.failed = false;
    bool has_blocks = states_block_count != 0;
    uint64_t salt = (uint64_t)now.node << 32 | thread << 24 | (way & 0xffffff);
    transcript_begin((int)thread, way);
    if (!tickets_used)
        states_step((int)thread, way, &now.done);
    if (tickets_used || (has_blocks && transcript_wants_test(salt))) {
        if (!tickets_used)
            states_restore(frontier_copy(now.node));
        elsewhere_step((int)thread, way, salt, &elsewhere);
        states_restore(frontier_copy(now.node));
        states_step((int)thread, way, &now.done);
    }
    arrive(visited_set_of(now.node), &elsewhere);
}

/* Takes the steps from NODE, from next_thread and next_way on: a step that can't be followed ends
 * in finding_jump, and the others are taken all the same. */
static void take_steps(uint32_t node)
{
    const char *copy = frontier_copy(node);
    bool is_there = false; /* the present state is that of the node */
    now.node = node;
    for (; now.next_thread <= states_threads; now.next_thread++, now.next_way = 0) {
        for (;;) {
            uint32_t t = now.next_thread, way = now.next_way++;
            if (!is_there)
                states_restore(copy);
            is_there = true;
            now.thread = t; /* should its request lead nowhere */
            now.way = 0;
            now.done = (StatesDone){.call = -1, .requests = 1};
            uint32_t ways = ways_on(t);
            if (way > ways || (way == ways && !states_buffers[t].count))
                break;
            if (way < ways && states_thread[t].call == STATES_IDLE && !may_begin(t, way))
                continue;
            is_there = false;
            take_step(t, way == ways ? STATES_FLUSH : way);
        }
    }
    now.next_thread = states_first;
    now.next_way = 0;
}

static void expand(uint32_t node)
{
    take_steps(node);
    frontier_drop(node);
}

/* ---- what was found ---- */

static void add_to_script(const VisitedStep *step)
{
    bool flushes = step->choice == (uint8_t)STATES_FLUSH;
    vec_push(&result->script, (SampleStep){.thread = step->thread,
                                           .requests = step->requests,
                                           .choice = flushes ? 0 : step->choice,
                                           .flushes = flushes,
                                           .stop_pc = flushes      ? flushed.at[step->site]
                                                      : step->site ? states_site(step->site - 1u)
                                                                   : NULL});
    if (step->call >= 0)
        vec_push(&result->calls, (StatesCall){step->thread, (uint32_t)step->call});
}

/* The path to NODE, then the present step if WITH_STEP. */
static void write_script(uint32_t node, bool with_step)
{
    Way path = way_to(node);
    result->script.count = result->calls.count = 0;
    for (size_t i = 0; i < path.count; i++) {
        VisitedStep step = visited_step(path.at[i]);
        if (step.parent != VISITED_NONE)
            add_to_script(&step);
    }
    if (with_step) {
        VisitedStep last = present_step();
        add_to_script(&last);
    }
    vec_free(&path);
}

/* The call that THREAD makes in NODE. */
static uint32_t call_in(uint32_t node, uint32_t thread)
{
    VisitedStep step = visited_step(node);
    while (step.thread != thread || step.call < 0)
        step = visited_step(step.parent);
    return (uint32_t)step.call;
}

static void look_for_stuck(void)
{
    uint8_t *stuck = malloc(visited_states() + 1u);
    progress_find_stuck(states_threads, limits.calls_end, stuck);
    for (uint32_t node = 0; node < visited_nodes(); node++)
        for (uint32_t t = states_first; t <= states_threads; t++) {
            if (!(stuck[visited_state_of(node)] >> t & 1) ||
                sets_may_wait(visited_set_of(node), t, call_in(node, t)))
                continue;
            free(stuck);
            now.node = node;
            now.thread = NOBODY;
            op_violation(VIOLATION_STUCK, NULL,
                         "a call of thread %u never returns, whatever the calls under way do", t);
        }
    free(stuck);
}

/* Looks for a thread of a program that waits for ever. */
static void look_for_dead(void)
{
    uint8_t *dead = malloc(visited_states() + 1u);
    result->endless = progress_find_dead(dead);
    for (uint32_t node = 0; node < visited_nodes(); node++) {
        if (!dead[visited_state_of(node)])
            continue;
        free(dead);
        now.node = node;
        now.thread = NOBODY;
        op_violation(VIOLATION_DEADLOCK, NULL, "a thread waits for ever, whatever others do");
    }
    free(dead);
}

/* ---- the search ---- */

static uint64_t bytes_in_use(void)
{
    return visited_bytes() + progress_bytes() + sets_bytes() + serial_states_bytes() +
           part_bytes() + frontier_bytes() + crew_bytes();
}

static void begin(const SetsSpec *spec)
{
    frontier_begin();
    visited_begin();
    progress_begin();
    growth_begin();
    transcript_forget();
    picture_begin();
    result->transitions = result->refused = result->lagged = result->held = 0;
    result->complete = result->full = false;
    result->grows = 0;
    result->cut = 0;
    began = clock_seconds();
    now.thread = NOBODY;
    now.node = VISITED_NONE;
    now.next_thread = !client->program;
    now.next_way = 0;
    states_lag = limits.lag;
    buffers_used = limits.stores != 0;
    buffers_limit = MIN(limits.stores, (uint32_t)BUFFERS_STORES);
    buffers_full = 0;
    depth = buffers_used && !client->program
                ? MIN(SETS_SLOTS / client->threads, MIN(limits.late, BUFFERS_CALLS - 1u) + 1)
                : 1;
    sets_begin(spec, client->program ? 1 : client->threads, depth);
    uint32_t set = sets_initial();
    states_start(client);
    tickets_look();
    arrive(set, NULL);
}

/* To be asked at multiples of POLL_EVERY. */
static bool must_stop(uint32_t node)
{
    result->bytes = bytes_in_use();
    states_so_far = visited_states();
    if (explore_poll && explore_poll())
        return true;
    result->full = limits.bytes && result->bytes > limits.bytes / 10 * 9;
    if (result->full || (limits.nodes && visited_nodes() > limits.nodes))
        return true;
    if (node >= PLENTY && node % PLENTY == 0)
        result->grows = growth_find(visited_nodes(), &result->grown);
    return result->grows != 0;
}

/* From *node on, as far as a crew comes; false if the search must stop. */
static bool explore_together(uint32_t *node)
{
    static CrewTasks tasks;
    picture_drop(); /* there is too much to draw */
    tasks = (CrewTasks){
        take_steps,
        take_over,
        {&result->transitions, &result->refused, &result->lagged, &result->held, &buffers_full}};
    CrewAnswer answer =
        crew_begin(limits.jobs, *node, visited_nodes(), &tasks) ? CREW_TAKEN : CREW_NOBODY;
    bool stop = false;
    while (answer != CREW_NOBODY && !stop) {
        uint32_t end;
        if ((answer = crew_take_chunk(*node, &end)) == CREW_NOBODY)
            break;
        for (; *node < end && !stop; ++*node) {
            if (answer == CREW_LEFT)
                expand(*node);
            else
                frontier_drop(*node);
        }
        stop = *node % POLL_EVERY == 0 && must_stop(*node);
    }
    crew_end();
    return !stop;
}

/* Is it worth to fork? What waits must take longer than forks, and the pages that they have copied,
 * cost. */
static bool is_worth_a_crew(uint32_t node)
{
    enum { MANY = 1024 };
    static const double least = 0.015, least_each = 5e-6; /* seconds */
    double each = (clock_seconds() - began) / node;
    uint32_t waiting = visited_nodes() - node;
    if (limits.jobs <= 1 || limits.nodes)
        return false;
    return hooks.eager_workers || (waiting >= MANY && each > least_each && waiting * each > least);
}

/* From NODE on, of which some steps may be taken already. True when all states are explored. */
static bool explore(uint32_t node)
{
    enum { FEW = 256, LATER = 8192 };
    /* Where a crew did not come far, there may be more to discover. */
    uint32_t first = node, alone_until = node ? node + LATER : 0;
    for (; node < visited_nodes(); node++) {
        if (node % POLL_EVERY == 0 && must_stop(node))
            return false;
        if (node > first && node >= alone_until && is_worth_a_crew(node)) {
            uint32_t from = node;
            if (!explore_together(&node))
                return false;
            alone_until = node - from < FEW && !hooks.eager_workers ? node + LATER : 0;
        }
        if (node < visited_nodes())
            expand(node);
    }
    return true;
}

static void end(FindingKind kind)
{
    result->kind = kind;
    result->states = states_so_far = visited_states();
    result->nodes = visited_nodes();
    result->bytes = bytes_in_use();
    result->held += buffers_full;
    buffers_used = false;
    frontier_begin();
    states_leave();
}

void states_search(const StatesClient *wanted, const SetsSpec *spec, const StatesLimits *bounds,
                   StatesResult *out)
{
    client = wanted;
    limits = *bounds;
    result = out;
    result->kind = FINDING_NONE;
    explore_begin(); /* takes back what an exploration before has left */
    states_memory_enter();
    FindingKind kind = setjmp(finding_jump) ? finding.kind : FINDING_RESTART;
    crew_end();
    switch (kind) {
    case FINDING_RESTART:
        finding.kind = FINDING_NONE;
        begin(spec);
        result->complete = explore(0);
        break;
    case FINDING_UNSUPPORTED:
        if (!result->cut++)
            first_cut = finding;
        if (now.node != VISITED_NONE) { /* other steps may show a violation */
            finding.kind = FINDING_NONE;
            result->complete = explore(now.node);
        }
        break;
    default:
        write_script(now.node, now.thread != NOBODY);
        if (!client->program)
            way_draw(client, now.node, now.thread == NOBODY ? 0 : now.thread, now.done.call);
        end(finding.kind);
        return;
    }
    if (result->cut) {
        finding = first_cut;
        end(FINDING_UNSUPPORTED);
        return;
    }
    if (!result->complete)
        result->grows = growth_find(visited_nodes(), &result->grown);
    else if (client->program)
        look_for_dead();
    else if (limits.stuck)
        look_for_stuck();
    if (result->complete && !limits.calls_end && !limits.lag && !client->program)
        result->progress = progress_class(client->threads);
    end(FINDING_NONE);
}
