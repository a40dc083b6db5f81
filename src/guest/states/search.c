#include "guest/states/search.h"
#include <stdlib.h>
#include <string.h>
#include "guest/explore/explore.h"
#include "guest/explore/graph.h"
#include "guest/runtime/fiber.h"
#include "guest/states/buffers.h"
#include "guest/states/elsewhere.h"
#include "guest/states/key.h"
#include "guest/states/part.h"
#include "guest/states/progress.h"
#include "guest/states/serial.h"
#include "guest/states/tickets.h"
#include "guest/states/visited.h"

enum { POLL_EVERY = 256, RECORDS_OF_GROWTH = 16, PLENTY = 1 << 19 };

uint64_t states_so_far;
static const StatesClient *client;
static StatesLimits limits;
static StatesResult *result;
typedef struct Waiting { /* a node that is to be expanded */
    char *copy;
    uint32_t bytes;
} Waiting;
static Vec(Waiting) waiting; /* from node waiting_from on; no copy: it is expanded */
static uint32_t waiting_from;
static uint64_t waiting_bytes;
static uint32_t expanding;         /* node */
static uint32_t at_thread, at_way; /* of it: what comes next */
#define NOBODY UINT32_MAX
static uint32_t stepping; /* thread, or NOBODY */
static uint32_t stepping_way;
static StatesDone done;   /* of the present step */
static uint32_t depth;    /* calls of a thread that are under way at most (sets.h) */
static Finding first_cut; /* why a step could not be followed */

/* ---- words that grow ----
 * A word that keeps reaching values which it never had makes a space of states infinite. The signs
 * are only used to name it when a search does not end. */

typedef struct Growth {
    uint64_t largest;
    uint32_t records, last; /* how often it was passed; at which node */
} Growth;
static Vec(Growth) growth;

static void note_growth(void)
{
    while (growth.count < states_words.count)
        vec_push(&growth, (Growth){0});
    for (size_t i = 0; i < states_words.count; i++) {
        uint64_t value = *states_words.at[i].address;
        if (states_in_area(value))
            continue;
        value &= UINT32_MAX;
        if (value <= growth.at[i].largest)
            continue;
        growth.at[i].largest = value;
        growth.at[i].records++;
        growth.at[i].last = visited_nodes();
    }
}

static void find_growth(void)
{
    uint32_t best = RECORDS_OF_GROWTH;
    for (size_t i = 0; i < growth.count; i++)
        if (growth.at[i].records > best && growth.at[i].last > visited_nodes() / 2) {
            best = growth.at[i].records;
            result->grows = (uintptr_t)states_words.at[i].address;
            result->grown = growth.at[i].largest;
        }
}

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
    return (VisitedStep){.parent = expanding,
                         .call = done.call,
                         .requests = (uint16_t)MIN(done.requests, UINT16_MAX),
                         .thread = (uint8_t)stepping,
                         .choice = done.call >= 0 ? 0 : (uint8_t)stepping_way,
                         .site = stepping_way == STATES_FLUSH ? flushed_number(done.site)
                                                              : site_number(done.site)};
}

/* The explanations after the step. Code that is the specification may run, and the present state be
 * lost. */
static uint32_t explain_step(uint32_t set)
{
    if (done.call >= 0)
        set = sets_call(set, stepping, (uint32_t)done.call);
    if (done.returned)
        set = done.late ? sets_end(set, stepping, done.ended, done.result)
                        : sets_return(set, stepping, done.ended, done.result);
    for (uint32_t i = 0; i < done.over && set != SETS_NONE; i++)
        set = sets_leave(set, stepping);
    return set;
}

static const char *copy_of(uint32_t node)
{
    return waiting.at[node - waiting_from].copy;
}

/* The state that the step has led to was lost, because code has run that is the specification. */
static void take_step_again(void)
{
    StatesDone again;
    states_restore(copy_of(expanding));
    states_step((int)stepping, stepping_way, &again);
    tickets_key();
    states_collect();
}

/* The present state was reached; it is numbered, and expanded later if it is new. */
static void arrive(uint32_t set, bool is_start, const ElsewhereStep *elsewhere)
{
    static StatesCopy copy;
    uint32_t known = visited_states();
    StatesKey key = tickets_key();
    if (elsewhere)
        elsewhere_compare((int)stepping, elsewhere, key, &done);
    states_collect();
    uint32_t state = visited_state(key);
    bool fresh = state == known;
    if (fresh) {
        progress_add_state(threads_inside(), threads_blocked());
        note_growth();
    }
    if (!is_start)
        progress_add_step(visited_state_of(expanding), state, stepping, done.call >= 0,
                          done.returned, done.wrote);
    uint64_t runs = serial_states_runs();
    if (!is_start)
        set = explain_step(set);
    if (set == SETS_NONE)
        op_violation(VIOLATION_LINEARIZABILITY, NULL,
                     "no serial order of the calls gives these "
                     "results");
    VisitedStep step = present_step();
    if (is_start)
        step = (VisitedStep){.parent = VISITED_NONE, .call = -1};
    if (!visited_add(state, set, &step))
        return;
    if (serial_states_runs() != runs)
        take_step_again();
    states_copy(&copy);
    vec_push(&waiting, (Waiting){states_keep(&copy), (uint32_t)copy.count});
    waiting_bytes += copy.count;
}

static void drop_copy(uint32_t node)
{
    enum { MANY = 4096 };
    Waiting *done_with = &waiting.at[node - waiting_from];
    free(done_with->copy);
    waiting_bytes -= done_with->bytes;
    *done_with = (Waiting){0};
    size_t expanded = node - waiting_from + 1u;
    if (expanded < MANY || expanded < waiting.count / 2)
        return;
    waiting.count -= expanded;
    memmove(waiting.at, waiting.at + expanded, waiting.count * sizeof *waiting.at);
    waiting_from += (uint32_t)expanded;
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
    stepping = thread;
    stepping_way = way;
    result->transitions++;
    elsewhere.made = elsewhere.failed = false;
    if (states_block_count || tickets_used) {
        elsewhere_step((int)thread, way, &elsewhere);
        states_restore(copy_of(expanding));
    }
    states_step((int)thread, way, &done);
    arrive(visited_set_of(expanding), false, &elsewhere);
}

/* Takes the steps from NODE, from at_thread and at_way on: a step that can't be followed ends in
 * finding_jump, and the others are taken all the same. */
static void expand(uint32_t node)
{
    const char *copy = copy_of(node);
    expanding = node;
    for (; at_thread <= states_threads; at_thread++, at_way = 0) {
        for (;;) {
            uint32_t t = at_thread, way = at_way++;
            states_restore(copy);
            stepping = t; /* should its request lead nowhere */
            stepping_way = 0;
            done = (StatesDone){.call = -1, .requests = 1};
            uint32_t ways = ways_on(t);
            if (way > ways || (way == ways && !states_buffers[t].count))
                break;
            if (way == ways)
                take_step(t, STATES_FLUSH);
            else if (states_thread[t].call != STATES_IDLE || may_begin(t, way))
                take_step(t, way);
        }
    }
    drop_copy(node);
    at_thread = states_first;
    at_way = 0;
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
    Vec(uint32_t) path = {0};
    for (uint32_t n = node; n != VISITED_NONE; n = visited_step(n).parent)
        vec_push(&path, n);
    result->script.count = result->calls.count = 0;
    for (size_t i = path.count; i-- > 0;) {
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
            expanding = node;
            stepping = NOBODY;
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
        expanding = node;
        stepping = NOBODY;
        op_violation(VIOLATION_DEADLOCK, NULL, "a thread waits for ever, whatever others do");
    }
    free(dead);
}

/* ---- the search ---- */

static uint64_t bytes_in_use(void)
{
    return visited_bytes() + progress_bytes() + sets_bytes() + serial_states_bytes() +
           part_bytes() + waiting_bytes * 3 / 2 + waiting.capacity * sizeof *waiting.at;
}

static void drop_copies(void)
{
    for (size_t i = 0; i < waiting.count; i++)
        free(waiting.at[i].copy);
    waiting.count = waiting_from = 0;
    waiting_bytes = 0;
}

static void begin(const SetsSpec *spec)
{
    drop_copies();
    visited_begin();
    progress_begin();
    growth.count = 0;
    result->transitions = result->refused = result->lagged = result->held = 0;
    result->complete = result->full = false;
    result->grows = 0;
    result->cut = 0;
    stepping = NOBODY;
    expanding = VISITED_NONE;
    at_thread = !client->program;
    at_way = 0;
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
    arrive(set, true, NULL);
}

/* From NODE on. True when all states are explored. */
static bool explore(uint32_t node)
{
    for (; node < visited_nodes(); node++) {
        if (node % POLL_EVERY == 0) {
            result->bytes = bytes_in_use();
            states_so_far = visited_states();
            if (explore_poll && explore_poll())
                return false;
            if (limits.bytes && result->bytes > limits.bytes / 10 * 9) {
                result->full = true;
                return false;
            }
            if (limits.nodes && visited_nodes() > limits.nodes)
                return false;
            if (node >= PLENTY && node % PLENTY == 0) {
                find_growth();
                if (result->grows)
                    return false;
            }
        }
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
    drop_copies();
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
    switch (setjmp(finding_jump) ? finding.kind : FINDING_RESTART) {
    case FINDING_RESTART:
        finding.kind = FINDING_NONE;
        begin(spec);
        result->complete = explore(0);
        break;
    case FINDING_UNSUPPORTED:
        if (!result->cut++)
            first_cut = finding;
        if (expanding != VISITED_NONE) { /* other steps may show a violation */
            finding.kind = FINDING_NONE;
            result->complete = explore(expanding);
        }
        break;
    default:
        write_script(expanding, stepping != NOBODY);
        end(finding.kind);
        return;
    }
    if (result->cut) {
        finding = first_cut;
        end(FINDING_UNSUPPORTED);
        return;
    }
    if (!result->complete)
        find_growth();
    else if (client->program)
        look_for_dead();
    else if (limits.stuck)
        look_for_stuck();
    if (result->complete && !limits.calls_end && !client->program)
        result->progress = progress_class(client->threads);
    end(FINDING_NONE);
}
