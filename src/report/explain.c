/* explain.c: a race or a deadlock in sentences: which edge is missing, who waits for whom. */
#include <string.h>
#include "base/str.h"
#include "record/check.h"
#include "report/steps.h"
#include "runtime/ops.h"

typedef struct Explanation {
    Names *names;
    Arena *arena;
    const Record *record;
    const Steps *steps;
    Vec(const char *) lines;
} Explanation;

static bool releases(unsigned order)
{
    return order == ORDER_RELEASE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}

static bool acquires(unsigned order)
{
    return order == ORDER_ACQUIRE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST ||
           order == ORDER_CONSUME;
}

static const char *step_words(Explanation *explain, uint32_t event)
{
    unsigned number = steps_number_of(explain->steps, event);
    const RecordEvent *at = &explain->record->events[event];
    const char *thread = names_thread(explain->names, at->thread);
    return number ? arena_printf(explain->arena, "%s's step %u", thread, number)
                  : arena_printf(explain->arena, "%s", thread);
}

/* A read of the second thread that takes its value from the first thread after its access would
 * have ordered the two, had both sides been strong enough: that is the edge that is missing. */
static bool explain_missing_edge(Explanation *explain, uint32_t first, uint32_t second)
{
    const Record *record = explain->record;
    unsigned from = record->events[first].thread, to = record->events[second].thread;
    for (uint32_t i = 0; i < record->event_count; i++) {
        const RecordEvent *read = &record->events[i];
        if (read->kind != RECORD_READ || read->thread != to || i > second ||
            read->rf >= record->event_count)
            continue;
        const RecordEvent *write = &record->events[read->rf];
        if (write->thread != from || write->index < record->events[first].index)
            continue;
        bool weak_write = !releases(write->order), weak_read = !acquires(read->order);
        if (!weak_write && !weak_read)
            continue;
        const char *where = names_location(explain->names, read->address, read->size);
        vec_push(
            &explain->lines,
            arena_printf(explain->arena, "%s reads %s from %s, but that does not order them: %s.",
                         step_words(explain, i), where, step_words(explain, read->rf),
                         weak_write && weak_read ? "the write is no release and the read no acquire"
                         : weak_write            ? "the write is no release"
                                                 : "the read is no acquire"));
        return true;
    }
    return false;
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

static const char *access_place(Names *names, const RecordEvent *event)
{
    Place place = names_user_place(names, event->pc, event->callers, RECORD_CALLERS);
    bool writes = event->kind == RECORD_WRITE || event->kind == RECORD_PLAIN_WRITE;
    const char *at = names_text_of_place(names, &place);
    return arena_printf(names_arena(names), "%s %s it%s%s", names_thread(names, event->thread),
                        writes ? "writes" : "reads", *at ? " at " : "", at);
}

static const char *waiting_sentence(Names *names, const Record *record)
{
    Buffer text = {0};
    uint32_t count = 0, listed = 0;
    for (uint32_t i = 0; i < record->thread_count; i++)
        count += record->threads[i].state != 1;
    for (uint32_t i = 0; i < record->thread_count; i++)
        if (record->threads[i].state != 1)
            buffer_printf(&text, "%s%s",
                          !listed++         ? ""
                          : listed == count ? " and "
                                            : ", ",
                          names_thread(names, i));
    buffer_printf(&text, count == 1 ? " waits for ever" : " wait for ever");
    const char *copy = str_copy(names_arena(names), buffer_str(&text));
    vec_free(&text);
    return copy;
}

const char *steps_sentence(Names *names, const Record *record)
{
    Arena *arena = names_arena(names);
    const char *message = record_text(record, record->message);
    uint32_t first, second;
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
    case VIOLATION_LIVELOCK:
        return waiting_sentence(names, record);
    case VIOLATION_ASSERTION:
    case VIOLATION_LINEARIZABILITY: /* about results: the line where the last thread stood says
                                       nothing */
    case VIOLATION_STUCK:
        return message;
    default:
        break;
    }
    Place place = names_user_place(names, record->pc, record->callers, RECORD_CALLERS);
    for (uint32_t i = 0; i < record->thread_count; i++)
        if (record->threads[i].finder && place.file)
            return arena_printf(arena, "%s, by %s at %s", message, names_thread(names, i),
                                names_text_of_place(names, &place));
    return message;
}

static void explain_race(Explanation *explain)
{
    uint32_t first, second;
    if (find_race(explain->record, &first, &second) &&
        !explain_missing_edge(explain, first, second))
        explain_missing_edge(explain, second, first);
}

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

static const char *waiting_line(Explanation *explain, uint32_t number)
{
    const Record *record = explain->record;
    const RecordThread *thread = &record->threads[number];
    Arena *arena = explain->arena;
    const char *name = names_thread(explain->names, number);
    if (thread->state != 2)
        return arena_printf(arena, "%s waits for the end of another thread.", name);
    if (!thread->waits_address)
        return arena_printf(arena, "%s waits for the end of %s.", name,
                            names_thread(explain->names, thread->waits_thread));
    uint32_t event = blocked_event(record, number);
    const RecordEvent *wait = event == RECORD_NONE ? NULL : &record->events[event];
    Place place = wait ? names_user_place(explain->names, wait->pc, wait->callers, RECORD_CALLERS)
                       : names_place(explain->names, thread->waits_pc);
    const char *what = record_text(record, wait ? wait->text : thread->waits_text);
    bool known = names_knows(explain->names, thread->waits_address);
    const char *where = known ? names_location(explain->names, thread->waits_address, 4) : "";
    const char *at =
        arena_printf(arena, "%s waits at %s", name, names_text_of_place(explain->names, &place));
    uint32_t writer = last_writer(record, thread->waits_address);
    if (strstr(what, "lock") && writer != RECORD_NONE && record->events[writer].value[0])
        return arena_printf(arena, "%s for %s, which %s has held since step %u.", at, where,
                            names_thread(explain->names, record->events[writer].thread),
                            steps_number_of(explain->steps, writer));
    if (*what)
        return arena_printf(arena, "%s: %s%s%s.", at, what, known ? " " : "", where);
    return arena_printf(arena, "%s for %s to change.", at, known ? where : "memory");
}

static void explain_waits(Explanation *explain)
{
    for (uint32_t i = 0; i < explain->record->thread_count; i++)
        if (explain->record->threads[i].state != 1)
            vec_push(&explain->lines, waiting_line(explain, i));
}

const char **steps_explain(Names *names, const Record *record, const Steps *steps)
{
    Explanation explain = {
        .names = names, .arena = names_arena(names), .record = record, .steps = steps};
    if (record->violation == VIOLATION_RACE)
        explain_race(&explain);
    if (record->violation == VIOLATION_DEADLOCK || record->violation == VIOLATION_LIVELOCK)
        explain_waits(&explain);
    const char **lines = arena_array_of(explain.arena, const char *, explain.lines.count + 1);
    for (size_t i = 0; i < explain.lines.count; i++)
        lines[i] = explain.lines.at[i];
    vec_free(&explain.lines);
    return lines;
}
