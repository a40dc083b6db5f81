#include "guest/explore/reduce/waiting/looks.h"
#include "guest/explore/search/blocked.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/reduce/waiting/waiting.h"

bool looks_are_watched(const Location *x)
{
    return facts_of(FACT_watched, (uintptr_t)x->address) != 0;
}

bool looks_are_by(const Location *x, int t)
{
    return !(facts_of(FACT_looks, (uintptr_t)x->address) & ~thread_bit(t));
}

void looks_watch(const Location *x)
{
    facts_note(FACT_watched, (uintptr_t)x->address, 1);
}

static bool is_look(const Event *r)
{
    if (r->kind != EVENT_READ || !looks_are_watched(&locations[r->location]))
        return false;
    EventId w = r->rf;
    while (w && graph_is_silent(&pool[w]))
        w = pool[w].rf;
    return w && pool[w].rmw && pool[w].thread != r->thread;
}

static void note_thread(const Event *e)
{
    if (arrivals_add_thread(FACT_looks, locations[e->location].address, e->thread))
        finding_restart();
}

static void note(const Event *r)
{
    if (is_look(r))
        note_thread(r);
}

/* Does W, a store to a lock of atomics, take no notice of who has it? The write before it, silent
 * ones left out, is a read-modify-write of another thread, which has taken the lock and not given
 * it back. */
static bool is_blind(const Event *w)
{
    const Location *x = &locations[w->location];
    if (w->kind != EVENT_WRITE || w->rmw || !looks_are_watched(x))
        return false;
    int p = w->co - 1;
    while (p > 0 && graph_is_silent(&pool[x->co[p]]))
        p--;
    return p > 0 && pool[x->co[p]].rmw && pool[x->co[p]].thread != w->thread;
}

const Event *looks_hidden(const Event *begin, const Event *end)
{
    const Location *x = &locations[end->location];
    for (int p = begin->co + 1; p < end->co; p++) {
        const Event *w = &pool[x->co[p]];
        if (!w->rmw && w->thread != end->thread)
            return w;
    }
    return NULL;
}

void looks_learn(const Event *hidden)
{
    note_thread(hidden);
}

/* Notes the looks among the pure events of T that end before its event number END. */
static void note_run(int t, int end)
{
    for (int i = end - 1; i >= 0 && waiting_is_pure(t, i); i--)
        note(thread_event(t, i));
}

static bool is_store(const Event *e)
{
    return e->kind == EVENT_WRITE && !e->rmw;
}

/* T goes on at its present request: what it did before that is no effect-free iteration. */
static void note_request(int t)
{
    int last = threads[t].count - 1;
    if (last < 0)
        return;
    const Event *e = thread_event(t, last);
    if (waiting_is_pure(t, last)) {
        if (request.kind == REQUEST_EXIT)
            note_run(t, last + 1);
        return;
    }
    if (is_blind(e))
        note_thread(e);
    if (is_store(e) && request.kind == REQUEST_STORE)
        return; /* if T gives back one lock after the other, what comes then decides */
    while (last > 0 && is_store(e) && is_store(thread_event(t, last - 1)))
        e = thread_event(t, --last);
    if (e->kind == EVENT_WRITE && e->rmw)
        note(thread_event(t, --last));
    note_run(t, last);
}

/* T is blocked with a droppable part that begins with its event number FROM: are its reads there
 * all of the location of LOOK, with the same value? */
static bool waits_for_the_same(int t, int from, const Event *look)
{
    for (int i = from; i < threads[t].count; i++) {
        const Event *e = thread_event(t, i);
        if (e->kind == EVENT_READ && (e->location != look->location || e->value != look->value))
            return false;
    }
    return true;
}

/* Does another thread, which is blocked, write a value to X in an idle section that is not VALUE?
 */
static bool changes_in_section(const Location *x, int t, uint64_t value)
{
    for (int p = 1; p < x->writes; p++) {
        const Event *w = &pool[x->co[p]], *last = last_event(w->thread);
        if (w->thread != t && w->rmw && last->waits == WAITS_BLOCKED &&
            w->index >= last->wait_from && !graph_is_silent(w) && write_value(x->co[p], x) != value)
            return true;
    }
    return false;
}

/* Nobody can go on. T waits with what it has read of locks that others take only to look, while
 * they were free: it could see one taken, which may free it. */
static void note_waiting(int t)
{
    for (int i = last_event(t)->wait_from; i < threads[t].count; i++) {
        const Event *r = thread_event(t, i);
        if (r->kind != EVENT_READ || r->rmw || !looks_are_watched(&locations[r->location]))
            continue;
        const Location *x = &locations[r->location];
        if (changes_in_section(x, t, r->value) && arrivals_add_thread(FACT_looks, x->address, t))
            finding_restart();
    }
}

static void note_leaf(void)
{
    bool stuck = blocked_is_stuck();
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left), count = threads[t].count;
        bool blocked = count && last_event(t)->waits == WAITS_BLOCKED;
        int from = blocked ? last_event(t)->wait_from : count;
        for (int i = from - 1; i >= 0 && waiting_is_pure(t, i); i--)
            if (!blocked || !waits_for_the_same(t, from, thread_event(t, i)))
                note(thread_event(t, i));
        if (stuck && blocked)
            note_waiting(t);
    }
}

/* ---- what the search asks ---- */

static bool are_noted(void)
{
    return looks_are_noted();
}

const Rule looks_rule = {.active = are_noted, .no_round = note_request, .leaf = note_leaf};
