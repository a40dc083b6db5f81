#include "record/check.h"
#include <string.h>
#include "record/memory_model.h"
#include "record/workers_shared.h"

static bool text_fits(const Record *record, uint64_t offset)
{
    return offset < record->text_bytes || (offset == 0 && record->text_bytes == 0);
}

static bool event_check(const Record *record, uint32_t number, Error *error)
{
    const RecordEvent *event = &record->events[number];
    if (event->thread >= record->thread_count)
        return error_set(error, "event %u: there is no thread %u", number, event->thread);
    if (event->kind >= RECORD_KIND_COUNT)
        return error_set(error, "event %u: unknown kind %u", number, event->kind);
    if (event->order > RECORD_PROMOTED)
        return error_set(error, "event %u: unknown memory order %u", number, event->order);
    if (event->rf != RECORD_NONE && event->rf != RECORD_INIT && event->rf >= record->event_count)
        return error_set(error, "event %u reads from event %u, which is not there", number,
                         event->rf);
    bool names_thread = event->kind == RECORD_CREATE || event->kind == RECORD_JOIN;
    bool names_object = event->kind == RECORD_ALLOC || event->kind == RECORD_FREE;
    if (names_thread && event->other != RECORD_NONE && event->other >= record->thread_count)
        return error_set(error, "event %u: there is no thread %u", number, event->other);
    if (names_object && event->other != RECORD_NONE && event->other >= record->object_count)
        return error_set(error, "event %u: there is no heap object %u", number, event->other);
    if (!text_fits(record, event->text))
        return error_set(error, "event %u: its text lies outside", number);
    return true;
}

bool record_check(const Record *record, Error *error)
{
    if (record->violation >= VIOLATION_KIND_COUNT)
        return error_set(error, "unknown kind of violation %u", record->violation);
    if (record->model >= MODEL_COUNT)
        return error_set(error, "unknown memory model %u", record->model);
    if (record->text_bytes && record->text[record->text_bytes - 1] != 0)
        return error_set(error, "its text has no end");
    if (!text_fits(record, record->message))
        return error_set(error, "its message lies outside the text");
    for (uint32_t i = 0; i < record->event_count; i++)
        if (!event_check(record, i, error))
            return false;
    for (uint32_t i = 0; i < record->thread_count; i++) {
        const RecordThread *thread = &record->threads[i];
        if (thread->state > 2)
            return error_set(error, "thread %u: unknown state %u", i, thread->state);
        if (thread->asks_order && (thread->asks_order > RECORD_PROMOTED || thread->asks_bytes > 16))
            return error_set(error, "thread %u: it stands at no access that there can be", i);
        if (!text_fits(record, thread->waits_text))
            return error_set(error, "thread %u: its text lies outside", i);
        if (i && thread->parent >= record->thread_count)
            return error_set(error, "thread %u: there is no thread %u", i, thread->parent);
        if (thread->state == 2 && !thread->waits_address &&
            thread->waits_thread >= record->thread_count)
            return error_set(error, "thread %u waits for thread %u, which is not there", i,
                             thread->waits_thread);
    }
    for (uint32_t i = 0; i < record->object_count; i++) {
        const RecordObject *object = &record->objects[i];
        if (object->bytes > UINT64_MAX - object->address)
            return error_set(error, "heap object %u is longer than memory", i);
    }
    return true;
}

bool record_check_options(const ExploreOptions *options, Error *error)
{
    const CheckOptions *check = &options->check;
    const struct {
        const char *text;
        size_t bytes;
    } strings[] = {{check->spec, sizeof check->spec},
                   {check->quasi, sizeof check->quasi},
                   {check->semantics, sizeof check->semantics},
                   {check->may_fail, sizeof check->may_fail},
                   {check->scenario, sizeof check->scenario},
                   {check->observations, sizeof check->observations},
                   {check->exchange, sizeof check->exchange}};
    for (size_t i = 0; i < COUNT_OF(strings); i++)
        if (!memchr(strings[i].text, 0, strings[i].bytes))
            return error_set(error, "a text of its options has no end");
    if (options->model >= MODEL_COUNT)
        return error_set(error, "unknown memory model %u", options->model);
    if (options->races > RACES_IGNORE || options->sampler > SAMPLER_PCT ||
        check->histories > CHECK_HISTORIES_ALL || check->consistency > CHECK_SET ||
        options->release_sequences > RELEASE_CXX20)
        return error_set(error, "one of its options has no meaning");
    if (options->jobs > WORKERS_MOST || options->stack_bytes > 1u << 30 ||
        options->rand_values > 1024)
        return error_set(error, "one of its options is out of range");
    return true;
}
