#include "guest/explore/waiting.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/checkpoint.h"
#include "guest/explore/confirm.h"
#include "guest/explore/finding.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/scrub.h"
#include "guest/explore/memory/undo.h"
#include "guest/runtime/fiber.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/pages.h"

#define LONG_RUN 16      /* pure events of which it pays to know where they begin */
#define GHOST_READS 16   /* older reads that the answer of the last one is given to */
#define MAX_ALIKE 4      /* pairs of the same two places in the code */
#define GHOST_ANSWERS 32 /* a pair that is not equal after so many answers is dropped */

typedef enum GhostResult {
    GHOST_OTHER, /* made another request: the pair is dropped */
    GHOST_ALIKE, /* same request, other bytes: try again after the next event */
    GHOST_EQUAL  /* the same state */
} GhostResult;

typedef struct GhostPairs { /* of one event: pairs (i, d) that were alike so far */
    Hash128 state;          /* hash of the stack at its request, if Event.hashed */
    uint16_t i[MAX_GHOSTS], d[MAX_GHOSTS];
} GhostPairs;

static GhostPairs *pairs; /* by event */
static char *real_stack;
static int ghost_position = -1;
static bool looked; /* scrub_look has seen the present stack of the thread in question */

void waiting_setup(void)
{
    pairs = pages_reserve(sizeof(GhostPairs) * MAX_EVENTS);
    real_stack = pages_reserve(STACK_SLOT);
}

static bool is_silent(const Event *w)
{
    return w->kind == EVENT_WRITE && w->rmw && !w->merge && w->size < 16 &&
           w->value == write_value(w->rf, &locations[w->location]);
}

static bool is_light_mark(const Event *e)
{
    return e->kind == EVENT_MARK && e->op;
}

/* A choice of the program's, not one that begins a turn (explore_held). */
static bool is_choice(const Event *e)
{
    return e->kind == EVENT_CHOOSE && !e->expected;
}

static bool is_pure(int t, int i)
{
    const Event *e = thread_event(t, i);
    if (e->kind == EVENT_FENCE || is_light_mark(e) || is_choice(e))
        return true;
    if (e->kind == EVENT_WRITE)
        return is_silent(e);
    if (e->kind != EVENT_READ)
        return false;
    return !e->rmw || (i + 1 < threads[t].count && is_silent(thread_event(t, i + 1)));
}

/* Where the pure events that end with T's last one begin. Of a long run the last event remembers
 * it: what makes an event pure does not change while it reads from the same write. */
static int pure_from(int t)
{
    int count = threads[t].count, from = count;
    while (from > 0 && is_pure(t, from - 1)) {
        int known = thread_event(t, --from)->pure_from;
        if (UNLIKELY(known != PURE_UNKNOWN)) {
            from = known;
            break;
        }
    }
    if (UNLIKELY(count - from > LONG_RUN))
        last_event(t)->pure_from = (uint16_t)from;
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

static bool is_read_request(int kind)
{
    return kind == REQUEST_LOAD || kind == REQUEST_RMW || kind == REQUEST_CAS;
}

/* Is `request` the one that event E was made from? */
static bool same_request(const Request *q, const Event *e)
{
    if (q->kind != e->request || (uintptr_t)q->pc != e->pc || q->plain != e->plain ||
        q->part != e->part || q->merge != e->merge)
        return false;
    switch (q->kind) {
    case REQUEST_FENCE:
        return q->order == e->order;
    case REQUEST_CHOOSE:
        return is_choice(e) && !q->expected && q->operand == e->other;
    case REQUEST_STORE:
        return q->address == locations[e->location].address && q->order == e->order &&
               q->operand == e->value && q->size == e->size &&
               (q->size < 16 || q->operand_high == pool_extra[event_id(e)].value_high);
    case REQUEST_LOAD:
        return q->address == locations[e->location].address && q->order == e->order &&
               q->size == e->size;
    case REQUEST_RMW:
    case REQUEST_CAS:
        return q->address == locations[e->location].address && q->size == e->size &&
               q->order == e->success_order && q->operand == e->operand && q->op == e->op &&
               (q->size < 16 || q->operand_high == pool_extra[event_id(e)].operand_high) &&
               (q->kind != REQUEST_CAS ||
                (q->expected == e->expected && q->failure_order == e->failure_order &&
                 (q->size < 16 || q->expected_high == pool_extra[event_id(e)].expected_high)));
    default:
        return false;
    }
}

/* Are these the same request? A field that its kind does not use holds what an earlier request left
 * there. */
static bool same_as(const Request *a, const Request *b)
{
    if (a->kind != b->kind || a->pc != b->pc || a->address != b->address || a->order != b->order ||
        a->part != b->part || a->merge != b->merge)
        return false;
    switch (a->kind) {
    case REQUEST_LOAD:
        return a->size == b->size && a->plain == b->plain;
    case REQUEST_FENCE:
        return true;
    case REQUEST_STORE:
    case REQUEST_RMW:
        return a->size == b->size && (a->kind == REQUEST_STORE || a->op == b->op) &&
               a->operand == b->operand && a->plain == b->plain &&
               (a->size < 16 || a->operand_high == b->operand_high);
    case REQUEST_CAS:
    case REQUEST_AWAIT:
        return a->size == b->size && a->op == b->op && a->operand == b->operand &&
               a->expected == b->expected &&
               (a->kind == REQUEST_AWAIT ? a->test == b->test
                                         : a->failure_order == b->failure_order) &&
               (a->size < 16 ||
                (a->operand_high == b->operand_high && a->expected_high == b->expected_high));
    case REQUEST_MARK:
        return a->operand == b->operand && a->expected == b->expected && a->returns == b->returns &&
               a->op == b->op;
    case REQUEST_CHOOSE:
        return a->operand == b->operand && a->expected == b->expected;
    case REQUEST_CREATE:
        return a->operand == b->operand && a->function == b->function;
    case REQUEST_EXIT:
        return a->operand == b->operand && a->ends_program == b->ends_program;
    case REQUEST_JOIN:
        return a->operand == b->operand;
    default:
        return false;
    }
}

/* Is this a write of T's that is a part of its state? */
static bool is_state(const LogEntry *entry, int t)
{
    return entry->thread == t && !entry->dead && entry->kind < LOG_READ;
}

/* Has T's plain writing since log position FROM had no net effect? */
static bool memory_unchanged(int t, uint32_t from)
{
    for (uint32_t j = from; j < undo_count; j++) {
        const LogEntry *entry = &undo_log[j];
        if (!is_state(entry, t))
            continue;
        bool first = true;
        for (uint32_t k = from; k < j && first; k++)
            first = !is_state(&undo_log[k], t) || undo_log[k].address != entry->address;
        if (first && memcmp(entry->address, &entry->old, entry->size))
            return false;
    }
    return true;
}

/* May read I be answered with what read D got, without losing order? */
static bool may_answer(const Event *i, const Event *d)
{
    if (i->kind != EVENT_READ || d->kind != EVENT_READ || d->rmw || i->location != d->location ||
        i->part != d->part)
        return false;
    bool order_ok =
        i->order == d->order || (i->order == ORDER_RELAXED && i->request == REQUEST_LOAD) ||
        (i->request == REQUEST_LOAD && i->order != ORDER_SEQ_CST && is_acquire(d->order));
    if (!order_ok || i->plain != d->plain)
        return false;
    if (i->request == REQUEST_RMW && d->request != REQUEST_RMW)
        return false;
    if (i->request == REQUEST_AWAIT || d->request == REQUEST_AWAIT)
        return false;
    return !(i->request == REQUEST_CAS &&
             i->expected == graph_read_value(d)); /* it would not have failed */
}

/* Memory after the ghost, against what the thread really left. Log entries of the real run since
 * FROM were swapped out (their `old` is the value they wrote); the ghost's follow from BOUNDARY on.
 */
static bool ghost_memory_equal(int t, uint32_t from, uint32_t boundary)
{
    for (uint32_t q = from; q < boundary; q++) {
        const LogEntry *entry = &undo_log[q];
        if (!is_state(entry, t))
            continue;
        bool last = true;
        for (uint32_t z = q + 1; z < boundary && last; z++)
            last = !is_state(&undo_log[z], t) || undo_log[z].address != entry->address;
        if (last && memcmp(entry->address, &entry->old, entry->size))
            return false;
    }
    for (uint32_t q = boundary; q < undo_count; q++) {
        const LogEntry *entry = &undo_log[q];
        if (entry->kind >= LOG_READ)
            continue;
        bool seen = false;
        for (uint32_t z = from; z < q && !seen; z++)
            seen = is_state(&undo_log[z], t) && undo_log[z].address == entry->address;
        if (!seen && memcmp(entry->address, &entry->old, entry->size))
            return false;
    }
    return true;
}

/* Is IMAGE the same state as PRESENT, the thread's stack of that length at its present request? */
static bool same_stack(const char *image, const char *present, uint32_t bytes)
{
    if (!memcmp(image, present, bytes))
        return true;
    if (!scrub_active)
        return false;
    if (!looked || scrub_torture)
        scrub_look(present, present + bytes);
    looked = true;
    return scrub_same(image, present);
}

bool waiting_runs_ghost(void)
{
    return ghost_position >= 0 && fiber_current >= 0;
}

int waiting_position(int t)
{
    return ghost_position >= 0 ? ghost_position : threads[t].count - 1;
}

void waiting_step_ghost(int t, int position)
{
    memset((char *)fibers[t].sp - CHECKPOINT_CLEARED, 0, CHECKPOINT_CLEARED);
    ghost_position = position;
    fiber_resume(t);
    ghost_position = -1;
    if (UNLIKELY(scrub_torture) && request.kind != REQUEST_STOP)
        scrub_spoil(t);
}

/* The answer of a read that is not there, see waiting_what_if; NULL: there is none. T's entries of
 * the log begin at run_from in the present run of pure events, at supposed_from after the answer.
 */
static const Event *supposed;
static uint32_t run_from, supposed_from;

static bool touches(int t, uint32_t from, uint32_t to, const LogEntry *what)
{
    for (uint32_t z = from; z < to; z++)
        if (undo_log[z].thread == t && !undo_log[z].dead && undo_log[z].cell == what->cell &&
            (undo_log[z].kind == LOG_WRITE ||
             (undo_log[z].kind == LOG_READ && what->kind == LOG_READ)))
            return true;
    return false;
}

/* Has T, after the supposed answer and up to log position END, touched only cells that it touches
 * in its run of pure events, too, or from END on, and written only such as it writes there? Else a
 * race might be seen only by going on with that answer. */
static bool touches_nothing_new(int t, uint32_t end)
{
    for (uint32_t q = supposed_from; q < end; q++) {
        const LogEntry *entry = &undo_log[q];
        if ((entry->kind == LOG_READ || entry->kind == LOG_WRITE) && entry->cell &&
            !touches(t, run_from, supposed_from, entry) && !touches(t, end, undo_count, entry))
            return false;
    }
    return true;
}

/* Feeds the ghost, which stands at the request of event I, the answers of the last COUNT events. */
static GhostResult ghost_run(int t, const Event *i, int count)
{
    int j = threads[t].count;
    if (supposed) {
        if (!may_answer(i, supposed))
            return GHOST_OTHER;
        reply.value = supposed->value;
        reply.success = false;
        waiting_step_ghost(t, j - 1);
        return GHOST_EQUAL;
    }
    for (int x = 0; x < count; x++) {
        const Event *d = thread_event(t, j - count + x);
        if (x == 0 ? !may_answer(i, d) : !same_request(&request, d) || is_choice(d))
            return GHOST_OTHER;
        reply.value = d->value;
        reply.success = false;
        if (d->size == 16)
            reply.value_high = pool_extra[event_id(d)].value_high;
        if (d->kind == EVENT_READ && d->rmw) {
            reply.success = true;
            x++;
        }
        waiting_step_ghost(t, j - count + x);
    }
    return GHOST_EQUAL;
}

void waiting_run_again(int t)
{
    ThreadSet asked = 0;
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1)
        if (threads[thread_first(left)].live == LIVE_PENDING)
            asked |= left & -left;
    checkpoint_replay_all();
    for (ThreadSet left = asked & ~thread_bit(t);; left &= left - 1) {
        int u = left ? thread_first(left) : t;
        checkpoint_resume(u);
        if (request.kind == REQUEST_STOP)
            longjmp(finding_jump, 1);
        if (asked >> u & 1) {
            threads[u].pending = request;
            threads[u].live = LIVE_PENDING;
        }
        if (u == t)
            break;
    }
}

/* Runs T from the request of its event I with the answers of its last COUNT events and compares. */
static GhostResult ghost_try(int t, int i, int count)
{
    if (i < threads[t].opaque_at)
        return GHOST_OTHER; /* the log does not know all that the thread did since */
    if (memory_stack_written >> t & 1)
        return GHOST_OTHER; /* others wrote into its stack: not worth the trouble */
    Fiber *fiber = &fibers[t];
    const Event *start = thread_event(t, i);
    uint32_t bytes = (uint32_t)(fiber->base - (char *)fiber->sp);
    void *real_sp = fiber->sp;
    Request real_request = request;
    HeapCursor real_cursor = heap_cursor[t];
    uint32_t boundary = undo_count;
    bool races_were_off = memory_races_off;
    memcpy(real_stack, fiber->sp, bytes);

    memory_races_off = true;
    for (uint32_t q = boundary; q-- > start->log_position;)
        if (undo_log[q].thread == t && !undo_log[q].dead)
            undo_swap(&undo_log[q]);
    fiber->sp = fiber->base - start->snapshot_bytes;
    memcpy(fiber->sp, snapshot_buffer + start->snapshot, start->snapshot_bytes);
    heap_cursor[t] = (HeapCursor){start->heap_used, start->heap_count};

    GhostResult result = ghost_run(t, start, count);
    if (result == GHOST_EQUAL) {
        if (!same_as(&request, &real_request))
            result = GHOST_OTHER;
        else if (fiber->sp != real_sp || heap_cursor[t].used != real_cursor.used ||
                 !same_stack(fiber->sp, real_stack, bytes) ||
                 !ghost_memory_equal(t, start->log_position, boundary))
            result = GHOST_ALIKE;
        else if (supposed && !touches_nothing_new(t, boundary))
            result = GHOST_OTHER;
    }

    waiting_what_if_touched |= undo_count > boundary || request.kind == REQUEST_STOP;
    undo_to(boundary);
    for (uint32_t q = start->log_position; q < boundary; q++)
        if (undo_log[q].thread == t && !undo_log[q].dead)
            undo_swap(&undo_log[q]);
    memory_races_off = races_were_off;
    request = real_request;
    heap_cursor[t] = real_cursor;
    fiber->sp = real_sp;
    memcpy(fiber->sp, real_stack, bytes);
    if (!options.checkpoints && opaque_ran(t)) {
        waiting_run_again(t);
        return GHOST_OTHER;
    }
    return result;
}

/* P0: does T's present request repeat its event I? */
static inline bool repeats(int t, int i)
{
    const Event *e = thread_event(t, i);
    uint32_t bytes = (uint32_t)(fibers[t].base - (char *)fibers[t].sp);
    return (e->kind == EVENT_READ || is_choice(e)) && e->pc == (uintptr_t)request.pc &&
           e->snapshot_bytes == bytes && same_request(&request, e) &&
           e->heap_used == heap_cursor[t].used &&
           same_stack(snapshot_buffer + e->snapshot, fibers[t].sp, bytes) &&
           memory_unchanged(t, e->log_position);
}

/* Hash of the stack at the request of E, without its dead bytes. It is computed once. */
static Hash128 state_of(Event *e)
{
    GhostPairs *mine = &pairs[event_id(e)];
    if (!e->hashed) {
        mine->state = scrub_hash(snapshot_buffer + e->snapshot, e->snapshot_bytes);
        e->hashed = 1;
        looked = false;
    }
    return mine->state;
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
    looked = false;
    for (int j = x->reads; (i = previous_read(x, t, first, &j)) >= 0;)
        if (thread_event(t, i)->pc == (uintptr_t)request.pc &&
            state_of(thread_event(t, i)).low == state && repeats(t, i))
            return i;
    return -1;
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
    mine->i[last->ghost_count] = (uint16_t)i;
    mine->d[last->ghost_count++] = (uint16_t)d;
}

int waiting_detect(int t)
{
    int count = threads[t].count, first = MAX(pure_from(t), threads[t].opaque_at);
    looked = false;
    ghost_position = -1; /* a finding may have ended the last one */
    if (is_read_request(request.kind) || request.kind == REQUEST_CHOOSE) {
        int i = find_repetition(t, first);
        if (i >= 0)
            return i;
    }

    Event *last = last_event(t);
    last->ghost_count = 0;
    int previous = count - 1 - (last->kind == EVENT_WRITE && last->rmw ? 2 : 1);
    if (previous >= 0) {
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
        GhostResult result = ghost_try(t, i, 1);
        if (result == GHOST_EQUAL)
            return i;
        if (result == GHOST_ALIKE)
            keep_pair(last, i, count - 1);
    }
    return -1;
}

/* T has run on to a request with an answer that was only supposed: is it found waiting? */
static bool supposedly_waits(int t, const Event *first)
{
    looked = false;
    if (is_read_request(request.kind)) {
        int i = find_repetition(t, MAX(pure_from(t), threads[t].opaque_at));
        if (i >= 0 && i <= first->index && touches_nothing_new(t, undo_count))
            return true;
    }
    looked = false;
    return ghost_try(t, first->index, 1) == GHOST_EQUAL;
}

bool waiting_run_key(int t, Hash128 *key)
{
    int from = MAX(pure_from(t), threads[t].opaque_at);
    if (from == threads[t].count)
        return false;
    for (uint32_t q = thread_event(t, from)->log_position; q < undo_count; q++)
        if (is_state(&undo_log[q], t))
            return false;
    const char *sp = fibers[t].sp;
    Hash128 k = scrub_hash(sp, (size_t)(fibers[t].base - sp));
    looked = false;
    k = hash128_add(k, (uintptr_t)request.pc, heap_cursor[t].used);
    k = hash128_add(k, request.expected, request.operand);
    k = hash128_add(k, request.kind, (unsigned)t);
    for (int i = from; i < threads[t].count; i++) {
        Event *e = thread_event(t, i);
        Hash128 state = state_of(e);
        k = hash128_add(k, state.low, state.high);
        k = hash128_add(k, e->pc, e->kind);
    }
    *key = k;
    return true;
}

bool waiting_what_if_touched;

bool waiting_what_if(int t, const Event *first, uint64_t v)
{
    static char *stack;
    if ((memory_stack_written >> t & 1) || first->index < threads[t].opaque_at)
        return false;
    if (!stack)
        stack = pages_reserve(STACK_SLOT);
    Fiber *fiber = &fibers[t];
    uint32_t bytes = (uint32_t)(fiber->base - (char *)fiber->sp), boundary = undo_count;
    void *sp = fiber->sp;
    Request real = request;
    HeapCursor cursor = heap_cursor[t];
    bool races_were_off = memory_races_off;
    Event answer = {.kind = EVENT_READ,
                    .location = first->location,
                    .request = real.kind,
                    .order = real.kind == REQUEST_CAS ? real.failure_order : real.order,
                    .size = real.size,
                    .expected = real.expected,
                    .value = v};
    memcpy(stack, sp, bytes);
    memory_races_off = true;
    reply.value = v;
    reply.success = false;
    waiting_step_ghost(t, threads[t].count - 1);
    bool waits = false;
    waiting_what_if_touched = request.kind == REQUEST_STOP; /* perhaps an object is not there yet */
    if (request.kind != REQUEST_STOP) {
        run_from = thread_event(t, pure_from(t))->log_position;
        supposed_from = boundary;
        supposed = &answer;
        waits = supposedly_waits(t, first);
        supposed = NULL;
    }
    waiting_what_if_touched |= undo_count > boundary;
    undo_to(boundary);
    memory_races_off = races_were_off;
    request = real;
    heap_cursor[t] = cursor;
    fiber->sp = sp;
    memcpy(sp, stack, bytes);
    looked = false;
    return waits;
}

uint32_t waiting_rounds(int t)
{
    uint32_t rounds = 0;
    if (!is_read_request(request.kind))
        return 0;
    int first = pure_from(t);
    const Location *x = first < threads[t].count ? requested_location() : NULL;
    for (int i, j = x ? x->reads : 0; x && (i = previous_read(x, t, first, &j)) >= 0;)
        rounds += thread_event(t, i)->pc == (uintptr_t)request.pc;
    return rounds;
}

const Event *waiting_last_read(int t)
{
    for (int i = threads[t].count - 1; i >= 0; i--) {
        const Event *e = thread_event(t, i);
        if (e->kind == EVENT_READ && e->confirms && !e->rmw)
            continue;
        if (e->kind != EVENT_FENCE && !is_light_mark(e) && !is_choice(e))
            return e->kind == EVENT_READ && !e->rmw ? e : NULL;
    }
    return NULL;
}

bool waiting_was_maximal(const Event *r)
{
    const Location *x = &locations[r->location];
    for (int p = rf_position(r) + 1; p < x->writes; p++)
        if (pool[x->co[p]].stamp < r->stamp)
            return false;
    return true;
}

bool waiting_block(int t, int from)
{
    /* Only a revisit of one of its reads can free T; it deletes T's last read, which must have been
     * added maximally. (Looking at any other read would lose executions.) */
    const Event *r = waiting_last_read(t);
    if (r && !waiting_was_maximal(r))
        return false;
    Event *last = last_event(t);
    last->waits = WAITS_BLOCKED;
    last->wait_from = (uint16_t)from;
    threads_waiting |= thread_bit(t);
    return true;
}

/* Is a write after the one that R reads in the prefix of what thread U adds from now on? */
static bool knows_newer(int u, const Event *r)
{
    const Location *x = &locations[r->location];
    const Event *last = threads[u].count ? last_event(u) : &pool[threads[u].create];
    for (int p = rf_position(r) + 1; p < x->writes; p++) {
        const Event *z = &pool[x->co[p]];
        if (z->thread == u || in_prefix(z, last))
            return true;
    }
    return false;
}

bool waiting_is_hopeless(int t, ThreadSet runnable)
{
    const Event *r = waiting_last_read(t);
    if (!r || rf_position(r) == locations[r->location].writes - 1)
        return false;
    for (; runnable; runnable &= runnable - 1)
        if (!knows_newer(thread_first(runnable), r))
            return false;
    return true;
}

/* A silent RMW of a thread that waits itself changes nothing for others. */
static bool changes_nothing(const Event *w)
{
    return is_silent(w) && !(threads_ended >> w->thread & 1);
}

bool waiting_sees_last(int t)
{
    for (int i = last_event(t)->wait_from; i < threads[t].count; i++) {
        const Event *e = thread_event(t, i);
        if (is_choice(e))
            return false; /* another choice may lead out of the loop */
        if (e->kind != EVENT_READ)
            continue;
        if (e->spurious)
            return false; /* a weak compare-exchange does not fail for ever */
        const Location *x = &locations[e->location];
        for (int p = rf_position(e) + 1; p < x->writes; p++)
            if (!changes_nothing(&pool[x->co[p]]))
                return false;
    }
    return true;
}

bool waiting_is_stuck(void)
{
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1) {
        int t = thread_first(left);
        if (!threads[t].count)
            continue;
        uint8_t waits = last_event(t)->waits;
        if (waits == WAITS_CUT || (waits == WAITS_BLOCKED && !waiting_sees_last(t)))
            return false;
    }
    return true;
}
