#include "guest/explore/search/frames.h"
#include "guest/explore/graph/load_buffering.h"
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/graph/models/missing.h"
#include "guest/explore/graph/models/model.h"
#include "guest/explore/search/revisit.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/search/blocked.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/search/way.h"
#include "guest/explore/search/validate.h"
#include "guest/runtime/pages.h"

Frame *frames;
int frame_count;
FrameDraws frame_draws;

void frames_setup(void)
{
    frames = (Frame *)pages_reserve(sizeof(Frame) * (MAX_EVENTS + 1)) + 1;
}

static void mark(Frame *f)
{
    f->order_mark = order_count;
    f->pool_mark = pool_top;
    f->snapshot_mark = checkpoints.top;
    f->log_mark = undo_count;
}

/* Graph, memory and threads as they were when frame I was marked. */
static void truncate_to(int i)
{
    DEBUG_ASSERT(i >= 0 && i < frame_count);
    const Frame *f = &frames[i];
    graph_remove_last(f->order_mark);
    pool_top = f->pool_mark;
    checkpoints.top = f->snapshot_mark;
    if (undo_count > f->log_mark || UNLIKELY(undo_stack_written))
        undo_to(f->log_mark);
    checkpoint_note_cut();
    /* a thread that ran since has a newer stack, even if it added no event */
    for (ThreadSet left = threads_created & f->ran; left; left &= left - 1) {
        int t = thread_first(left);
        threads[t].live = LIVE_NO;
        if (!threads[t].count)
            threads_waiting &= ~thread_bit(t);
        uint32_t pending = threads[t].count ? last_event(t)->pending_from : threads[t].pending_from;
        if (pending) /* it stays: a revisit that ends may bring such entries back to life */
            undo_unrun(t, pending - 1);
    }
    if (UNLIKELY(graphs.validates))
        frames_validate_cut(i);
    if (UNLIKELY(facts_met[FACT_stacks_shared]))
        checkpoint_restore_shared();
}

/* Drops the newest frame with its event. */
static void pop_frame(void)
{
    DEBUG_ASSERT(frame_count > 0);
    const Frame *f = &frames[--frame_count];
    frames[frame_count - 1].ran |= f->ran;
    graph_remove_last(f->order_mark - 1);
    pool_top = f->event;
}

Event *explore_add_rmw_write(Event *read)
{
    DEBUG_ASSERT(read == last_event(read->thread));
    Event *w = graph_add(read->thread, EVENT_WRITE);
    w->location = read->location;
    w->size = read->size;
    w->order = read->order;
    w->request = read->request;
    w->plain = read->plain;
    w->pc = read->pc;
    w->rmw = 1;
    w->part = read->part;
    w->merge = read->merge;
    if (UNLIKELY(read->merge)) {
        w->order = w->success_order = read->success_order;
        w->locked = read->locked;
    }
    w->rf = read->rf;
    w->snapshot = read->snapshot;
    w->snapshot_bytes = read->snapshot_bytes;
    w->log_position = read->log_position;
    w->heap_used = read->heap_used;
    w->heap_count = read->heap_count;
    w->value = graph_rmw_value(read, &pool_extra[event_id(w)].value_high);
    return w;
}

/* READ has its value. A read-modify-write goes on with its write; a wait that is not over blocks.
 */
static bool after_read(Event *read)
{
    buffering_note_read(read);
    if (read->rmw) {
        Event *w = explore_add_rmw_write(read);
        threads_waiting &= ~thread_bit(read->thread); /* what waited after another value goes on */
        return frames_write(w, read);
    }
    if (read->request == REQUEST_AWAIT && !graph_test_holds(read)) {
        read->waits = WAITS_BLOCKED;
        read->wait_from = read->index;
        read->settled = 0;
    }
    bool goes_on = !read->dooms || blocked_enter(read->thread, read->wait_from);
    graph_sync_thread(read->thread);
    explore_check_read(read);
    return goes_on;
}

/* WRITE has a place that is consistent: so is the read that it belongs to, which is checked now. */
static void check_placed(const Event *write)
{
    if (write->rmw)
        explore_check_read(thread_event(write->thread, write->index - 1));
}

/* An await need not read an old value that does not end it: such a read is not maximal, so nothing
 * could ever revisit it. */
static bool is_pointless(const Event *read, const Location *x, int position)
{
    if (read->request != REQUEST_AWAIT || position == x->writes - 1)
        return false;
    EventId w = x->co[position];
    return !graph_test_holds_for(read, write_value(w, x), graph_value_high(w, x));
}

/* Would T, with a phantom as its last event, not be cut by blocked_enter? */
static bool phantom_is_useful(int t)
{
    const Event *r = blocked_last_read(t);
    return !r || blocked_was_maximal(r);
}

/* A compare-exchange that confirms, of which another RMW has taken the write: F->low is that write,
 * F->cursor the index of the read that is confirmed. */
static bool advance_confirm(Frame *f)
{
    Event *e = &pool[f->event];
    if (f->position == 0) { /* its write has no place: it can only revisit */
        f->position = 1;
        e->spurious = 0;
        graph_set_rf(e, (EventId)f->low);
        if (after_read(e))
            return true;
    }
    if (f->position == 1) { /* a phantom */
        f->position = 2;
        e->spurious = 1;
        graph_set_rf(e, (EventId)f->low);
        if (phantom_is_useful(e->thread)) {
            e->waits = WAITS_BLOCKED;
            e->wait_from = (EventIndex)f->cursor;
            e->settled = 0;
            graph_sync_thread(e->thread);
            return !rules_is_lost(e->thread);
        }
    }
    return false;
}

static bool advance_read(Frame *f)
{
    Event *e = &pool[f->event];
    const Location *x = &locations[e->location];
    if (UNLIKELY(e->confirms))
        return advance_confirm(f);
    for (;;) {
        if (f->spurious) { /* the value fitted: now the spurious failure */
            f->spurious = 0;
            e->spurious = 1;
        } else {
            if (f->position < f->low)
                return false;
            int p = f->position--;
            if (is_pointless(e, x, p))
                continue;
            e->spurious = 0;
            e->rf = x->co[p];
        }
        graph_set_rf(e, e->rf);
        if (e->weak && e->rmw)
            f->spurious = 1;
        if (rf_position(e) < x->writes - 1 && !model_consistent(e, NULL))
            continue;
        if (after_read(e))
            return true;
    }
}

/* Puts the write of F at its next place. */
static bool place_write(Frame *f, Event *revisited)
{
    Event *e = &pool[f->event];
    Location *x = &locations[e->location];
    if (e->co >= 0)
        graph_remove_co(x, f->event);
    while (f->position >= f->low) {
        int p = f->position--;
        if (graph_splits_rmw(x, p))
            continue;
        graph_insert_co(x, p, f->event);
        if (p == x->writes - 1 || model_consistent(e, revisited)) {
            check_placed(e);
            return true;
        }
        graph_remove_co(x, f->event);
    }
    return false;
}

/* The next older read that the write may revisit; false if there is none. */
static bool find_revisit(Frame *f)
{
    const Event *const all = pool, *e = &all[f->event];
    const EventId *ids = order;
    for (int i = f->cursor; i >= 0; i--) {
        const Event *d = &all[ids[i]];
        if (in_prefix(d, e) || d->kind == EVENT_END || d->kind == EVENT_JOIN)
            continue; /* the latter two are always maximal */
        if (!revisit_is_maximal(d, e))
            break;
        if (d->kind == EVENT_READ && d->location == e->location && !d->confirms &&
            !(UNLIKELY(d->returns) && rules_is_useless(d, e->value)) &&
            !(e->rmw && revisit_breaks_rmw(e, d))) {
            f->cursor = i;
            return true;
        }
    }
    f->cursor = -1;
    return false;
}

/* Bounds on the write's place while READ reads from it: its own, and those of the read before the
 * new synchronisation. */
static void bound_revisit(Frame *f, const Event *read)
{
    const Event *e = &pool[f->event];
    const Location *x = &locations[e->location];
    Clock before_read;
    if (read->index)
        clock_copy(&before_read, &thread_event(read->thread, read->index - 1)->hb);
    else if (read->thread)
        clock_copy(&before_read, &pool[threads[read->thread].create].hb);
    else
        before_read = (Clock){{0}};
    before_read.at[read->thread] = (ClockEntry)read->index;
    int own = graph_lower_bound(x, &e->hb, e), other = graph_lower_bound(x, &before_read, read);
    f->low = MAX(own, other) + 1;
    f->position = x->writes;
    if (e->rmw) { /* directly after what it read, or not at all */
        int p = (e->rf ? pool[e->rf].co : 0) + 1;
        f->position = p < f->low ? -1 : p;
        f->low = MAX(p, f->low);
    }
}

/* The graph as it was before the revisit that F is in. */
static void end_revisit(Frame *f)
{
    revisit_end();
    f->revisiting = 0;
    mark(f);
    pool_top = f->pool_mark = f->event + 1;
}

static bool advance_write(Frame *f)
{
    Event *e = &pool[f->event];
    if (f->stage == 0) {
        if (place_write(f, NULL))
            return true;
        f->stage = 1;
        f->cursor = order_count - 2;
    }
    for (;;) {
        if (f->revisiting) {
            Event *read = &pool[f->copy];
            if (f->spurious && e->co >= 0) { /* same place, the read fails spuriously */
                f->spurious = 0;
                read->spurious = 1;
                graph_set_rf(read, f->event);
                if (after_read(read))
                    return true;
            }
            read->spurious = 0;
            while (place_write(f, read)) {
                graph_set_rf(read, f->event);
                f->spurious = read->weak && read->rmw;
                if (after_read(read))
                    return true;
            }
            end_revisit(f);
        }
        if (!find_revisit(f))
            return false;
        Event *read = revisit_begin(f->cursor--, f->event);
        f->copy = event_id(read);
        f->revisiting = 1;
        f->spurious = 0;
        bound_revisit(f, read);
        mark(f);
    }
}

static bool advance_choice(Frame *f)
{
    Event *e = &pool[f->event];
    if (f->position >= (int)e->other)
        return false;
    e->value = (uint64_t)f->position++;
    e->waits = WAITS_NOT;
    e->kept = 0;
    graph_sync_thread(e->thread);
    return true;
}

static bool advance(Frame *f)
{
    switch (pool[f->event].kind) {
    case EVENT_READ:
        return advance_read(f);
    case EVENT_WRITE:
        return advance_write(f);
    default:
        return advance_choice(f);
    }
}

/* Frame I is on the way to a unit: advances it as often as it was. A frame that is made inside
 * `advance` (the write of an RMW) is on the way only during the last advance of its parent, and
 * only if the way does not end with its parent: a unit may be cut between the two. */
__attribute__((noinline)) static bool begin_again(int i)
{
    ASSERT(i < search_way.length);
    Frame *f = &frames[i];
    uint32_t wanted = search_way.taken[i];
    for (;;) {
        search_way.next_frame = f->taken + 1 == wanted && i + 1 < search_way.length ? i + 1 : -1;
        if (!advance(f)) {
            if (f->taken) /* the first one may well fail: then it did so before */
                way_refuse();
            search_way.next_frame = i;
            pop_frame();
            return false;
        }
        if (++f->taken == wanted)
            break;
        search_way.skipped = true;
        frames_drop(i + 1);
        truncate_to(i);
    }
    if (i + 1 == search_way.length)
        search_way.arrived = true;
    return true;
}

/* Frame I begins with the alternative that frame_draws.draw chooses. */
__attribute__((noinline)) static bool begin_drawn(int i)
{
    uint32_t (*choose)(uint32_t) = frame_draws.draw, count = 0, chosen;
    Frame start = frames[i];
    frame_draws.draw = NULL; /* frames inside `advance` are on the way only during the last one */
    while (advance(&frames[i])) {
        count++;
        frames_drop(i + 1);
        truncate_to(i);
    }
    if (!count) {
        frame_draws.draw = choose;
        pop_frame();
        return false;
    }
    truncate_to(i);
    frames[i] = start;
    chosen = choose(count);
    frame_draws.tried += count + chosen;
    for (uint32_t k = 1; k <= chosen; k++) {
        frame_draws.draw = k == chosen ? choose : NULL;
        ASSERT(advance(&frames[i]));
        if (k == chosen)
            break;
        search_way.skipped = true;
        frames_drop(i + 1);
        truncate_to(i);
    }
    return true;
}

static bool begin(Frame *f)
{
    mark(f);
    if (UNLIKELY(search_way.replaying) && search_way.next_frame == (int)(f - frames))
        return begin_again(search_way.next_frame);
    if (UNLIKELY(frame_draws.draw != NULL))
        return begin_drawn((int)(f - frames));
    if (advance(f)) {
        f->taken = 1;
        return true;
    }
    pop_frame();
    return false;
}

ConfirmResult frames_confirm(Event *e, const Event *first)
{
    DEBUG_ASSERT(e->kind == EVENT_READ && order[order_count - 1] == event_id(e) &&
                 first->location == e->location);
    Location *x = &locations[e->location];
    int low = graph_lower_bound(x, &e->hb, e), p = rf_position(first);
    graph_add_read(x, event_id(e));
    e->confirms = 1;
    graph_set_rf(e, first->rf);
    if (p < low || (p < x->writes - 1 && !model_consistent(e, NULL))) {
        EventId id = event_id(e);
        checkpoints.top = e->snapshot;
        graph_remove_last(order_count - 1);
        pool_top = id;
        return CONFIRM_WAITS;
    }
    if (!e->rmw || !graph_splits_rmw(x, p + 1))
        return after_read(e) ? CONFIRM_ON : CONFIRM_NOT;
    Frame *f = &frames[frame_count++];
    *f = (Frame){.event = event_id(e), .low = (int)first->rf, .cursor = first->index};
    return begin(f) ? CONFIRM_ON : CONFIRM_NOT;
}

bool frames_read(Event *e)
{
    DEBUG_ASSERT(e->kind == EVENT_READ && order[order_count - 1] == event_id(e));
    Location *x = &locations[e->location];
    int low = graph_lower_bound(x, &e->hb, e);
    graph_add_read(x, event_id(e));
    if (UNLIKELY(facts_met[FACT_blocks]) && model_synchronises_by_order(options.model))
        missing_note_access(e);
    if (low == x->writes - 1 && !e->weak) { /* one candidate: no frame */
        graph_set_rf(e, x->co[low]);
        return after_read(e);
    }
    Frame *f = &frames[frame_count++];
    *f = (Frame){.event = event_id(e), .position = x->writes - 1, .low = low};
    return begin(f);
}

/* Are all events of these threads before E? */
static bool is_after_all(const Event *e, ThreadSet left)
{
    for (; left; left &= left - 1)
        if (e->porf.at[thread_first(left)] < threads[thread_first(left)].count)
            return false;
    return true;
}

static bool has_reads_to_revisit(const Location *x, const Event *write)
{
    if (x->reads > MAX_THREADS && is_after_all(write, x->readers & threads_created))
        return false;
    for (int j = 0; j < x->reads; j++)
        if (!in_prefix(&pool[x->read[j]], write))
            return true;
    return false;
}

bool frames_write(Event *e, const Event *read)
{
    DEBUG_ASSERT(e->kind == EVENT_WRITE && e->co < 0 && order[order_count - 1] == event_id(e));
    Location *x = &locations[e->location];
    graph_set_release(e, read);
    buffering_note_write(e);
    if (UNLIKELY(facts_met[FACT_blocks]) && model_synchronises_by_order(options.model)) {
        missing_note_write(e);
        missing_note_access(e);
    }
    int low, high;
    if (read) {
        low = high = rf_position(read) + 1;
    } else {
        low = graph_lower_bound(x, &e->hb, e) + 1;
        high = x->writes;
    }
    if (low == x->writes && !has_reads_to_revisit(x, e)) { /* one place, nothing to revisit */
        graph_insert_co(x, low, event_id(e));
        check_placed(e);
        return true;
    }
    Frame *f = &frames[frame_count++];
    *f = (Frame){.event = event_id(e), .position = high, .low = low};
    return begin(f);
}

bool frames_choose(Event *e)
{
    DEBUG_ASSERT(e->kind == EVENT_CHOOSE && e->other && order[order_count - 1] == event_id(e));
    Frame *f = &frames[frame_count++];
    *f = (Frame){.event = event_id(e), .position = 0};
    return begin(f);
}

bool frames_backtrack(int floor)
{
    DEBUG_ASSERT(floor >= 0 && floor <= frame_count);
    while (frame_count > floor) {
        int i = frame_count - 1;
        truncate_to(i);
        if (advance(&frames[i])) {
            frames[i].taken++;
            frame_draws.lowest = MIN(frame_draws.lowest, i);
            if (options.preemptions < 0 || !search_hooks.leads_beyond())
                return true;
            counts.left_out += way_owns();
            continue; /* the next alternative of the newest frame, which may be a new one */
        }
        frame_count = i + 1;
        pop_frame();
    }
    return false;
}

int frames_oldest_open(int floor)
{
    for (int i = floor; i < frame_count; i++) {
        const Frame *f = &frames[i];
        const Event *e = &pool[f->event];
        bool open = e->kind == EVENT_READ && e->confirms ? f->position < 2
                    : e->kind == EVENT_READ              ? f->position >= f->low || f->spurious
                    : e->kind == EVENT_WRITE
                        ? f->stage == 0 || f->cursor >= 0 || f->position >= f->low
                        : f->position < (int)e->other;
        if (open)
            return i;
    }
    return -1;
}

unsigned frames_alternatives(int i)
{
    const Frame *f = &frames[i];
    const Event *e = &pool[f->event];
    int places = MAX(0, f->position - f->low + 1);
    switch (e->kind) {
    case EVENT_READ:
        return (unsigned)(places + f->spurious);
    case EVENT_WRITE: { /* each older read of the location may be revisited */
        int reads = f->stage == 0 || f->cursor >= 0 ? locations[e->location].reads : 0;
        return (unsigned)(places + reads);
    }
    default:
        return (unsigned)MAX(0, (int)e->other - f->position);
    }
}

void frames_drop(int count)
{
    DEBUG_ASSERT(count >= 0);
    while (frame_count > count) {
        Frame *f = &frames[frame_count - 1];
        Event *e = &pool[f->event];
        truncate_to(frame_count - 1);
        if (f->revisiting) {
            if (e->co >= 0)
                graph_remove_co(&locations[e->location], f->event);
            end_revisit(f);
        }
        pop_frame();
    }
}
