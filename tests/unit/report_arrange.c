/* Executions told in another order. An interleaving (every read sees the newest write) whose events
 * are shuffled, keeping program order and reads-from, must come back without any missed write: the
 * argument is in arrange.c. For reads that see anything, the new order must respect what an order
 * must, and never miss more. */
#include "tool/report/arrange.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>
#include "base/hash.h"
#include "record/options.h"
#include "tool/report/arrows.h"

enum { THREADS = 4, LOCATIONS = 3, MOST = 64 };

typedef struct Sample {
    RecordEvent events[MOST];
    RecordThread threads[THREADS];
    Record record;
    uint32_t writes[LOCATIONS], newest[LOCATIONS];
} Sample;

static RecordEvent *add(Sample *s, unsigned thread, RecordKind kind, unsigned location)
{
    RecordEvent *event = &s->events[s->record.event_count++];
    *event = (RecordEvent){.thread = (uint16_t)thread,
                           .kind = (uint8_t)kind,
                           .size = 8,
                           .rf = RECORD_NONE,
                           .address = 0x1000u + 16u * location};
    return event;
}

static void add_write(Sample *s, unsigned thread, unsigned location)
{
    RecordEvent *event = add(s, thread, RECORD_WRITE, location);
    event->co = ++s->writes[location];
    s->newest[location] = s->record.event_count - 1;
}

static uint32_t any_write(const Sample *s, unsigned location, Random *random)
{
    uint32_t found = RECORD_INIT, seen = 1;
    for (uint32_t i = 0; i < s->record.event_count; i++)
        if (s->events[i].kind == RECORD_WRITE && s->events[i].address == 0x1000u + 16u * location &&
            random_below(random, ++seen) == 0)
            found = i;
    return found;
}

static void add_read(Sample *s, unsigned thread, unsigned location, bool weak, Random *random)
{
    uint32_t from = s->writes[location] ? s->newest[location] : RECORD_INIT;
    if (weak)
        from = any_write(s, location, random);
    add(s, thread, RECORD_READ, location)->rf = from;
}

static void make(Sample *s, bool weak, Random *random)
{
    *s = (Sample){0};
    s->record = (Record){
        .events = s->events, .threads = s->threads, .thread_count = THREADS, .model = MODEL_RC11};
    for (unsigned t = 1; t < THREADS; t++)
        add(s, 0, RECORD_CREATE, 9)->other = t;
    unsigned count = 10 + (unsigned)random_below(random, 25);
    for (unsigned i = 0; i < count; i++) {
        unsigned thread = (unsigned)random_below(random, THREADS),
                 location = (unsigned)random_below(random, LOCATIONS);
        switch (random_below(random, 4)) {
        case 0:
            add_write(s, thread, location);
            break;
        case 1:
            add(s, thread, random_below(random, 2) ? RECORD_PLAIN_READ : RECORD_PLAIN_WRITE,
                LOCATIONS + thread % 2);
            break;
        case 2: /* both halves of an exchange */
            add_read(s, thread, location, false, random);
            s->events[s->record.event_count - 1].flags = RECORD_FLAG_RMW;
            add_write(s, thread, location);
            s->events[s->record.event_count - 1].flags = RECORD_FLAG_RMW;
            break;
        default:
            add_read(s, thread, location, weak, random);
        }
    }
    add(s, 1, RECORD_END, 9);
    add(s, 0, RECORD_JOIN, 9)->other = 1;
}

static bool must_precede(const RecordEvent *a, uint32_t a_number, const RecordEvent *b)
{
    bool plain = a->kind == RECORD_PLAIN_WRITE || a->kind == RECORD_PLAIN_READ;
    bool conflict = plain && a->address == b->address &&
                    (a->kind == RECORD_PLAIN_WRITE || b->kind == RECORD_PLAIN_WRITE);
    return a->thread == b->thread || (b->kind == RECORD_READ && b->rf == a_number) ||
           (a->kind == RECORD_CREATE && a->other == b->thread) ||
           (b->kind == RECORD_JOIN && b->other == a->thread) || conflict;
}

/* The events in a random order that an execution may be told in; MARK finds them again. */
static void shuffle(Sample *s, Random *random)
{
    RecordEvent old[MOST];
    uint32_t place[MOST], left = s->record.event_count, count = left, next = 0;
    bool done[MOST] = {false};
    memcpy(old, s->events, sizeof old);
    while (left) {
        uint32_t i = (uint32_t)random_below(random, count);
        bool ready = !done[i];
        for (uint32_t j = 0; j < i && ready; j++)
            ready = done[j] || !must_precede(&old[j], j, &old[i]);
        /* an exchange is one event */
        bool half = i > 0 && old[i].kind == RECORD_WRITE && old[i].flags & RECORD_FLAG_RMW;
        if (!ready || half)
            continue;
        for (uint32_t k = i;
             k == i || (k == i + 1 && old[i].kind == RECORD_READ && old[i].flags & RECORD_FLAG_RMW);
             k++) {
            place[k] = next;
            s->events[next++] = old[k];
            done[k] = true;
            left--;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        if (s->events[i].rf < count)
            s->events[i].rf = place[s->events[i].rf];
}

/* By definition: a newer write of the same place stands before the read. */
static uint32_t count_missed(const Record *record)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < record->event_count; i++) {
        const RecordEvent *read = &record->events[i];
        uint32_t seen = read->rf < record->event_count ? record->events[read->rf].co : 0;
        bool misses = false;
        for (uint32_t j = 0; j < i && read->kind == RECORD_READ; j++)
            misses |= record->events[j].kind == RECORD_WRITE &&
                      record->events[j].address == read->address && record->events[j].co > seen;
        count += misses;
    }
    return count;
}

/* Every event is there once (value[1] is its name), in an order that respects what it must. */
static void check_order(const Record *old, const Record *new)
{
    uint32_t place[MOST];
    assert_int_equal(old->event_count, new->event_count);
    memset(place, 0xff, sizeof place);
    for (uint32_t i = 0; i < new->event_count; i++) {
        assert_int_equal(place[new->events[i].value[1]], UINT32_MAX);
        place[new->events[i].value[1]] = i;
    }
    for (uint32_t i = 0; i < old->event_count; i++) {
        uint32_t from = old->events[i].rf;
        if (from < old->event_count)
            assert_int_equal(new->events[place[i]].rf, place[from]);
        for (uint32_t j = i + 1; j < old->event_count; j++)
            if (must_precede(&old->events[i], i, &old->events[j]))
                assert_true(place[i] < place[j]);
        if (i && old->events[i].kind == RECORD_WRITE && old->events[i].flags & RECORD_FLAG_RMW)
            assert_int_equal(place[i], place[i - 1] + 1);
    }
}

static void random_executions(void **state)
{
    (void)state;
    Random random = {11};
    uint32_t improved = 0;
    for (unsigned round = 0; round < 2000; round++) {
        Arena *arena = arena_new();
        Sample s;
        bool weak = round % 2;
        make(&s, weak, &random);
        shuffle(&s, &random);
        for (uint32_t i = 0; i < s.record.event_count; i++)
            s.events[i].value[1] = i;
        uint32_t before = count_missed(&s.record);
        const Record *better = arrange_record(arena, &s.record);
        check_order(&s.record, better);
        uint32_t after = count_missed(better);
        if (!weak && after)
            fail_msg("round %u: an interleaving still misses %u writes", round, after);
        assert_true(after <= before);
        improved += after < before;
        arena_free(arena);
    }
    assert_true(improved > 500); /* there was something to do */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_executions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
