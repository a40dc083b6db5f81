/* The columns of a test's text. */
#include "tool/report/scenario.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* "title=calls;" for each column */
static const char *columns(const char *text)
{
    static char out[256];
    size_t used = 0;
    Scenario scenario;
    scenario_begin(&scenario, text);
    out[0] = 0;
    while (scenario_next(&scenario))
        used += (size_t)snprintf(out + used, sizeof out - used, "%s=%.*s;", scenario.title,
                                 STR_ARG(scenario.calls));
    return out;
}

static void test_columns(void **state)
{
    (void)state;
    assert_string_equal(columns("put(1) get() | put(2)"), "T1=put(1) get();T2=put(2);");
    assert_string_equal(columns("get()"), "T1=get();");
    assert_string_equal(columns("put(1) / get() | get() / get()"),
                        "before=put(1);T1=get();T2=get();after=get();");
    assert_string_equal(columns("/ get() | get() /"), "T1=get();T2=get();");
    assert_string_equal(columns("put(1) / get() /"), "before=put(1);T1=get();");
    /* bars and slashes in strings are none */
    assert_string_equal(columns("put(\"a/b\") | put(\"|\")"), "T1=put(\"a/b\");T2=put(\"|\");");
    assert_string_equal(columns("put(\"\\\"/\") | get()"), "T1=put(\"\\\"/\");T2=get();");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
