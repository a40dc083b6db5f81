#include "guest/explore/reduce/symmetry/alike.h"
#include "guest/explore/reduce/symmetry/groups.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/search/ops.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/search/frames.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/memory/cells.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/reduce/symmetry/pasts.h"
#include "guest/runtime/fiber.h"
#include "record/hooks.h"

AlikeState alikes;

static void begin(bool anew)
{
    static uint32_t of_others; /* alikes.most of earlier explorations */
    alikes.active = false;
    if (!anew) {
        of_others = alikes.most;
    }
    alikes.most = of_others;
}

static void begin_search(void)
{
    alikes.active = reduction_is_on(REDUCTION_symmetry) && options.checkpoints &&
                    options.preemptions < 0 && !options.schedules && !options.weak_cas &&
                    !options.check.all && !exploration.held && !alikes.names_matter &&
                    !facts_met[FACT_told_apart] && !hooks.graph_symmetry;
    pasts_begin(alikes.active && !frame_draws.draw && groups_are_known());
}

void alike_end(void)
{
    alikes.active = false;
    if (graphs.pasts_on)
        pasts_begin(false);
    rules_link();
}

void alike_refuse(void)
{
    facts_add(FACT_told_apart, 0, 1);
    finding_restart();
}

void op_note_identity(void)
{
    if (alikes.active && alikes.met && !ghost_runs() && fiber_current > 0 &&
        alike_has_others(fiber_current))
        alike_refuse();
}

void op_note_apart(unsigned thread)
{
    if (alikes.active && alikes.met && !ghost_runs() && thread && alike_has_others((int)thread))
        alike_refuse();
}

bool alike_has_others(int t)
{
    if (alike_before(t))
        return true;
    const Event *create = &pool[threads[t].create];
    if (create->thread || create->index + 1 >= threads[0].count)
        return false;
    const Event *next = thread_event(0, create->index + 1);
    return next->kind == EVENT_CREATE && next->test;
}

/* Is ENTRY of the log an access of main's to the program's memory after its event AFTER? */
static bool is_access_after(const LogEntry *entry, const Event *after)
{
    return !entry->dead && entry->thread == 0 && entry->tag == after->index + 1 &&
           (entry->kind == LOG_WRITE || entry->kind == LOG_READ);
}

/* Is it one to the variable that gets the name of the thread that AFTER creates? */
static bool is_of_name(const LogEntry *entry, const Event *after)
{
    return entry->kind == LOG_WRITE && (uintptr_t)entry->address - after->expected < 8;
}

/* Has main touched nothing but its own stack, and names of threads, since AFTER, its last event but
 * those that stand at TO in the log? */
static bool is_quiet(const Event *after, uint32_t to, uint32_t heap_used, uint32_t heap_count)
{
    if (heap_used != after->heap_used || heap_count != after->heap_count)
        return false;
    for (uint32_t i = to; i-- > after->log_position;)
        if (is_access_after(&undo_log[i], after) &&
            !(after->kind == EVENT_CREATE && is_of_name(&undo_log[i], after)))
            return false;
    return true;
}

/* Notes that one more thread is like LAST. */
static void note_one_more(int last, int next)
{
    alikes.ever |= thread_bit(last) | thread_bit(next);
    uint32_t count = 1;
    for (int t = last; t; t = alike_before(t))
        count++;
    alikes.most = MAX(alikes.most, count);
    if (!alikes.met) {
        alikes.met = true;
        rules_link();
    }
}

/* Main is about to create CHILD, and has said that it is like the thread before: is that true as
 * far as main is concerned? */
static bool is_next(int child)
{
    if (!alikes.active || facts_met[FACT_stacks_shared] & thread_bit(0) || !threads[0].count)
        return false;
    const Event *before = last_event(0);
    if (before->kind != EVENT_CREATE ||
        !is_quiet(before, undo_count, heap_cursor[0].used, heap_cursor[0].count))
        return false;
    if (!frame_draws.draw)
        groups_note((int)before->other, child);
    note_one_more((int)before->other, child);
    return true;
}

/* Has one of THESE threads touched the variable for the name that CREATE gave? */
static bool is_name_touched(const Event *create, ThreadSet these)
{
    uint32_t g = create->expected ? granules_find((void *)(uintptr_t)create->expected) : 0;
    for (uint32_t c = g ? granules[g].cells : 0; c; c = memory_cells[c].next)
        if (memory_cells[c].readers & these ||
            (memory_cells[c].has_write && these >> memory_cells[c].writer & 1))
            return true;
    return false;
}

/* Main's event number I is the first that joins one of THESE threads, which are alike: does main
 * touch nothing from there on until all of them are joined, and are their results the same to it?
 */
static bool are_joined_alike(int i, ThreadSet these)
{
    const Event *first = thread_event(0, i), *before = first;
    ThreadSet left = these;
    bool wanted = false;
    for (; left && i < threads[0].count; i++) {
        const Event *e = thread_event(0, i);
        if (e != first && !is_quiet(before, e->log_position, e->heap_used, e->heap_count))
            return false;
        if (e->kind == EVENT_END)
            return true;
        if (e->kind != EVENT_JOIN)
            return false;
        before = e;
        if (!(these >> e->other & 1))
            continue;
        left &= ~thread_bit(e->other);
        wanted |= e->test;
        if (wanted && last_event((int)e->other)->value != last_event((int)first->other)->value)
            return false;
    }
    return true;
}

/* All of THESE threads are alike; LAST was created last of them. */
static bool is_group_fine(ThreadSet these, int last)
{
    for (int t = last; t; t = alike_before(t))
        if (is_name_touched(&pool[threads[t].create], these))
            return false;
    for (int i = pool[threads[last].create].index + 1; i < threads[0].count; i++) {
        const Event *e = thread_event(0, i);
        if (e->kind == EVENT_JOIN && these >> e->other & 1)
            return are_joined_alike(i, these);
    }
    return true;
}

/* At the end of each execution that is explored: begins again if threads were told apart. */
static void check_end(void)
{
    ThreadSet these = 0;
    if (facts_met[FACT_stacks_shared] & thread_bit(0))
        alike_refuse();
    for (int i = 0; i < threads[0].count; i++) {
        const Event *e = thread_event(0, i);
        if (e->kind != EVENT_CREATE)
            continue;
        these = (e->test ? these : 0) | thread_bit(e->other);
        const Event *next = i + 1 < threads[0].count ? thread_event(0, i + 1) : NULL;
        bool ends = !next || next->kind != EVENT_CREATE || !next->test;
        if (ends && (these & (these - 1)) && !is_group_fine(these, (int)e->other))
            alike_refuse();
    }
}

/* ---- what the search asks ---- */

static void begin_graph(void)
{
    alikes.met = false;
}

static bool is_active(void)
{
    return alikes.active;
}

static bool has_met(void)
{
    return alikes.met;
}

const Rule alike_rule = {
    .begin = begin, .end = alike_end, .begin_graph = begin_graph, .begin_search = begin_search};
const Rule alike_active_rule = {.active = is_active, .like_last = is_next};
const Rule alike_met_rule = {.active = has_met, .finish = check_end};
