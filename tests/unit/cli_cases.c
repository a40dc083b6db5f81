/* The names of test cases in what GoogleTest and Catch2 print, and the words that select one. */
#include "tool/cli/cases.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void gtest(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Words names = {0};
    unsigned left_out;
    cases_read_list(
        arena, CASES_GTEST,
        STR("Running main() from ./googletest/src/gtest_main.cc\n"
            "Queue.\n  Put\n  DISABLED_Never\n  Take\n"
            "Typed/0.  # TypeParam = int\n  A\n"
            "All/Values.\n  Each/0  # GetParam() = 3\n  Each/1  # GetParam() = \"a b.\"\n"
            "DISABLED_Suite.\n  Any\n"),
        &names, &left_out);
    static const char *const wanted[] = {"Queue.Put", "Queue.Take", "Typed/0.A",
                                         "All/Values.Each/0", "All/Values.Each/1"};
    assert_int_equal(names.count, COUNT_OF(wanted));
    for (size_t i = 0; i < names.count; i++)
        assert_string_equal(names.at[i], wanted[i]);
    assert_int_equal(left_out, 2);
    assert_string_equal(cases_argument(arena, CASES_GTEST, "Queue.Put"),
                        "--gtest_filter=Queue.Put");
    vec_free(&names);
    arena_free(arena);
}

static void catch2(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Words names = {0};
    unsigned left_out;
    cases_read_list(arena, CASES_CATCH, STR("put, then look\n\na race\na race\n\"#1\"\n"), &names,
                    &left_out);
    assert_int_equal(names.count, 3);
    assert_string_equal(names.at[0], "put, then look");
    assert_string_equal(names.at[1], "a race");
    assert_string_equal(names.at[2], "#1");
    assert_string_equal(cases_argument(arena, CASES_CATCH, "-x"), "\\-x");
    assert_string_equal(cases_argument(arena, CASES_CATCH, names.at[0]), "put\\, then look");
    assert_string_equal(cases_argument(arena, CASES_CATCH, "a[1]*"), "a\\[1\\]\\*");
    vec_free(&names);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gtest), cmocka_unit_test(catch2)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
