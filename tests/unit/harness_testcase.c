/* The tests of a shape against brute force: all matrices that roles allow, with the columns of
 * threads that have no calls of their own sorted; each must come exactly once. */
#include "guest/harness/check/testcase.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MOST 4096 /* matrices of the largest shape here: 4^6 */

static bool may_call(const TestShape *shape, uint32_t thread, uint32_t call)
{
    return !shape->role || shape->role[call] == 0 || shape->role[call] - 1u == thread;
}

/* A column as a number, the first call most significant. */
static uint32_t column(const TestShape *shape, const TestCase *test, uint32_t t)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < shape->length; i++)
        number = number * shape->calls + test->call[t][i];
    return number;
}

/* The whole test as a number that is the same for tests that differ in the order of free threads
 * only. */
static uint32_t canonical(const TestShape *shape, const TestCase *test)
{
    uint32_t columns[TESTCASE_THREADS], bound = 0, size = 1, number = 0;
    for (uint32_t c = 0; shape->role && c < shape->calls; c++)
        if (shape->role[c] > bound)
            bound = shape->role[c];
    for (uint32_t i = 0; i < shape->length; i++)
        size *= shape->calls;
    for (uint32_t t = 0; t < shape->threads; t++)
        columns[t] = column(shape, test, t);
    for (uint32_t t = 0; t < shape->threads; t++) /* bubbles are obvious */
        for (uint32_t u = bound; u + 1 < shape->threads; u++)
            if (columns[u] > columns[u + 1]) {
                uint32_t higher = columns[u];
                columns[u] = columns[u + 1];
                columns[u + 1] = higher;
            }
    for (uint32_t t = 0; t < shape->threads; t++)
        number = number * size + columns[t];
    return number;
}

/* Marks all tests of a shape; gives their number. */
static uint64_t brute_force(const TestShape *shape, bool *wanted)
{
    uint32_t places = shape->threads * shape->length, all = 1;
    uint64_t count = 0;
    for (uint32_t i = 0; i < places; i++)
        all *= shape->calls;
    assert_true(all <= MOST);
    for (uint32_t code = 0; code < all; code++) {
        TestCase test = {.threads = shape->threads};
        bool allowed = true;
        uint32_t rest = code;
        for (uint32_t p = 0; p < places; p++, rest /= shape->calls) {
            uint32_t t = p / shape->length;
            test.call[t][p % shape->length] = (uint16_t)(rest % shape->calls);
            allowed &= may_call(shape, t, rest % shape->calls);
        }
        uint32_t number = allowed ? canonical(shape, &test) : 0;
        if (allowed && !wanted[number]) {
            wanted[number] = true;
            count++;
        }
    }
    return count;
}

static void compare(const TestShape *shape)
{
    static bool wanted[MOST];
    memset(wanted, 0, sizeof wanted);
    uint64_t expected = brute_force(shape, wanted), seen = 0;
    TestCase test;
    for (bool more = testcase_first(shape, &test); more; more = testcase_next(shape, &test)) {
        uint32_t number = canonical(shape, &test);
        assert_int_equal(test.threads, shape->threads);
        for (uint32_t t = 0; t < shape->threads; t++) {
            assert_int_equal(test.length[t], shape->length);
            for (uint32_t i = 0; i < shape->length; i++)
                assert_true(may_call(shape, t, test.call[t][i]));
        }
        assert_true(wanted[number]); /* and not seen before */
        wanted[number] = false;
        seen++;
    }
    assert_int_equal(seen, expected);
    assert_int_equal(testcase_count(shape), expected);
}

static void test_all_shapes(void **state)
{
    (void)state;
    static const uint8_t shapes[][3] = {{1, 1, 1}, {1, 3, 3}, {2, 1, 4}, {2, 2, 3},
                                        {2, 3, 4}, {3, 1, 5}, {3, 2, 3}, {3, 2, 4},
                                        {4, 1, 4}, {3, 3, 2}, {6, 1, 3}, {2, 6, 2}};
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        TestShape shape = {shapes[i][0], shapes[i][1], shapes[i][2], NULL};
        compare(&shape);
    }
}

static void test_roles(void **state)
{
    (void)state;
    Random random = {7};
    for (int round = 0; round < 300; round++) {
        uint8_t role[4];
        uint32_t threads = 1 + (uint32_t)random_below(&random, 3);
        uint32_t length = 1 + (uint32_t)random_below(&random, 2);
        uint32_t calls = 1 + (uint32_t)random_below(&random, 4);
        for (uint32_t c = 0; c < calls; c++)
            role[c] = (uint8_t)random_below(&random, threads + 1);
        TestShape shape = {threads, length, calls, role};
        compare(&shape);
    }
}

/* A random test that is sorted is the one of testcase_next with the same columns. */
static void test_sorted(void **state)
{
    (void)state;
    Random random = {3};
    static const uint8_t role[] = {0, 1, 0, 2};
    for (int round = 0; round < 2000; round++) {
        TestShape shape = {1 + (uint32_t)random_below(&random, 4),
                           1 + (uint32_t)random_below(&random, 2), 4,
                           random_below(&random, 2) ? role : NULL};
        TestCase drawn, sorted, listed;
        testcase_sample(&shape, &random, &drawn);
        sorted = drawn;
        testcase_sort(&shape, &sorted);
        assert_int_equal(canonical(&shape, &sorted), canonical(&shape, &drawn));
        bool found = false;
        for (bool more = testcase_first(&shape, &listed); more && !found;
             more = testcase_next(&shape, &listed))
            found = !memcmp(&listed, &sorted, sizeof listed);
        assert_true(found);
    }
}

/* Multisets of T columns out of N: 9 columns and 2 threads 45, 3 threads 165 (by the formula). */
static void test_known_counts(void **state)
{
    (void)state;
    TestShape shape = {2, 2, 3, NULL};
    assert_int_equal(testcase_count(&shape), 9 * 10 / 2);
    shape.threads = 3;
    assert_int_equal(testcase_count(&shape), 9 * 10 * 11 / 6);
    static const uint8_t ring[] = {1, 1, 2}; /* put(1), put(2) | get() */
    TestShape roles = {2, 3, 3, ring};
    assert_int_equal(testcase_count(&roles), 8);
    roles.threads = 3; /* nothing is left for a third thread */
    assert_int_equal(testcase_count(&roles), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_shapes),
        cmocka_unit_test(test_roles),
        cmocka_unit_test(test_sorted),
        cmocka_unit_test(test_known_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
