/* Vector clocks over the events as they are listed. The list respects program order and reads-from,
 * and happens-before is made of these, so one pass sees every event after all that happens before
 * it.
 *
 * Synchronisation is that of RC11 (Lahav et al. 2017, sections 3.2 and 3.3):
 *   sw = [rel] ; ([F] ; po)? ; rs ; rf ; [R rlx] ; (po ; [F])? ; [acq],
 *   rs = [W] ; po|loc? ; [W rlx] ; (rf ; rmw)*.
 * Each atomic write W keeps the clock that a read of W acquires: that of W itself if it releases,
 * of the last release by its thread to the same place, of the thread's last release fence, and, for
 * a read-modify-write, what the write it read from has kept. A relaxed read puts it aside for the
 * next acquire fence of its thread.
 *
 * An arrow enters event E from thread U where E's clock knows more of U than E's predecessor in its
 * own thread did, unless another thread's entering event knows as much: that is the transitive
 * reduction. (An event between the two would have to be the last one known of some thread; of E's
 * own thread the predecessor says no, of U the arrow starts at the last, of a third V it would be
 * V's entering event.) */
#include "tool/report/arrows.h"
#include <string.h>
#include "base/hash.h"
#include "record/options.h"
#include "record/operations.h"

typedef struct Clocks {
    const Record *record;
    uint32_t threads;
    uint32_t *at;       /* by event */
    uint32_t *kept;     /* by write: what its readers acquire */
    uint32_t *now;      /* by thread */
    uint32_t *fence;    /* by thread: at its last release fence */
    uint32_t *aside;    /* by thread: what relaxed reads have seen */
    uint32_t *place;    /* by event */
    uint32_t *last;     /* by thread: its last event so far, or RECORD_NONE */
    uint32_t *previous; /* by event: the one before it in its thread */
    uint32_t *count;    /* by thread */
    uint32_t *event_of; /* by thread and place, through `first` */
    uint32_t *first;    /* by thread: where its events begin in event_of */
    HashMap releases;   /* thread and address to its last release there, plus one */
} Clocks;

const char *arrow_kind_word(ArrowKind kind)
{
    static const char *const words[] = {
#define X(name, word) word,
        ARROW_KINDS(X)
#undef X
    };
    return words[kind];
}

static uint32_t *row(const Clocks *c, uint32_t *table, uint32_t number)
{
    return table + (size_t)number * c->threads;
}

static void join(const Clocks *c, uint32_t *to, const uint32_t *from)
{
    for (uint32_t u = 0; u < c->threads; u++)
        to[u] = MAX(to[u], from[u]);
}

static bool releases(const Clocks *c, const RecordEvent *event)
{
    if (!model_synchronises_by_order(c->record->model))
        return true;
    return !(event->flags & RECORD_FLAG_PLAIN) &&
           (event->order == ORDER_RELEASE || event->order == ORDER_ACQ_REL ||
            event->order == ORDER_SEQ_CST);
}

static bool acquires(const Clocks *c, const RecordEvent *event)
{
    if (!model_synchronises_by_order(c->record->model))
        return true;
    return !(event->flags & RECORD_FLAG_PLAIN) &&
           (event->order == ORDER_ACQUIRE || event->order == ORDER_CONSUME ||
            event->order == ORDER_ACQ_REL || event->order == ORDER_SEQ_CST);
}

static bool reads(const RecordEvent *event, uint32_t number)
{
    return event->kind == RECORD_READ && event->rf < number;
}

static void clocks_read(Clocks *c, uint32_t number)
{
    const RecordEvent *event = &c->record->events[number];
    if (!reads(event, number) || c->record->events[event->rf].kind != RECORD_WRITE)
        return;
    const uint32_t *kept = row(c, c->kept, event->rf);
    if (acquires(c, event))
        join(c, row(c, c->now, event->thread), kept);
    else if (!(event->flags & RECORD_FLAG_PLAIN))
        join(c, row(c, c->aside, event->thread), kept);
}

static void clocks_write(Clocks *c, uint32_t number)
{
    const RecordEvent *event = &c->record->events[number];
    if (event->flags & RECORD_FLAG_PLAIN && model_synchronises_by_order(c->record->model))
        return;
    uint32_t *kept = row(c, c->kept, number);
    uint64_t *last = hashmap_put(&c->releases, event->address * c->threads + event->thread, NULL);
    if (releases(c, event))
        *last = number + 1ull;
    if (*last)
        join(c, kept, row(c, c->at, (uint32_t)*last - 1));
    join(c, kept, row(c, c->fence, event->thread));
    uint32_t before = c->previous[number];
    if (event->flags & RECORD_FLAG_RMW && before != RECORD_NONE) {
        const RecordEvent *half = &c->record->events[before];
        if (reads(half, before) && half->flags & RECORD_FLAG_RMW && half->address == event->address)
            join(c, kept, row(c, c->kept, half->rf));
    }
}

static void clocks_fence(Clocks *c, uint32_t number)
{
    const RecordEvent *event = &c->record->events[number];
    uint32_t *now = row(c, c->now, event->thread);
    if (acquires(c, event))
        join(c, now, row(c, c->aside, event->thread));
    if (releases(c, event))
        memcpy(row(c, c->fence, event->thread), now, sizeof *now * c->threads);
}

/* The clock of one more event; those before it in the list are done. */
static void clocks_step(Clocks *c, uint32_t number)
{
    const RecordEvent *event = &c->record->events[number];
    uint32_t *now = row(c, c->now, event->thread);
    c->previous[number] = c->last[event->thread];
    c->last[event->thread] = number;
    c->place[number] = c->count[event->thread]++;
    now[event->thread] = c->place[number] + 1;
    if (event->kind == RECORD_READ)
        clocks_read(c, number);
    if (event->kind == RECORD_FENCE)
        clocks_fence(c, number);
    if (event->kind == RECORD_JOIN && event->other < c->threads)
        join(c, now, row(c, c->now, event->other));
    memcpy(row(c, c->at, number), now, sizeof *now * c->threads);
    if (event->kind == RECORD_WRITE)
        clocks_write(c, number);
    if (event->kind == RECORD_CREATE && event->other < c->threads)
        join(c, row(c, c->now, event->other), now);
}

static uint32_t *table(Arena *arena, size_t rows, size_t columns)
{
    return arena_array_of(arena, uint32_t, (rows + 1) * (columns + 1));
}

static void clocks_make(Clocks *c, Arena *arena, const Record *record)
{
    uint32_t events = record->event_count, threads = record->thread_count;
    *c = (Clocks){.record = record,
                  .threads = threads,
                  .at = table(arena, events, threads),
                  .kept = table(arena, events, threads),
                  .now = table(arena, threads, threads),
                  .fence = table(arena, threads, threads),
                  .aside = table(arena, threads, threads),
                  .place = table(arena, events, 0),
                  .last = table(arena, threads, 0),
                  .previous = table(arena, events, 0),
                  .count = table(arena, threads, 0),
                  .event_of = table(arena, events, 0),
                  .first = table(arena, threads, 0)};
    for (uint32_t t = 0; t < threads; t++)
        c->last[t] = RECORD_NONE;
    for (uint32_t i = 0; i < events; i++)
        clocks_step(c, i);
    for (uint32_t t = 0, from = 0; t < threads; from += c->count[t++])
        c->first[t] = from;
    for (uint32_t i = 0; i < events; i++)
        c->event_of[c->first[record->events[i].thread] + c->place[i]] = i;
    hashmap_free(&c->releases);
}

/* The arrows of happens-before that enter event NUMBER. */
static void add_orders(Clocks *c, uint32_t number, Arrows *arrows)
{
    uint32_t self = c->record->events[number].thread, before = c->previous[number];
    const uint32_t *clock = row(c, c->at, number);
    for (uint32_t u = 0; u < c->threads; u++) {
        uint32_t known = before == RECORD_NONE ? 0 : row(c, c->at, before)[u];
        if (u == self || clock[u] <= known)
            continue;
        bool implied = false;
        for (uint32_t v = 0; v < c->threads && !implied; v++) {
            uint32_t old = before == RECORD_NONE ? 0 : row(c, c->at, before)[v];
            implied = v != u && v != self && clock[v] > old &&
                      row(c, c->at, c->event_of[c->first[v] + clock[v] - 1])[u] >= clock[u];
        }
        if (!implied)
            vec_push(&arrows->list, (Arrow){.kind = ARROW_BEFORE,
                                            .from = c->event_of[c->first[u] + clock[u] - 1],
                                            .to = number,
                                            .orders = true});
    }
}

/* The newest write before event NUMBER, which accesses a part of a block, that shares a byte with
 * it and is younger than what it reads. */
static uint32_t missed_part(const Record *record, uint32_t number)
{
    const RecordEvent *read = &record->events[number];
    uint32_t newest = read->rf < record->event_count ? record->events[read->rf].co : 0;
    uint32_t missed = RECORD_NONE;
    for (uint32_t i = 0; i < number; i++) {
        const RecordEvent *event = &record->events[i];
        if (event->kind == RECORD_WRITE && record_overlap(event, read) && event->co > newest) {
            newest = event->co;
            missed = i;
        }
    }
    return missed;
}

const uint32_t *arrows_missed(Arena *arena, const Record *record)
{
    uint32_t *missed = table(arena, record->event_count, 0);
    HashMap newest = {0}; /* address to the newest write so far, plus one */
    for (uint32_t i = 0; i < record->event_count; i++) {
        const RecordEvent *event = &record->events[i];
        missed[i] = RECORD_NONE;
        if (event->kind != RECORD_WRITE && event->kind != RECORD_READ)
            continue;
        if (event->other && event->other <= 16) { /* a block that is accessed in parts */
            if (event->kind == RECORD_READ && event->rf != RECORD_NONE)
                missed[i] = missed_part(record, i);
            continue;
        }
        uint64_t *write = hashmap_put(&newest, event->address, NULL);
        uint32_t place = *write ? record->events[*write - 1].co : 0;
        if (event->kind == RECORD_WRITE && event->co > place) {
            *write = i + 1ull;
        } else if (event->kind == RECORD_READ && event->rf != RECORD_NONE) {
            uint32_t seen = event->rf < record->event_count ? record->events[event->rf].co : 0;
            if (place > seen)
                missed[i] = (uint32_t)*write - 1;
        }
    }
    hashmap_free(&newest);
    return missed;
}

static void add_reads(Arrows *arrows, const Record *record, uint32_t number, size_t first)
{
    const RecordEvent *event = &record->events[number];
    if (reads(event, number)) {
        bool orders = arrows_before(arrows, record, event->rf, number);
        for (size_t i = first; i < arrows->list.count; i++)
            if (arrows->list.at[i].from == event->rf) {
                arrows->list.at[i].kind = ARROW_READS_FROM; /* one arrow says both */
                return;
            }
        vec_push(&arrows->list, (Arrow){ARROW_READS_FROM, event->rf, number, orders});
    }
}

void arrows_make(Arena *arena, const Record *record, Arrows *arrows)
{
    Clocks clocks;
    const uint32_t *missed = arrows_missed(arena, record);
    clocks_make(&clocks, arena, record);
    *arrows = (Arrows){.threads = clocks.threads, .clocks = clocks.at, .places = clocks.place};
    for (uint32_t i = 0; i < record->event_count; i++) {
        size_t first = arrows->list.count;
        add_orders(&clocks, i, arrows);
        add_reads(arrows, record, i, first);
        if (missed[i] != RECORD_NONE)
            vec_push(&arrows->list, (Arrow){ARROW_MISSED, missed[i], i, false});
    }
}

bool arrows_before(const Arrows *arrows, const Record *record, uint32_t a, uint32_t b)
{
    uint32_t thread = record->events[a].thread;
    return a != b && arrows->clocks[(size_t)b * arrows->threads + thread] > arrows->places[a];
}
