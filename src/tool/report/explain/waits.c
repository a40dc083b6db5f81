#include "tool/report/explain/waits.h"
#include <string.h>
#include "base/str.h"
#include "record/check.h"
#include "record/operations.h"

/* The thread whose write the location holds: a lock's owner. */
static uint32_t last_writer(const Record *record, uint64_t address)
{
    uint32_t found = RECORD_NONE, newest = 0;
    for (uint32_t i = 0; i < record->event_count; i++) {
        const RecordEvent *event = &record->events[i];
        if (event->kind == RECORD_WRITE && event->address == address && event->co >= newest) {
            newest = event->co;
            found = i;
        }
    }
    return found;
}

/* The event at which a thread waits, or RECORD_NONE. */
static uint32_t blocked_event(const Record *record, uint32_t thread)
{
    for (uint32_t i = record->event_count; i-- > 0;)
        if (record->events[i].thread == thread && record->events[i].flags & RECORD_FLAG_BLOCKED)
            return i;
    return RECORD_NONE;
}

/* Does the thread go round a loop that takes locks, gives them back, and looks at nothing else? It
 * waits for nothing then. */
static bool is_idle_round(const Record *record, uint32_t number)
{
    const RecordThread *thread = &record->threads[number];
    if (thread->state != 2 || !thread->waits_address)
        return false;
    for (uint32_t i = record->event_count; i-- > 0;) {
        const RecordEvent *e = &record->events[i];
        if (e->thread == number && e->kind == RECORD_READ && e->address == thread->waits_address)
            return e->flags & RECORD_FLAG_AWAIT && !(e->flags & RECORD_FLAG_BLOCKED);
    }
    return false;
}

/* Says what THREAD waits for, without its place: "for m, held by T2", or "" if that is unknown. */
static const char *wait_object(Names *names, const Record *record, const Sleeps *sleeps,
                               uint32_t number)
{
    Arena *arena = names_arena(names);
    const SleepReason *reason = sleeps_reason(names, record, sleeps, number);
    if (reason)
        return arena_printf(arena, "in %s: %s", reason->call,
                            sleeps_reason_words(names, record, reason));
    const RecordThread *thread = &record->threads[number];
    if (thread->state != 2)
        return "";
    if (!thread->waits_address)
        return arena_printf(arena, "for the end of %s", names_thread(names, thread->waits_thread));
    uint32_t event = blocked_event(record, number);
    const char *what =
        record_text(record, event == RECORD_NONE ? thread->waits_text : record->events[event].text);
    const char *where = names_knows(names, thread->waits_address)
                            ? names_location(names, thread->waits_address, 4)
                            : "";
    uint32_t writer = last_writer(record, thread->waits_address);
    if (strstr(what, "lock") && writer != RECORD_NONE && record->events[writer].value[0])
        return arena_printf(arena, "for %s, held by %s", *where ? where : "a lock",
                            record->events[writer].thread == number
                                ? "itself"
                                : names_thread(names, record->events[writer].thread));
    if (*what)
        return arena_printf(arena, "in %s%s%s", what, *where ? " " : "", where);
    return arena_printf(arena, "for %s to change", *where ? where : "memory");
}

/* The last event of a thread that goes on for ever, in a livelock that the graph of states has
 * shown; RECORD_NONE: it does not. */
static uint32_t looping_event(const Record *record, uint32_t number)
{
    uint32_t last = RECORD_NONE;
    if (record->violation != VIOLATION_LIVELOCK || record->threads[number].state != 0)
        return last;
    for (uint32_t i = 0; i < record->event_count; i++)
        if (record->events[i].thread == number)
            last = i;
    return last;
}

/* Those who wait for a lock, a signal or a value are the matter; those who wait for their end only
 * follow, unless there is nobody else. */
const char *explain_waiting(Names *names, const Record *record)
{
    Buffer text = {0};
    Sleeps sleeps;
    sleeps_find(names, record, &sleeps);
    bool turns = record->violation == VIOLATION_LIVELOCK;
    bool only_joins = true;
    unsigned listed = 0;
    for (uint32_t i = 0; i < record->thread_count; i++)
        only_joins &= (record->threads[i].state != 2 || !record->threads[i].waits_address) &&
                      looping_event(record, i) == RECORD_NONE;
    for (uint32_t i = 0; i < record->thread_count; i++) {
        const RecordThread *thread = &record->threads[i];
        uint32_t looping = looping_event(record, i);
        if (looping != RECORD_NONE) {
            buffer_printf(&text, "%s%s goes on in a loop for ever%s", listed++ ? "; " : "",
                          names_thread(names, i), explain_place(names, record->events[looping].pc));
            continue;
        }
        if (thread->state == 1 || (!only_joins && !thread->waits_address))
            continue;
        if (turns && is_idle_round(record, i)) {
            buffer_printf(&text,
                          "%s%s goes round a loop for ever%s, which leaves everything as it was",
                          listed++ ? "; " : "", names_thread(names, i),
                          explain_place(names, thread->waits_pc));
            continue;
        }
        const char *object = wait_object(names, record, &sleeps, i);
        bool loops = turns && thread->waits_address && !strncmp(object, "for ", 4) &&
                     strstr(object, " to change");
        buffer_printf(&text, "%s%s %s%s%s%s", listed++ ? "; " : "", names_thread(names, i),
                      loops ? "goes round a loop for ever" : "waits for ever",
                      loops ? explain_place(names, thread->waits_pc) : "",
                      !*object ? ""
                      : loops  ? ", waiting "
                               : " ",
                      object);
    }
    const char *copy = str_copy(names_arena(names), buffer_str(&text));
    vec_free(&text);
    return copy;
}

/* Says, with steps, what happened instead of the signal that would have helped. */
static const char *reason_sentence(Sentences *explain, const SleepReason *reason,
                                   const char *waiter)
{
    Arena *arena = explain->arena;
    unsigned begin = steps_number_of(explain->steps, reason->begin);
    const char *signal = reason->signal == RECORD_NONE ? "" : explain_step(explain, reason->signal);
    switch (reason->why) {
    case SLEEP_BEFORE:
        return arena_printf(
            arena,
            "%s signals %s before %s begins to wait in step %u%s%s: a signal is not "
            "kept for those who come later, and no other one follows",
            signal, reason->object, waiter, begin, reason->woken ? ", and wakes " : "",
            sleeps_threads(explain->names, reason->woken));
    case SLEEP_AGAIN:
        return arena_printf(
            arena,
            "%s wakes it from an earlier wait; it waits again since step %u, and no "
            "signal follows",
            signal, begin);
    case SLEEP_OTHER:
        return arena_printf(arena,
                            "%s signals %s while %s waits, too, and wakes %s; no other signal "
                            "follows",
                            signal, reason->object, waiter,
                            sleeps_threads(explain->names, reason->woken));
    default:
        return arena_printf(arena, "Nobody signals %s", reason->object);
    }
}

/* The last read of a call that the thread is inside of, or RECORD_NONE. */
static uint32_t last_read_of_call(const Record *record, uint32_t thread)
{
    uint32_t read = RECORD_NONE;
    for (uint32_t i = record->event_count; i-- > 0;) {
        const RecordEvent *e = &record->events[i];
        if (e->thread != thread)
            continue;
        if (e->kind == RECORD_CALL)
            return read;
        if (e->kind == RECORD_RETURN)
            return RECORD_NONE;
        if (e->kind == RECORD_READ && read == RECORD_NONE)
            read = i;
    }
    return RECORD_NONE;
}

/* "for word to change, but it stays 1" */
static const char *unchanged_words(Names *names, const RecordEvent *read)
{
    return arena_printf(names_arena(names), "for %s to change, but it stays %s",
                        names_knows(names, read->address)
                            ? names_location(names, read->address, read->size)
                            : "memory",
                        names_value(names, read->address, read->size, read->value[0]));
}

/* A thread of a serial run that is stuck: one that goes round a loop is not known to wait, and the
 * others only have not got the turn (NULL). */
static const char *turn_line(Sentences *explain, uint32_t number)
{
    uint32_t event = last_read_of_call(explain->record, number);
    if (event == RECORD_NONE)
        return NULL;
    const RecordEvent *read = &explain->record->events[event];
    SourcePlace place = names_user_place(explain->names, read->pc, read->callers, RECORD_CALLERS);
    return arena_printf(explain->arena, "%s waits at %s %s.", names_thread(explain->names, number),
                        names_text_of_place(explain->names, &place),
                        unchanged_words(explain->names, read));
}

static const char *waiting_line(Sentences *explain, uint32_t number)
{
    const Record *record = explain->record;
    const RecordThread *thread = &record->threads[number];
    Arena *arena = explain->arena;
    const char *name = names_thread(explain->names, number);
    uint32_t looping = looping_event(record, number);
    if (looping != RECORD_NONE)
        return arena_printf(arena,
                            "%s goes on in a loop%s, for ever: from here no execution frees it.",
                            name, explain_place(explain->names, record->events[looping].pc));
    if (thread->state != 2)
        return record->violation == VIOLATION_STUCK
                   ? turn_line(explain, number)
                   : arena_printf(arena, "%s waits for the end of another thread.", name);
    if (!thread->waits_address)
        return arena_printf(arena, "%s waits for the end of %s.", name,
                            names_thread(explain->names, thread->waits_thread));
    uint32_t event = blocked_event(record, number);
    const RecordEvent *wait = event == RECORD_NONE ? NULL : &record->events[event];
    SourcePlace place =
        wait ? names_user_place(explain->names, wait->pc, wait->callers, RECORD_CALLERS)
             : names_place(explain->names, thread->waits_pc);
    if (record->violation == VIOLATION_LIVELOCK && is_idle_round(record, number))
        return arena_printf(arena, "%s goes round a loop at %s, and gives back what it takes.",
                            name, names_text_of_place(explain->names, &place));
    const char *what = record_text(record, wait ? wait->text : thread->waits_text);
    bool known = names_knows(explain->names, thread->waits_address);
    const char *where =
        known ? names_location(explain->names, thread->waits_address, wait ? wait->size : 4) : "";
    const char *at =
        arena_printf(arena, "%s waits at %s", name, names_text_of_place(explain->names, &place));
    const SleepReason *reason = sleeps_reason(explain->names, record, &explain->sleeps, number);
    const char *library =
        wait ? names_library_text(explain->names, wait->pc, wait->callers, RECORD_CALLERS) : NULL;
    if (reason)
        return arena_printf(arena, "%s%s%s%s in %s. %s.%s", at,
                            library ? ", inside the C++ library (" : "", library ? library : "",
                            library ? ")," : "", reason->call,
                            reason_sentence(explain, reason, name),
                            library && reason->why == SLEEP_BEFORE
                                ? " (heddle-library(7) lists known flaws of the library.)"
                                : "");
    uint32_t writer = last_writer(record, thread->waits_address);
    if (strstr(what, "lock") && writer != RECORD_NONE && record->events[writer].value[0])
        return arena_printf(arena, "%s for %s, which %s has held since step %u.", at, where,
                            names_thread(explain->names, record->events[writer].thread),
                            steps_number_of(explain->steps, writer));
    if (*what)
        return arena_printf(arena, "%s: %s%s%s.", at, what, known ? " " : "", where);
    if (wait && wait->kind == RECORD_READ && wait->size && wait->size <= 8)
        return arena_printf(arena, "%s %s.", at, unchanged_words(explain->names, wait));
    return arena_printf(arena, "%s for %s to change.", at, known ? where : "memory");
}

/* The main thread of a test only waits for its columns. */
void explain_waits(Sentences *explain)
{
    bool idle = false;
    for (uint32_t i = explain->record->violation == VIOLATION_STUCK;
         i < explain->record->thread_count; i++) {
        const char *line = explain->record->threads[i].state != 1 ? waiting_line(explain, i) : NULL;
        if (line)
            vec_push(&explain->lines, line);
        idle |= is_idle_round(explain->record, i);
    }
    if (idle && explain->record->violation == VIOLATION_LIVELOCK)
        vec_push(&explain->lines,
                 "Threads that are meant to run for ever are no fault for heddle "
                 "run --unbounded, which looks at everything else that may happen.");
}
