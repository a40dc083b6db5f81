/* Well-formed tests: numbers of takes and puts, where they stand, and which values puts get. */
#include "guest/harness/check/balance.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

/* calls 0..2: put(1..3); 3: take; 4: size; 5..6: push(1..2) */
static const uint8_t role[] = {BALANCE_PUT,   BALANCE_PUT, BALANCE_PUT, BALANCE_TAKE,
                               BALANCE_OTHER, BALANCE_PUT, BALANCE_PUT};
static const uint16_t operation[] = {0, 0, 0, 1, 2, 3, 3};
static const Balance balance = {role, operation, 7};

static uint32_t count(const TestCase *test, BalanceRole wanted)
{
    uint32_t found = 0;
    for (uint32_t c = 0; c < TESTCASE_COLUMNS; c++)
        for (uint32_t i = 0; i < test->length[c]; i++)
            found += role[test->call[c][i]] == wanted;
    return found;
}

static void test_columns(void **state)
{
    (void)state;
    TestCase test = {.threads = 2, .length = {2, 1, [TESTCASE_BEFORE] = 3, [TESTCASE_AFTER] = 1}};
    assert_int_equal(testcase_operations(&test), 7);
    assert_int_equal(testcase_number(&test, 1, 0), 2);
    assert_int_equal(testcase_number(&test, TESTCASE_BEFORE, 0), 3);
    assert_int_equal(testcase_number(&test, TESTCASE_AFTER, 0), 6);
    TestCase smaller;
    testcase_without(&test, TESTCASE_AFTER, 0, &smaller);
    assert_int_equal(smaller.threads, 2);
    assert_int_equal(testcase_operations(&smaller), 6);
    testcase_without(&test, 1, 0, &smaller);
    assert_int_equal(smaller.threads, 1);
    assert_int_equal(testcase_number(&smaller, TESTCASE_BEFORE, 2), 4);
}

static void test_drain(void **state)
{
    (void)state;
    TestCase test = {.threads = 2, .length = {2, 2}, .call = {{0, 3}, {1, 5}}};
    assert_true(balance_drain(&balance, &test));
    assert_int_equal(test.length[TESTCASE_AFTER], 2);
    assert_int_equal(count(&test, BALANCE_TAKE), 3);
    TestCase takes = {.threads = 1, .length = {2}, .call = {{3, 3}}};
    assert_true(balance_drain(&balance, &takes));
    assert_int_equal(testcase_operations(&takes), 2);
}

/* The shapes of the Round-Up paper: 2*2+4, 3*3+4, 4*4+0, 1*1+12, whatever the threads call. */
static void test_frame(void **state)
{
    (void)state;
    static const uint32_t shapes[][2] = {{2, 4}, {3, 4}, {4, 0}, {1, 12}, {2, 1}};
    for (size_t s = 0; s < COUNT_OF(shapes); s++) {
        uint32_t length = shapes[s][0], more = shapes[s][1];
        for (uint32_t mask = 0; mask < 1u << 2 * length; mask++) {
            TestCase test = {.threads = 2, .length = {length, length}};
            uint32_t puts = 0;
            for (uint32_t i = 0; i < 2 * length; i++) {
                bool put = mask >> i & 1;
                test.call[i / length][i % length] = put ? 0 : 3;
                puts += put;
            }
            uint32_t takes = 2 * length - puts;
            bool possible = puts <= takes + more;
            assert_int_equal(balance_frame(&balance, more, &test), possible);
            if (!possible)
                continue;
            assert_int_equal(testcase_operations(&test), 2 * length + more);
            puts = count(&test, BALANCE_PUT);
            takes = count(&test, BALANCE_TAKE);
            bool enough = takes <= puts + 1 || test.length[TESTCASE_AFTER] == 0;
            assert_true(puts <= takes && enough);
        }
    }
}

static void test_spread(void **state)
{
    (void)state;
    TestCase test = {.threads = 2, .length = {2, 3}, .call = {{0, 0}, {5, 3, 0}}};
    test.length[TESTCASE_BEFORE] = 1;
    balance_spread(&balance, &test);
    assert_int_equal(test.call[TESTCASE_BEFORE][0], 0);
    assert_int_equal(test.call[0][0], 1);
    assert_int_equal(test.call[0][1], 2);
    assert_int_equal(test.call[1][0], 5);
    assert_int_equal(test.call[1][1], 3);
    assert_int_equal(test.call[1][2], 0); /* no fourth value */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns), cmocka_unit_test(test_drain),
                                       cmocka_unit_test(test_frame), cmocka_unit_test(test_spread)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
