/* HEDDLE_DEBUG: items, values and mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "record/hooks.h"

static bool parse(const char *text, Hooks *out, Error *error)
{
    static char room[256];
    assert_true(strlen(text) < sizeof room);
    memcpy(room, text, strlen(text) + 1);
    return hooks_parse(room, out, error);
}

static void reads_items(void **state)
{
    (void)state;
    Hooks h;
    Error error;
    assert_true(parse("validate,states=never,dump-graphs=/tmp/a=b,stop-after=12", &h, &error));
    assert_true(h.validate && !h.check_psc);
    assert_string_equal(h.states, "never");
    assert_string_equal(h.dump_graphs, "/tmp/a=b");
    assert_int_equal(h.stop_after, 12);
    assert_int_equal(h.preemptions, -1);
    assert_null(h.model);
}

static void takes_the_last_and_skips_nothing(void **state)
{
    (void)state;
    Hooks h;
    Error error;
    assert_true(parse(",model=sc,,preemptions=0,model=tso,", &h, &error));
    assert_string_equal(h.model, "tso");
    assert_int_equal(h.preemptions, 0);
    assert_true(parse("", &h, &error));
    assert_null(h.model);
    assert_int_equal(h.preemptions, -1);
}

static void refuses_what_has_no_meaning(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"valid", "HEDDLE_DEBUG: there is no key `valid'; the keys are validate"},
        {"validate,Validate", "HEDDLE_DEBUG: there is no key `Validate'; the keys are validate"},
        {"=1", "HEDDLE_DEBUG: there is no key `'; the keys are validate"},
        {"validate=1", "HEDDLE_DEBUG: validate has no value"},
        {"states", "HEDDLE_DEBUG: states needs a value"},
        {"states=", "HEDDLE_DEBUG: states needs a value"},
        {"states=alway", "HEDDLE_DEBUG: states is one of `always never both views', not `alway'"},
        {"states=s n", "HEDDLE_DEBUG: states is one of `always never both views', not `s n'"},
        {"model=c", "HEDDLE_DEBUG: model is one of `sc tso rc11 pso', not `c'"},
        {"stop-after=-1", "HEDDLE_DEBUG: stop-after is a number from 0 on, not `-1'"},
        {"stop-after=1x", "HEDDLE_DEBUG: stop-after is a number from 0 on, not `1x'"},
        {"stop-after=99999999999999999999",
         "HEDDLE_DEBUG: stop-after is a number from 0 on, not `99999999999999999999'"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Hooks h;
        Error error;
        assert_false(parse(cases[i].text, &h, &error));
        assert_memory_equal(error.message, cases[i].message, strlen(cases[i].message));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_items),
                                       cmocka_unit_test(takes_the_last_and_skips_nothing),
                                       cmocka_unit_test(refuses_what_has_no_meaning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
