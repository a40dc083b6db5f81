/* lost.c: threads that wait and that nobody will free, because of what is written, and by whom.
 * The statement, and why no outcome is lost: doc/proofs/lost.md. */
#include "guest/explore/search/blocked.h"
#include "guest/explore/search/rules.h"
#include <string.h>
#include "guest/explore/reduce/confirm/confirm.h"
#include "guest/explore/facts/values.h"
#include "guest/explore/reduce/waiting/waiting.h"

static bool has_value(const Location *x, uint64_t v)
{
    for (int p = values_first(x); p < x->writes; p++)
        if (write_value(x->co[p], x) == v)
            return true;
    return false;
}

/* Is every value that was ever written to X there, and none of them comes twice in one graph? */
static bool is_full(Location *x)
{
    int count;
    const uint64_t *values = values_use(x, VALUES_ALL, &count);
    uint32_t written = values ? values_use_written(x) : 0;
    for (int i = 0; values && i < count; i++)
        if (written >> i & 1 &&
            (!has_value(x, values[i]) || !values_use_once(x, values[i], VALUES_TWICE)))
            return false;
    return values != NULL;
}

/* Adds X to the locations that could free T; false if there are too many, or nothing is known. */
static bool add_location(EventExtra *extra, LocationId x)
{
    for (unsigned i = 0; i < COUNT_OF(extra->freeing); i++) {
        if (extra->freeing[i] == x || is_full(&locations[x]))
            return true;
        if (!extra->freeing[i]) {
            extra->freeing[i] = x;
            return values_use_writers(&locations[x]);
        }
    }
    return false;
}

/* The read that E confirms, and so on to one that confirms none; E itself if it does not confirm.
 */
static const Event *find_root(const Event *e)
{
    for (int i = e->index - 1; e->confirms && i >= 0; i--) {
        const Event *earlier = thread_event(e->thread, i);
        if (earlier->kind == EVENT_READ && earlier->location == e->location)
            e = earlier;
    }
    return e;
}

/* Finds nm, which is ROOT or younger, and fills in the locations of B that may be written; false if
 * there is none or T could be freed otherwise. */
static bool settle(int t, const Event *root, EventExtra *extra)
{
    int from = last_event(t)->wait_from;
    for (int i = threads[t].count - 1, place = order_count - 1; i >= root->index; i--, place--) {
        const Event *e = thread_event(t, i);
        if (order[place] != event_id(e))
            return false;
        if (e->kind == EVENT_FENCE || is_light_mark(e) ||
            (e->kind == EVENT_READ && (e->confirms || e->dooms)))
            continue;
        if (e->kind != EVENT_READ || e->rmw)
            return false;
        if (!blocked_was_maximal(e)) {
            bool sees_last = i < from && blocked_was_maximal(root);
            return !sees_last;
        }
        if (!add_location(extra, e->location))
            return false;
    }
    return false;
}

/* T has just been blocked after its last event: decides Event.settled of it. True if nobody could
 * ever free T. */
static bool mark(int t)
{
    Event *last = last_event(t);
    EventExtra *extra = &pool_extra[event_id(last)];
    const Event *root = find_root(thread_event(t, last->wait_from));
    memset(extra->freeing, 0, sizeof extra->freeing);
    last->settled = confirming.active && !options.follow_hopeless && settle(t, root, extra);
    return last->settled && !extra->freeing[0];
}

/* May a revisit delete E, or give it other values, while T waits with LAST? It has a read in its
 * prefix that is younger than LAST. */
static bool may_change(const Event *e, const Event *last)
{
    for (int t = 0; t < graphs.threads_used; t++)
        for (int i = e->porf.at[t] - 1; i >= 0; i--) {
            const Event *r = thread_event(t, i);
            if (r->stamp < last->stamp)
                break;
            if (r->kind == EVENT_READ)
                return true;
        }
    return false;
}

/* How many of U's events stay as they are while T waits with LAST. */
static int count_lasting(int u, const Event *last)
{
    int count = threads_created >> u & 1 ? threads[u].count : 0;
    while (count > 0 && may_change(thread_event(u, count - 1), last))
        count--;
    return count;
}

/* T is blocked, and its last event settled: is there nobody who could free it? Threads that were
 * not created yet may be among those who could. */
static bool is_lost(int t)
{
    const Event *last = last_event(t);
    const EventExtra *extra = &pool_extra[event_id(last)];
    for (int u = 0; u < graphs.threads_used; u++) {
        int lasting = count_lasting(u, last), effects = values_effects_among(u, lasting);
        bool is_over = threads_ended >> u & 1 && lasting == threads[u].count;
        if (u == t || is_over)
            continue;
        for (unsigned i = 0; i < COUNT_OF(extra->freeing) && extra->freeing[i]; i++)
            if (values_may_write(&locations[extra->freeing[i]], u, effects))
                return false;
    }
    return true;
}

/* ---- what the search asks ---- */

static bool is_active(void)
{
    return confirming.active && reduction_is_on(REDUCTION_lost);
}

static bool cannot_be_freed(int t)
{
    bool left = mark(t);
    reductions_used[REDUCTION_lost] += left;
    return left;
}

static bool is_hopeless(int t, ThreadSet able, ThreadSet joining)
{
    (void)able, (void)joining;
    bool left = last_event(t)->settled && is_lost(t);
    reductions_used[REDUCTION_lost] += left;
    return left;
}

const Rule lost_rule = {
    .active = is_active, .is_lost = cannot_be_freed, .is_hopeless = is_hopeless};
