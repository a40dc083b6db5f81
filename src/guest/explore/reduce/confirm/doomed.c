#include "guest/explore/reduce/confirm/doomed.h"
#include "guest/explore/reduce/confirm/confirm.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/reduce/confirm/memo.h"
#include "guest/explore/reduce/confirm/walk.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/facts/values.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/explore/reduce/waiting/reused.h"

typedef struct Ways {
    GhostWalk walk;
    int first; /* where the events begin that may be droppable */
    int from;  /* the least number so far where a droppable part begins */
    int least; /* R: it must not be less */
    struct {
        LocationId location;
        uint64_t value;
    } answer[WALK_DEPTH + 1]; /* of place i */
} Ways;

/* Has T, in its round, read what its event E read? The round is T's events from number I on, and
 * the answers of places K to LAST. */
static bool is_in_round(const Ways *ways, const Event *e, int i, int k, int last)
{
    for (; k <= last; k++)
        if (ways->answer[k].location == e->location && ways->answer[k].value == e->value)
            return true;
    for (; i < threads[e->thread].count; i++) {
        const Event *other = thread_event(e->thread, i);
        if (other->kind == EVENT_READ && other->location == e->location && other->value == e->value)
            return true;
    }
    return false;
}

/* A way has come to its end: see is_in_round. */
static bool end_way(Ways *ways, int i, int k, int last)
{
    int t = ways->walk.thread;
    if (i < threads[t].count)
        ways->from = MIN(ways->from, i);
    for (int j = i - 1; j >= ways->least; j--) {
        const Event *e = thread_event(t, j);
        if (e->kind == EVENT_READ && !is_in_round(ways, e, i, k, last))
            ways->least = j + 1;
    }
    return true;
}

/* The thread stands at place DEPTH, a read of Y: would it be found waiting if the answer were V,
 * because it would be in the same state had an earlier read of Y got that? */
static bool is_shortcut(Ways *ways, const Location *y, uint64_t v, int depth)
{
    int t = ways->walk.thread;
    for (int i = threads[t].count - 1; i >= ways->first; i--) {
        const Event *e = thread_event(t, i);
        if (e->kind != EVENT_READ || e->rmw || &locations[e->location] != y)
            continue;
        Supposition kept = ghosts.supposed;
        bool waits = waiting_what_if(t, e, v);
        ghosts.supposed = kept;
        if (waits)
            return end_way(ways, i, 0, depth);
    }
    return false;
}

static bool all_wait(Ways *ways, int depth);

/* The thread stands at place DEPTH, a read: does it wait on every way that begins with answer V? */
static bool waits_after(Ways *ways, Location *y, uint64_t v, int depth)
{
    ways->answer[depth].location = y ? (LocationId)(y - locations) : 0;
    ways->answer[depth].value = v;
    if (walk_has_effect(v))
        return false;
    bool waits = walk_step(&ways->walk, v);
    int again = waits && walk_is_read() ? waiting_repeats(ways->walk.thread) : -1;
    if (again >= ways->first) {
        end_way(ways, again, 0, depth);
        walk_restore(&ways->walk, depth);
        return true;
    }
    walk_restore(&ways->walk, depth);
    if (!waits)
        return false;
    if (is_shortcut(ways, y, v, depth))
        return true;
    waits = walk_step(&ways->walk, v) && all_wait(ways, depth + 1);
    walk_restore(&ways->walk, depth);
    return waits;
}

/* The thread stands somewhere after the answer of place DEPTH - 1. */
static bool all_wait(Ways *ways, int depth)
{
    while (request.kind == REQUEST_FENCE || (request.kind == REQUEST_MARK && request.op))
        if (!walk_step(&ways->walk, 0))
            return false;
    if (depth > WALK_DEPTH || !walk_is_read())
        return false;
    for (int k = 1; k < depth; k++)
        if (walk_is_at(&ways->walk, k))
            return end_way(ways, threads[ways->walk.thread].count, k, depth - 1);
    int count;
    Location *y = walk_location();
    const uint64_t *values = walk_values(y, &count);
    walk_save(&ways->walk, depth);
    for (int i = 0; values && i < count; i++)
        if (!waits_after(ways, y, values[i], depth))
            return false;
    return values != NULL;
}

static bool is_cas(void)
{
    return request.kind == REQUEST_CAS && walk_is_read();
}

/* Is E, the value that the present request expects of X, what T itself wrote there last, and does
 * nobody else ever write it? */
static bool expects_own(int t, Location *x)
{
    static const Clock nothing;
    const Event *last = NULL;
    for (int i = threads[t].count - 1; i >= 0 && !last; i--)
        if (IS_ACCESS(thread_event(t, i)->kind) && &locations[thread_event(t, i)->location] == x)
            last = thread_event(t, i);
    uint32_t coming, number = values_number(x, request.expected);
    return last && last->kind == EVENT_WRITE && last->value == request.expected &&
           number < MOST_VALUES && values_use_coming(x, t, &nothing, &coming) &&
           !(coming >> number & 1);
}

static bool has_choices(int t, int from)
{
    for (int i = from; i < threads[t].count; i++)
        if (is_choice(thread_event(t, i)))
            return true;
    return false;
}

/* Rules D and R, for the COUNT values of X: returns how many events of T are droppable, or 0. */
static int count_droppable(Ways *ways, int t, Location *x, const uint64_t *values, int count)
{
    bool waits = true;
    ways->from = threads[t].count;
    ways->least = ways->first;
    walk_begin(&ways->walk, t);
    for (int i = 0; waits && i < count; i++)
        waits = values[i] == request.expected || waits_after(ways, x, values[i], 0);
    walk_end(&ways->walk);
    bool is_doomed = waits && ways->from >= ways->least && !has_choices(t, ways->from);
    return is_doomed ? threads[t].count - ways->from : 0;
}

/* A hash of all that count_droppable rests on; false if there is none. */
static bool make_key(const Ways *ways, int t, const Location *x, Hash128 *key)
{
    if (!waiting_run_key(t, ways->first, key))
        return false;
    for (int i = ways->first; i < threads[t].count; i++)
        *key = hash128_add(*key, thread_event(t, i)->location, thread_event(t, i)->value);
    *key = hash128_add(*key, (uint64_t)(x - locations), values_version());
    *key = memo_key(MEMO_DOOMED, *key);
    return true;
}

/* For the present request of T: `from`, if it is such a compare-exchange; else -1. */
static int doomed_from(int t)
{
    static Ways ways;
    int count, droppable;
    if (!is_cas() || !values_knows_place((uintptr_t)request.pc, 0) || (undo_stack_written >> t & 1))
        return -1;
    Location *x = walk_location();
    ways.first = waiting_pure_state_from(t);
    if (!x || ways.first == threads[t].count || !expects_own(t, x))
        return -1;
    const uint64_t *values = values_use(x, VALUES_ALL, &count);
    if (!values)
        return -1;
    Hash128 key;
    bool keyed = make_key(&ways, t, x, &key);
    if (!keyed || !memo_find(key, &droppable)) {
        ghosts.touched = false;
        droppable = count_droppable(&ways, t, x, values, count);
        if (keyed && !ways.walk.touched && !ghosts.touched)
            memo_keep(key, droppable);
    }
    int from = threads[t].count - droppable;
    return droppable && !reused_looks(t, from, 0) ? from : -1;
}

void doomed_learn(int t, int from)
{
    for (int i = from + 1; i + 1 < threads[t].count; i++) {
        const Event *e = thread_event(t, i);
        if (e->kind == EVENT_READ && e->request == REQUEST_CAS && !e->rmw && !e->confirms &&
            !values_knows_place(e->pc, 0))
            values_learn_place(e->pc, 0);
    }
}

/* ---- what the search asks ---- */

static bool is_on(void)
{
    return confirming.active && reduction_is_on(REDUCTION_doomed);
}

static bool plan(int t, ReadPlan *to)
{
    to->dooms_from = doomed_from(t);
    reductions_used[REDUCTION_doomed] += to->dooms_from >= 0;
    return false;
}

const Rule doomed_rule = {.active = is_on, .plan = plan};
