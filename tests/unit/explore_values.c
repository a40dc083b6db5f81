/* Facts that decisions use one by one: the pass is outdated if, and only if, a fact grows that a
 * decision of it has used; a new pass has used none; what units carry is all of the table. */
#include "guest/explore/facts/values.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "guest/explore/all.h"
#include "guest/explore/facts/kept.h"
#include "guest/explore/facts/passing.h"
#include "guest/explore/facts/values_table.h"
#include "guest/explore/search/explore.h"

static _Alignas(64) uint64_t memory[4];
static Location *x, *y;

static int setup(void **state)
{
    (void)state;
    ExploreOptions wanted = {.model = MODEL_RC11, .preemptions = -1, .jobs = 1};
    explore_setup(&wanted);
    return 0;
}

/* A new exploration, which knows nothing. */
static void begin(void)
{
    graph_reset();
    values_reset();
    x = &locations[graph_location(&memory[0], 8, 0)];
    y = &locations[graph_location(&memory[2], 8, 0)];
    values_outdated = values_mode.strict = false;
    values_begin_pass();
}

/* Does X, which has the value V now, begin the exploration again at once? In so short a pass it
 * does if the pass is outdated. */
static bool begins_again(Location *of, uint64_t v)
{
    if (setjmp(findings.jump))
        return true;
    values_note(of, v);
    return false;
}

static void used_or_not(void **state)
{
    (void)state;
    int count;
    begin();
    assert_false(begins_again(x, 1));
    assert_false(begins_again(x, 2)); /* nobody has asked */
    assert_non_null(values_use(x, VALUES_ALL, &count));
    assert_int_equal(count, 2);
    assert_false(begins_again(x, 2)); /* no news */
    assert_false(begins_again(y, 3)); /* elsewhere */
    assert_true(begins_again(x, 3));
    assert_non_null(values_use(x, VALUES_ALL, &count));
    assert_int_equal(count, 3); /* and it is known now */
    values_begin_pass();
    assert_false(begins_again(x, 4)); /* the new pass has used nothing */
}

/* Each value is a fact of its own for those who ask whether it comes twice. */
static void one_value(void **state)
{
    (void)state;
    begin();
    values_note(x, 1);
    values_note(x, 2);
    assert_true(values_use_once(x, 1, VALUES_TWICE));
    Known *k = &values_table->known[x->known];
    values_lock();
    assert_false(values_grows(k->once[VALUES_TWICE] >> values_find_value(k, 2) & 1));
    values_unlock();
    assert_false(values_outdated);
    bool volatile is_again = false;
    if (setjmp(findings.jump)) {
        is_again = true;
    } else {
        values_lock();
        values_grows(k->once[VALUES_TWICE] >> values_find_value(k, 1) & 1);
        values_unlock();
    }
    assert_true(is_again);
}

/* In a strict pass any news begins again, used or not, before it is written down; the lock is free
 * then. */
static void strict(void **state)
{
    (void)state;
    begin();
    values_note(x, 1);
    values_mode.strict = true;
    assert_false(begins_again(x, 1));
    assert_true(begins_again(x, 2));
    assert_int_equal(values_table->lock, 0);
    assert_int_equal(values_table->known[x->known].count, 1);
    values_mode.strict = false;
}

/* A fact that is used and grows late is to be taken for all of its kind; an unused one, or one that
 * comes early, is not. */
static void late(void **state)
{
    (void)state;
    begin();
    values_outdated = true; /* it begins again at the end of a graph, not here */
    values_lock();
    assert_false(values_grows(true));
    counts.executions = 1 << 20;
    assert_false(values_grows(false));
    assert_true(values_grows(true));
    values_mode.used_grew = false;
    values_unlock();
    counts.executions = 0;
    values_outdated = false;
}

static void carried(void **state)
{
    (void)state;
    static unsigned char bytes[1 << 18], again[1 << 18];
    bool wanted = false;
    begin();
    for (uint64_t v = 0; v < 20; v++)
        values_note(v % 3 ? x : y, v);
    values_table->guarded_count = 2;
    values_table->guarded[1].address = (char *)&memory[2];
    values_table->guarded[1].withheld[7] = 9;
    values_table->last_effect[3] = 4;
    size_t size = kept_get(bytes, sizeof bytes, true);
    assert_true(size > 0);
    values_reset();
    assert_int_equal(values_locations(), 0);
    assert_int_equal(values_table->guarded_count, 0);
    assert_int_equal(values_table->guarded[1].withheld[7], 0);
    assert_true(kept_put(bytes, size, &wanted));
    assert_true(wanted);
    assert_int_equal(values_table->guarded[1].withheld[7], 9);
    assert_int_equal(kept_get(again, sizeof again, true), size);
    assert_memory_equal(bytes, again, size);
    values_keep_copy();
    assert_int_equal(kept_get(again, sizeof again, true), size);
    assert_memory_equal(bytes, again, size);
    for (size_t cut = 1; cut < size; cut += 13)
        if (kept_put(bytes, cut, &wanted))
            fail_msg("%zu of %zu bytes were taken", cut, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(used_or_not), cmocka_unit_test(one_value),
                                       cmocka_unit_test(strict), cmocka_unit_test(late),
                                       cmocka_unit_test(carried)};
    return cmocka_run_group_tests(tests, setup, NULL);
}
