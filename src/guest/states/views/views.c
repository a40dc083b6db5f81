#include "guest/states/views/views.h"
#include <string.h>
#include "base/hash.h"
#include "guest/entry/sync/word.h"
#include "guest/explore/graph/finding.h"
#include "guest/explore/graph/graph.h"
#include "guest/explore/search/ops.h"
#include "guest/runtime/fiber.h"
#include "guest/states/present.h"
#include "guest/states/steps/written.h"
#include "guest/states/views/summary.h"

bool views_used;
uint32_t views_limit;
uint64_t views_held;
uint8_t views_seen[STATES_THREADS];
uint32_t views_dropped[STATES_THREADS];
_Static_assert(STATES_THREADS == SUMMARY_THREADS, "calls are counted by thread");
static Summary summary;
static bool orders, fences;  /* the program has seq_cst accesses, acquire fences: see summary.h */
static HashMap atomic_words; /* outside of blocks: that were accessed atomically; */
static HashMap plain_words;  /* plainly: of these views know who has accessed them */
static uint8_t in_order[SUMMARY_PLACES]; /* of places, while a key is made */
static uint32_t ordered;
typedef enum NoteKind { NOTE_READ, NOTE_WRITE, NOTE_ALLOCATE, NOTE_FREE } NoteKind;
typedef struct Note {
    uint64_t at;
    uint32_t bytes, kind;
    const void *pc;
} Note;
static Note notes[2048];
static uint32_t noted;

void views_enter(bool used, bool anew)
{
    views_used = used;
    if (!anew)
        return;
    orders = fences = false;
    hashmap_clear(&atomic_words);
    hashmap_clear(&plain_words);
}

void views_begin(void)
{
    if (!views_used)
        return;
    summary_begin(&summary);
    summary.c11 = options.release_sequences != RELEASE_CXX20;
    summary.orders = orders;
    summary.fences = fences;
}

void views_begin_client(uint32_t may_call)
{
    if (!views_used)
        return;
    bool c11 = summary.c11;
    summary_begin_client(&summary, may_call);
    summary.c11 = c11;
    summary.orders = orders;
    summary.fences = fences;
}

static void check_room(void)
{
    if (UNLIKELY(summary.full))
        op_unsupported("states under rc11 hold up to %d places, %d messages of one and %d of all, "
                       "and %d accesses that not all threads know of",
                       SUMMARY_PLACES, SUMMARY_MESSAGES, SUMMARY_GAPS, SUMMARY_RECORDS);
}

/* ---- which accesses views know of ---- */

static bool was_noted(HashMap *words, uint64_t at)
{
    return hashmap_find(words, at / 8) != NULL;
}

static void note_words(HashMap *words, uint64_t at, size_t bytes)
{
    bool absent;
    for (uint64_t word = at / 8; word <= (at + bytes - 1) / 8; word++)
        hashmap_put(words, word, &absent);
}

/* Must an atomic access there be recorded, because plain ones may race with it? */
static bool is_recorded(uint64_t at)
{
    return states_in_area(at) || was_noted(&plain_words, at);
}

static void note_plain(uint64_t at, size_t bytes)
{
    bool late = false;
    if (states_in_area(at))
        return;
    for (uint64_t word = at & ~UINT64_C(7); word < at + bytes; word += 8)
        late |= was_noted(&atomic_words, word) && !was_noted(&plain_words, word);
    note_words(&plain_words, at, bytes);
    if (late) /* what came before was not recorded */
        op_begin_again();
}

/* The search begins again if something of *KIND IS_MET that it was begun without. */
static void note_kind(bool is_met, bool *kind)
{
    if (!is_met || *kind)
        return;
    *kind = true;
    op_begin_again();
}

/* ---- atomic accesses ---- */

bool views_follow(int t, const Request *q)
{
    return views_used && states_concurrent && fiber_of_stack(q->address) != t;
}

static uint64_t low_bytes(uint64_t value, unsigned size)
{
    return size >= 8 ? value : value & ((UINT64_C(1) << (8 * size)) - 1);
}

/* Returns the place that Q accesses, or SUMMARY_NOWHERE: there is none yet. */
static uint32_t place_of(const Request *q)
{
    uint64_t at = (uintptr_t)q->address;
    if (q->size > 8 || at % q->size)
        op_unsupported_at(q->pc, "states under rc11 do not follow atomic accesses of %u bytes%s",
                          q->size, q->size > 8 ? "" : " that are not aligned");
    uint32_t found = SUMMARY_NOWHERE;
    for (uint32_t p = 0; p < summary.places; p++) {
        const SummaryPlace *place = &summary.place[p];
        if (place->name >= at + q->size || at >= place->name + place->bytes)
            continue;
        if (place->name != at || place->bytes != q->size)
            op_unsupported_at(q->pc, "states under rc11 do not follow atomic accesses of different "
                                     "sizes to the same memory");
        found = p;
    }
    return found;
}

static bool is_unwritten(const Request *q)
{
    uint64_t at = (uintptr_t)q->address;
    const StatesBlock *block = states_block_of(at);
    if (!block || block->zeroed)
        return false;
    for (uint64_t end = at + q->size; at < end; at++)
        if (!(states_area_written[(at - STATES_AREA) / 8] >> (at & 7) & 1))
            return true;
    return false;
}

static uint64_t value_of(uint32_t p, uint32_t k)
{
    const SummaryPlace *place = &summary.place[p];
    return k + 1 < place->count ? place->message[k].value
                                : states_peek((void *)place->name, place->bytes);
}

static bool is_acquiring(int memory_order)
{
    return memory_order == ORDER_ACQUIRE || memory_order == ORDER_CONSUME ||
           memory_order == ORDER_ACQ_REL || memory_order == ORDER_SEQ_CST;
}

static bool is_releasing(int memory_order)
{
    return memory_order == ORDER_RELEASE || memory_order == ORDER_ACQ_REL ||
           memory_order == ORDER_SEQ_CST;
}

/* Returns what Q does if it meets VALUE; 0: it waits on. */
static uint8_t kind_of(const Request *q, uint64_t value, bool fails)
{
    switch (q->kind) {
    case REQUEST_LOAD:
        return SUMMARY_READ;
    case REQUEST_STORE:
        return SUMMARY_WRITE;
    case REQUEST_CAS:
        return value == low_bytes(q->expected, q->size) && !fails ? SUMMARY_UPDATE : SUMMARY_READ;
    case REQUEST_AWAIT:
        if (q->test != AWAIT_STILL &&
            !word_test((AwaitTest)q->test, value, q->size, (int64_t)q->expected))
            return 0;
        return q->op == RMW_NONE ? SUMMARY_READ : SUMMARY_UPDATE;
    default:
        return SUMMARY_UPDATE;
    }
}

static SummaryEvent event_of(int t, const Request *q, uint32_t place, uint32_t from, uint64_t value,
                             bool fails)
{
    uint8_t kind = kind_of(q, value, fails);
    bool failed = q->kind == REQUEST_CAS && kind == SUMMARY_READ;
    int memory_order = q->plain == 2 ? ORDER_RELAXED : failed ? q->failure_order : q->order;
    return (SummaryEvent){.thread = (uint8_t)t,
                          .kind = kind,
                          .atomic = true,
                          .acquires = kind != SUMMARY_WRITE && is_acquiring(memory_order),
                          .releases = kind != SUMMARY_READ && is_releasing(memory_order),
                          .seq_cst = memory_order == ORDER_SEQ_CST,
                          .place = place,
                          .from = from,
                          .at = (uintptr_t)q->address,
                          .bytes = q->size,
                          .pc = q->pc};
}

static bool is_held(const SummaryEvent *e)
{
    uint32_t count = e->place == SUMMARY_NOWHERE ? 1 : summary.place[e->place].count;
    bool held = views_limit && e->kind != SUMMARY_READ && count >= views_limit;
    views_held += held;
    return held;
}

/* Leaves in *E the event of WAY, and in *VALUE what it meets; returns how many ways there are up to
 * that, all if WAY is UINT32_MAX. */
static uint32_t find_way(int t, const Request *q, uint32_t way, SummaryEvent *e, uint64_t *value)
{
    uint32_t place = place_of(q), count = 0;
    bool weak = q->kind == REQUEST_CAS && q->weak && options.weak_cas;
    uint32_t from = 0, end = 1;
    if (place != SUMMARY_NOWHERE) {
        from = summary.thread[t].cur.at[place];
        end = summary.place[place].count;
    }
    for (; from < end; from++)
        for (int fails = 0; fails <= weak; fails++) {
            *value =
                place != SUMMARY_NOWHERE ? value_of(place, from) : states_peek(q->address, q->size);
            *e = event_of(t, q, place, from, *value, fails);
            bool same = fails && e->kind == event_of(t, q, place, from, *value, false).kind;
            if (!e->kind || same || is_held(e) ||
                (place != SUMMARY_NOWHERE && !summary_allows(&summary, e)))
                continue;
            if (count++ == way)
                return count;
        }
    return count;
}

uint32_t views_ways(int t, const Request *q)
{
    SummaryEvent ignored;
    uint64_t value;
    return find_way(t, q, UINT32_MAX, &ignored, &value);
}

static uint64_t written_by(const Request *q, uint64_t value)
{
    bool changes = q->kind == REQUEST_RMW || q->kind == REQUEST_AWAIT;
    if (!changes || q->op == RMW_EXCHANGE)
        return low_bytes(q->operand, q->size);
    return low_bytes(word_apply((RmwOp)q->op, value, q->operand), q->size);
}

static void report(const SummaryRecord *race, const SummaryEvent *e)
{
    finding_set_partner(race->thread, (void *)e->at, MIN(e->bytes, 255u));
    op_violation(VIOLATION_RACE, e->pc, "threads %d and %d access the same memory without order",
                 e->thread, race->thread);
}

static void add(const SummaryEvent *e)
{
    const SummaryRecord *race = summary_add(&summary, e);
    check_room();
    if (race)
        report(race, e);
}

/* E, which writes VALUE, goes behind its message: in memory if that is the last one. */
static void show_write(const Request *q, const SummaryEvent *e)
{
    SummaryPlace *place = &summary.place[e->place];
    written_note_change();
    if (e->from + 1 < place->count)
        return;
    place->message[e->from].value = states_peek(q->address, q->size);
    states_will_write(q->address, q->size);
    states_poke(q->address, q->size, e->value);
}

void views_perform(int t, const Request *q, uint32_t way)
{
    SummaryEvent e;
    uint64_t value;
    note_kind(q->plain != 2 && (q->order == ORDER_SEQ_CST ||
                                (q->kind == REQUEST_CAS && q->failure_order == ORDER_SEQ_CST)),
              &orders);
    if (place_of(q) == SUMMARY_NOWHERE) {
        summary_add_place(&summary, (uintptr_t)q->address, q->size, 0, is_unwritten(q));
        check_room();
    }
    if (find_way(t, q, way, &e, &value) != way + 1)
        die("internal error: an access of thread %d has no way %u", t, way);
    if (!states_in_area(e.at))
        note_words(&atomic_words, e.at, e.bytes);
    e.recorded = is_recorded(e.at);
    reply.value = value;
    reply.value_high = 0;
    reply.success = q->kind == REQUEST_CAS && e.kind == SUMMARY_UPDATE;
    if (e.kind != SUMMARY_WRITE && summary.place[e.place].message[e.from].unwritten) {
        op_blame(BLAME_READ, q->address, q->size);
        op_violation(VIOLATION_UNINITIALISED_READ, q->pc,
                     "an atomic read of heap memory that nothing has written yet");
    }
    written_in_vain |= q->kind == REQUEST_CAS && e.kind == SUMMARY_READ;
    if (e.kind != SUMMARY_READ) {
        e.value = written_by(q, value);
        show_write(q, &e);
    }
    add(&e);
}

void views_fence(int t, const Request *q)
{
    note_kind(q->order == ORDER_SEQ_CST, &orders);
    note_kind(is_acquiring(q->order), &fences);
    summary_add(&summary, &(SummaryEvent){.thread = (uint8_t)t,
                                          .kind = SUMMARY_FENCE,
                                          .acquires = is_acquiring(q->order),
                                          .releases = is_releasing(q->order),
                                          .seq_cst = q->order == ORDER_SEQ_CST,
                                          .place = SUMMARY_NOWHERE});
}

/* ---- plain accesses ---- */

static void add_plain(int t, uint64_t at, size_t bytes, NoteKind kind, const void *pc)
{
    bool writes = kind != NOTE_READ;
    SummaryEvent e = {.thread = (uint8_t)t,
                      .kind = writes ? SUMMARY_WRITE : SUMMARY_READ,
                      .place = SUMMARY_NOWHERE,
                      .at = at,
                      .bytes = (uint32_t)bytes,
                      .recorded = true,
                      .allocates = kind == NOTE_ALLOCATE,
                      .apart =
                          true, /* as it is not in graphs (explore/graph), if it is only that */
                      .pc = pc};
    note_plain(at, bytes);
    add(&e);
    for (uint32_t p = 0; p < summary.places; p++) {
        const SummaryPlace *place = &summary.place[p];
        if (place->name >= at + bytes || at >= place->name + place->bytes)
            continue;
        if (place->name < at || place->name + place->bytes > at + bytes)
            op_unsupported_at(pc, "states under rc11 do not follow plain accesses to a part of "
                                  "what is accessed atomically");
        SummaryEvent one = e;
        one.place = p;
        one.from = place->count - 1;
        one.bytes = 0;
        one.recorded = one.apart = false;
        if (!summary_allows(&summary, &one))
            die("internal error: the last message of a place can't be accessed");
        add(&one); /* (who reads the message before a plain write races with that) */
    }
}

static bool lies_in(uint64_t at, uint64_t first, size_t bytes)
{
    return at - first < bytes;
}

static void drop_records_in(uint64_t at, size_t bytes)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < summary.records; i++)
        if (!lies_in(summary.record[i].at, at, bytes))
            summary.record[kept++] = summary.record[i];
    summary.records = kept;
}

static void free_memory(int t, uint64_t at, size_t bytes, const void *pc)
{
    for (uint32_t i = 0; i < summary.records; i++) {
        const SummaryRecord *r = &summary.record[i];
        if (r->thread == t || !lies_in(r->at, at, bytes) ||
            summary.thread[t].cur.clock[r->thread] >= r->clock)
            continue;
        finding_set_partner(r->thread, (void *)at, (unsigned)MIN(bytes, 255u));
        op_violation(VIOLATION_USE_AFTER_FREE, pc,
                     "an object of %zu bytes is freed while thread %d uses it", bytes, r->thread);
    }
    if (!states_in_area(at)) { /* it stays where it is */
        add_plain(t, at, bytes, NOTE_WRITE, pc);
        return;
    }
    for (uint32_t p = summary.places; p-- > 0;)
        if (lies_in(summary.place[p].name, at, bytes))
            summary_drop_place(&summary, p);
    drop_records_in(at, bytes);
}

void views_run_begins(void)
{
    noted = 0;
}

static void note(uint64_t at, size_t bytes, NoteKind kind, const void *pc)
{
    if (noted == COUNT_OF(notes))
        op_unsupported("a thread makes more than %d plain accesses between two atomic ones",
                       (int)COUNT_OF(notes));
    notes[noted++] = (Note){at, (uint32_t)bytes, (uint32_t)kind, pc};
}

void views_note_access(uint64_t at, size_t bytes, bool writes, const void *pc)
{
    note(at, bytes, writes ? NOTE_WRITE : NOTE_READ, pc);
}

void views_note_allocation(uint64_t at, size_t bytes, bool zeroed, const void *pc)
{
    note(at, bytes, zeroed ? NOTE_WRITE : NOTE_ALLOCATE, pc);
}

void views_note_free(uint64_t at, size_t bytes, const void *pc)
{
    note(at, bytes, NOTE_FREE, pc);
}

void views_settle(int t)
{
    uint32_t count = noted;
    noted = 0;
    for (uint32_t i = 0; i < count; i++) {
        const Note *n = &notes[i];
        if (n->kind == NOTE_FREE)
            free_memory(t, n->at, n->bytes, n->pc);
        else
            add_plain(t, n->at, n->bytes, (NoteKind)n->kind, n->pc);
    }
}

/* ---- threads ---- */

/* Who waits for the end of a thread does nothing before it: it sees what that one has seen. */
static void see_through_joins(void)
{
    bool any = true;
    for (int round = 0; any && round < STATES_THREADS; round++) {
        any = false;
        for (int t = 0; t <= (int)states_threads; t++) {
            const Request *q = &states_thread[t].request;
            if (states_thread[t].call < 0 || q->kind != REQUEST_JOIN ||
                q->operand >= STATES_THREADS || states_thread[q->operand].call != 0)
                continue;
            summary_wait(&summary, (uint32_t)t, (uint32_t)q->operand);
            any = true;
        }
    }
}

void views_create(int parent, int child)
{
    summary_create(&summary, (uint32_t)parent, (uint32_t)child);
}

void views_join(int t, int ended)
{
    summary_join(&summary, (uint32_t)t, (uint32_t)ended);
}

void views_end(int t)
{
    summary_end(&summary, (uint32_t)t);
}

/* ---- calls ---- */

uint32_t views_call_ways(int t)
{
    uint8_t ignored[STATES_THREADS];
    return summary_call_ways(&summary, (uint32_t)t, UINT32_MAX, ignored);
}

void views_call(int t, uint32_t way, bool may_call)
{
    if (summary_call_ways(&summary, (uint32_t)t, way, views_seen) != way + 1)
        die("internal error: a call of thread %d has no way %u", t, way);
    summary_call(&summary, (uint32_t)t, views_seen, may_call);
}

void views_return(int t)
{
    summary_return(&summary, (uint32_t)t);
    check_room();
}

uint32_t views_returned(int t)
{
    return summary.thread[t].returned;
}

void views_step_begins(void)
{
    memset(views_dropped, 0, sizeof views_dropped);
}

/* ---- copies ---- */

size_t views_copy_bytes(void)
{
    return summary_bytes(&summary);
}

char *views_copy(char *to)
{
    return summary_save(&summary, to);
}

const char *views_restore(const char *from)
{
    return summary_restore(&summary, from);
}

void views_each_value(void (*visit)(uint64_t value))
{
    for (uint32_t p = 0; p < summary.places; p++)
        for (uint32_t k = 0; k + 1 < summary.place[p].count; k++)
            visit(summary.place[p].message[k].value);
}

void views_each_word(void (*visit)(void *word))
{
    for (uint32_t p = 0; p < summary.places; p++) {
        SummaryPlace *place = &summary.place[p];
        visit(&place->name);
        for (uint32_t k = 0; k + 1 < place->count; k++)
            visit(&place->message[k].value);
    }
    for (uint32_t i = 0; i < summary.records; i++)
        visit(&summary.record[i].at);
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        visit(&summary.thread[t].last);
}

/* ---- keys ---- */

void views_forget(void)
{
    see_through_joins();
    summary_forget(&summary, views_dropped);
    ordered = 0;
}

/* Can the memory at AT still be accessed, as far as it is known? *RANK: where it stands. */
static bool find_rank(uint64_t at, uint64_t *rank)
{
    const StatesBlock *block = states_block_of(at);
    *rank = at;
    if (!states_in_area(at))
        return true;
    if (!block || !block->number)
        return false;
    *rank = UINT64_C(1) << 63 | (uint64_t)block->number << 32 | (at - block->at);
    return true;
}

static bool is_put(uint32_t place)
{
    return memchr(in_order, (int)place, ordered) != NULL;
}

bool views_next_place(void)
{
    uint64_t best = UINT64_MAX, rank;
    uint32_t found = SUMMARY_NOWHERE;
    for (uint32_t p = 0; p < summary.places; p++)
        if (!is_put(p) && find_rank(summary.place[p].name, &rank) && rank < best) {
            best = rank;
            found = p;
        }
    if (found == SUMMARY_NOWHERE)
        return false;
    in_order[ordered++] = (uint8_t)found;
    return true;
}

uint64_t *views_put_place(uint64_t *at, ViewsPut put)
{
    const SummaryPlace *place = &summary.place[in_order[ordered - 1]];
    at = put(at, place->name);
    for (uint32_t k = 0; k + 1 < place->count; k++)
        at = put(at, place->message[k].value);
    return at;
}

/* Drops what lies in memory that nobody can reach; returns whether there was any. */
static bool drop_unreached(void)
{
    uint32_t places = summary.places, records = summary.records, kept = 0;
    uint64_t rank;
    for (uint32_t p = summary.places; p-- > 0;)
        if (!find_rank(summary.place[p].name, &rank))
            summary_drop_place(&summary, p);
    for (uint32_t i = 0; i < summary.records; i++)
        if (find_rank(summary.record[i].at, &rank))
            summary.record[kept++] = summary.record[i];
    summary.records = kept;
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        if (!find_rank(summary.thread[t].last, &rank))
            summary.thread[t].last = 0; /* it can't go on there */
    return places != summary.places || records != summary.records;
}

static void order_again(void)
{
    ordered = 0;
    while (views_next_place())
        ;
}

size_t views_words(void)
{
    return summary_words(&summary) + 6 * (size_t)summary.records + 4 * SUMMARY_THREADS + 16;
}

static uint64_t *put_record(uint64_t *at, const SummaryRecord *r, ViewsPut put)
{
    at = put(at, r->at);
    *at++ = (uint64_t)r->bytes << 32 | (uint64_t)r->clock << 16 | (uint64_t)r->thread << 8 |
            (uint64_t)r->writes << 2 | r->plain;
    return at;
}

/* Which of two records comes first does not depend on where blocks lie. */
static bool is_before(const SummaryRecord *a, const SummaryRecord *b)
{
    uint64_t of_a, of_b;
    if (a->thread != b->thread || a->clock != b->clock)
        return a->thread != b->thread ? a->thread < b->thread : a->clock < b->clock;
    find_rank(a->at, &of_a);
    find_rank(b->at, &of_b);
    return of_a < of_b; /* (a thread's clocks differ) */
}

static void sort_records(void)
{
    for (uint32_t i = 1; i < summary.records; i++) {
        SummaryRecord r = summary.record[i];
        uint32_t k = i;
        for (; k && is_before(&r, &summary.record[k - 1]); k--)
            summary.record[k] = summary.record[k - 1];
        summary.record[k] = r;
    }
}

uint64_t *views_put(uint64_t *at, ViewsPut put)
{
    if (drop_unreached()) {
        summary_forget(&summary, views_dropped);
        order_again();
    }
    sort_records();
    at = summary_put(&summary, in_order, at);
    *at++ = summary.records;
    for (uint32_t i = 0; i < summary.records; i++)
        at = put_record(at, &summary.record[i], put);
    for (uint32_t t = 0; t < SUMMARY_THREADS; t++)
        at = put(at, summary.orders && summary.thread[t].live ? summary.thread[t].last : 0);
    return at;
}
