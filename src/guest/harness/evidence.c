#include "guest/harness/evidence.h"
#include "guest/explore/memory/blocks.h"
#include <string.h>
#include "guest/explore/schedules/bounded.h"
#include "guest/explore/search/checkpoint.h"
#include "guest/explore/search/explore.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/memory/memory.h"
#include "guest/explore/graph/models/model.h"
#include "guest/runtime/callers.h"
#include "guest/runtime/fiber.h"
#include "guest/entry/guest.h"
#include "guest/explore/memory/heap.h"
#include "guest/runtime/pages.h"
#include "guest/harness/start.h"
#include "guest/harness/verify.h"

EvidenceMarkWords *evidence_mark_words;
static Link *target;
static uint64_t used; /* bytes of evidence[] */
static uint64_t text_bytes;
static char text[1u << 16];

static void *room(uint64_t bytes)
{
    if (used + bytes > LINK_EVIDENCE_BYTES)
        die("the execution is too long for a record");
    void *at = target->evidence + used;
    used += (bytes + 15) & ~(uint64_t)15;
    return at;
}

static uint64_t intern(const char *words)
{
    size_t bytes = strlen(words) + 1;
    if (!words[0] || text_bytes + bytes > sizeof text)
        return 0;
    memcpy(text + text_bytes, words, bytes);
    text_bytes += bytes;
    return text_bytes - bytes;
}

void evidence_begin(Link *link)
{
    target = link;
    used = 0;
    text_bytes = 1;
    text[0] = 0;
    link->events = (LinkRange){0, 0};
}

/* Events are the first thing in the area, so that they can grow. */
RecordEvent *evidence_append(RecordKind kind, int thread, uint64_t pc)
{
    RecordEvent *e = room(sizeof *e);
    *e = (RecordEvent){
        .kind = (uint8_t)kind, .thread = (uint16_t)thread, .pc = pc, .rf = RECORD_NONE};
    callers_list(thread, e->callers, RECORD_CALLERS);
    target->events.count++;
    return e;
}

void evidence_locate(RecordEvent *e)
{
    if (!callers_frame((const void *)(uintptr_t)e->address, &e->frame_pc, &e->frame))
        e->frame_pc = e->frame = 0;
}
_Static_assert(sizeof(RecordEvent) % 16 == 0, "records follow each other without gaps");

static bool is_block(const Location *x)
{
    char *base;
    unsigned size;
    return blocks_find(x->address, &base, &size) && base == x->address && size == x->size;
}

void evidence_describe(RecordEvent *to, uint32_t id)
{
    static const uint8_t kinds[] = {
        [EVENT_READ] = RECORD_READ,     [EVENT_WRITE] = RECORD_WRITE, [EVENT_FENCE] = RECORD_FENCE,
        [EVENT_CREATE] = RECORD_CREATE, [EVENT_JOIN] = RECORD_JOIN,   [EVENT_END] = RECORD_END,
        [EVENT_CHOOSE] = RECORD_CHOOSE, [EVENT_MARK] = RECORD_CALL};
    const Event *e = &pool[id];
    const EventExtra *extra = &pool_extra[id];
    to->kind = kinds[e->kind];
    to->thread = e->thread;
    to->index = (uint32_t)e->index;
    to->pc = e->pc;
    to->rf = RECORD_NONE;
    if (e->kind == EVENT_MARK) {
        char words[256] = "";
        to->kind = e->test ? RECORD_RETURN : RECORD_CALL;
        to->other = e->other;
        to->value[0] = e->value;
        if (evidence_mark_words)
            evidence_mark_words(e->other, e->test, e->value, words, sizeof words);
        to->text = intern(words);
    }
    if (e->kind == EVENT_FENCE)
        to->order = e->order;
    if (e->kind == EVENT_CREATE || e->kind == EVENT_JOIN)
        to->other = e->other;
    if (e->kind == EVENT_CHOOSE || e->kind == EVENT_END)
        to->value[0] = e->value;
    if (!IS_ACCESS(e->kind))
        return;
    const Location *x = &locations[e->location];
    bool promoted = e->plain == 1 && memory_races_in(x->address + block_part_offset(e->part),
                                                     block_part_size(e->part, e->size));
    to->order = e->plain == 2 ? RECORD_VOLATILE : promoted ? RECORD_PROMOTED : e->order;
    to->size = (uint8_t)block_part_size(e->part, e->size);
    to->address = (uintptr_t)x->address + block_part_offset(e->part);
    to->value[0] = graph_read_value(e);
    to->other = is_block(x) ? x->size : 0;
    to->expected[0] = e->expected;
    to->rmw_op = e->op;
    if (to->size == 16) {
        to->value[1] = extra->value_high;
        to->expected[1] = extra->expected_high;
    }
    to->flags = (uint8_t)((e->rmw && !e->merge ? RECORD_FLAG_RMW : 0) |
                          (e->request == REQUEST_CAS ? RECORD_FLAG_CAS : 0) |
                          (e->request == REQUEST_AWAIT ? RECORD_FLAG_AWAIT : 0) |
                          (e->waits == WAITS_BLOCKED ? RECORD_FLAG_BLOCKED : 0) |
                          (e->plain == 1 ? RECORD_FLAG_PLAIN : 0));
    if (e->kind == EVENT_WRITE)
        to->co = (uint32_t)e->co;
    else if (rf_position(e) < x->writes - 1 && memcmp(&e->hb, &e->porf, sizeof e->hb))
        for (int p = rf_position(e) + 1; p < x->writes; p++)
            if (in_prefix(&pool[x->co[p]], e) && event_bytes(&pool[x->co[p]]) & event_bytes(e))
                to->flags |= RECORD_FLAG_STALE; /* it was overwritten before, as the reader knew */
    if (e->kind == EVENT_READ && extra->object) {
        char words[64];
        strncpy(words, extra->object, 30);
        words[30] = 0;
        strcat(words, " ");
        strncat(words, extra->verb, 30);
        to->text = intern(words);
    }
}

/* ---- the graph in an order of porf ---- */

static int emitted[MAX_THREADS];
static uint32_t *record_number; /* of events */
static struct {                 /* the reads of each location, those of old writes first */
    EventId *by_source;
    uint32_t *first, *next; /* by location: where its reads begin; the next to look at */
} reads;

static bool
    interleaving; /* the graph is one: writes come in coherence order, reads before overwrites */
static void emit_to(int t, int count);

/* Is E at or behind the event at which the violation shows, in its thread? Nothing else needs it:
 * it comes last, so that a replay comes to it when all others have done what they did. */
static bool is_last(const Event *e)
{
    return finding.event && e->thread == pool[finding.event].thread &&
           e->index >= pool[finding.event].index;
}

/* Emits what an interleaving has before write W: older writes of the location, and their reads. */
static void emit_before_write(const Event *w)
{
    const Location *x = &locations[w->location];
    if (w->co > 1 && !is_last(&pool[x->co[w->co - 1]]))
        emit_to(pool[x->co[w->co - 1]].thread, pool[x->co[w->co - 1]].index + 1);
    uint32_t *next = &reads.next[w->location];
    while (*next < reads.first[w->location + 1]) {
        const Event *r = &pool[reads.by_source[*next]];
        if (rf_position(r) >= w->co)
            return;
        ++*next;
        if (!(r->thread == w->thread && r->index + 1 == w->index) && !is_last(r))
            emit_to(r->thread, r->index + 1);
    }
}

/* By the places of what they read in coherence order: mostly they are in that order already. */
static void sort_reads(EventId *at, uint32_t count)
{
    for (uint32_t gap = count / 2 | 1; gap; gap /= 2)
        for (uint32_t i = gap; i < count; i++) {
            EventId moved = at[i];
            uint32_t j = i;
            for (; j >= gap && rf_position(&pool[at[j - gap]]) > rf_position(&pool[moved]);
                 j -= gap)
                at[j] = at[j - gap];
            at[j] = moved;
        }
}

static void list_reads(void)
{
    uint32_t total = 0;
    for (LocationId l = 1; l <= location_count; l++) {
        const Location *x = &locations[l];
        reads.first[l] = reads.next[l] = total;
        for (int j = 0; j < x->reads; j++)
            reads.by_source[total++] = x->read[j];
        sort_reads(reads.by_source + reads.first[l], (uint32_t)x->reads);
    }
    reads.first[location_count + 1] = total;
}

/* The last write that gave E a byte, or 0: a load of a part may look through younger ones. */
static EventId source_of(const Event *e)
{
    EventId w = e->rf;
    while (w && !e->rmw && e->part && !(event_bytes(&pool[w]) & event_bytes(e)))
        w = pool[w].rf;
    return w;
}

static struct {             /* the order in time of the calls that fail (verifier_shown) */
    bool open[MAX_THREADS]; /* what comes before an event of the thread is being emitted */
    bool cyclic;
} in_time;

/* Emits the returns that come before call E. */
static void emit_before_call(const Event *e)
{
    for (uint32_t i = 0; i < verifier_shown.count; i++)
        if (verifier_shown.pairs[i].after == event_id(e)) {
            const Event *before = &pool[verifier_shown.pairs[i].before];
            emit_to(before->thread, before->index + 1);
        }
}

static void emit_to(int t, int count)
{
    if (emitted[t] >= count)
        return; /* its next event stays open if it is */
    in_time.cyclic |= verifier_shown.count && in_time.open[t];
    while (emitted[t] < count && !in_time.cyclic) {
        const Event *e = thread_event(t, emitted[t]);
        in_time.open[t] = true;
        if (e->kind == EVENT_READ && e->rf && is_last(&pool[e->rf]) && !is_last(e))
            break; /* it was to read from there: a revisit */
        if (e->index == 0 && t)
            emit_to(pool[threads[t].create].thread, pool[threads[t].create].index + 1);
        if (e->kind == EVENT_READ && e->rf)
            emit_to(pool[e->rf].thread, pool[e->rf].index + 1);
        if (e->kind == EVENT_JOIN)
            emit_to((int)e->other, threads[e->other].count);
        if ((e->kind == EVENT_MARK || e->kind == EVENT_CHOOSE) && e->operand)
            emit_to(pool[e->operand].thread, pool[e->operand].index + 1);
        if (e->kind == EVENT_MARK && verifier_shown.count)
            emit_before_call(e);
        if (interleaving && e->kind == EVENT_WRITE)
            emit_before_write(e);
        if (in_time.cyclic)
            break;
        in_time.open[t] = false;
        emitted[t]++;
        if (is_merge_read(e))
            continue;
        RecordEvent *to = evidence_append(RECORD_READ, t, 0);
        evidence_describe(to, event_id(e));
        record_number[event_id(e)] = (uint32_t)target->events.count - 1;
        if (e->kind == EVENT_READ) {
            EventId source = source_of(e);
            to->rf = source ? record_number[source] : RECORD_INIT;
        }
    }
    in_time.open[t] = false;
}

static void add_object(HeapBlock *block, char *address, void *context)
{
    (void)context;
    ASSERT(used + sizeof(RecordObject) <= LINK_EVIDENCE_BYTES);
    RecordObject *object = (RecordObject *)(void *)(target->evidence + used);
    used += sizeof *object;
    *object = (RecordObject){.address = (uintptr_t)address,
                             .bytes = block->bytes,
                             .alloc_pc = block->pc,
                             .alloc_thread = block->region};
    if (!heap_is_live(block)) {
        object->free_pc = block->free_pc;
        object->free_thread = block->free_thread;
    }
    target->objects.count++;
}

/* A thread stands at Q. If that is a plain access it is a request only because its memory is known
 * to race, which no event need show: a replay that does not know would let the thread run past it.
 */
static void describe_request(RecordThread *to, const Request *q)
{
    if (q->kind < REQUEST_LOAD || q->kind > REQUEST_AWAIT || !q->plain)
        return;
    to->asks_address = (uintptr_t)q->address + block_part_offset(q->part);
    to->asks_bytes = block_part_size(q->part, q->size);
    to->asks_order = q->plain == 2 ? RECORD_VOLATILE : RECORD_PROMOTED;
}

static void add_threads(void)
{
    target->threads.offset = used;
    int highest = 64 - __builtin_clzll(threads_created);
    RecordThread *list = room(sizeof(RecordThread) * (size_t)highest);
    target->threads.count = (uint64_t)highest;
    for (int t = 0; t < highest; t++) {
        RecordThread *to = &list[t];
        *to = (RecordThread){.finder = t == finding.thread,
                             .ran_on = threads[t].live == LIVE_PENDING,
                             .thread_pointer = fiber_own_storage ? fibers[t].thread_pointer : 0};
        if (to->ran_on)
            describe_request(to, &threads[t].pending);
        if (t && (threads_created >> t & 1)) {
            const Event *create = &pool[threads[t].create];
            to->function = guest_start_function((unsigned)t);
            if (!to->function)
                to->function = create->value;
            to->create_pc = create->pc;
            to->parent = create->thread;
        }
        to->state = threads_ended >> t & 1 ? 1 : threads_waiting >> t & 1 ? 2 : 0;
        if (to->state != 2 || !threads[t].count)
            continue;
        const Event *last = last_event(t);
        if (last->waits >= 1 && last->waits <= MAX_THREADS) {
            to->waits_thread = last->waits - 1u;
            to->waits_pc = threads[t].pending.kind == REQUEST_JOIN
                               ? (uintptr_t)threads[t].pending.pc
                               : last->pc;
        } else {
            const Event *read = last;
            for (int i = threads[t].count - 1; i >= last->wait_from; i--)
                if (thread_event(t, i)->kind == EVENT_READ) {
                    read = thread_event(t, i);
                    break;
                }
            to->waits_address =
                IS_ACCESS(read->kind) ? (uintptr_t)locations[read->location].address : 0;
            to->waits_pc = read->pc;
        }
    }
}

void evidence_end(void)
{
    add_threads();
    used = (used + 63) & ~(uint64_t)63;
    target->objects = (LinkRange){used, 0};
    for (int region = 0; region <= MAX_THREADS; region++)
        heap_each(region, add_object, NULL);
    used = (used + 63) & ~(uint64_t)63;
    target->record_message = intern(finding.message);
    target->text = (LinkRange){used, text_bytes};
    memcpy(room(text_bytes), text, text_bytes);
    target->record_model = options.model;
    target->record_violation = finding.violation;
    target->record_load_base = start_load_base;
    target->record_pc = finding.pc;
    if (finding.thread >= 0)
        callers_list(finding.thread, target->record_callers, RECORD_CALLERS);
    target->has_record = 1;
}

/* The events at which the violation shows: the last of the thread that found it, and its partner's.
 */
static void mark_bad(void)
{
    RecordEvent *events = (RecordEvent *)(void *)target->evidence;
    for (uint64_t i = target->events.count; i-- > 0;)
        if (finding.thread >= 0 && events[i].thread == finding.thread) {
            events[i].flags |= RECORD_FLAG_BAD;
            break;
        }
}

/* False: the order in time and that of an interleaving make a cycle. */
static bool emit_all(Link *link)
{
    list_reads();
    evidence_begin(link);
    memset(emitted, 0, sizeof emitted);
    memset(in_time.open, 0, sizeof in_time.open);
    in_time.cyclic = false;
    for (int i = 0; i < order_count && in_bound.active; i++) /* it is an interleaving already */
        emit_to(pool[order[i]].thread, pool[order[i]].index + 1);
    int last = finding.event ? pool[finding.event].thread : -1;
    for (ThreadSet left = threads_created; left; left &= left - 1)
        if (thread_first(left) != last)
            emit_to(thread_first(left), threads[thread_first(left)].count);
    if (last >= 0)
        emit_to(last, threads[last].count);
    return !in_time.cyclic;
}

void evidence_fill(Link *link)
{
    if (!record_number) {
        record_number = pages_reserve(sizeof(uint32_t) * MAX_EVENTS);
        reads.by_source = pages_reserve(sizeof(EventId) * MAX_EVENTS);
        reads.first = pages_reserve(sizeof(uint32_t) * (MAX_LOCATIONS + 2));
        reads.next = pages_reserve(sizeof(uint32_t) * (MAX_LOCATIONS + 2));
    }
    if (finding.violation != VIOLATION_LINEARIZABILITY && finding.violation != VIOLATION_STUCK)
        verifier_shown.count = 0;
    interleaving = model_graph_is_sc();
    if (!emit_all(link)) { /* with the order in time the graph is not sc */
        interleaving = false;
        if (!emit_all(link)) { /* a client would have to synchronise for it: shown without */
            verifier_shown.count = 0;
            interleaving = model_graph_is_sc();
            (void)emit_all(link);
        }
    }
    verifier_shown.count = 0;
    mark_bad();
    evidence_end();
}
