/* The ordering relation against the five rules taken literally; cycles and histories against all
 * permutations. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/hash.h"
#include "judge/graph/ordering.h"

enum { MOST_CALLS = 6, MOST_POINTS = 12 };

typedef struct Sample {
    uint32_t calls, count;
    OrderingPoint points[MOST_POINTS];
} Sample;

/* Points of a consistent execution: each location has its writes in order, some of them by
 * read-modify-writes; reads read any of them, or the initial value. */
static void make_sample(Random *random, Sample *sample)
{
    sample->calls = 1 + (uint32_t)random_below(random, MOST_CALLS);
    sample->count = (uint32_t)random_below(random, MOST_POINTS + 1);
    int32_t writes[3] = {0};
    for (uint32_t i = 0; i < sample->count; i++) {
        OrderingPoint *p = &sample->points[i];
        *p = (OrderingPoint){(uint32_t)random_below(random, sample->calls),
                             (uint32_t)random_below(random, 3), -1, -1};
        uint64_t kind = random_below(random, 3);
        if (kind == 0) {
            p->write = ++writes[p->location];
            if (random_below(random, 4) == 0)
                p->write = ++writes[p->location]; /* a write that is no point came between */
        } else if (kind == 1) {
            p->write = ++writes[p->location];
            p->read = p->write - 1;
        }
    }
    if (sample->count > 1 && random_below(random, 3) == 0) { /* calls may share a point */
        uint32_t call = sample->points[0].call;
        sample->points[0] = sample->points[sample->count - 1];
        sample->points[0].call = call;
    }
    for (uint32_t i = 0; i < sample->count; i++) {
        OrderingPoint *p = &sample->points[i];
        if (p->write < 0)
            p->read = (int32_t)random_below(random, (uint64_t)writes[p->location] + 1);
    }
}

/* All permutations of the calls that keep the relation. */
typedef struct Permutations {
    const Ordering *ordering;
    uint64_t members, count;
    uint64_t hash; /* of all, whatever their order */
} Permutations;

static uint64_t hash_history(const uint32_t *history, uint32_t length)
{
    uint64_t hash = 1;
    for (uint32_t i = 0; i < length; i++)
        hash = hash_combine(hash, history[i]);
    return hash;
}

static void permute(Permutations *p, uint32_t *list, uint32_t length, uint32_t whole)
{
    if (length == whole) {
        for (uint32_t i = 0; i < whole; i++)
            for (uint32_t j = i + 1; j < whole; j++)
                if (p->ordering->after[list[j]] >> list[i] & 1)
                    return;
        p->count++;
        p->hash += hash_history(list, whole);
        return;
    }
    for (uint32_t c = 0; c < p->ordering->count; c++) {
        bool used = !(p->members >> c & 1);
        for (uint32_t i = 0; i < length; i++)
            used |= list[i] == c;
        if (used)
            continue;
        list[length] = c;
        permute(p, list, length + 1, whole);
    }
}

static OrderingStep collect(void *context, const uint32_t *history, uint32_t length)
{
    Permutations *found = context;
    if (length == (uint32_t)__builtin_popcountll(found->members)) {
        found->count++;
        found->hash += hash_history(history, length);
    }
    return ORDERING_ON;
}

/* The length of a shortest way from FROM to TO, by trying all. */
static uint32_t shortest(const Ordering *ordering, uint32_t from, uint32_t to, uint64_t seen)
{
    uint32_t best = 0;
    for (uint32_t c = 0; c < ordering->count; c++) {
        if (!(ordering->next[from] >> c & 1) || (seen >> c & 1))
            continue;
        uint32_t rest = c == to ? 1 : shortest(ordering, c, to, seen | (uint64_t)1 << c);
        if (c != to && rest)
            rest++;
        if (rest && (!best || rest < best))
            best = rest;
    }
    return best;
}

static void test_twin(void **state)
{
    (void)state;
    Random random = {1};
    unsigned with_cycle = 0, several = 0;
    for (unsigned round = 0; round < 20000; round++) {
        Sample sample;
        Ordering fast, slow;
        make_sample(&random, &sample);
        ordering_relate(&fast, sample.calls, sample.points, sample.count);
        ordering_relate_slowly(&slow, sample.calls, sample.points, sample.count);
        assert_memory_equal(fast.next, slow.next, sizeof(uint64_t) * sample.calls);
        assert_memory_equal(fast.after, slow.after, sizeof(uint64_t) * sample.calls);
        OrderingPoint sorted[COUNT_OF(sample.points)];
        Ordering many;
        memcpy(sorted, sample.points, sizeof sorted);
        ordering_relate_many(&many, sample.calls, sorted, sample.count);
        assert_memory_equal(many.next, slow.next, sizeof(uint64_t) * sample.calls);
        assert_memory_equal(many.after, slow.after, sizeof(uint64_t) * sample.calls);
        uint32_t cycle[ORDERING_MOST], length = ordering_cycle(&fast, cycle), best = 0;
        for (uint32_t c = 0; c < sample.calls; c++) {
            uint32_t way = shortest(&slow, c, c, 0);
            if (way && (!best || way < best))
                best = way;
        }
        assert_int_equal(length, best);
        for (uint32_t i = 0; i < length; i++)
            assert_true(slow.next[cycle[i]] >> cycle[(i + 1) % length] & 1);
        with_cycle += length > 0;
        if (length)
            continue;
        uint64_t members = random_next(&random) & (((uint64_t)1 << sample.calls) - 1);
        uint32_t list[MOST_CALLS];
        Permutations all = {.ordering = &slow, .members = members}, found = all;
        permute(&all, list, 0, (uint32_t)__builtin_popcountll(members));
        assert_true(ordering_histories(&fast, members, collect, &found));
        assert_int_equal(found.count, members ? all.count : 0);
        assert_true(!members || found.hash == all.hash);
        assert_int_equal(ordering_count(&fast, members, 1000000), all.count);
        several += all.count > 1;
    }
    assert_true(with_cycle > 1000 && several > 1000);
}

/* Section 4.2 of the paper in the small: two writes and two reads of one location. */
static void test_rules(void **state)
{
    (void)state;
    OrderingPoint points[] = {
        {0, 0, 1, -1}, /* the first write */
        {1, 0, -1, 1}, /* reads it */
        {2, 0, 2, 1},  /* a read-modify-write after it */
        {3, 0, -1, 0}, /* reads the initial value */
        {4, 0, -1, 1}, /* reads the first write, too */
        {5, 1, 1, -1}, /* another location */
    };
    Ordering ordering;
    ordering_relate(&ordering, 6, points, 6);
    assert_int_equal(ordering.after[0], 1 << 1 | 1 << 2 | 1 << 4);
    assert_int_equal(ordering.after[1], 1 << 2);
    assert_int_equal(ordering.after[2], 0);
    assert_int_equal(ordering.after[3], 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4);
    assert_int_equal(ordering.after[4], 1 << 2);
    assert_int_equal(ordering.after[5], 0);
    /* 3, 0, then 1 and 4 in any order, 2; and 5 anywhere: 2 * 6 */
    assert_int_equal(ordering_count(&ordering, 63, 100), 12);
    assert_int_equal(ordering_count(&ordering, 63, 5), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules), cmocka_unit_test(test_twin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
