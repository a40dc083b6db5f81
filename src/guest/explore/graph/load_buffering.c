/* load_buffering.c: the criterion as doc/proofs/load_buffering.md states it. A write w is added. It
 * fires if a read r of w's location, in another thread and not of a read-modify-write, is in the
 * porf prefix of w, and
 *   1. a write z of r's thread after r, no release and with no fence between, is read by another
 *      thread on the way to w;
 *   2. r does not come before w in o+;
 *   3. no write of r's thread to the location after r was read before w in happens-before.
 * o = rfe U bob U rmw U [W of an RMW];rfi;[R acquire]
 * bob = po;[W release] U [R acquire];po U po;[F] U [F];po U [W release];po-same-location;[W]
 * where creation, joining and ending count as fences. Happens-before implies o+, so clocks decide
 * nearly always. */
#include "guest/explore/graph/load_buffering.h"
#include <string.h>
#include "guest/explore/graph/promises.h"
#include "guest/runtime/pages.h"

BufferingState buffering;

static bool acquires(const Event *e)
{
    return e->kind == EVENT_READ && is_acquire(e->order) && !is_not_atomic(e);
}

static bool releases(const Event *e)
{
    return e->kind == EVENT_WRITE && is_release(e->order) && !is_not_atomic(e);
}

/* Is E the load of a pair of exclusive accesses? Stores behind it come after it. */
static bool is_exclusive(const Event *e)
{
    return e->request == REQUEST_RMW || e->request == REQUEST_CAS;
}

/* Everything before it in its thread comes before everything behind it. */
static bool is_barrier(const Event *e)
{
    return e->kind == EVENT_FENCE || e->kind == EVENT_CREATE || e->kind == EVENT_JOIN ||
           e->kind == EVENT_END;
}

/* ---- what comes before an event in o+ ---- */

static EventId *stack;
static uint8_t *visited; /* by event; all 0 between searches */
static EventId *entered; /* those that are not */
static unsigned stack_top, entered_count;

static void visit(EventId id)
{
    if (!id || visited[id])
        return;
    visited[id] = 1;
    entered[entered_count++] = id;
    stack[stack_top++] = id;
}

/* Visits the events of its thread that come before E by bob. */
static void visit_thread(const Event *e)
{
    bool all = releases(e) || is_barrier(e);
    for (int i = 0; i < e->index; i++) {
        const Event *p = thread_event(e->thread, i);
        if (all || is_barrier(p) || acquires(p) ||
            (e->kind == EVENT_WRITE && releases(p) && p->location == e->location))
            visit(event_id(p));
    }
}

/* Visits the write that READ reads from, if that comes before it in o. */
static void visit_source(const Event *read)
{
    const Event *w = &pool[read->rf];
    if (w->thread != read->thread || (w->rmw && acquires(read)))
        visit(read->rf);
}

static void visit_before(const Event *e)
{
    visit_thread(e);
    if (e->kind == EVENT_WRITE && e->rmw)
        visit(event_id(thread_event(e->thread, e->index - 1)));
    if (e->kind == EVENT_READ && e->rf)
        visit_source(e);
}

/* Does R come before W in o+? */
static bool is_ordered(const Event *r, const Event *w)
{
    if (!stack) {
        stack = pages_reserve(sizeof *stack * MAX_EVENTS);
        entered = pages_reserve(sizeof *entered * MAX_EVENTS);
        visited = pages_reserve(MAX_EVENTS);
    }
    bool found = false;
    stack_top = entered_count = 0;
    visit(event_id(w));
    while (stack_top && !found) {
        const Event *e = &pool[stack[--stack_top]];
        found = e == r;
        if (!found)
            visit_before(e);
    }
    while (entered_count)
        visited[entered[--entered_count]] = 0;
    return found;
}

/* ---- the criterion ---- */

/* Returns the read by which another thread than Z's has seen Z on the way to W, or NULL. */
static const Event *reader_before(const Event *z, const Event *w)
{
    const Location *x = &locations[z->location];
    for (int j = 0; j < x->reads; j++) {
        const Event *q = &pool[x->read[j]];
        if (q->rf == event_id(z) && q->thread != z->thread && in_prefix(q, w))
            return q;
    }
    return NULL;
}

static bool is_later_write(const Event *z, const Event *r)
{
    return z->thread == r->thread && z->index > r->index;
}

/* Is 3 not so? */
static bool is_overwritten(const Event *r, const Event *w)
{
    const Location *x = &locations[r->location];
    for (int j = 0; j < x->reads; j++) {
        const Event *q = &pool[x->read[j]];
        if (q->rf && q != r && is_later_write(&pool[q->rf], r) && before(q, &w->hb))
            return true;
    }
    return false;
}

static void note_cycle(const Event *r, const Event *z, const Event *reader, const Event *w)
{
    if (UNLIKELY(promises.collects)) {
        promises_note(r, w);
        return;
    }
    buffering.seen |= BUFFERING_READ;
    buffering.is_sought = false; /* that is the answer */
    buffering.cycle[0] = r->pc;
    buffering.cycle[1] = z->pc;
    buffering.cycle[2] = reader->pc;
    buffering.cycle[3] = w->pc;
}

/* R and what follows in its thread up to event number END is in the prefix of W, and R does not
 * happen before W. */
static void check_read(const Event *r, int end, const Event *w)
{
    for (int i = r->index + 1; i < end; i++) {
        const Event *z = thread_event(r->thread, i), *reader;
        if (is_barrier(z))
            return;
        if (z->kind != EVENT_WRITE || releases(z) || !(reader = reader_before(z, w)))
            continue;
        if (!is_ordered(r, w) && !is_overwritten(r, w))
            note_cycle(r, z, reader, w);
        return;
    }
}

/* W knows more of thread T than what happens before it: from event number FROM up to END. (An
 * acquire load is ordered before all that follows by bob.) */
static void check_thread(int t, int from, int end, const Event *w)
{
    for (int i = from; i < end && buffering.is_sought; i++) {
        const Event *r = thread_event(t, i);
        if (UNLIKELY(r->location == w->location && r->kind == EVENT_READ) && !is_not_atomic(r) &&
            !acquires(r) && !is_exclusive(r))
            check_read(r, end, w);
    }
}

/* Is WRITE not ordered after what its thread has read before? */
static bool is_loose(const Event *write)
{
    if (releases(write) || is_not_atomic(write))
        return false;
    for (int i = write->index - 1; i >= 0; i--) {
        const Event *e = thread_event(write->thread, i);
        if (is_barrier(e))
            return false;
        if (e->kind == EVENT_READ && !is_not_atomic(e))
            return true;
    }
    return false;
}

/* May WRITE, which is loose, overtake a load before it? Exclusive loads come before it. */
static bool is_late(const Event *write)
{
    for (int i = write->index - 1; i >= 0; i--) {
        const Event *e = thread_event(write->thread, i);
        if (is_barrier(e))
            return false;
        if (e->kind == EVENT_READ && !is_not_atomic(e) && !acquires(e) && !is_exclusive(e))
            return true;
    }
    return false;
}

static void note_read(const Event *e)
{
    if (e->kind != EVENT_READ || acquires(e) || is_not_atomic(e))
        return;
    if (e->request != REQUEST_LOAD)
        buffering.exclusive |= thread_bit(e->thread);
    if (!is_exclusive(e))
        buffering.early |= thread_bit(e->thread);
}

/* W is the first loose write of its thread in any graph. From now on each read of that thread is
 * noted when it is added; those that are there already are noted now. */
static void begin_thread(const Event *w)
{
    buffering.loose |= thread_bit(w->thread);
    for (int i = 0; i < w->index; i++)
        note_read(thread_event(w->thread, i));
}

/* W is added: what comes before it by creation or joining, so that porf may go on through it? */
static void note_leads(const Event *w)
{
    ThreadSet ended = threads_ended & ~buffering.leads;
    for (int t = w->thread; !(buffering.leads & thread_bit(t));
         t = pool[threads[t].create].thread) {
        buffering.leads |= thread_bit(t);
        if (!t)
            break;
    }
    for (; ended; ended &= ended - 1)
        if (before(last_event(thread_first(ended)), &w->hb))
            buffering.leads |= ended & -ended;
}

/* A load is overtaken by a loose write: its thread has made both, if only in another graph. */
void buffering_check_write(const Event *w)
{
    if (is_not_atomic(w))
        return;
    ThreadSet me = thread_bit(w->thread);
    if (UNLIKELY(!(buffering.leads & me) || threads_ended & ~buffering.leads))
        note_leads(w);
    if (!releases(w) && !(buffering.loose & me) && is_loose(w))
        begin_thread(w);
    if (!releases(w) && buffering.early & me & ~buffering.late && is_late(w))
        buffering.late |= me;
    ThreadSet left = buffering.late & ~me;
    for (; left; left &= left - 1) {
        int t = thread_first(left);
        if (UNLIKELY(w->porf.at[t] > w->hb.at[t]))
            check_thread(t, (int)w->hb.at[t], (int)w->porf.at[t], w);
    }
}

/* Does a read-modify-write (or one that has failed) come before the loose write Z in its thread,
 * without acquire and without a barrier between? */
static bool follows_exclusive(const Event *z)
{
    for (int i = z->index - 1 - z->rmw; i >= 0; i--) {
        const Event *e = thread_event(z->thread, i);
        if (is_barrier(e))
            return false;
        if (e->kind == EVENT_READ && e->request != REQUEST_LOAD && !acquires(e))
            return true;
    }
    return false;
}

void buffering_check_read(const Event *read)
{
    if (buffering.loose & thread_bit(read->thread))
        note_read(read);
    const Event *z = &pool[read->rf];
    ThreadSet writer = thread_bit(z->thread);
    if (!read->rf || z->thread == read->thread || !(buffering.loose & writer))
        return;
    if (writer & ~buffering.loose_read && !before(z, &read->hb) && is_loose(z))
        buffering.loose_read |= writer;
    if (writer & buffering.late & ~buffering.late_read && !before(z, &read->hb) && is_loose(z) &&
        is_late(z))
        buffering.late_read |= writer;
    if (buffering.exclusive & writer && !(buffering.seen & BUFFERING_EXCLUSIVE) && is_loose(z) &&
        follows_exclusive(z))
        buffering.seen |= BUFFERING_EXCLUSIVE;
}

void buffering_note_left(int t, int from)
{
    bool reads_one = true;
    const Event *first = NULL;
    for (int i = from; i < threads[t].count; i++) {
        const Event *e = thread_event(t, i);
        if (e->kind == EVENT_WRITE || (e->kind == EVENT_READ && e->request != REQUEST_LOAD))
            buffering.iterations |= thread_bit(t);
        if (e->kind != EVENT_READ)
            continue;
        reads_one &= !first || (e->pc == first->pc && e->location == first->location);
        first = e;
    }
    if (!reads_one)
        buffering.rounds |= thread_bit(t);
}

bool buffering_is_unsure(bool single)
{
    const BufferingState *b = &buffering;
    ThreadSet rounds = single ? b->loose_read : b->late_read | (b->loose_read & b->rounds);
    ThreadSet iterations = single ? b->loose : b->late | (b->loose & b->iterations);
    return facts_met[FACT_blocks] || (b->rounds & b->leads && rounds) ||
           (b->iterations && iterations);
}
