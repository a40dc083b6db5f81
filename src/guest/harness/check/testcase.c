#include "guest/harness/check/testcase.h"
#include <string.h>

uint32_t testcase_next_column(const TestCase *test, uint32_t column)
{
    if (column != UINT32_MAX && column >= TESTCASE_BEFORE)
        return column == TESTCASE_BEFORE ? TESTCASE_AFTER : UINT32_MAX;
    column++; /* of UINT32_MAX: the first */
    return column < test->threads ? column : TESTCASE_BEFORE;
}

uint32_t testcase_operations(const TestCase *test)
{
    return testcase_number(test, UINT32_MAX, 0);
}

uint32_t testcase_number(const TestCase *test, uint32_t column, uint32_t i)
{
    uint32_t number = i, at = testcase_next_column(test, UINT32_MAX);
    for (; at != column; at = testcase_next_column(test, at))
        number += test->length[at];
    return number;
}

static bool allowed(const TestShape *shape, uint32_t thread, uint32_t call)
{
    return !shape->role || !shape->role[call] || shape->role[call] == thread + 1;
}

/* How many threads have, or stand before one that has, calls of its own. */
static uint32_t roles(const TestShape *shape)
{
    uint32_t most = 0;
    for (uint32_t c = 0; shape->role && c < shape->calls; c++)
        most = MAX(most, shape->role[c]);
    return most;
}

/* Sets a column to the first allowed calls; false if there is none. */
static bool column_first(const TestShape *shape, TestCase *test, uint32_t t)
{
    uint32_t c = 0;
    while (c < shape->calls && !allowed(shape, t, c))
        c++;
    for (uint32_t i = 0; i < shape->length; i++)
        test->call[t][i] = (uint16_t)c;
    test->length[t] = shape->length;
    return c < shape->calls;
}

/* Counts a column up like a number; false (and the first again) after the last. */
static bool column_next(const TestShape *shape, TestCase *test, uint32_t t)
{
    for (uint32_t i = shape->length; i-- > 0;) {
        uint32_t c = test->call[t][i] + 1u;
        while (c < shape->calls && !allowed(shape, t, c))
            c++;
        if (c < shape->calls) {
            test->call[t][i] = (uint16_t)c;
            return true;
        }
        for (c = 0; !allowed(shape, t, c); c++)
            ;
        test->call[t][i] = (uint16_t)c;
    }
    return false;
}

/* Compares two columns of SHAPE's length: < 0, 0, > 0. */
static int compare_columns(const TestShape *shape, const uint16_t *a, const uint16_t *b)
{
    for (uint32_t i = 0; i < shape->length; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

static bool is_canonical(const TestShape *shape, const TestCase *test)
{
    for (uint32_t t = roles(shape) + 1; t < test->threads; t++)
        if (compare_columns(shape, test->call[t - 1], test->call[t]) > 0)
            return false;
    return true;
}

void testcase_sort(const TestShape *shape, TestCase *test)
{
    for (uint32_t t = roles(shape) + 1; t < test->threads; t++)
        for (uint32_t u = t; u > roles(shape); u--) {
            uint16_t *a = test->call[u - 1], *b = test->call[u], kept[TESTCASE_LENGTH];
            if (compare_columns(shape, a, b) <= 0)
                break;
            memcpy(kept, a, sizeof kept);
            memcpy(a, b, sizeof kept);
            memcpy(b, kept, sizeof kept);
        }
}

bool testcase_first(const TestShape *shape, TestCase *test)
{
    memset(test, 0, sizeof *test);
    test->threads = shape->threads;
    for (uint32_t t = 0; t < shape->threads; t++)
        if (!column_first(shape, test, t))
            return false;
    return shape->threads && shape->length;
}

bool testcase_next(const TestShape *shape, TestCase *test)
{
    do {
        uint32_t t = shape->threads;
        while (t > 0 && !column_next(shape, test, t - 1))
            t--;
        if (!t)
            return false;
    } while (!is_canonical(shape, test));
    return true;
}

/* Columns of threads with calls of their own are free; the others are a multiset of columns that
 * are all alike: C(n + k - 1, k) of k threads with n columns each. */
uint64_t testcase_count(const TestShape *shape)
{
    double count = 1, columns = 0;
    uint32_t own = MIN(roles(shape), shape->threads), alike = 0;
    if (!shape->threads || !shape->length)
        return 0;
    for (uint32_t t = 0; t < shape->threads; t++) {
        uint32_t calls = 0;
        for (uint32_t c = 0; c < shape->calls; c++)
            calls += allowed(shape, t, c);
        columns = 1;
        for (uint32_t i = 0; i < shape->length; i++)
            columns *= calls;
        if (t < own)
            count *= columns;
        else
            count = count * (columns + alike) / (alike + 1), alike++;
    }
    return count > 1e15 ? UINT64_MAX : (uint64_t)(count + 0.5);
}

void testcase_sample(const TestShape *shape, Random *random, TestCase *test)
{
    memset(test, 0, sizeof *test);
    test->threads = shape->threads;
    for (uint32_t t = 0; t < shape->threads; t++) {
        test->length[t] = shape->length;
        for (uint32_t i = 0; i < shape->length; i++) {
            uint32_t c;
            do
                c = (uint32_t)random_below(random, shape->calls);
            while (!allowed(shape, t, c));
            test->call[t][i] = (uint16_t)c;
        }
    }
}

static void remove_column(TestCase *test, uint32_t thread)
{
    for (uint32_t t = thread; t + 1 < test->threads; t++) {
        memcpy(test->call[t], test->call[t + 1], sizeof test->call[t]);
        test->length[t] = test->length[t + 1];
    }
    test->threads--;
    test->length[test->threads] = 0;
}

void testcase_without(const TestCase *test, uint32_t column, uint32_t i, TestCase *smaller)
{
    *smaller = *test;
    memmove(&smaller->call[column][i], &smaller->call[column][i + 1],
            sizeof(uint16_t) * (test->length[column] - i - 1));
    smaller->length[column]--;
    if (!smaller->length[column] && column < TESTCASE_BEFORE)
        remove_column(smaller, column);
}

bool testcase_merged(const TestCase *test, uint32_t a, uint32_t b, TestCase *merged)
{
    if (test->length[a] + test->length[b] > TESTCASE_LENGTH)
        return false;
    *merged = *test;
    memcpy(&merged->call[a][test->length[a]], test->call[b], sizeof(uint16_t) * test->length[b]);
    merged->length[a] += test->length[b];
    remove_column(merged, b);
    return true;
}
