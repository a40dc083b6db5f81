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

static void explain_race(Explanation *explain)
{
    const Record *record = explain->record;
    uint32_t bad = RECORD_NONE, partner = RECORD_NONE;
    for (uint32_t i = 0; i < record->event_count; i++) {
        if (record->events[i].flags & RECORD_FLAG_BAD)
            bad = i;
        if (record->events[i].flags & RECORD_FLAG_PARTNER)
            partner = i;
    }
    if (bad == RECORD_NONE || partner == RECORD_NONE || bad == partner)
        return;
    uint32_t first = MIN(bad, partner), second = MAX(bad, partner);
    const RecordEvent *event = &record->events[second];
    vec_push(&explain->lines,
             arena_printf(explain->arena, "%s and %s both touch %s, and nothing orders them.",
                          step_words(explain, first), step_words(explain, second),
                          names_location(explain->names, event->address, event->size)));
    if (!explain_missing_edge(explain, first, second))
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

static void explain_waits(Explanation *explain)
{
    const Record *record = explain->record;
    Arena *arena = explain->arena;
    for (uint32_t i = 0; i < record->thread_count; i++) {
        const RecordThread *thread = &record->threads[i];
        if (thread->state != 2)
            continue;
        const char *name = names_thread(explain->names, i);
        const char *place = names_place_text(explain->names, thread->waits_pc);
        const char *at = *place ? arena_printf(arena, " at %s", place) : "";
        if (!thread->waits_address) {
            vec_push(&explain->lines,
                     arena_printf(arena, "%s waits%s for the end of %s.", name, at,
                                  names_thread(explain->names, thread->waits_thread)));
            continue;
        }
        const char *what = record_text(record, thread->waits_text);
        const char *where = names_location(explain->names, thread->waits_address, 4);
        uint32_t writer = last_writer(record, thread->waits_address);
        bool lock = strstr(what, "lock") != NULL;
        if (lock && writer != RECORD_NONE)
            vec_push(&explain->lines,
                     arena_printf(arena, "%s waits%s for %s, which %s has held since step %u.",
                                  name, at, where,
                                  names_thread(explain->names, record->events[writer].thread),
                                  steps_number_of(explain->steps, writer)));
        else if (*what)
            vec_push(&explain->lines,
                     arena_printf(arena, "%s waits%s: %s %s.", name, at, what, where));
        else
            vec_push(&explain->lines,
                     arena_printf(arena, "%s waits%s for %s to change.", name, at, where));
    }
}

const char **steps_explain(Names *names, const Record *record, const Steps *steps)
{
    Explanation explain = {
        .names = names, .arena = names_arena(names), .record = record, .steps = steps};
    if (record->violation == VIOLATION_RACE)
        explain_race(&explain);
    explain_waits(&explain);
    const char **lines = arena_array_of(explain.arena, const char *, explain.lines.count + 1);
    for (size_t i = 0; i < explain.lines.count; i++)
        lines[i] = explain.lines.at[i];
    vec_free(&explain.lines);
    return lines;
}
