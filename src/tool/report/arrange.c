/* A greedy choice of the next event, among those whose predecessors are there. What must come
 * before an event: its thread's earlier events, the creation of its thread, the write it reads
 * from, all of a thread it joins, and conflicting plain accesses, allocations and frees, which keep
 * the order in which they were run (their values were seen in it). A call comes after the calls
 * that had returned: a violation may be one of this order in time only. What should come before a
 * write: older writes of the place, and reads that see something older. The present thread goes on
 * as long as nothing speaks against it, so that context switches stay few.
 *
 * If the execution is an interleaving, nothing is ever in the way: the first event left of it has
 * all its predecessors, those that should be there, too. Otherwise the choice that is least bad is
 * made. */
#include "tool/report/arrange.h"
#include "base/vec.h"
#include "tool/report/arrows.h"

#define MOST_EVENTS 4000u /* conflicts are looked for pair by pair */

typedef struct Arranger {
    const Record *record;
    uint32_t *order, count;                          /* events in their new order */
    uint32_t *thread_events, *first, *length, *next; /* by thread: its events, and how far it is */
    bool *placed;                                    /* by event */
    Vec(uint32_t) before;                            /* conflicts, by event */
    uint32_t *before_from;
} Arranger;

static bool is_plain(const RecordEvent *event)
{
    return event->kind == RECORD_PLAIN_READ || event->kind == RECORD_PLAIN_WRITE ||
           event->kind == RECORD_ALLOC || event->kind == RECORD_FREE;
}

static bool is_access(const RecordEvent *event)
{
    return is_plain(event) || event->kind == RECORD_READ || event->kind == RECORD_WRITE;
}

static uint64_t bytes_of(const RecordEvent *event)
{
    bool heap = event->kind == RECORD_ALLOC || event->kind == RECORD_FREE;
    return heap ? event->value[0] : event->size;
}

static bool conflict(const RecordEvent *a, const RecordEvent *b)
{
    bool only_read = (a->kind == RECORD_PLAIN_READ || a->kind == RECORD_READ) &&
                     (b->kind == RECORD_PLAIN_READ || b->kind == RECORD_READ);
    return a->thread != b->thread && (is_plain(a) || is_plain(b)) && !only_read &&
           a->address < b->address + bytes_of(b) && b->address < a->address + bytes_of(a);
}

static void find_conflicts(Arranger *a)
{
    const Record *record = a->record;
    for (uint32_t i = 0; i < record->event_count; i++) {
        a->before_from[i] = (uint32_t)a->before.count;
        for (uint32_t j = 0; j < i && is_access(&record->events[i]); j++)
            if (is_access(&record->events[j]) && conflict(&record->events[j], &record->events[i]))
                vec_push(&a->before, j);
    }
    a->before_from[record->event_count] = (uint32_t)a->before.count;
}

static bool thread_is_done(const Arranger *a, uint32_t thread)
{
    return a->next[thread] == a->length[thread];
}

static uint32_t next_of(const Arranger *a, uint32_t thread)
{
    return a->thread_events[a->first[thread] + a->next[thread]];
}

static bool is_created(const Arranger *a, uint32_t thread)
{
    const Record *record = a->record;
    if (a->next[thread] || !thread)
        return true;
    for (uint32_t i = 0; i < record->event_count; i++)
        if (record->events[i].kind == RECORD_CREATE && record->events[i].other == thread)
            return a->placed[i];
    return true;
}

static bool have_returned(const Arranger *a, uint32_t call)
{
    for (uint32_t i = 0; i < call; i++)
        if (a->record->events[i].kind == RECORD_RETURN && !a->placed[i])
            return false;
    return true;
}

static bool is_ready(const Arranger *a, uint32_t thread)
{
    if (thread_is_done(a, thread) || !is_created(a, thread))
        return false;
    uint32_t number = next_of(a, thread);
    const RecordEvent *event = &a->record->events[number];
    if (event->kind == RECORD_READ && event->rf < a->record->event_count && !a->placed[event->rf])
        return false;
    if (event->kind == RECORD_JOIN && event->other < a->record->thread_count &&
        !thread_is_done(a, event->other))
        return false;
    if (event->kind == RECORD_CALL && !have_returned(a, number))
        return false;
    for (uint32_t i = a->before_from[number]; i < a->before_from[number + 1]; i++)
        if (!a->placed[a->before.at[i]])
            return false;
    return true;
}

/* The write that event NUMBER is, or begins as the read half of; RECORD_NONE: it writes nothing. */
static uint32_t write_of(const Arranger *a, uint32_t number)
{
    const RecordEvent *event = &a->record->events[number];
    if (event->kind == RECORD_WRITE)
        return number;
    uint32_t after = a->next[event->thread] + 1;
    if (event->kind != RECORD_READ || !(event->flags & RECORD_FLAG_RMW) ||
        after >= a->length[event->thread])
        return RECORD_NONE;
    uint32_t half = a->thread_events[a->first[event->thread] + after];
    return a->record->events[half].kind == RECORD_WRITE ? half : RECORD_NONE;
}

/* How much should still come before the next event of THREAD. */
static uint32_t count_objections(const Arranger *a, uint32_t thread)
{
    const Record *record = a->record;
    uint32_t next = next_of(a, thread), number = write_of(a, next), objections = 0;
    if (is_access(&record->events[next]) && record->events[next].flags & RECORD_FLAG_BAD)
        return record->event_count - a->count - 1; /* the execution ends at it */
    if (number == RECORD_NONE)
        return 0;
    const RecordEvent *write = &record->events[number];
    for (uint32_t i = 0; i < record->event_count; i++) {
        const RecordEvent *event = &record->events[i];
        if (a->placed[i] || event->thread == thread || !record_overlap(event, write))
            continue;
        if (event->kind == RECORD_WRITE)
            objections += event->co < write->co;
        else if (event->kind == RECORD_READ && event->rf != RECORD_NONE)
            objections +=
                (event->rf < record->event_count ? record->events[event->rf].co : 0) < write->co;
    }
    return objections;
}

static void place(Arranger *a, uint32_t thread)
{
    uint32_t number = next_of(a, thread);
    bool pair = write_of(a, number) != number && write_of(a, number) != RECORD_NONE;
    a->order[a->count++] = number;
    a->placed[number] = true;
    a->next[thread]++;
    if (pair) /* nothing comes between the halves of a read-modify-write */
        place(a, thread);
}

/* False if no event is ready: the record is in no order at all. */
static bool place_next(Arranger *a, uint32_t *current)
{
    uint32_t best = RECORD_NONE, fewest = UINT32_MAX;
    for (uint32_t k = 0; k < a->record->thread_count; k++) {
        uint32_t thread = (*current + k) % a->record->thread_count;
        if (!is_ready(a, thread))
            continue;
        uint32_t objections = count_objections(a, thread);
        if (objections < fewest) {
            fewest = objections;
            best = thread;
        }
        if (!objections)
            break;
    }
    if (best == RECORD_NONE)
        return false;
    *current = best;
    place(a, best);
    return true;
}

static uint32_t count_missed(Arena *arena, const Record *record)
{
    const uint32_t *missed = arrows_missed(arena, record);
    uint32_t count = 0;
    for (uint32_t i = 0; i < record->event_count; i++)
        count += missed[i] != RECORD_NONE;
    return count;
}

/* Halves of read-modify-writes with something of the same place between them: they are told as one
 * step, so what lies between would be told in the wrong order. */
static uint32_t count_split(const Record *record)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < record->event_count; i++) {
        const RecordEvent *read = &record->events[i];
        bool between = false;
        if (read->kind != RECORD_READ || !(read->flags & RECORD_FLAG_RMW))
            continue;
        for (uint32_t j = i + 1; j < record->event_count; j++) {
            if (record->events[j].thread == read->thread)
                break;
            between |= record->events[j].address == read->address;
        }
        count += between;
    }
    return count;
}

static Record *reordered(Arena *arena, const Record *record, const uint32_t *order)
{
    Record *copy = arena_new_of(arena, Record);
    uint32_t *place_of = arena_array_of(arena, uint32_t, record->event_count + 1u);
    *copy = *record;
    copy->events = arena_array_of(arena, RecordEvent, record->event_count + 1u);
    for (uint32_t i = 0; i < record->event_count; i++)
        place_of[order[i]] = i;
    for (uint32_t i = 0; i < record->event_count; i++) {
        copy->events[i] = record->events[order[i]];
        if (copy->events[i].rf < record->event_count)
            copy->events[i].rf = place_of[copy->events[i].rf];
    }
    return copy;
}

static void arranger_begin(Arranger *a, Arena *arena, const Record *record)
{
    uint32_t events = record->event_count, threads = record->thread_count;
    *a = (Arranger){.record = record,
                    .order = arena_array_of(arena, uint32_t, events + 1u),
                    .thread_events = arena_array_of(arena, uint32_t, events + 1u),
                    .first = arena_array_of(arena, uint32_t, threads + 1u),
                    .length = arena_array_of(arena, uint32_t, threads + 1u),
                    .next = arena_array_of(arena, uint32_t, threads + 1u),
                    .placed = arena_array_of(arena, bool, events + 1u),
                    .before_from = arena_array_of(arena, uint32_t, events + 1u)};
    for (uint32_t t = 0, at = 0; t < threads; t++) {
        a->first[t] = at;
        for (uint32_t i = 0; i < events; i++)
            if (record->events[i].thread == t)
                a->thread_events[at++] = i;
        a->length[t] = at - a->first[t];
    }
    find_conflicts(a);
}

const Record *arrange_record(Arena *arena, const Record *record)
{
    uint32_t missed =
        record->event_count <= MOST_EVENTS ? count_missed(arena, record) + count_split(record) : 0;
    if (!missed)
        return record;
    Arranger a;
    arranger_begin(&a, arena, record);
    uint32_t current = 0;
    while (a.count < record->event_count && place_next(&a, &current))
        ;
    const Record *better = record;
    if (a.count == record->event_count) {
        const Record *other = reordered(arena, record, a.order);
        if (count_missed(arena, other) < missed) /* and it splits nothing */
            better = other;
    }
    vec_free(&a.before);
    return better;
}
