/* sections.c: a lock that is taken only to look is a loop that waits, too: for (;;) { lock; d =
 * done; unlock; if (d) break; }. The statement, and why no outcome is lost:
 * doc/proofs/sections.md. */
#include "guest/explore/search/rules.h"
#include <pthread.h>
#include <string.h>
#include "guest/explore/search/ghost.h"
#include "guest/explore/memory/locals.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/undo.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/explore/reduce/waiting/arrivals.h"
#include "guest/explore/reduce/waiting/counters.h"
#include "guest/explore/reduce/waiting/looks.h"
#include "guest/explore/reduce/waiting/owned.h"
#include "guest/explore/reduce/waiting/together.h"

enum {
    MOST_EVENTS = 256,
    MOST_DEPTH = 8,
    MOST_WRITES = 64,
    LOCK_BYTES = sizeof(pthread_rwlock_t),
    MANY = 24
};

/* A lock was asked for, or is watched, or something was subtracted. Elsewhere only threads of MANY
 * events are looked at: one that goes round for nothing comes to have them. */
static bool locks_used;
/* A section of the round depends on what is not known of its lock, or of what it counts. */
static const Location *unwatched;
static const Event *learns_of;
static bool learns_locks; /* the same, of locks that are taken together (together.h) */
/* A store that the end of a section hides. */
static const Event *hidden;
static bool counts; /* some section of the round that is looked at is one of counters.h */
/* Locations are taken for ones that the thread alone writes, though nobody has looked who does;
 * there was one that could be. */
static bool supposes, could_suppose;

/* Does W, with R before it, look like the end of a section? */
static bool is_end(const Event *w, const Event *before)
{
    if (!w->rmw)
        return w->request == REQUEST_STORE && !w->part && w->size < 16;
    return before && before->request == REQUEST_RMW && !before->plain &&
           (before->op == RMW_SUB || before->op == RMW_ADD);
}

/* Does whoever reads from END, a store, know what whoever reads what R has read would know? */
static bool passes_on(const Event *r, const Event *end)
{
    if (!model_synchronises_by_order(options.model))
        return true;
    bool acquired = is_acquire(r->success_order), released = false;
    for (int i = r->index + 2; i < end->index; i++) {
        const Event *e = thread_event(r->thread, i);
        if (e->kind != EVENT_FENCE)
            continue;
        acquired |= is_acquire(e->order);
        released |= acquired && is_release(e->order);
    }
    return acquired && (released || is_release(end->order));
}

/* Is R the begin of the section of a lock made of atomics that END ends, and is that idle, if
 * nobody else looks? */
static bool is_users_begin(const Event *r, const Event *end)
{
    const Location *x = &locations[r->location];
    return (r->request == REQUEST_RMW || r->request == REQUEST_CAS) && !end->rmw &&
           r->value == end->value && thread_event(r->thread, r->index + 1)->value != end->value &&
           !arrivals_is_tried(x) && (!looks_are_watched(x) || looks_are_by(x, r->thread)) &&
           passes_on(r, end);
}

/* Is R, a read-modify-write, the begin of the section that END ends, and is that idle? */
static bool is_begin(const Event *r, const Event *end)
{
    const Event *other = end->rmw ? thread_event(end->thread, end->index - 1) : NULL;
    bool learns = false;
    if (other && counters_may_be(r, other, &learns)) {
        counts = true;
        if (learns)
            learns_of = r;
        return true;
    }
    if (r->location != end->location || r->plain || r->part || r->merge || r->spurious)
        return false;
    if (is_users_begin(r, end)) {
        if (!looks_are_watched(&locations[r->location]))
            unwatched = &locations[r->location];
        if (!hidden)
            hidden = looks_hidden(thread_event(r->thread, r->index + 1), end);
        return true;
    }
    const Location *x = &locations[r->location];
    bool is_tried = !arrivals_nobody_looks(x, r->thread); /* by others */
    if (other)
        return !is_tried && r->request == REQUEST_AWAIT && r->test == AWAIT_GE &&
               r->expected == 0 && r->op == RMW_ADD && other->op == RMW_SUB &&
               r->operand == other->operand;
    bool takes = (r->request == REQUEST_AWAIT && r->test == AWAIT_FREE && r->op == RMW_EXCHANGE) ||
                 (r->request == REQUEST_CAS && arrivals_is_tried(x));
    if (!takes || r->value != end->value ||
        thread_event(r->thread, r->index + 1)->value == end->value)
        return false;
    if (is_tried && !looks_are_watched(x))
        unwatched = x;
    return !is_tried || unwatched == x || looks_are_by(x, r->thread);
}

/* The bytes that T had written at ADDRESS when the log was as long as TO. */
static uint64_t bytes_at(const LogEntry *entry, uint32_t to)
{
    uint64_t value = 0;
    for (uint32_t k = to; k < undo_count; k++)
        if (!undo_log[k].dead && undo_log[k].kind < LOG_READ &&
            undo_log[k].address == entry->address && undo_log[k].size == entry->size)
            return undo_log[k].old;
    memcpy(&value, entry->address, entry->size);
    return value;
}

static bool overlaps(const LogEntry *a, const LogEntry *b)
{
    return (char *)a->address < (char *)b->address + b->size &&
           (char *)b->address < (char *)a->address + a->size;
}

/* Is it a note of the runtime's, written since T's event number I, that T holds a lock? It stands
 * in the lock, behind its word, or in T's own list. Others do not look at it. */
static bool is_bookkeeping(int t, int i, const LogEntry *entry)
{
    const char *at = entry->address, *own = (const char *)PERMANENT_BASE;
    if (entry->kind != LOG_BYTES)
        return false;
    if (at >= own && at < own + PERMANENT_BYTES)
        return true;
    for (; i < threads[t].count; i++) {
        const Event *e = thread_event(t, i);
        const char *word = e->kind == EVENT_WRITE ? locations[e->location].address : NULL;
        if (word && at > word && at < word + LOCK_BYTES &&
            (!looks_are_watched(&locations[e->location]) ||
             arrivals_is_tried(&locations[e->location])))
            return true;
    }
    return false;
}

/* Had T's writes to plain memory since its event number I no net effect when the log was as long as
 * TO? */
static bool is_unchanged(int t, int i, uint32_t to)
{
    int writes = 0;
    uint32_t from = thread_event(t, i)->log_position;
    for (uint32_t j = from; j < to; j++) {
        const LogEntry *entry = &undo_log[j];
        if (!ghost_is_state(entry, t) || is_bookkeeping(t, i, entry))
            continue;
        if (++writes > MOST_WRITES)
            return false;
        bool first = true;
        for (uint32_t k = from; k < undo_count; k++) {
            const LogEntry *other = &undo_log[k];
            if (k == j || other->dead || other->kind >= LOG_READ || !overlaps(entry, other))
                continue;
            if (other->address != entry->address || other->size != entry->size)
                return false; /* accesses of several sizes */
            first &= k > j || other->thread != t;
        }
        uint64_t then = bytes_at(entry, to);
        if (first && memcmp(&then, &entry->old, entry->size))
            return false;
    }
    return true;
}

/* Was memory as before whenever T, since its event I, gave a lock back? */
static bool hides_nothing(int t, int i)
{
    for (int k = i; k < threads[t].count; k++) {
        const Event *e = thread_event(t, k);
        if (e->kind == EVENT_WRITE && !is_unchanged(t, i, e->log_position))
            return false;
    }
    return true;
}

/* Is E to a location that its thread alone writes (owned.h), as far as is known? */
static bool is_owned(const Event *e)
{
    Owned owned = owned_by_thread(e);
    could_suppose |= owned == OWNED_PERHAPS;
    return owned == OWNED_KNOWN || (supposes && owned == OWNED_PERHAPS);
}

/* Is T, at its present request, where it would be had it not done what it did since its event
 * number I: P0; or, with its LAST read left out of that, P1 of waiting.h? (Only what others may
 * write can be read earlier.) */
static bool goes_round(int t, int i, const Event *last)
{
    const Event *e = thread_event(t, i);
    if (!last)
        return (waiting_comes_back(t, i) || together_comes_back(t, i, &learns_locks)) &&
               hides_nothing(t, i);
    return e->kind == EVENT_READ && !e->rmw && e->location == last->location && e->pc == last->pc &&
           !is_owned(last) && hides_nothing(t, i) && ghost_try(t, i, 1) == GHOST_EQUAL;
}

/* Has T put back what was there, from its event number I up to TO, in locations that it alone
 * writes? *SUPPOSED becomes an access to one of them that nobody has watched so far, or NULL. */
static bool is_put_back(int t, int i, int to, const Event **supposed)
{
    *supposed = NULL;
    for (int k = i; k < to; k++) {
        const Event *e = thread_event(t, k);
        if (e->kind != EVENT_WRITE || !is_owned(e))
            continue;
        if (!owned_is_restored(t, i, e))
            return false;
        if (owned_by_thread(e) == OWNED_PERHAPS)
            *supposed = e;
    }
    return true;
}

/* T goes round for nothing, from its event number I up to TO, if what the round depends on is
 * known; else the exploration begins again. */
static int accept(int t, int i, int to)
{
    const Event *supposed;
    if (!is_put_back(t, i, to, &supposed))
        return -1;
    if (supposed)
        owned_learn(supposed);
    if (unwatched)
        looks_watch(unwatched);
    if (learns_of)
        counters_learn(learns_of);
    if (hidden)
        looks_learn(hidden);
    if (supposed || unwatched || learns_of || learns_locks || hidden)
        return -1;
    if (counts)
        REDUCTION_ACTS(counters);
    else
        REDUCTION_ACTS(sections);
    return i;
}

/* Returns which of the DEPTH open sections, the last ones to end first, begins with R; -1: none. */
static int find_end(const Event *r, const Event *const *ends, int depth)
{
    while (--depth >= 0 && !is_begin(r, ends[depth]))
        ;
    return depth;
}

/* The round that ends before T's event number TO; LAST: that one, or NULL. */
static int find_round(int t, int to, const Event *last)
{
    const Event *ends[MOST_DEPTH];
    bool owned = false;
    int depth = 0, sections = 0, least = MAX(threads[t].opaque_at, to - MOST_EVENTS);
    learns_of = hidden = NULL;
    counts = learns_locks = false;
    unwatched = NULL;
    for (int i = to - 1; i >= least; i--) {
        const Event *e = thread_event(t, i), *before = i ? thread_event(t, i - 1) : NULL;
        if (e->kept) /* it counts as an effect (reused.h) */
            return -1;
        if (waiting_is_pure(t, i)) {
            if (!depth && (sections || owned) && goes_round(t, i, last))
                return accept(t, i, to);
            continue;
        }
        if (is_owned(e)) {
            owned = true;
            continue;
        }
        int end = depth && e->rmw ? find_end(e->kind == EVENT_READ ? e : before, ends, depth) : -1;
        if (end >= 0 && e->kind == EVENT_WRITE)
            continue; /* its read comes next */
        if (end >= 0) {
            memmove(ends + end, ends + end + 1, sizeof *ends * (size_t)(--depth - end));
            sections += depth == 0;
            if (!depth && goes_round(t, i, last))
                return accept(t, i, to);
        } else if (e->kind == EVENT_WRITE && depth < MOST_DEPTH && is_end(e, before)) {
            ends[depth++] = e;
            i -= e->rmw;
        } else {
            return -1;
        }
    }
    return -1;
}

/* Does E, a read of T's from its event number FROM on, which is droppable, read what another thread
 * has written to a lock made of atomics, or counted, in an idle section, although that is over?
 * Such a write changes nothing only for those that do not read it. (A thread that counts itself in
 * reads what others have counted, too; but then there is a graph in which it does so before or
 * after them.) */
static bool reads_inside(const Event *e, int from)
{
    const Location *x = &locations[e->location];
    bool watched = looks_are_noted() && looks_are_watched(x);
    if (!(watched || counters_are_at(x)) || e->value == write_value(x->co[x->writes - 1], x))
        return false;
    EventId w = e->rf; /* or a silent RMW has, perhaps one of T's own */
    while (w && graph_is_silent(&pool[w]))
        w = pool[w].rf;
    return !w || pool[w].thread != e->thread || pool[w].index < from;
}

static void forget(void)
{
    locks_used = false;
}

static int find_any_round(int t)
{
    const Event *last = last_event(t);
    if (waiting_is_read(request.kind) || request.kind == REQUEST_AWAIT) {
        int i = find_round(t, threads[t].count, NULL);
        if (i >= 0)
            return i;
    }
    return last->kind == EVENT_READ && !last->rmw && last->request == REQUEST_LOAD
               ? find_round(t, last->index, last)
               : -1;
}

/* Does the request subtract a number, or add a negative one? */
static bool subtracts(void)
{
    return request.kind == REQUEST_RMW &&
           (request.op == RMW_SUB ||
            (request.op == RMW_ADD && request.operand >> (8 * MIN(request.size, 8u) - 1) & 1));
}

static int find_section(int t)
{
    locks_used |= request.kind == REQUEST_AWAIT || facts_met[FACT_tries] ||
                  facts_met[FACT_watched] || facts_met[FACT_owned] || locals_on || subtracts();
    if ((!locks_used && threads[t].count < MANY) || !arrivals_have_turns)
        return -1;
    could_suppose = supposes = false;
    int i = find_any_round(t);
    if (i >= 0 || !could_suppose)
        return i;
    supposes = true;
    return find_any_round(t);
}

/* ---- what the search asks ---- */

static bool is_sought(void)
{
    return waiting_is_sought() && reduction_is_on(REDUCTION_sections);
}

const Rule sections_rule = {.active = is_sought, .round = find_section, .hides = reads_inside};
const Rule sections_learnt_rule = {.forget = forget};
