#include "tool/report/outcome.h"
#include "base/str.h"
#include "record/check.h"

static uint32_t return_of(const Record *record, uint32_t call)
{
    const RecordEvent *begin = &record->events[call];
    for (uint32_t i = call + 1; i < record->event_count; i++) {
        const RecordEvent *event = &record->events[i];
        if (event->kind == RECORD_RETURN && event->thread == begin->thread &&
            event->other == begin->other)
            return i;
    }
    return RECORD_NONE;
}

void outcome_of_record(Arena *arena, const Record *record, OutcomeCalls *calls)
{
    for (uint32_t t = 0; t < record->thread_count; t++)
        for (uint32_t i = 0; i < record->event_count; i++) {
            const RecordEvent *event = &record->events[i];
            if (event->kind != RECORD_CALL || event->thread != t)
                continue;
            uint32_t end = return_of(record, i);
            const char *text = end == RECORD_NONE
                                   ? arena_printf(arena, "%s %s", record_text(record, event->text),
                                                  record->threads[t].state != 2 ? "is not over"
                                                  : record_is_at_rest(record)   ? "waits for ever"
                                                                                : "waits")
                                   : record_text(record, record->events[end].text);
            vec_push(calls, (OutcomeCall){.thread = t, .text = text, .call = i, .end = end});
        }
}
