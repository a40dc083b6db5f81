#include "guest/explore/search/ghost.h"
#include <string.h>
#include "base/hash.h"
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/memory/heap.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/memory/scrub.h"
#include "guest/runtime/fiber.h"
#include "guest/runtime/opaque.h"
#include "guest/runtime/pages.h"

GhostsState ghosts;
static GhostPlace real; /* where the thread stands whose ghost ghost_try runs */
#define NO_GHOST (-2)
/* The event whose answer the ghost that runs was fed last; -1: its thread has none before. */
static int ghost_at = NO_GHOST;

void ghost_setup(void)
{
    real.stack = pages_reserve(STACK_SLOT);
}

void ghost_end(void)
{
    ghosts.on_log = NULL;
    memory_state.pauses = ghosts.stops = false;
    ghost_at = NO_GHOST;
    memory_state.is_supposed = false;
}

bool ghost_same_request(const Request *q, const Event *e)
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

bool ghost_same_requests(const Request *a, const Request *b)
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

static bool is_write_of_others(const LogEntry *entry, int t)
{
    return entry->thread != t && !entry->dead && entry->kind < LOG_READ;
}

static bool is_equal(void *context, const LogEntry *first, uint64_t now)
{
    (void)context;
    return first->old == now;
}

/* Is entry J T's first write to its place since FROM? */
static bool is_first(int t, uint32_t from, uint32_t j)
{
    for (uint32_t k = from; k < j; k++)
        if (ghost_is_state(&undo_log[k], t) && undo_log[k].address == undo_log[j].address)
            return false;
    return true;
}

/* Finds what T left, when it wrote last, where its write number J of the log went. False if that is
 * not one place, or others have written there between the two. */
static bool find_last(int t, uint32_t j, uint64_t *now)
{
    const LogEntry *first = &undo_log[j];
    uint32_t last = j, next = undo_count;
    for (uint32_t k = j + 1; k < undo_count; k++) {
        const LogEntry *entry = &undo_log[k];
        if (entry->dead || entry->kind >= LOG_READ ||
            (char *)entry->address >= (char *)first->address + first->size ||
            (char *)first->address >= (char *)entry->address + entry->size)
            continue;
        if (entry->address != first->address || entry->size != first->size)
            return false;
        if (is_write_of_others(entry, t))
            next = MIN(next, k);
        else
            last = k;
    }
    if (next < last)
        return false;
    if (next < undo_count)
        *now = undo_log[next].old;
    else
        memcpy(now, first->address, first->size);
    return true;
}

bool ghost_each_change(int t, uint32_t from, bool last, GhostChange *is_same, void *context)
{
    for (uint32_t j = from; j < undo_count; j++) {
        const LogEntry *first = &undo_log[j];
        uint64_t now = 0;
        if (!ghost_is_state(first, t) || !is_first(t, from, j))
            continue;
        if (!last)
            memcpy(&now, first->address, first->size);
        else if (!find_last(t, j, &now))
            return false;
        if (!is_same(context, first, now))
            return false;
    }
    return true;
}

bool ghost_memory_unchanged(int t, uint32_t from)
{
    return ghost_each_change(t, from, false, is_equal, NULL);
}

bool ghost_memory_restored(int t, uint32_t from)
{
    return ghost_each_change(t, from, true, is_equal, NULL);
}

/* May read I be answered with what read D got, without losing order? Both are of one location, and
 * neither is a read-modify-write's. */
static bool may_answer(const Event *i, const Event *d)
{
    ASSERT(i->kind == EVENT_READ && d->kind == EVENT_READ && i->location == d->location);
    ASSERT(!i->rmw && !d->rmw && (i->request != REQUEST_RMW || d->request == REQUEST_RMW));
    bool order_ok =
        i->order == d->order || (i->order == ORDER_RELAXED && i->request == REQUEST_LOAD) ||
        (i->request == REQUEST_LOAD && i->order != ORDER_SEQ_CST && is_acquire(d->order));
    if (!order_ok || (i->plain == 1) != (d->plain == 1) || i->part != d->part)
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
        if (!ghost_is_state(entry, t))
            continue;
        bool last = true;
        for (uint32_t z = q + 1; z < boundary && last; z++)
            last = !ghost_is_state(&undo_log[z], t) || undo_log[z].address != entry->address;
        if (last && memcmp(entry->address, &entry->old, entry->size))
            return false;
    }
    for (uint32_t q = boundary; q < undo_count; q++) {
        const LogEntry *entry = &undo_log[q];
        if (entry->kind >= LOG_READ)
            continue;
        bool seen = false;
        for (uint32_t z = from; z < q && !seen; z++)
            seen = ghost_is_state(&undo_log[z], t) && undo_log[z].address == entry->address;
        if (!seen && memcmp(entry->address, &entry->old, entry->size))
            return false;
    }
    return true;
}

bool ghost_same_stack(const char *image, const char *present, uint32_t bytes)
{
    if (!memcmp(image, present, bytes))
        return true;
    if (!scrub.active)
        return false;
    if (!ghosts.looked || scrub.torture)
        scrub_look(present, present + bytes);
    ghosts.looked = true;
    return scrub_same(image, present);
}

bool ghost_runs(void)
{
    return memory_ghost_runs();
}

int ghost_position(int t)
{
    return ghost_at != NO_GHOST ? ghost_at : threads[t].count - 1;
}

void ghost_step(int t, int position)
{
    DEBUG_ASSERT(!memory_state.is_supposed);
    checkpoint_clear_below(&fibers[t]);
    ghost_at = position;
    memory_state.is_supposed = true;
    rules_begin_stretch(t);
    ghost_resume(t);
    rules_end_stretch(t);
    ghost_at = NO_GHOST;
    memory_state.is_supposed = false;
    if (UNLIKELY(scrub.torture) && request.kind != REQUEST_STOP)
        scrub_spoil(t);
}

/* ---- pauses ---- */

enum { MOST_PAUSES = 16, PAUSE_BYTES = 1 << 16 };
typedef struct Pause {
    const void *address;
    size_t size;
    uint32_t image, bytes; /* of the stack */
    uint32_t log, heap_used;
} Pause;
static struct {
    Pause at[MOST_PAUSES];
    int count;
    bool is_full; /* there were more */
} pauses[2];      /* of the ghosts of a what-if */
static struct {
    int ghost;
    char *images;
    uint32_t used;
} pausing;

static void begin_pauses(int ghost)
{
    if (!pausing.images)
        pausing.images = pages_reserve(PAUSE_BYTES);
    pausing.used = ghost ? pausing.used : 0;
    pausing.ghost = ghost;
    pauses[ghost].count = 0;
    pauses[ghost].is_full = false;
    memory_state.pauses = true;
}

void ghost_pause_first(void)
{
    begin_pauses(0);
}

static void pause_second(void)
{
    begin_pauses(1);
}

void ghost_pause_no_more(void)
{
    memory_state.pauses = false;
}

void ghost_note_pause(int t)
{
    DEBUG_ASSERT(memory_state.pauses);
    const Fiber *fiber = &fibers[t];
    uint32_t bytes = (uint32_t)(fiber->base - (char *)fiber->sp);
    int i = pauses[pausing.ghost].count;
    if (i == MOST_PAUSES || bytes > PAUSE_BYTES - pausing.used) {
        pauses[pausing.ghost].is_full = true;
        memory_state.pauses = false;
        return;
    }
    memcpy(pausing.images + pausing.used, fiber->sp, bytes);
    pauses[pausing.ghost].at[i] = (Pause){request.address, request.operand, pausing.used,
                                          bytes,           undo_count,      heap_cursor[t].used};
    pauses[pausing.ghost].count++;
    pausing.used += bytes;
}

static bool touches(int t, uint32_t from, uint32_t to, const LogEntry *what)
{
    DEBUG_ASSERT(from <= to && to <= undo_count);
    for (uint32_t z = from; z < to; z++)
        if (undo_log[z].thread == t && !undo_log[z].dead && undo_log[z].cell == what->cell &&
            (undo_log[z].kind == LOG_WRITE ||
             (undo_log[z].kind == LOG_READ && what->kind == LOG_READ)))
            return true;
    return false;
}

uint64_t ghost_written(int t, uint32_t from)
{
    uint64_t written = 0;
    for (uint32_t q = from; q < undo_count; q++) {
        const LogEntry *entry = &undo_log[q];
        uint64_t now = 0;
        if (!ghost_is_state(entry, t))
            continue;
        memcpy(&now, entry->address, entry->size);
        written = hash_mix(written + (uintptr_t)entry->address) + hash_mix(now + entry->size) + 1;
    }
    return written;
}

bool ghost_has_touched(int t, uint32_t from)
{
    for (uint32_t q = from; q < undo_count; q++)
        if (undo_log[q].cell &&
            !touches(t, ghosts.supposed.run_from, ghosts.supposed.from, &undo_log[q]))
            return false;
    return true;
}

bool ghost_touches_nothing_new(int t, uint32_t end)
{
    for (uint32_t q = ghosts.supposed.from; q < end; q++) {
        const LogEntry *entry = &undo_log[q];
        if ((entry->kind == LOG_READ || entry->kind == LOG_WRITE) && entry->cell &&
            !touches(t, ghosts.supposed.run_from, ghosts.supposed.from, entry) &&
            !touches(t, end, undo_count, entry))
            return false;
    }
    return true;
}

/* The first entry of the log, of those from FROM up to END, that is a read of plain memory which T
 * has not touched in its run of pure events; END if there is none. */
static uint32_t first_new_read(int t, uint32_t from, uint32_t end)
{
    for (; from < end; from++)
        if (undo_log[from].kind == LOG_READ &&
            !touches(t, ghosts.supposed.run_from, ghosts.supposed.from, &undo_log[from]))
            break;
    return from;
}

/* The pause at which a ghost has made entry READ of the log; NULL if that is not known. */
static const Pause *pause_of(int ghost, uint32_t read)
{
    const Pause *last = NULL;
    for (int i = 0; i < pauses[ghost].count && !pauses[ghost].is_full; i++)
        if (pauses[ghost].at[i].log <= read)
            last = &pauses[ghost].at[i];
    return last;
}

static bool has_written(int t, uint32_t from, uint32_t to)
{
    while (from < to && !ghost_is_state(&undo_log[from], t))
        from++;
    return from < to;
}

/* The ghosts of a what-if, of which the second one began at START and with log position BOUNDARY,
 * have come to the same state: whatever plain memory holds that others write? */
static bool reads_are_settled(int t, const Event *start, uint32_t boundary)
{
    uint32_t first = first_new_read(t, ghosts.supposed.from, boundary);
    uint32_t second = first_new_read(t, boundary, undo_count);
    if (first == boundary && second == undo_count)
        return true;
    if (first == boundary || second == undo_count || has_written(t, start->log_position, first) ||
        has_written(t, boundary, second))
        return false;
    const Pause *a = pause_of(0, first), *b = pause_of(1, second);
    if (!a || !b || a->address != b->address || a->size != b->size || a->bytes != b->bytes ||
        a->heap_used != b->heap_used)
        return false;
    ghosts.looked = false;
    bool same = ghost_same_stack(pausing.images + b->image, pausing.images + a->image, a->bytes);
    ghosts.looked = false;
    return same;
}

/* Feeds the ghost, which stands at the request of event I, the answers of the last COUNT events. */
static GhostResult ghost_run(int t, const Event *i, int count)
{
    int j = threads[t].count;
    if (ghosts.supposed.answer) {
        if (!may_answer(i, ghosts.supposed.answer))
            return GHOST_OTHER;
        reply.value = ghosts.supposed.answer->value;
        reply.success = false;
        pause_second();
        ghost_step(t, j - 1);
        ghost_pause_no_more();
        return GHOST_EQUAL;
    }
    for (int x = 0; x < count; x++) {
        const Event *d = thread_event(t, j - count + x);
        if (x == 0 ? !may_answer(i, d) : !ghost_same_request(&request, d) || is_choice(d))
            return GHOST_OTHER;
        reply.value = d->value;
        reply.success = false;
        if (d->size == 16)
            reply.value_high = pool_extra[event_id(d)].value_high;
        if (d->kind == EVENT_READ && d->rmw) {
            reply.success = true;
            x++;
        }
        ghost_step(t, j - count + x);
    }
    return GHOST_EQUAL;
}

void ghost_run_again(int t)
{
    DEBUG_ASSERT(!options.checkpoints);
    ThreadSet asked = 0;
    for (ThreadSet left = threads_created & ~threads_ended; left; left &= left - 1)
        if (threads[thread_first(left)].live == LIVE_PENDING)
            asked |= left & -left;
    checkpoint_replay_all();
    for (ThreadSet left = asked & ~thread_bit(t);; left &= left - 1) {
        int u = left ? thread_first(left) : t;
        checkpoint_resume(u);
        if (request.kind == REQUEST_STOP)
            longjmp(findings.jump, 1);
        if (asked >> u & 1) {
            threads[u].pending = request;
            threads[u].live = LIVE_PENDING;
        }
        if (u == t)
            break;
    }
}

void ghost_save(int t, GhostPlace *place)
{
    const Fiber *fiber = &fibers[t];
    if (!place->stack)
        place->stack = pages_reserve(STACK_SLOT);
    place->bytes = (uint32_t)(fiber->base - (char *)fiber->sp);
    memcpy(place->stack, fiber->sp, place->bytes);
    place->log = undo_count;
    place->request = request;
    place->cursor = heap_cursor[t];
    place->past = pasts[t];
}

void ghost_restore(int t, const GhostPlace *place)
{
    DEBUG_ASSERT(place->stack && undo_count >= place->log);
    Fiber *fiber = &fibers[t];
    undo_to(place->log);
    request = place->request;
    heap_cursor[t] = place->cursor;
    pasts[t] = place->past;
    fiber->sp = fiber->base - place->bytes;
    memcpy(fiber->sp, place->stack, place->bytes);
}

void ghost_go_to(int t, const Event *e)
{
    DEBUG_ASSERT(e->thread == t);
    Fiber *fiber = &fibers[t];
    fiber->sp = fiber->base - e->snapshot_bytes;
    memcpy(fiber->sp, checkpoints.stacks + e->snapshot, e->snapshot_bytes);
    heap_cursor[t] = (HeapCursor){e->heap_used, e->heap_count};
    if (UNLIKELY(graphs.pasts_on))
        pasts[t] = pasts_at(e);
}

/* Does the ghost of T stand where the thread does, with as much allocated? */
static bool is_as_deep(int t)
{
    const Fiber *fiber = &fibers[t];
    return fiber->base - (char *)fiber->sp == real.bytes && heap_cursor[t].used == real.cursor.used;
}

/* The ghost of T stands at its request: only its stack differs from what the thread left? */
static void keep_ghost(int t, uint32_t from, uint32_t boundary)
{
    const Fiber *fiber = &fibers[t];
    if (!is_as_deep(t) || !ghost_memory_equal(t, from, boundary) ||
        !ghost_touches_nothing_new(t, boundary) ||
        first_new_read(t, ghosts.supposed.from, undo_count) != undo_count)
        return;
    memcpy(ghosts.kept, fiber->sp, (size_t)(fiber->base - (char *)fiber->sp));
    ghosts.kept_past = pasts[t];
    ghosts.kept = NULL;
}

GhostResult ghost_try(int t, int i, int count)
{
    DEBUG_ASSERT(i >= 0 && count >= 0 && i < threads[t].count && count <= threads[t].count - i);
    if (i < threads[t].opaque_at)
        return GHOST_OTHER; /* the log does not know all that the thread did since */
    if (undo_stack_written >> t & 1)
        return GHOST_OTHER; /* others wrote into its stack: not worth the trouble */
    const Event *start = thread_event(t, i);
    const uint32_t boundary = undo_count;
    bool races_were_off = memory_state.races_off;
    ghost_save(t, &real);

    memory_state.races_off = true;
    for (uint32_t q = boundary; q-- > start->log_position;)
        if (undo_log[q].thread == t && !undo_log[q].dead)
            undo_swap(&undo_log[q]);
    ghost_go_to(t, start);
    GhostResult result = ghost_run(t, start, count);
    if (UNLIKELY(ghosts.on_log != NULL))
        ghosts.on_log(boundary);
    if (result == GHOST_EQUAL) {
        if (!ghost_same_requests(&request, &real.request))
            result = GHOST_OTHER;
        else if (!is_as_deep(t) || !ghost_same_stack(fibers[t].sp, real.stack, real.bytes) ||
                 !ghost_memory_equal(t, start->log_position, boundary))
            result = GHOST_ALIKE;
        if (result == GHOST_ALIKE && UNLIKELY(ghosts.kept != NULL))
            keep_ghost(t, start->log_position, boundary);
        if (result == GHOST_EQUAL && ghosts.supposed.answer &&
            (!ghost_touches_nothing_new(t, boundary) || !reads_are_settled(t, start, boundary)))
            result = GHOST_OTHER;
    }

    ghosts.touched |= undo_count > boundary || request.kind == REQUEST_STOP;
    undo_to(boundary);
    for (uint32_t q = start->log_position; q < boundary; q++)
        if (undo_log[q].thread == t && !undo_log[q].dead)
            undo_swap(&undo_log[q]);
    memory_state.races_off = races_were_off;
    ghost_restore(t, &real);
    if (!options.checkpoints && opaque_ran(t)) {
        ghost_run_again(t);
        return GHOST_OTHER;
    }
    if (!options.checkpoints && options.foreign_code) /* it may have run, too, and is not logged */
        ghost_run_again(t);
    return result;
}
