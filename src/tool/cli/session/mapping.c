#include "tool/cli/session/mapping.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "record/check.h"
#include "tool/instrument/liveness/liveness.h"

/* ---- what the program is given ---- */

static Link *link_create(int *fd, Error *error)
{
    *fd = memfd_create("heddle-link", 0);
    if (*fd < 0 || ftruncate(*fd, (off_t)sizeof(Link)) != 0) {
        error_set(error, "can't make shared memory: %s", strerror(errno));
        if (*fd >= 0)
            close(*fd);
        return NULL;
    }
    Link *link = mmap(NULL, sizeof(Link), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (link == MAP_FAILED) {
        error_set(error, "can't map shared memory: %s", strerror(errno));
        close(*fd);
        return NULL;
    }
    return link;
}

static uint64_t evidence_put(Link *link, uint64_t *at, LinkRange *range, const void *from,
                             size_t count, size_t size)
{
    *range = (LinkRange){*at, count};
    if (count)
        memcpy(link->evidence + *at, from, count * size);
    *at = (*at + count * size + 15) & ~15ull;
    return *at;
}

/* Gives the explorer what it needs to tell states apart by their live parts only; without it more
 * is explored, nothing else changes. */
static void fill_liveness(Arena *arena, Link *link, const SuperviseRequest *request)
{
    LivenessTable *table;
    if (request->mode != LINK_EXPLORE || !request->options.reductions ||
        !liveness_analyse(arena, request->program, &table, NULL) ||
        liveness_bytes(table) > sizeof link->liveness)
        return;
    memcpy(link->liveness, table, liveness_bytes(table));
    link->liveness_bytes = liveness_bytes(table);
}

static void fill_first_tests(Link *link, const SuperviseRequest *request)
{
    size_t at = 0;
    for (size_t i = 0; request->first_tests && i < request->first_tests->count; i++) {
        const char *test = request->first_tests->at[i];
        size_t length = strlen(test);
        if (at + length + 2 > sizeof link->first_tests)
            break;
        memcpy(link->first_tests + at, test, length);
        link->first_tests[at + length] = '\n';
        at += length + 1;
    }
}

static void fill_unseen(Link *link, const SuperviseRequest *request)
{
    size_t count = request->unseen ? request->unseen->count : 0;
    for (size_t i = 0; i < MIN(count, LINK_UNSEEN); i++)
        link->unseen[i] = (LinkUnseen){.address = request->unseen->at[i].address,
                                       .escape = request->unseen->at[i].escape,
                                       .ran = count > LINK_UNSEEN}; /* who knows */
    link->unseen_count = (uint32_t)MIN(count, LINK_UNSEEN);
    link->watch_count = request->watches ? (uint32_t)MIN(request->watches->count, LINK_WATCHES) : 0;
    for (uint32_t i = 0; i < link->watch_count; i++)
        link->watches[i] = request->watches->at[i];
    link->library_count = request->shared ? (uint32_t)request->shared->libraries.count : 0;
    for (uint32_t i = 0; i < link->library_count; i++)
        link->libraries[i] = request->shared->libraries.at[i];
    link->redirect_count = request->shared ? (uint32_t)request->shared->redirects.count : 0;
    for (uint32_t i = 0; i < link->redirect_count; i++)
        link->redirects[i] = request->shared->redirects.at[i];
    link->gap_count = request->shared ? (uint32_t)request->shared->copy.gaps.count : 0;
    for (uint32_t i = 0; i < link->gap_count; i++)
        link->gaps[i] = request->shared->copy.gaps.at[i];
    link->move_count = request->shared ? (uint32_t)request->shared->copy.moves.count : 0;
    for (uint32_t i = 0; i < link->move_count; i++)
        link->moves[i] = request->shared->copy.moves.at[i];
}

static const uint8_t *take_unseen(Arena *arena, const Link *link, const SuperviseRequest *request)
{
    size_t count = request->unseen ? request->unseen->count : 0, escapes = 0;
    for (size_t i = 0; i < count; i++)
        escapes = MAX(escapes, (size_t)request->unseen->at[i].escape + 1);
    if (!escapes)
        return NULL;
    uint8_t *ran = arena_array_of(arena, uint8_t, escapes);
    memset(ran, 0, escapes);
    for (size_t i = 0; i < count; i++)
        ran[request->unseen->at[i].escape] |= i >= LINK_UNSEEN || link->unseen[i].ran != 0;
    return ran;
}

/* Lays a record into the evidence area, where the program finds what to replay. */
static bool link_put_record(Link *link, const Record *record, Error *error)
{
    uint64_t bytes = (uint64_t)record->event_count * sizeof(RecordEvent) +
                     (uint64_t)record->object_count * sizeof(RecordObject) +
                     (uint64_t)record->thread_count * sizeof(RecordThread) + record->text_bytes +
                     64;
    if (bytes > LINK_EVIDENCE_BYTES)
        return error_set(error, "the record is too long to be replayed");
    uint64_t at = 0;
    evidence_put(link, &at, &link->events, record->events, record->event_count,
                 sizeof(RecordEvent));
    evidence_put(link, &at, &link->objects, record->objects, record->object_count,
                 sizeof(RecordObject));
    evidence_put(link, &at, &link->threads, record->threads, record->thread_count,
                 sizeof(RecordThread));
    evidence_put(link, &at, &link->text, record->text, record->text_bytes, 1);
    link->has_record = 1;
    link->record_model = record->model;
    link->record_violation = record->violation;
    link->record_message = record->message;
    link->record_load_base = record->load_base;
    link->record_pc = record->pc;
    return true;
}

/* A piece of the evidence, copied; false if the range does not lie in it. */
static bool evidence_get(Arena *arena, const Link *link, LinkRange range, size_t size, void **out,
                         uint32_t *count)
{
    if (range.offset > LINK_EVIDENCE_BYTES ||
        range.count > (LINK_EVIDENCE_BYTES - range.offset) / size)
        return false;
    *out = arena_copy(arena, link->evidence + range.offset, range.count * size);
    *count = (uint32_t)range.count;
    return true;
}

/* The program may have scribbled over anything: what it left is checked like a file from
 * outside. */
static const Record *link_get_record(Arena *arena, const Link *link, Error *error)
{
    Record *record = arena_new_of(arena, Record);
    void *events, *objects, *threads, *text;
    if (!evidence_get(arena, link, link->events, sizeof(RecordEvent), &events,
                      &record->event_count) ||
        !evidence_get(arena, link, link->objects, sizeof(RecordObject), &objects,
                      &record->object_count) ||
        !evidence_get(arena, link, link->threads, sizeof(RecordThread), &threads,
                      &record->thread_count) ||
        !evidence_get(arena, link, link->text, 1, &text, &record->text_bytes)) {
        error_set(error, "its parts lie outside the shared memory");
        return NULL;
    }
    record->events = events;
    record->objects = objects;
    record->threads = threads;
    record->text = text;
    record->violation = link->record_violation;
    record->model = link->record_model;
    record->message = link->record_message;
    record->load_base = link->record_load_base;
    record->pc = link->record_pc;
    memcpy(record->callers, link->record_callers, sizeof record->callers);
    return record_check(record, error) ? record : NULL;
}

void mapping_add_counters(const Link *link, LinkCounters *total)
{
    *total = (LinkCounters){0};
    for (size_t i = 0; i <= LINK_WORKERS; i++) {
        const LinkCounters *from = &link->counters[i];
#define ADD(field) total->field += __atomic_load_n(&from->field, __ATOMIC_RELAXED)
        ADD(executions);
        ADD(states);
        ADD(blocked);
        ADD(stuck);
        ADD(cut);
        ADD(events);
        ADD(revisits);
        ADD(depth);
        if (from->pc)
            total->pc = __atomic_load_n(&from->pc, __ATOMIC_RELAXED);
        ADD(progress);
        total->restarts = MAX(total->restarts, from->restarts);
#undef ADD
    }
}

Link *mapping_make(Arena *arena, const SuperviseRequest *request, int *fd, Error *error)
{
    Link *link = link_create(fd, error);
    if (!link)
        return NULL;
    link->version = link_version;
    link->mode = request->mode;
    link->tool = getpid();
    link->options = request->options;
    if (request->orders)
        link->orders = *request->orders;
    fill_liveness(arena, link, request);
    fill_first_tests(link, request);
    fill_unseen(link, request);
    const SuperviseWatcher *watcher = &request->watcher;
    if ((request->record && !link_put_record(link, request->record, error)) ||
        (watcher->begin && !watcher->begin(watcher->context, link, error))) {
        close(*fd);
        munmap(link, sizeof *link);
        return NULL;
    }
    return link;
}

/* ---- what it has left ---- */

/* An estimate that is told must be worth so many probes (guest/explore/schedules/forecast.h). */
#define SURE_PROBES 25

void mapping_take_estimate(const Link *link, SuperviseResult *result)
{
    double probes = (double)__atomic_load_n(&link->forecast_probes, __ATOMIC_ACQUIRE);
    double mean = MAX(0.0, link->forecast.executions), variance = MAX(0.0, link->forecast.variance);
    if (probes < 1)
        return;
    double worth = probes * mean * mean / (variance * (probes - 1) + mean * mean);
    result->estimate = (Estimate){.executions = mean,
                                  .error = sqrt(variance),
                                  .least = MAX(0.0, link->forecast.least),
                                  .is_sure = worth >= SURE_PROBES};
}

/* The causes, as far as they make sense: texts end, numbers are in their ranges. */
static const CausesShared *take_causes(Arena *arena, const Link *link)
{
    if (!link->causes.count)
        return NULL;
    CausesShared *causes = arena_new_of(arena, CausesShared);
    *causes = link->causes;
    causes->count = MIN(causes->count, CAUSES_MOST);
    for (uint32_t i = 0; i < causes->count; i++) {
        SharedCause *one = &causes->at[i];
        one->operations[sizeof one->operations - 1] = one->test[sizeof one->test - 1] = 0;
        one->shape[sizeof one->shape - 1] = 0;
        if (one->violation >= VIOLATION_KIND_COUNT)
            one->violation = VIOLATION_NONE;
    }
    return causes;
}

void mapping_collect(Arena *arena, const Link *link, const SuperviseRequest *request,
                     SuperviseResult *result)
{
    mapping_add_counters(link, &result->total);
    mapping_take_estimate(link, result);
    if (request->orders)
        *request->orders = link->orders;
    uint32_t state = __atomic_load_n(&link->state, __ATOMIC_ACQUIRE);
    result->started = state != LINK_STARTING;
    result->done = state == LINK_DONE;
    if (result->done) {
        outcome_read(arena, &link->outcome, &result->outcome);
        if (result->end == SUPERVISE_EXITED || result->end == SUPERVISE_SIGNAL)
            result->end = SUPERVISE_DONE;
    }
    result->causes = take_causes(arena, link);
    result->ran_unseen = take_unseen(arena, link, request);
    result->misses_unseen_calls = link->unseen_call_count > LINK_UNSEEN_CALLS;
    result->unseen_call_count = MIN(link->unseen_call_count, LINK_UNSEEN_CALLS);
    LinkUnseenCall *calls = (void *)arena_copy(arena, (const char *)link->unseen_calls,
                                               result->unseen_call_count * sizeof *calls);
    for (size_t i = 0; i < result->unseen_call_count; i++)
        calls[i].name[sizeof calls[i].name - 1] = 0;
    result->unseen_calls = calls;
    result->remark_count = MIN(link->remark_count, LINK_REMARKS);
    result->remarks = arena_array_of(arena, const char *, result->remark_count + 1);
    for (size_t i = 0; i < result->remark_count; i++)
        result->remarks[i] =
            arena_copy(arena, link->remarks[i], strnlen(link->remarks[i], sizeof link->remarks[i]));
    if (result->done && link->has_record) {
        Error error = {0};
        result->record = link_get_record(arena, link, &error);
        if (!result->record)
            snprintf(result->record_error, sizeof result->record_error, "%.250s", error.message);
    }
}
