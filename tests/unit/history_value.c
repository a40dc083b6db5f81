/* Values: equal exactly if their words are; concatenation shares parts and still is exact. */
#include "judge/history/value.h"
#include "base/hash.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void test_numbers(void **state)
{
    (void)state;
    Values *values = values_new();
    static const int64_t numbers[] = {0,
                                      1,
                                      -1,
                                      INT64_MAX,
                                      INT64_MIN,
                                      (int64_t)1 << 60,
                                      -((int64_t)1 << 60),
                                      -((int64_t)1 << 60) - 1};
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        for (size_t j = 0; j < COUNT_OF(numbers); j++) {
            Value a = value_int(values, numbers[i]), b = value_int(values, numbers[j]);
            int64_t back;
            assert_true(value_to_int(values, a, &back) && back == numbers[i]);
            assert_int_equal(value_equal(a, b), i == j);
            int order = value_compare(values, a, b);
            assert_int_equal((order > 0) - (order < 0),
                             (numbers[i] > numbers[j]) - (numbers[i] < numbers[j]));
            assert_int_equal(value_kind(values, a), VALUE_IS_INT);
        }
    values_free(values);
}

static void test_concatenation(void **state)
{
    (void)state;
    Random random = {11};
    for (int round = 0; round < 300; round++) {
        Values *values = values_new();
        char whole[400] = "";
        Value text = value_string(values, STR(""));
        for (int i = 0; i < 40; i++) {
            char piece[9] = "";
            size_t length = random_below(&random, 5);
            for (size_t j = 0; j < length; j++)
                piece[j] = (char)('a' + random_below(&random, 2));
            strcat(whole, piece);
            Value part = value_string(values, str_of(piece));
            text = value_concat(values, text, part);
            if (random_below(&random, 2)) /* before and after the flat text is known */
                assert_true(value_equal(text, value_string(values, str_of(whole))));
        }
        assert_true(value_equal(text, value_string(values, str_of(whole))));
        assert_true(str_is(value_text(values, text), whole));
        values_free(values);
    }
}

static void test_arrays(void **state)
{
    (void)state;
    Values *values = values_new();
    Value one = value_int(values, 1), two = value_int(values, 2), pair[] = {one, two};
    Value array = value_array(values, pair, 2);
    assert_true(value_equal(array, value_array(values, pair, 2)));
    assert_false(value_equal(array, value_array(values, pair, 1)));
    Value grown = value_concat(values, value_concat(values, VALUE_NONE, one), two);
    assert_true(value_equal(grown, array));
    assert_true(value_equal(value_concat(values, one, two), array)); /* what was there stays */
    size_t count;
    assert_true(value_equal(value_items(values, array, &count)[1], two));
    assert_int_equal(count, 2);
    Buffer out = {0};
    value_print(values, array, &out);
    assert_string_equal(out.at, "[1, 2]");
    vec_free(&out);
    values_free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_concatenation),
                                       cmocka_unit_test(test_arrays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
