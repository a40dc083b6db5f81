#include "guest/explore/reduce/confirm/confirm.h"
#include "guest/explore/search/blocked.h"
#include "guest/explore/search/rules.h"
#include "guest/explore/graph/load_buffering.h"
#include <string.h>
#include "guest/explore/search/explore.h"
#include "guest/explore/reduce/confirm/alike.h"
#include "guest/explore/facts/contents.h"
#include "guest/explore/reduce/confirm/doomed.h"
#include "guest/explore/facts/kept.h"
#include "guest/explore/facts/noting.h"
#include "guest/explore/reduce/confirm/memo.h"
#include "guest/explore/reduce/confirm/ordered.h"
#include "guest/explore/facts/passing.h"
#include "guest/explore/reduce/confirm/paths.h"
#include "guest/explore/reduce/confirm/returning.h"
#include "guest/explore/reduce/confirm/supposed.h"
#include "guest/explore/facts/values.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/explore/reduce/waiting/reused.h"

#define ALONE_GRAPHS 16384 /* after so many in a pass, new facts are rare */
#define MOST_LATE 6        /* passes outdated late (values.h), then a plain search */
#define TEACHING_SCHEDULES 100
#define TEACHING_REQUESTS 4000

ConfirmState confirming = {.after = 16, .decided_after = 1u << 16};
static bool is_wanted; /* so many graphs were blocked: the exploration began again */

bool confirm_is_possible(void)
{
    return !facts_met[FACT_blocks] && reduction_is_on(REDUCTION_confirm) && options.checkpoints &&
           !options.weak_cas && !options.plain_search && options.preemptions < 0 &&
           !options.schedules && !exploration.held;
}

/* Has the plain search gone so far that it stays one? */
static bool is_decided(void)
{
    return !confirming.active && values_leaves() > confirming.decided_after;
}

static void set_up_pass(void)
{
    confirming.active = confirm_is_possible() && is_wanted && values_late_passes() < MOST_LATE;
    buffering.iterations = confirming.active ? ~(ThreadSet)0 : buffering.iterations;
    facts_listen(confirm_is_possible()); /* the plain search before teaches most of them */
    values_mode.closely = confirming.active && values_knows_places();
    passing_noted = values_mode.closely && model_synchronises_by_order(options.model);
    ordered_begin(values_mode.closely);
    contents_set_up_pass(confirming.active);
}

void confirm_begin(bool anew)
{
    if (!anew)
        is_wanted = false;
    values_outdated = values_mode.strict = false;
    if (!anew && confirm_is_possible())
        values_reset();
    set_up_pass();
    if (!confirm_is_possible())
        return;
    values_begin_pass();
    memo_begin();
    contents_note_start();
}

bool confirm_is_learning(void)
{
    uint64_t most =
        confirming.active ? MIN(ALONE_GRAPHS, confirming.decided_after) : confirming.decided_after;
    return confirm_is_possible() && (values_outdated || values_leaves() <= most);
}

void confirm_stop_learning(void)
{
    values_mode.strict = confirming.active;
    facts_listen(confirming.active);
}

size_t confirm_knowledge_get(unsigned char *to, size_t room)
{
    return kept_get(to, room, is_wanted);
}

bool confirm_knowledge_put(const unsigned char *from, size_t bytes)
{
    memo_begin();
    values_mode.strict = false;
    bool fine = kept_put(from, bytes, &is_wanted);
    set_up_pass();
    return fine;
}

/* In a forked process: random schedules write down values, and who writes what, that depth-first
 * order would meet late, and begin again for. */
static void teach(void)
{
    exploration.on_complete = exploration.on_stuck = NULL;
    exploration.poll = NULL;
    values_mode.closely = true;
    search_hooks.sample(TEACHING_SCHEDULES, TEACHING_REQUESTS);
}

/* A graph takes several times as long while confirming.active, and what is learnt makes the search
 * begin again, for a millisecond or two: that pays where more graphs are blocked than not. Tests
 * that ask for it at the first blocked graph get it there. */
static bool is_worth_while(void)
{
    uint64_t blocked = exploration.earlier.blocked + counts.blocked;
    return confirming.after == 1 || blocked > exploration.earlier.executions + counts.executions;
}

static void count_blocked(void)
{
    if (is_wanted || !confirm_is_possible() || is_decided() ||
        !values_count_blocked(confirming.after) || !is_worth_while())
        return;
    is_wanted = true;
    search_hooks.run_apart(teach);
    finding_restart();
}

/* Is a thread after E in the middle of a round? */
static bool is_middle(const Event *e)
{
    return (e->kind == EVENT_READ && !e->rmw) || e->kind == EVENT_FENCE ||
           (e->kind == EVENT_MARK && e->op);
}

/* T's last read of X before its present request, if nothing but reads, fences and light marks
 * follows it; NULL if there is none. A round that was kept (waiting/reused.h) counts as an effect.
 */
static const Event *earlier_read(int t, LocationId x)
{
    for (int i = threads[t].count - 1; i >= 0; i--) {
        const Event *e = thread_event(t, i);
        if (!is_middle(e) || e->kept)
            return NULL;
        if (e->kind == EVENT_READ && e->location == x)
            return e;
    }
    return NULL;
}

static bool can_be_first(const Event *e)
{
    return e->plain != 1 && e->size <= 8 && e->request != REQUEST_AWAIT &&
           e->request != REQUEST_RMW;
}

/* T's last read that had a choice, or the one of the RMW that is its last event. */
static const Event *last_read(int t)
{
    const Event *last = last_event(t);
    if (last->kind != EVENT_WRITE || last->request != REQUEST_RMW || last->plain == 1 ||
        last->size > 8)
        return blocked_last_read(t);
    return thread_event(t, last->index - 1);
}

/* T was found waiting, with its events from FROM on droppable: perhaps there is something to learn,
 * and the exploration begins again. */
static void learn(int t, int from)
{
    if (confirming.active)
        doomed_learn(t, from);
    const Event *r = confirming.active ? last_read(t) : NULL;
    if (!r || (!can_be_first(r) && !r->rmw))
        return;
    for (int i = r->index - 1; i >= from; i--) {
        const Event *e = thread_event(t, i);
        if (!is_middle(e))
            return;
        if (e->kind != EVENT_READ || e->location != r->location)
            continue;
        if (can_be_first(e) && e->value != r->value &&
            (r->request != REQUEST_CAS || r->expected == e->value) &&
            !values_knows_place(e->pc, r->pc))
            values_learn_place(e->pc, r->pc);
        return;
    }
}

/* Rule C, for COUNT values of the location. */
static bool tries_all(int t, const Event *first, const uint64_t *values, int count, bool *touched)
{
    bool goes_round = count > 1, fresh = true;
    for (int i = 0; goes_round && i < count; i++) {
        if (values[i] == first->value)
            continue;
        if (request.kind == REQUEST_RMW && !graph_is_silent_rmw(&request, values[i]))
            return false;
        goes_round =
            supposed_what_if(t, first, values[i], fresh) || alike_what_if(t, first, values[i]);
        fresh = false;
        *touched |= ghosts.touched;
    }
    return goes_round;
}

/* May a write to X of the value that FIRST has read come after the one that it reads? */
static bool returns_after(Location *x, const Event *first)
{
    for (int p = rf_position(first) + 1; p < x->writes; p++)
        if (write_value(x->co[p], x) == first->value)
            return true;
    return !values_use_once(x, first->value, VALUES_AGAIN);
}

/* An answer as it is remembered: the read does not confirm; it does; it does not, as far as was
 * looked. */
typedef enum Remembered { IS_NOT, IS_CONFIRMED, WAS_CUT } Remembered;

/* An answer about a pair of places was found or REMEMBERED, after so many steps of paths.h if it
 * WALKS, and of alike.h: it counts as long as the exploration is learning. */
static void count_answer(const Event *first, Remembered answer, bool walks, int steps,
                         uint64_t deep_steps)
{
    uint64_t a = first->pc, b = (uintptr_t)request.pc;
    if (!confirm_is_learning())
        return;
    if (walks)
        values_count_place(a, b, answer == IS_CONFIRMED, steps);
    if (alike_questions.in_depth)
        values_count_deep(a, b, answer == IS_CONFIRMED, deep_steps);
    else if (answer == WAS_CUT)
        values_count_cut(a, b);
}

/* Rule C; with rule N unless MERGES. RETURNS: all but that the value does not return. */
static bool confirms(int t, const Event *first, bool merges, bool *returns)
{
    int count;
    bool touched = false;
    Location *x = &locations[first->location];
    const uint64_t *values = values_use(x, VALUES_ALL, &count);
    *returns = values && !merges && returns_after(x, first);
    if (!values || (*returns && !returning_is_possible()))
        return false;
    Hash128 key = {0, 0};
    bool keyed = waiting_run_key(t, MAX(waiting_pure_from(t), threads[t].opaque_at), &key);
    key = hash128_add(key, first->value, (unsigned)count);
    key = hash128_add(key, first->location, (unsigned)first->index);
    if (!merges)
        key = hash128_add(key, paths_key(t, first), values_version());
    key = memo_key(MEMO_CONFIRMS, key);
    alike_questions.in_depth = values_place_is_deep(first->pc, (uintptr_t)request.pc);
    int known;
    if (keyed && memo_find(key, &known)) {
        if (known == IS_CONFIRMED && !merges && confirm_is_learning())
            values_count_remembered(first->pc, (uintptr_t)request.pc);
        count_answer(first, (Remembered)known, false, 0, 0);
        return known == IS_CONFIRMED;
    }
    uint64_t before = alike_questions.steps;
    alike_questions.was_cut = false;
    bool result = tries_all(t, first, values, count, &touched);
    ghosts.touched = false;
    bool walks = result && !merges;
    int steps = 0;
    result = result && (merges || paths_confirm(t, first, &steps));
    Remembered answer = result ? IS_CONFIRMED : alike_questions.was_cut ? WAS_CUT : IS_NOT;
    if (keyed && !touched && !ghosts.touched)
        memo_keep(key, answer);
    count_answer(first, answer, walks, steps, alike_questions.steps - before);
    return result;
}

/* Do only events of T, and what is in the prefix of its last one, follow FIRST in the order of the
 * graph? */
static bool is_in_one_piece(int t, const Event *first)
{
    const Event *last = last_event(t);
    EventId id = event_id(first);
    for (int i = order_count - 1; order[i] != id; i--)
        if (pool[order[i]].thread != t && !in_prefix(&pool[order[i]], last))
            return false;
    return true;
}

/* The read that FIRST confirms, and so on to one that confirms none. */
static const Event *find_root(const Event *first)
{
    for (int i = first->index - 1; first->confirms; i--) {
        const Event *e = thread_event(first->thread, i);
        if (e->kind == EVENT_READ && e->location == first->location)
            first = e;
    }
    return first;
}

/* Does T, since ROOT, have a read with a choice, so that ROOT may stay where T's present request is
 * deleted? */
static bool spans_choices(int t, const Event *root)
{
    for (int i = root->index + 1; i < threads[t].count; i++)
        if (thread_event(t, i)->kind == EVENT_READ && !thread_event(t, i)->confirms)
            return true;
    return false;
}

/* Rule O: does the present request stay consistent with what FIRST reads, whatever a write that
 * revisits a read between brings with it? */
static bool is_stable(const Event *first)
{
    if (ordered_is())
        return true;
    if (!model_forbids_races(options.model))
        return false; /* stores overtake each other although their threads do not ask for it */
    if (rf_position(first) == locations[first->location].writes - 1)
        return true;
    bool is_weak = request.order != ORDER_SEQ_CST &&
                   (request.kind != REQUEST_CAS || request.failure_order != ORDER_SEQ_CST);
    return is_weak && values_use_absent(VALUES_STRONG_FENCE);
}

/* Do only fences, which order nothing here, follow FIRST? */
static bool only_fences_follow(const Event *first)
{
    int i = first->index + 1;
    while (i < threads[first->thread].count && thread_event(first->thread, i)->kind == EVENT_FENCE)
        i++;
    return i == threads[first->thread].count && !model_synchronises_by_order(options.model);
}

/* The last event of T failed to confirm what T had read before, or so it seems: is that a pair of
 * places to be asked about? */
static void learn_failure(int t)
{
    const Event *last = last_event(t);
    if (last->kind != EVENT_READ || last->rmw || last->confirms || last->plain == 1 ||
        last->size > 8 || last->request == REQUEST_AWAIT)
        return;
    for (int i = last->index - 1; i >= 0; i--) {
        const Event *e = thread_event(t, i);
        if (!is_middle(e))
            return;
        if (e->kind != EVENT_READ || e->location != last->location)
            continue;
        if (can_be_first(e) && e->value != last->value && e->pc != last->pc &&
            (last->request != REQUEST_CAS || last->expected == e->value) &&
            !values_knows_place(e->pc, last->pc))
            values_learn_place(e->pc, last->pc);
        return;
    }
}

/* The read that `request` of T, a read, confirms; NULL if it is a read like others. RETURNS: it is
 * one of those of returning.h, and has its choices. */
static const Event *find_confirmed(int t, bool *returns)
{
    *returns = false;
    if (request.plain == 1 || request.size > 8 ||
        (request.kind != REQUEST_LOAD && request.kind != REQUEST_CAS &&
         request.kind != REQUEST_RMW) ||
        request.part || !is_middle(last_event(t)))
        return NULL;
    LocationId x = graph_find_location(request.address);
    while (x && (locations[x].address != request.address || locations[x].size != request.size))
        x = locations[x].next;
    const Event *first = x ? earlier_read(t, x) : NULL;
    if (!first || !can_be_first(first) || !values_knows_place(first->pc, (uintptr_t)request.pc) ||
        (request.kind == REQUEST_CAS && request.expected != first->value))
        return NULL;
    const Event *root = find_root(first);
    if (!is_in_one_piece(t, root) || (spans_choices(t, root) && !is_stable(first)))
        return NULL;
    bool adjacent = first->index == threads[t].count - 1 || only_fences_follow(first);
    bool merges = adjacent && (first->order == ORDER_RELAXED || first->order == request.order ||
                               (first->order != ORDER_SEQ_CST && is_acquire(request.order)));
    bool good = confirms(t, first, merges, returns) &&
                !reused_looks(t, waiting_pure_from(t), first->location);
    *returns &= good;
    return good ? first : NULL;
}

/* The thread of those in ABLE that is in the middle of a round, or -1. */
static int next_in_round(ThreadSet able)
{
    for (ThreadSet left = able & ~threads_waiting; left; left &= left - 1) {
        int t = thread_first(left);
        if (threads[t].count && is_middle(last_event(t)))
            return t;
    }
    return -1;
}

static void drop_last(int t)
{
    EventId id = threads[t].po[--threads[t].count];
    Location *x = &locations[pool[id].location];
    int i = order_count - 1, j = x->reads - 1;
    while (order[i] != id)
        i--;
    memmove(order + i, order + i + 1, sizeof *order * (size_t)(--order_count - i));
    while (x->read[j] != id)
        j--;
    memmove(x->read + j, x->read + j + 1, sizeof *x->read * (size_t)(--x->reads - j));
}

void confirm_drop_phantoms(void)
{
    for (ThreadSet left = threads_created; left; left &= left - 1) {
        int t = thread_first(left);
        if (threads[t].count && is_phantom(last_event(t)))
            drop_last(t);
    }
}

/* ---- what the search asks ---- */

static void listen(void)
{
    waiting_on_round = learn;
}

static bool is_active(void)
{
    return confirming.active;
}

static bool plan(int t, ReadPlan *to)
{
    bool returns;
    const Event *first = find_confirmed(t, &returns);
    reductions_used[REDUCTION_confirm] += first && !returns;
    to->confirms = first;
    to->returns = returns;
    return first && !returns;
}

const Rule confirm_rule = {.setup = listen, .begin = confirm_begin, .blocked_graph = count_blocked};
const Rule confirm_active_rule = {
    .active = is_active, .next = next_in_round, .before_round = learn_failure, .plan = plan};
const Rule states_rule = {.active = is_active, .read = waiting_keep_state};
