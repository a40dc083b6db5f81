#include "tool/cli/scale/ranks_link.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put(Bytes *to, const void *from, size_t count)
{
    vec_reserve(to, to->count + count);
    if (count)
        memcpy(to->at + to->count, from, count);
    to->count += count;
}

static bool get(const unsigned char **from, size_t *left, void *to, size_t count)
{
    if (*left < count)
        return false;
    memcpy(to, *from, count);
    *from += count;
    *left -= count;
    return true;
}

/* ---- units ---- */

static void put_slot(const UnitSlot *slot, Bytes *to)
{
    put(to, &slot->head, sizeof slot->head);
    put(to, slot->way, MIN(slot->head.way_bytes, UNITS_WAY_BYTES));
    put(to, slot->knowledge, MIN(slot->head.knowledge_bytes, UNITS_KNOWLEDGE_BYTES));
}

void rank_unit_put(const RankUnit *unit, Bytes *to)
{
    put(to, &unit->head, sizeof unit->head);
    put(to, unit->bytes, (size_t)unit->head.way_bytes + unit->head.knowledge_bytes);
}

bool rank_unit_get(const unsigned char **from, size_t *left, RankUnit *unit)
{
    UnitHead *head = &unit->head;
    *unit = (RankUnit){0};
    if (!get(from, left, head, sizeof *head) || head->way_bytes > UNITS_WAY_BYTES ||
        head->knowledge_bytes > UNITS_KNOWLEDGE_BYTES || head->length < 0 ||
        head->length > (int)UNITS_WAY_BYTES || head->floor < 0 || head->floor > head->length)
        return false;
    size_t bytes = (size_t)head->way_bytes + head->knowledge_bytes;
    unit->bytes = malloc(bytes + 1);
    if (!unit->bytes)
        die("out of memory");
    return get(from, left, unit->bytes, bytes);
}

void rank_unit_free(RankUnit *unit)
{
    free(unit->bytes);
    *unit = (RankUnit){0};
}

void rank_unit_give(const RankUnit *unit, Link *link)
{
    UnitsShared *units = &link->units;
    while (__atomic_exchange_n(&units->lock, 1, __ATOMIC_ACQUIRE))
        usleep(50);
    memcpy(units->queue, &unit->head, sizeof unit->head);
    memcpy(units->queue + sizeof unit->head, unit->bytes,
           (size_t)unit->head.way_bytes + unit->head.knowledge_bytes);
    units->queue_read = 0;
    units->queue_written = units_bytes(&unit->head);
    __atomic_store_n(&units->lock, 0, __ATOMIC_RELEASE);
}

void rank_unit_append(const RankUnit *unit, Link *link)
{
    UnitsShared *units = &link->units;
    while (__atomic_exchange_n(&units->lock, 1, __ATOMIC_ACQUIRE))
        usleep(50);
    uint64_t at = units->queue_written;
    if (at + units_bytes(&unit->head) <= sizeof units->queue) {
        memcpy(units->queue + at, &unit->head, sizeof unit->head);
        memcpy(units->queue + at + sizeof unit->head, unit->bytes,
               (size_t)unit->head.way_bytes + unit->head.knowledge_bytes);
        units->queue_written += units_bytes(&unit->head);
    }
    __atomic_store_n(&units->lock, 0, __ATOMIC_RELEASE);
}

bool rank_is_queued(const UnitsShared *units)
{
    UnitHead head;
    if (__atomic_load_n(&units->queue_read, __ATOMIC_ACQUIRE) >=
        __atomic_load_n(&units->queue_written, __ATOMIC_ACQUIRE))
        return false;
    memcpy(&head, units->queue, sizeof head);
    return !head.test;
}

/* ---- states ---- */

bool rank_state_take(Link *link, Bytes *to)
{
    UnitsShared *units = &link->units;
    for (int i = 0; __atomic_exchange_n(&units->lock, 1, __ATOMIC_ACQUIRE); i++) {
        if (i == 2000)
            return false;
        usleep(50);
    }
    UnitSlot *slot = &units->slots[0];
    bool queued = rank_is_queued(units);
    RankState state = {.epoch = units->epoch,
                       .busy = slot->busy || queued,
                       .learnt = units->learnt,
                       .has_gift = units->gift.busy,
                       .remark_count = MIN(link->remark_count, LINK_REMARKS),
                       .wants_tests = units->tests.wants,
                       .is_idle = units->tests.idle,
                       .tests_bytes = (uint32_t)(MIN(units->tests.count, UNITS_TESTS) + 7) / 8,
                       .tests_budget = units->tests.budget,
                       .tests_planned = link->test_count,
                       .counts = slot->counts};
    put(to, &state, sizeof state);
    UnitHead head;
    memcpy(&head, units->queue, sizeof head);
    if (queued)
        put(to, units->queue, sizeof head + head.way_bytes + head.knowledge_bytes);
    else
        put_slot(slot, to);
    if (state.has_gift)
        put_slot(&units->gift, to);
    units->gift.busy = 0;
    put(to, link->remarks, state.remark_count * sizeof *link->remarks);
    put(to, units->tests.done, state.tests_bytes);
    put(to, units->tests.put_off, state.tests_bytes);
    __atomic_store_n(&units->lock, 0, __ATOMIC_RELEASE);
    return true;
}

static void add_remark(Link *link, const char *remark)
{
    for (uint32_t i = 0; i < link->remark_count; i++)
        if (!strncmp(link->remarks[i], remark, sizeof *link->remarks))
            return;
    if (link->remark_count < LINK_REMARKS)
        memcpy(link->remarks[link->remark_count++], remark, sizeof *link->remarks);
}

void rank_tests_give(const RankTests *given, Link *link)
{
    UnitsShared *units = &link->units;
    while (__atomic_exchange_n(&units->lock, 1, __ATOMIC_ACQUIRE))
        usleep(50);
    units->tests.first = given->first;
    units->tests.end = given->end;
    units->tests.no_more = given->no_more;
    units->tests.wants = 0;
    __atomic_store_n(&units->lock, 0, __ATOMIC_RELEASE);
}

bool rank_state_read(const unsigned char *from, size_t bytes, Link *link, RankState *state,
                     RankUnit *unit, RankUnit *gift, UnitTests *tests)
{
    *unit = *gift = (RankUnit){0};
    if (!get(&from, &bytes, state, sizeof *state) || !rank_unit_get(&from, &bytes, unit) ||
        (state->has_gift && !rank_unit_get(&from, &bytes, gift)))
        return false;
    for (uint32_t i = 0; i < state->remark_count; i++) {
        char remark[sizeof *link->remarks];
        if (!get(&from, &bytes, remark, sizeof remark))
            return false;
        remark[sizeof remark - 1] = 0;
        add_remark(link, remark);
    }
    if (bytes != (uint64_t)state->tests_bytes * 2 || state->tests_bytes > sizeof tests->done)
        return false;
    for (uint32_t i = 0; i < state->tests_bytes; i++) {
        tests->done[i] |= from[i];
        tests->put_off[i] |= from[state->tests_bytes + i];
    }
    tests->count = MAX(tests->count, (uint64_t)state->tests_bytes * 8);
    tests->budget = MAX(tests->budget, state->tests_budget);
    return true;
}

/* ---- what was found ---- */

typedef struct RankFound {
    OutcomeMessage outcome;
    uint32_t has_record, record_model, record_violation, spare;
    uint64_t record_message, record_load_base, record_pc;
    uint64_t record_callers[RECORD_CALLERS];
    LinkRange events, objects, threads, text;
    uint64_t evidence_bytes;
} RankFound;

#define FOUND_FIELDS(X)                                                                            \
    X(outcome)                                                                                     \
    X(has_record)                                                                                  \
    X(record_model)                                                                                \
    X(record_violation)                                                                            \
    X(record_message)                                                                              \
    X(record_load_base)                                                                            \
    X(record_pc)                                                                                   \
    X(events)                                                                                      \
    X(objects)                                                                                     \
    X(threads)                                                                                     \
    X(text)

static uint64_t range_end(LinkRange range, size_t size)
{
    uint64_t end = range.offset + range.count * size;
    return MIN(end, (uint64_t)LINK_EVIDENCE_BYTES);
}

void rank_found_take(const Link *link, Bytes *to)
{
    RankFound found = {0};
#define X(name) found.name = link->name;
    FOUND_FIELDS(X)
#undef X
    memcpy(found.record_callers, link->record_callers, sizeof found.record_callers);
    uint64_t ends[] = {range_end(link->events, sizeof(RecordEvent)),
                       range_end(link->objects, sizeof(RecordObject)),
                       range_end(link->threads, sizeof(RecordThread)), range_end(link->text, 1)};
    for (size_t i = 0; link->has_record && i < COUNT_OF(ends); i++)
        found.evidence_bytes = MAX(found.evidence_bytes, ends[i]);
    put(to, &found, sizeof found);
    put(to, link->evidence, found.evidence_bytes);
}

bool rank_found_give(const unsigned char *from, size_t bytes, Link *link)
{
    RankFound found;
    if (!get(&from, &bytes, &found, sizeof found) || bytes != found.evidence_bytes ||
        bytes > LINK_EVIDENCE_BYTES)
        return false;
#define X(name) link->name = found.name;
    FOUND_FIELDS(X)
#undef X
    memcpy(link->record_callers, found.record_callers, sizeof found.record_callers);
    memcpy(link->evidence, from, bytes);
    return true;
}
