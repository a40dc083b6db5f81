/* explore.c: the loop. The present run goes on to its end, always with the same thread as long as
 * it can (lowest number first: main then joins as soon as it can); at the end the newest choice is
 * changed. See frames.h and revisit.h for what a choice is. */
#include "guest/explore/search/explore.h"
#include <stdio.h>
#include <string.h>
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/frames.h"
#include "guest/explore/search/meet.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/graph/models/missing.h"
#include "guest/explore/search/revisit.h"
#include "guest/explore/memory/spin.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/search/blocked.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/search/way.h"
#include "guest/explore/search/validate.h"
#include "guest/explore/memory/deferred.h"
#include "guest/runtime/fiber.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/image.h"

ExploreCounts counts;
ExplorationState exploration = {.poll_mask = 15};
SearchHooks search_hooks;
static unsigned leaves; /* since explore_begin: what depends on looks does so on the search alone */

void explore_begin(void)
{
    deferred_abandon();
    exploration.completes = false;
    rules_begin_graph();
    undo_to(0);
    if (!options.checkpoints || exploration.restarts) {
        image_restore();
        heap_restart();
        fiber_reset_storage();
    }
    frame_count = 0;
    memory_reset();
    graph_reset();
    checkpoint_reset();
    counts = exploration.earlier = (ExploreCounts){0};
    leaves = 0;
    blocks_incomplete = false;
    heap_cursor[0] = (HeapCursor){0, 0};
}

/* ---- the loop ---- */

static bool is_stalled(int t)
{
    return threads[t].live == LIVE_PENDING && threads[t].pending.kind == REQUEST_STALL;
}

/* The lowest of these threads, and one that stalls only if all of them do. */
static int next_thread(ThreadSet able)
{
    for (ThreadSet left = able; left; left &= left - 1)
        if (LIKELY(!is_stalled(thread_first(left))))
            return thread_first(left);
    return thread_first(able);
}

/* Those of the WAITING threads that wait for one that has ended. */
static inline ThreadSet able_to_join(ThreadSet waiting)
{
    ThreadSet able = 0;
    for (; waiting; waiting &= waiting - 1) {
        int child = blocked_joins(thread_first(waiting));
        if (child >= 0 && thread_can_be_joined(child))
            able |= waiting & -waiting;
    }
    return able;
}

/* Need main not run, as far as rules know, as long as others can? It does where somebody looks at
 * complete graphs, and where the way through the search is given. */
static inline bool main_rests(void)
{
    return threads[0].count && !exploration.on_complete && !frame_draws.draw &&
           !search_way.replaying && rules_main_rests();
}

/* The threads that can take a step. */
static ThreadSet runnable(void)
{
    ThreadSet there = threads_created & ~threads_ended, waiting = there & threads_waiting;
    ThreadSet able = there & ~waiting, main = thread_bit(0);
    bool rests = main_rests();
    if (rests) {
        ThreadSet others = (able & ~main) | able_to_join(waiting & ~main);
        if (others)
            return others;
    }
    able |= able_to_join(waiting);
    if (UNLIKELY(exploration.held != NULL))
        return able & ~exploration.held();
    return rests && able == main && rules_completes() ? 0 : able;
}

void explore_describe_deadlock(char *text, size_t bytes)
{
    char names[128] = "";
    size_t used = 0;
    ThreadSet waiting = threads_created & ~threads_ended;
    for (ThreadSet left = waiting; left && used < 100; left &= left - 1)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%d", used ? ", " : "",
                                 thread_first(left));
    bool several = (waiting & (waiting - 1)) != 0;
    snprintf(text, bytes, "thread%s %s wait%s for ever", several ? "s" : "", names,
             several ? "" : "s");
}

/* Does a thread that is stuck go round a loop, rather than wait in a call? */
static bool somebody_spins(void)
{
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        const Event *last = threads[t].count ? last_event(t) : NULL;
        if (last && last->waits == WAITS_BLOCKED && last->request != REQUEST_AWAIT)
            return true;
    }
    return false;
}

static void report_deadlock(void)
{
    char text[256];
    explore_describe_deadlock(text, sizeof text);
    findings.self = -1;
    if (somebody_spins())
        op_violation(VIOLATION_LIVELOCK, NULL, "%s: what they look at in a loop never changes",
                     text);
    op_violation(VIOLATION_DEADLOCK, NULL, "%s", text);
}

static bool program_ended(void)
{
    for (ThreadSet left = threads_ended; left; left &= left - 1)
        if (last_event(thread_first(left))->success_order)
            return true;
    return false;
}

/* Nothing can run any more. When the program has ended by itself, threads may wait for ever. (One
 * that waits for what is there already goes on in another execution, of which this is a part: since
 * what comes after the end could have come before it, each one is followed until nothing can run.)
 */
static bool is_complete(void)
{
    if (!(threads_created & ~threads_ended) || exploration.completes)
        return true;
    return program_ended() && blocked_is_stuck();
}

/* Does a thread wait in the runtime for what is already there? A read that waits is freed by the
 * revisit of the write that ends its wait, and by later ones. The branch in which it was not freed
 * yet serves these; it ends with a thread that waits for nothing: the beginning of an execution
 * that is counted elsewhere, not one that is blocked. (Never stuck: the read does not see the last
 * value.) So is one in which a thread waits that has another way (operations_goes_on). */
static bool somebody_is_held_back(void)
{
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        const Event *last = threads[t].count ? last_event(t) : NULL;
        if (!last || last->waits != WAITS_BLOCKED || last->request != REQUEST_AWAIT)
            continue;
        const Location *x = &locations[last->location];
        EventId newest = x->co[x->writes - 1];
        if (operations_goes_on((AwaitTest)last->test) ||
            graph_test_holds_for(last, write_value(newest, x), graph_value_high(newest, x)))
            return true;
    }
    return false;
}

/* Notes that a thread waits for ever while the program ends by itself: nobody joins it. */
static void note_left_waiting(void)
{
    ThreadSet left = threads_created & ~threads_ended;
    if (LIKELY(!left) || exploration.waits_pc || exploration.completes || blocked_by_time())
        return;
    int t = thread_first(left);
    if (blocked_joins(t) >= 0)
        exploration.waits_pc = (uintptr_t)threads[t].pending.pc;
    else if (threads[t].count)
        exploration.waits_pc = (uintptr_t)last_event(t)->pc;
}

void explore_leaf(void)
{
    findings.self = -1; /* what is found now is no thread's doing */
    bool complete = is_complete();
    if (options.preemptions >= 0 && (complete || blocked_is_stuck()) && search_hooks.beyond()) {
        counts.left_out++;
        return;
    }
    if (UNLIKELY(graphs.validates))
        model_validate();
    if (complete) {
        counts.executions++;
        note_left_waiting();
        if (exploration.on_complete)
            exploration.on_complete();
        if (!exploration.completes)
            rules_complete();
        return;
    }
    if (somebody_is_held_back()) {
        counts.dead_ends++;
        return;
    }
    counts.blocked++;
    if (blocked_is_stuck() && !rules_doubts()) {
        if (blocked_by_time()) {
            explore_count_cut();
            return;
        }
        counts.stuck++;
        if (exploration.on_stuck)
            exploration.on_stuck();
        else if (!options.keep_going)
            report_deadlock();
    }
}

static bool backtrack(void)
{
    do {
        if (!frames_backtrack(exploration.floor))
            return false;
    } while (rules_all_copies()); /* nothing below is new */
    if (UNLIKELY(graphs.validates))
        validate_step();
    return true;
}

/* The threads that wait, but not for others to end. */
static ThreadSet blocked_threads(void)
{
    ThreadSet blocked = 0;
    for (ThreadSet left = threads_waiting & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        if (threads[t].count && last_event(t)->waits == WAITS_BLOCKED)
            blocked |= left & -left;
    }
    return blocked;
}

/* Is there a thread that nothing can free any more? */
static bool is_hopeless(void)
{
    ThreadSet blocked = blocked_threads(), joining = 0;
    if (LIKELY(!blocked)) /* main often waits, for its threads */
        return false;
    ThreadSet able = runnable();
    for (ThreadSet left = threads_waiting & ~threads_ended & ~able; left; left &= left - 1)
        if (blocked_joins(thread_first(left)) >= 0)
            joining |= left & -left;
    for (ThreadSet left = blocked; left; left &= left - 1) {
        int t = thread_first(left);
        if (rules_is_hopeless(t, able, joining))
            return true;
    }
    return false;
}

/* Nothing can run any more: would the graph have been left before, had a thread been run last that
 * waits for another one to end? The order in which a rule (`next`) lets threads run decides whether
 * they are known to wait, so it must not show in the counts. */
static bool is_left_anyway(void)
{
    return threads_waiting && !is_complete() && !blocked_is_stuck() && is_hopeless();
}

/* After a step of a probe, or on the way to a unit: true if another thread is to be chosen, because
 * a frame was advanced more than once or the way is at its end. */
static bool follow_way(Met step, bool *over)
{
    *over = frame_draws.draw && step == MET_BACKTRACK; /* a probe ends there */
    if (frame_draws.draw) {
        bool skipped = search_way.skipped;
        search_way.skipped = false;
        return *over || skipped;
    }
    if (search_way.arrived) {
        search_way.on_arrival();
        *over = !backtrack();
        return true;
    }
    if (step == MET_BACKTRACK)
        way_refuse();
    if (!search_way.skipped)
        return false;
    search_way.skipped = false;
    return true;
}

/* At leaves, and now and then in long stretches without any: the tool must see progress, and be
 * heard. */
static bool is_stopped(void)
{
    if (exploration.must_end || (exploration.poll && exploration.poll())) {
        if (search_hooks.stopped)
            search_hooks.stopped();
        exploration.stopped = true;
        return true;
    }
    return search_hooks.polls_left && --search_hooks.polls_left == 0 && search_hooks.look();
}

/* Nothing can run any more, in a graph that is no copy. */
static void finish_execution(void)
{
    rules_finish();
    explore_leaf();
    image_end();
}

static bool probe_is_complete; /* did the last leaf end an execution? */

static void search_on(void)
{
    int t = -1;
    bool stays = true; /* T runs on until it waits: no rule has chosen it */
    uint64_t cut_branches = 0;
    rules_begin_search();
    rules_link();
    const bool is_ordered = rules.next[0] != NULL;
    const bool cuts = rules.is_hopeless[0] && !options.follow_hopeless && !exploration.held;
    spin.may_stall = options.checkpoints && !exploration.held;
    for (;;) {
        if (UNLIKELY(checkpoints.outdated))
            checkpoint_replay_all();
        ThreadSet able = t < 0 || !stays ? runnable() : thread_bit(t);
        bool leaf = !able;
        if (UNLIKELY(search_way.replaying) && leaf)
            way_refuse();
        if (UNLIKELY(search_way.depth) && way_leave(leaf)) {
            if (!backtrack())
                return;
            t = -1;
            continue;
        }
        if (leaf || (cuts && threads_waiting && is_hopeless())) {
            uint64_t blocked = counts.blocked;
            bool copy = leaf && rules_is_copy();
            probe_is_complete = leaf && is_complete() && !copy;
            if (UNLIKELY(frame_draws.draw != NULL))
                return;
            if (leaf)
                rules_leaf();
            if (copy)
                counts.dead_ends++;
            else if (leaf && !(is_ordered && cuts && is_left_anyway()))
                finish_execution();
            exploration.completes = false;
            rules_end_graph();
            if (counts.blocked > blocked)
                rules_blocked_graph();
            /* looking up costs more than a short execution: not at every one */
            if (((leaves++ & exploration.poll_mask) == 0 || search_hooks.hurries) && is_stopped())
                return;
            if (!backtrack())
                return;
            t = -1;
            continue;
        }
        /* whether a lower thread is known to wait depends on what ran before, so it must not count
         */
        if (is_ordered && (t < 0 || !stays)) {
            t = rules_next(able);
            stays = (t < 0 || is_stalled(t)) && !is_stalled(thread_first(able));
            if (t < 0 || is_stalled(t))
                t = next_thread(able);
        }
        if (t < 0)
            t = next_thread(able);
        findings.self = t;
        frames_note_run(t);
        checkpoint_resume(t);
        Met step = meet_request(t);
        if (UNLIKELY(rules.shows_copy[0] != NULL) && step != MET_BACKTRACK && threads[t].count &&
            IS_ACCESS(last_event(t)->kind) && rules_shows_copy(t))
            step = MET_BACKTRACK;
        bool over;
        if (UNLIKELY(search_way.replaying || frame_draws.draw) && follow_way(step, &over)) {
            if (over)
                return;
            t = -1;
            continue;
        }
        if (UNLIKELY(graphs.validates) && step != MET_BACKTRACK)
            validate_step();
        if (step == MET_BACKTRACK) {
            if ((++cut_branches & 1023) == 0) {
                rules_cut_branches(1024);
                if (is_stopped())
                    return;
            }
            if (!backtrack())
                return;
            t = -1;
        } else if (step == MET_WAITS || (threads_waiting >> t & 1) ||
                   (exploration.held && request.kind == REQUEST_CHOOSE)) {
            t = -1;
        }
    }
}

void explore_search(void)
{
    DEBUG_ASSERT(exploration.floor <= frame_count);
    search_on();
    if (!frame_draws.draw && !exploration.stopped && rules_end_search())
        exploration.stopped = true;
}

bool explore_probe(void)
{
    ExploreCounts kept = counts;
    probe_is_complete = false;
    explore_search();
    counts = kept;
    return probe_is_complete;
}
