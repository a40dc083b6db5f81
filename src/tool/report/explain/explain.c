/* explain.c: a violation in sentences: which happens-before edge is missing, who
 * freed what. */
#include <stdio.h>
#include <string.h>
#include "base/str.h"
#include "record/check.h"
#include "tool/report/explain/waits.h"
#include "tool/report/steps.h"
#include "record/operations.h"

static bool releases(unsigned order)
{
    return order == ORDER_RELEASE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}

static bool acquires(unsigned order)
{
    return order == ORDER_ACQUIRE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST ||
           order == ORDER_CONSUME;
}

const char *explain_step(Sentences *explain, uint32_t event)
{
    unsigned number = steps_number_of(explain->steps, event);
    const RecordEvent *at = &explain->record->events[event];
    const char *thread = names_thread(explain->names, at->thread);
    return number ? arena_printf(explain->arena, "%s's step %u", thread, number)
                  : arena_printf(explain->arena, "%s", thread);
}

/* How one event of an execution is reached from another: by the order of a thread, or by a read of
 * what was written. `weak` counts the reads on the way that do not synchronise. */
typedef struct Way {
    uint32_t weak, before; /* before: the event before it on the way, RECORD_NONE at its start */
    uint32_t entered;      /* where the way came into this thread */
    bool reached;
} Way;

/* Is there a fence of THREAD between two events that makes up for a weak access? */
static bool has_fence(const Record *record, unsigned thread, uint32_t after, uint32_t before,
                      bool (*is_enough)(unsigned order))
{
    for (uint32_t i = after + 1; i < before; i++)
        if (record->events[i].thread == thread && record->events[i].kind == RECORD_FENCE &&
            is_enough(record->events[i].order))
            return true;
    return false;
}

static bool is_weak_write(const Record *record, uint32_t write, uint32_t entered)
{
    const RecordEvent *event = &record->events[write];
    return !releases(event->order) && !has_fence(record, event->thread, entered, write, releases);
}

/* Is the end of memory judged by when memory performs accesses? Loads then need no order. */
static bool is_by_memory(const Record *record)
{
    return record->violation == VIOLATION_USE_AFTER_FREE && model_performs_beyond_hb(record->model);
}

static bool is_weak_read(const Record *record, uint32_t read, uint32_t second)
{
    const RecordEvent *event = &record->events[read];
    if (is_by_memory(record))
        return false;
    return !acquires(event->order) && !has_fence(record, event->thread, read, second, acquires);
}

/* A better way to event I: by way of event BEFORE, in which it enters its thread at ENTERED. */
static void offer_way(Way *ways, uint32_t i, uint32_t before, uint32_t weak, uint32_t entered)
{
    if (!ways[i].reached || weak < ways[i].weak)
        ways[i] = (Way){weak, before, entered, true};
}

/* Ways from FIRST to all events up to SECOND, with as few weak reads as possible. A record respects
 * program order and reads-from, so one pass in its order finds them. */
static Way *find_ways(const Record *record, Arena *arena, uint32_t first, uint32_t second)
{
    Way *ways = arena_array_of(arena, Way, (size_t)record->event_count + 1);
    uint32_t *last = arena_array_of(arena, uint32_t, (size_t)record->thread_count + 1);
    for (uint32_t t = 0; t < record->thread_count; t++)
        last[t] = RECORD_NONE;
    ways[first] = (Way){0, RECORD_NONE, first, true};
    for (uint32_t i = first; i <= second; i++) {
        const RecordEvent *event = &record->events[i];
        uint32_t previous = last[event->thread], rf = event->rf;
        if (previous != RECORD_NONE && ways[previous].reached)
            offer_way(ways, i, previous, ways[previous].weak, ways[previous].entered);
        if (event->kind == RECORD_READ && rf >= first && rf < i && ways[rf].reached) {
            bool weak =
                is_weak_write(record, rf, ways[rf].entered) || is_weak_read(record, i, second);
            /* that a lock was seen to be shared says nothing about orders that could be stronger */
            if (!weak || !(event->flags & RECORD_FLAG_AWAIT))
                offer_way(ways, i, rf, ways[rf].weak + weak, i);
        }
        last[event->thread] = i;
    }
    return ways;
}

/* A write made after the first access reaches the second, by one read or by several: the edge
 * that is missing is the first of these reads that does not synchronise. */
static bool explain_missing_edge(Sentences *explain, uint32_t first, uint32_t second)
{
    const Record *record = explain->record;
    const Way *ways = find_ways(record, explain->arena, first, second);
    uint32_t read = RECORD_NONE;
    for (uint32_t i = second; ways[i].reached && ways[i].before != RECORD_NONE; i = ways[i].before)
        if (ways[i].weak > ways[ways[i].before].weak)
            read = i;
    if (read == RECORD_NONE)
        return false;
    uint32_t write = ways[read].before;
    bool weak_write = is_weak_write(record, write, ways[write].entered);
    bool weak_read = is_weak_read(record, read, second);
    const RecordEvent *event = &record->events[read];
    vec_push(&explain->lines,
             arena_printf(explain->arena, "%s reads %s from %s, but that does not order them: %s.",
                          explain_step(explain, read),
                          names_location(explain->names, event->address, event->size),
                          explain_step(explain, write),
                          weak_write && weak_read
                              ? "the write is no release and the read no acquire"
                          : weak_write && is_by_memory(record)
                              ? "the write is no release, and what was stored before it may "
                                "reach memory later"
                          : weak_write ? "the write is no release"
                                       : "the read is no acquire"));
    const RecordEvent *weak = weak_write ? &record->events[write] : event;
    const char *library =
        names_library_text(explain->names, weak->pc, weak->callers, RECORD_CALLERS);
    if (library)
        vec_push(&explain->lines,
                 arena_printf(explain->arena,
                              "That %s is the C++ library's own (%s), not your program's: "
                              "heddle-library(7) lists its known flaws.",
                              weak_write ? "write" : "read", library));
    return true;
}

static bool find_race(const Record *record, uint32_t *first, uint32_t *second)
{
    uint32_t bad = RECORD_NONE, partner = RECORD_NONE;
    for (uint32_t i = 0; i < record->event_count; i++) {
        if (record->events[i].flags & RECORD_FLAG_BAD)
            bad = i;
        if (record->events[i].flags & RECORD_FLAG_PARTNER)
            partner = i;
    }
    *first = MIN(bad, partner);
    *second = MAX(bad, partner);
    return bad != RECORD_NONE && partner != RECORD_NONE && bad != partner;
}

/* Nothing of the first thread reaches the second after the access: say what could. */
static void explain_no_edge(Sentences *explain, uint32_t first, uint32_t second)
{
    vec_push(&explain->lines,
             arena_printf(explain->arena,
                          "nothing makes %s synchronise with %s between %s and %s: no lock, no "
                          "acquire load that reads from a release store, no join. One of these is "
                          "missing.",
                          names_thread(explain->names, explain->record->events[first].thread),
                          names_thread(explain->names, explain->record->events[second].thread),
                          explain_step(explain, first), explain_step(explain, second)));
}

static const char *access_place(Names *names, const RecordEvent *event)
{
    SourcePlace place = names_user_place(names, event->pc, event->callers, RECORD_CALLERS);
    bool writes = event->kind == RECORD_WRITE || event->kind == RECORD_PLAIN_WRITE;
    const char *verb = writes ? "writes" : event->kind == RECORD_ALLOC ? "allocates" : "reads";
    const char *at = names_text_of_place(names, &place);
    return arena_printf(names_arena(names), "%s %s it%s%s", names_thread(names, event->thread),
                        verb, *at ? " at " : "", at);
}

const char *explain_place(Names *names, uint64_t pc)
{
    const char *place = pc ? names_place_text(names, pc) : "";
    return *place ? arena_printf(names_arena(names), " at %s", place) : "";
}

/* The program counts threads, a person names them: "thread 2" becomes "T2". */
static const char *with_thread_names(Names *names, const char *message)
{
    Buffer text = {0};
    for (const char *at = message; *at;) {
        unsigned number;
        int length = 0;
        if ((at == message || at[-1] == ' ') && sscanf(at, "thread %u%n", &number, &length) == 1) {
            buffer_printf(&text, "%s", names_thread(names, number));
            at += length;
        } else {
            buffer_printf(&text, "%c", *at++);
        }
    }
    const char *copy = str_copy(names_arena(names), buffer_str(&text));
    vec_free(&text);
    return copy;
}

/* The event at which the violation shows; NULL if there is none. */
static const RecordEvent *bad_event(const Record *record)
{
    for (uint32_t i = record->event_count; i-- > 0;)
        if (record->events[i].flags & RECORD_FLAG_BAD)
            return &record->events[i];
    return NULL;
}

/* The heap object that the violation is about; NULL if it is not about one. */
static const RecordObject *bad_object(Names *names, const Record *record, uint32_t *number)
{
    const RecordEvent *event = bad_event(record);
    *number = event ? names_object_near(names, event->address) : RECORD_NONE;
    return *number == RECORD_NONE ? NULL : &record->objects[*number];
}

/* "T1 writes node#1.next at f.c:7, but T2 has freed node#1 at f.c:8"; NULL if too little is
 * known. */
static const char *freed_sentence(Names *names, const Record *record, const char *by)
{
    uint32_t number;
    const RecordEvent *event = bad_event(record);
    const RecordObject *object = bad_object(names, record, &number);
    if (object && event->kind == RECORD_FREE && event->address != object->address)
        return arena_printf(names_arena(names), "%s frees %s%s, which is not the start of %s",
                            names_thread(names, event->thread),
                            names_location(names, event->address, 1), by,
                            names_object(names, number));
    if (event && event->kind == RECORD_FREE && !object)
        return arena_printf(names_arena(names), "%s frees %s%s, which was never allocated",
                            names_thread(names, event->thread),
                            names_location(names, event->address, 1), by);
    if (!object || !object->free_pc || event->kind == RECORD_ALLOC)
        return NULL;
    const char *verb = event->kind == RECORD_FREE                                         ? "frees"
                       : event->kind == RECORD_WRITE || event->kind == RECORD_PLAIN_WRITE ? "writes"
                                                                                          : "reads";
    const char *what = event->kind == RECORD_FREE
                           ? names_object(names, number)
                           : names_location(names, event->address, event->size);
    return arena_printf(names_arena(names), "%s %s %s%s, but %s has %sfreed %s%s",
                        names_thread(names, event->thread), verb, what, by,
                        names_thread(names, object->free_thread),
                        event->kind == RECORD_FREE ? "already " : "",
                        event->kind == RECORD_FREE ? "it" : names_object(names, number),
                        explain_place(names, object->free_pc));
}

/* The access that races with a free, which is no event as it was not made; RECORD_NONE: there is
 * none. */
static uint32_t racing_access(Names *names, const Record *record)
{
    if (record->violation != VIOLATION_USE_AFTER_FREE)
        return RECORD_NONE;
    for (uint32_t i = 0; i < record->event_count; i++) {
        const RecordEvent *event = &record->events[i];
        uint32_t object = event->flags & RECORD_FLAG_PARTNER
                              ? names_object_near(names, event->address)
                              : RECORD_NONE;
        if (object != RECORD_NONE && !record->objects[object].free_pc &&
            !record->threads[event->thread].finder)
            return i;
    }
    return RECORD_NONE;
}

const char *steps_freed_object(Names *names, const Record *record)
{
    uint32_t access = racing_access(names, record);
    return access == RECORD_NONE
               ? NULL
               : names_object(names, names_object_near(names, record->events[access].address));
}

static uint32_t finder_of(const Record *record)
{
    uint32_t finder = 0;
    while (finder < record->thread_count && !record->threads[finder].finder)
        finder++;
    return finder;
}

const char *steps_sentence(Names *names, const Record *record)
{
    Arena *arena = names_arena(names);
    const char *message =
        with_thread_names(names, names_in_text(names, record_text(record, record->message)));
    uint32_t first, second;
    SourcePlace place = names_user_place(names, record->pc, record->callers, RECORD_CALLERS);
    const RecordEvent *bad = bad_event(record);
    if (!place.file && bad) /* it crashed inside the runtime, on the thread's behalf */
        place = names_user_place(names, bad->pc, bad->callers, RECORD_CALLERS);
    const char *by =
        place.file ? arena_printf(arena, " at %s", names_text_of_place(names, &place)) : "";
    switch ((ViolationKind)record->violation) {
    case VIOLATION_RACE:
        if (!find_race(record, &first, &second))
            return message;
        return arena_printf(
            arena, "data race on %s: %s, %s, and nothing orders the two",
            names_location(names, record->events[second].address, record->events[second].size),
            access_place(names, &record->events[first]),
            access_place(names, &record->events[second]));
    case VIOLATION_DEADLOCK:
    case VIOLATION_LIVELOCK: {
        const char *text = explain_waiting(names, record);
        return *text ? text : message;
    }
    case VIOLATION_USE_AFTER_FREE:
    case VIOLATION_DOUBLE_FREE:
    case VIOLATION_INVALID_FREE: {
        const char *text = freed_sentence(names, record, by);
        if (text)
            return text;
        uint32_t access = racing_access(names, record), finder = finder_of(record);
        if (access != RECORD_NONE && finder < record->thread_count)
            return arena_printf(arena, "%s frees %s%s, %s, and nothing orders the two",
                                names_thread(names, finder), steps_freed_object(names, record), by,
                                access_place(names, &record->events[access]));
        break;
    }
    case VIOLATION_ASSERTION:
    case VIOLATION_LINEARIZABILITY:
    case VIOLATION_STUCK:
    case VIOLATION_NONDETERMINISM:
        return message; /* it is about the whole */
    default:
        break;
    }
    uint32_t finder = finder_of(record);
    if (finder < record->thread_count && place.file)
        return arena_printf(arena, "%s, by %s%s", message, names_thread(names, finder), by);
    return message;
}

/* Where the object of a memory error came from and where it went. */
static void explain_object(Sentences *explain)
{
    uint32_t number;
    const RecordObject *object = bad_object(explain->names, explain->record, &number);
    if (!object)
        return;
    Names *names = explain->names;
    const char *freed = object->free_pc ? arena_printf(explain->arena, ", and %s freed it%s",
                                                       names_thread(names, object->free_thread),
                                                       explain_place(names, object->free_pc))
                                        : "";
    vec_push(&explain->lines,
             arena_printf(explain->arena, "%s has %llu bytes; %s allocated it%s%s.",
                          names_object(names, number), (unsigned long long)object->bytes,
                          object->alloc_thread < explain->record->thread_count
                              ? names_thread(names, object->alloc_thread)
                              : "main",
                          explain_place(names, object->alloc_pc), freed));
}

static void explain_race(Sentences *explain)
{
    uint32_t first, second;
    if (find_race(explain->record, &first, &second) &&
        !explain_missing_edge(explain, first, second))
        explain_no_edge(explain, first, second);
}

/* Explains an access and a free: what its thread did last before the free stands for it. */
static void explain_racing_free(Sentences *explain)
{
    const Record *record = explain->record;
    uint32_t first = racing_access(explain->names, record), finder = finder_of(record);
    uint32_t last = RECORD_NONE;
    for (uint32_t i = 0; i < record->event_count; i++)
        if (record->events[i].thread == finder)
            last = i;
    if (first == RECORD_NONE || finder == record->thread_count ||
        (last != RECORD_NONE && last > first && explain_missing_edge(explain, first, last)))
        return;
    const char *other = names_thread(explain->names, record->events[first].thread);
    vec_push(&explain->lines,
             arena_printf(explain->arena,
                          "nothing makes %s synchronise with %s after %s: no lock, no acquire load "
                          "that reads from a release store, no join. %s must not free what %s may "
                          "still use.",
                          other, names_thread(explain->names, finder), explain_step(explain, first),
                          names_thread(explain->names, finder), other));
}

const char **steps_explain(Names *names, const Record *record, const Steps *steps)
{
    Sentences explain = {
        .names = names, .arena = names_arena(names), .record = record, .steps = steps};
    sleeps_find(names, record, &explain.sleeps);
    if (record->violation == VIOLATION_RACE)
        explain_race(&explain);
    if (record->violation == VIOLATION_DEADLOCK || record->violation == VIOLATION_LIVELOCK ||
        record->violation == VIOLATION_STUCK)
        explain_waits(&explain);
    if (record->violation == VIOLATION_USE_AFTER_FREE ||
        record->violation == VIOLATION_DOUBLE_FREE || record->violation == VIOLATION_INVALID_FREE ||
        record->violation == VIOLATION_INVALID_ACCESS ||
        record->violation == VIOLATION_UNINITIALISED_READ) {
        explain_racing_free(&explain);
        explain_object(&explain);
    }
    const char **lines = arena_array_of(explain.arena, const char *, explain.lines.count + 1);
    for (size_t i = 0; i < explain.lines.count; i++)
        lines[i] = explain.lines.at[i];
    vec_free(&explain.lines);
    return lines;
}
