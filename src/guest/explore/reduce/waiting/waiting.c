#include "guest/explore/reduce/waiting/waiting.h"
#include "guest/explore/search/blocked.h"
#include "guest/explore/search/rules.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/ghost.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/scrub.h"
#include "guest/explore/memory/undo.h"
#include "guest/runtime/fiber.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/reduce/symmetry/recall.h"
#include "guest/explore/facts/values.h"
#include "guest/explore/reduce/waiting/temporaries.h"
#include "guest/runtime/pages.h"

#define NEAR_READS 512   /* of a run that are compared one by one */
#define FAR_READS 64     /* of an older part of it */
#define LONG_RUN 16      /* pure events that are compared without hashes */
#define GHOST_READS 16   /* older reads that the answer of the last one is given to */
#define MAX_ALIKE 4      /* pairs of the same two places in the code */
#define GHOST_ANSWERS 32 /* a pair that is not equal after so many answers is dropped */

typedef struct GhostPairs { /* of one event: pairs (i, d) that were alike so far */
    Hash128 state;          /* hash of the stack at its request, if Event.hashed */
    EventIndex i[MAX_GHOSTS], d[MAX_GHOSTS];
} GhostPairs;

static GhostPairs *pairs; /* by event */
/* Hash of the stack of the thread at its present request, once it was asked for; -1: it was not. */
static struct {
    int thread;
    Hash128 state;
} present = {.thread = -1};

static void setup(void)
{
    pairs = pages_reserve(sizeof(GhostPairs) * MAX_EVENTS);
}

bool waiting_is_pure(int t, int i)
{
    const Event *e = thread_event(t, i);
    if (e->kind == EVENT_FENCE || is_light_mark(e) || is_choice(e))
        return true;
    if (e->kind == EVENT_WRITE)
        return graph_is_silent(e);
    if (e->kind != EVENT_READ)
        return false;
    return !e->rmw || (i + 1 < threads[t].count && graph_is_silent(thread_event(t, i + 1)));
}

/* Where the pure events that end with T's last one begin. If they are several, the last one
 * remembers it: what makes an event pure does not change while it reads from the same write. */
static int pure_from(int t)
{
    int count = threads[t].count, from = count;
    if (count && last_event(t)->pure_from != PURE_UNKNOWN)
        return last_event(t)->pure_from;
    while (from > 0 && waiting_is_pure(t, from - 1) && !thread_event(t, from - 1)->kept) {
        int known = thread_event(t, --from)->pure_from;
        if (known != PURE_UNKNOWN) {
            from = known;
            break;
        }
    }
    if (count - from > 1)
        last_event(t)->pure_from = (EventIndex)from;
    return from;
}

/* The location that `request` accesses, or NULL if it has none yet. */
static const Location *requested_location(void)
{
    LocationId l = graph_find_location(request.address);
    while (l && (locations[l].address != request.address || locations[l].size != request.size))
        l = locations[l].next;
    return l ? &locations[l] : NULL;
}

/* From the youngest on, T's reads of X that are not older than its event number FIRST; -1 at the
 * end. CURSOR begins as X->reads. The list goes by age, and so does a thread. */
static int previous_read(const Location *x, int t, int first, int *cursor)
{
    while (--*cursor >= 0) {
        const Event *r = &pool[x->read[*cursor]];
        if (r->stamp < thread_event(t, first)->stamp)
            break;
        if (r->thread == t)
            return r->index;
    }
    return -1;
}

/* Is Q the wait for a lock that E was made from? */
static bool is_same_await(const Request *q, const Event *e)
{
    return q->kind == REQUEST_AWAIT && e->request == REQUEST_AWAIT &&
           q->address == locations[e->location].address && q->size == e->size &&
           q->order == e->success_order && q->op == e->op && q->test == e->test &&
           q->operand == e->operand && q->expected == e->expected;
}

static bool is_same_request(const Request *q, const Event *e)
{
    return ghost_same_request(q, e) || is_same_await(q, e);
}

/* Does T's present request repeat E, for which it has allocated memory in vain? */
static __attribute__((noinline)) bool has_moved(int t, const Event *e, bool restored)
{
    Request then = request;
    return temporaries_have_moved(t, e, &then, restored) && is_same_request(&then, e);
}

/* P0: does T's present request repeat its event I? RESTORED: others may have written since where T
 * wrote in vain. */
static inline bool comes_back(int t, int i, bool restored)
{
    const Event *e = thread_event(t, i);
    uint32_t bytes = (uint32_t)(fibers[t].base - (char *)fibers[t].sp);
    if ((e->kind != EVENT_READ && !is_choice(e)) || e->pc != (uintptr_t)request.pc ||
        e->snapshot_bytes != bytes)
        return false;
    if (UNLIKELY(e->heap_used != heap_cursor[t].used))
        return has_moved(t, e, restored);
    return is_same_request(&request, e) &&
           ghost_same_stack(checkpoints.stacks + e->snapshot, fibers[t].sp, bytes) &&
           (restored ? ghost_memory_restored(t, e->log_position)
                     : ghost_memory_unchanged(t, e->log_position));
}

static inline bool repeats(int t, int i)
{
    return comes_back(t, i, false);
}

/* Hash of the stack at the request of E, without its dead bytes. It is computed once. */
static Hash128 state_of(Event *e)
{
    GhostPairs *mine = &pairs[event_id(e)];
    if (!e->hashed) {
        Past past = pasts_at(e);
        mine->state =
            recall_stack(e->thread, &past, checkpoints.stacks + e->snapshot, e->snapshot_bytes);
        e->hashed = 1;
    }
    return mine->state;
}

/* Returns that of T's present request. */
static Hash128 present_state(int t)
{
    if (present.thread != t) {
        const char *sp = fibers[t].sp;
        present.state = recall_stack(t, &pasts[t], sp, (size_t)(fibers[t].base - sp));
        present.thread = t;
    }
    return present.state;
}

void waiting_keep_state(Event *e)
{
    if (!e->index || present.thread != e->thread)
        return;
    pairs[event_id(e)].state = present.state;
    e->hashed = 1;
    present.thread = -1;
}

static bool is_repeated(int t, int i, uint64_t state)
{
    Event *e = thread_event(t, i);
    return e->kind == EVENT_READ && e->pc == (uintptr_t)request.pc && state_of(e).low == state &&
           repeats(t, i);
}

/* In a very long run only some older reads are compared, as Brent's algorithm does: those from
 * event 2^k of the run on, for the largest k. A loop whose rounds repeat is found when the run is
 * three times as long as what comes before and one round of it. */
static int find_far_repetition(int t, int first, uint64_t state)
{
    int run = threads[t].count - first, power = 1;
    while (power <= run / 2)
        power *= 2;
    for (int i = first + power; i < threads[t].count && i < first + power + FAR_READS; i++)
        if (is_repeated(t, i, state))
            return i;
    return -1;
}

/* P0 against each read since the thread's last effect. In a long run stacks are compared by hashes
 * first: a loop that counts has as many different ones as it has gone rounds. */
static int find_repetition(int t, int first)
{
    int i = threads[t].count - 1;
    for (int last = MAX(first, i - LONG_RUN); i >= last; i--) /* mostly these are all */
        if (repeats(t, i))
            return i;
    const Location *x = i >= first && request.address ? requested_location() : NULL;
    if (LIKELY(!x))
        return -1;
    const char *sp = fibers[t].sp;
    uint64_t state = scrub_hash(sp, (size_t)(fibers[t].base - sp)).low;
    ghosts.looked = false;
    int left = NEAR_READS;
    for (int j = x->reads; left && (i = previous_read(x, t, first, &j)) >= 0; left--)
        if (is_repeated(t, i, state))
            return i;
    return left ? -1 : find_far_repetition(t, first, state);
}

/* Pair (I, D) is to be tried again after the event that follows LAST; a few pairs of the same two
 * places in the code stand for all rounds of a loop. */
static void keep_pair(Event *last, int i, int d)
{
    GhostPairs *mine = &pairs[event_id(last)];
    int t = last->thread, alike = 0;
    for (int z = 0; z < last->ghost_count; z++)
        alike += thread_event(t, mine->i[z])->pc == thread_event(t, i)->pc &&
                 thread_event(t, mine->d[z])->pc == thread_event(t, d)->pc;
    if (alike == MAX_ALIKE || last->ghost_count == MAX_GHOSTS)
        return;
    mine->i[last->ghost_count] = (EventIndex)i;
    mine->d[last->ghost_count++] = (EventIndex)d;
}

/* The ghost of the thread would get the answer that the thread itself got before NEXT: would it
 * make another request, for that reason, than the one that is made now? */
static bool goes_elsewhere(const Event *next)
{
    return (next->kind == EVENT_READ || next->kind == EVENT_FENCE) && next->size < 16 &&
           !ghost_same_request(&request, next);
}

/* Without pairs, after an effect there is nothing to repeat; after a read that follows an effect,
 * that read at most. Mostly it is so. Returns whether; *FROM then is what waiting_detect returns.
 */
static inline bool is_short_run(int t, int count, const Event *last, int *from)
{
    *from = -1;
    if (waiting_is_effect(last))
        return true;
    if (last->kind != EVENT_READ || last->rmw ||
        (count > 1 && !waiting_is_effect(thread_event(t, count - 2))))
        return false;
    if ((waiting_is_read(request.kind) || request.kind == REQUEST_CHOOSE) &&
        threads[t].opaque_at < count && repeats(t, count - 1))
        *from = count - 1;
    return true;
}

int waiting_detect(int t)
{
    int count = threads[t].count, from;
    ghosts.looked = false;
    present.thread = -1;
    ghost_end(); /* a finding may have ended the last one */
    Event *last = last_event(t);
    int previous = count - 1 - (last->kind == EVENT_WRITE && last->rmw ? 2 : 1);
    bool has_pairs = previous >= 0 && thread_event(t, previous)->ghost_count;
    if (!has_pairs && is_short_run(t, count, last, &from)) {
        if (from < 0)
            last->ghost_count = 0;
        return from;
    }
    int first = MAX(pure_from(t), threads[t].opaque_at);
    if (waiting_is_read(request.kind) || request.kind == REQUEST_CHOOSE) {
        int i = find_repetition(t, first);
        if (i >= 0)
            return i;
    }

    last->ghost_count = 0;
    if (has_pairs) {
        const Event *p = thread_event(t, previous);
        const GhostPairs *older = &pairs[event_id(p)];
        for (int z = 0; z < p->ghost_count; z++) {
            if (count - older->d[z] > GHOST_ANSWERS)
                continue;
            GhostResult result = ghost_try(t, older->i[z], count - older->d[z]);
            if (result == GHOST_EQUAL)
                return older->i[z];
            if (result == GHOST_ALIKE)
                keep_pair(last, older->i[z], older->d[z]);
        }
    }
    if (last->kind != EVENT_READ || last->rmw)
        return -1;
    const Location *x = &locations[last->location];
    int tries = GHOST_READS;
    for (int i, j = x->reads; first < count && (i = previous_read(x, t, first, &j)) >= 0;) {
        const Event *e = thread_event(t, i);
        if (e == last || e->rmw)
            continue;
        if (tries-- == 0)
            break;
        if (e->snapshot_bytes != last->snapshot_bytes && last->request != REQUEST_CAS)
            continue;
        if (e->value == last->value && goes_elsewhere(thread_event(t, i + 1)))
            continue;
        GhostResult result = ghost_try(t, i, 1);
        if (result == GHOST_EQUAL)
            return i;
        if (result == GHOST_ALIKE)
            keep_pair(last, i, count - 1);
    }
    return -1;
}

int waiting_pure_from(int t)
{
    return pure_from(t);
}

bool waiting_comes_back(int t, int i)
{
    ghosts.looked = false;
    return comes_back(t, i, true);
}

int waiting_repeats(int t)
{
    ghosts.looked = false;
    return find_repetition(t, MAX(pure_from(t), threads[t].opaque_at));
}

/* T has run on to a request with an answer that was only supposed: is it found waiting? */
static bool supposedly_waits(int t, const Event *first)
{
    ghosts.looked = false;
    if (waiting_is_read(request.kind)) {
        int i = find_repetition(t, MAX(pure_from(t), threads[t].opaque_at));
        if (i >= 0 && i <= first->index && ghost_touches_nothing_new(t, undo_count))
            return true;
    }
    ghosts.looked = false;
    return ghosts.supposed.answer->request != REQUEST_RMW &&
           ghost_try(t, first->index, 1) == GHOST_EQUAL;
}

int waiting_pure_state_from(int t)
{
    int from = MAX(pure_from(t), threads[t].opaque_at), count = threads[t].count;
    for (uint32_t q = undo_count; from < count && q > thread_event(t, from)->log_position; q--)
        if (ghost_is_state(&undo_log[q - 1], t))
            while (from < count && thread_event(t, from)->log_position < q)
                from++;
    return from;
}

Hash128 waiting_run_hash(int t, int from)
{
    Hash128 k = present_state(t);
    k = hash128_add(k, (uintptr_t)request.pc, heap_cursor[t].used);
    k = hash128_add(k, request.expected, request.operand);
    k = hash128_add(k, request.kind, (unsigned)t);
    for (int i = from; i < threads[t].count; i++) {
        Event *e = thread_event(t, i);
        Hash128 state = state_of(e);
        k = hash128_add(k, state.low, state.high);
        k = hash128_add(k, e->pc, e->kind);
    }
    return k;
}

bool waiting_run_key(int t, int from, Hash128 *key)
{
    if (from == threads[t].count)
        return false;
    for (uint32_t q = undo_count; q > thread_event(t, from)->log_position; q--)
        if (ghost_is_state(&undo_log[q - 1], t))
            return false;
    *key = waiting_run_hash(t, from);
    return true;
}

void waiting_suppose(Event *answer, const Event *first, uint64_t v)
{
    answer->kind = EVENT_READ;
    answer->location = first->location;
    answer->request = request.kind;
    answer->order = request.kind == REQUEST_CAS ? request.failure_order : request.order;
    answer->size = request.size;
    answer->plain = request.plain;
    answer->expected = request.expected;
    answer->value = v;
}

bool waiting_what_if(int t, const Event *first, uint64_t v)
{
    static GhostPlace real;
    static Event answer; /* an event is large: most of it stays zero */
    if ((undo_stack_written >> t & 1) || first->index < threads[t].opaque_at)
        return false;
    const uint32_t boundary = undo_count;
    bool races_were_off = memory_state.races_off;
    waiting_suppose(&answer, first, v);
    ghost_save(t, &real);
    memory_state.races_off = true;
    reply.value = v;
    reply.success = false;
    ghost_pause_first();
    ghost_step(t, threads[t].count - 1);
    ghost_pause_no_more();
    if (LIKELY(ghosts.on_log != NULL))
        ghosts.on_log(boundary);
    bool waits = false;
    ghosts.touched = request.kind == REQUEST_STOP; /* perhaps an object is not there yet */
    if (request.kind != REQUEST_STOP) {
        ghosts.supposed.run_from = thread_event(t, pure_from(t))->log_position;
        ghosts.supposed.from = boundary;
        ghosts.supposed.answer = &answer;
        waits = supposedly_waits(t, first);
        ghosts.supposed.answer = NULL;
    }
    ghosts.touched |= undo_count > boundary;
    ghost_restore(t, &real);
    memory_state.races_off = races_were_off;
    ghosts.looked = false;
    return waits;
}

uint32_t waiting_run(int t)
{
    return (uint32_t)(threads[t].count - pure_from(t));
}

uint32_t waiting_rounds(int t, uint32_t most)
{
    uint32_t rounds = 0;
    if (!waiting_is_read(request.kind))
        return 0;
    int first = pure_from(t);
    const Location *x = first < threads[t].count ? requested_location() : NULL;
    for (int i, j = x ? x->reads : 0;
         x && rounds < most && (i = previous_read(x, t, first, &j)) >= 0;)
        rounds += thread_event(t, i)->pc == (uintptr_t)request.pc;
    return rounds;
}

/* ---- what the search asks ---- */

void (*waiting_on_round)(int thread, int from);

static int find_round(int t)
{
    int from = waiting_detect(t);
    if (from < 0)
        return from;
    REDUCTION_ACTS(waiting);
    if (waiting_on_round)
        waiting_on_round(t, from);
    return from;
}

static bool is_sought(void)
{
    return waiting_is_sought();
}

const Rule waiting_rule = {.setup = setup, .active = is_sought, .round = find_round};
