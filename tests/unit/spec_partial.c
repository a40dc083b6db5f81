/* spec_partial.c: serial runs as a strict and a lenient specification. By hand: runs 1=a 2=b, 1=a 3
 * waits, and 2=c alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "judge/spec/automaton.h"
#include "judge/spec/partial.h"

static Values *values;
static Automaton *make(SerialRuns *runs, Arena *arena, bool lenient)
{
    SerialConflict conflict;
    Value a = value_int(values, 1), b = value_int(values, 2), c = value_int(values, 3);
    assert_true(serial_add(runs, (uint32_t[]){1, 2}, (Value[]){a, b}, 2, SERIAL_NO_OP, &conflict));
    assert_true(serial_add(runs, (uint32_t[]){1}, (Value[]){a}, 1, 3, &conflict));
    assert_true(serial_add(runs, (uint32_t[]){2}, (Value[]){c}, 1, SERIAL_NO_OP, &conflict));
    return automaton_new(spec_partial(arena, values, runs, lenient));
}

/* Steps for operation K with result R (0: asked whether it waits) from STATE; *next is the state
 * after. */
static size_t steps(Automaton *automaton, uint32_t state, uint16_t k, int64_t r, uint32_t *next)
{
    SpecCall call = {.method = k, .result = r ? value_int(values, r) : VALUE_UNKNOWN};
    size_t count;
    const uint32_t *to =
        automaton_step(automaton, state, automaton_label(automaton, &call), &count);
    if (count)
        *next = to[0];
    return count;
}

static void test_both(void **unused)
{
    (void)unused;
    for (int lenient = 0; lenient < 2; lenient++) {
        values = values_new();
        Arena *arena = arena_new();
        SerialRuns *runs = serial_new(values);
        Automaton *automaton = make(runs, arena, lenient);
        uint32_t start = automaton_initial(automaton), first, second, other;
        /* what was seen is allowed, with its result only */
        assert_int_equal(steps(automaton, start, 1, 1, &first), 1);
        assert_int_equal(steps(automaton, start, 1, 2, &other), 0);
        assert_int_equal(steps(automaton, first, 2, 2, &second), 1);
        assert_int_equal(steps(automaton, first, 2, 3, &other), 0);
        assert_int_equal(steps(automaton, start, 2, 3, &other), 1);
        assert_int_equal(steps(automaton, start, 2, 2, &other), 0);
        /* what waited there waits, and gives nothing; what did not does not wait */
        assert_int_equal(steps(automaton, first, 3, 0, &other), 0);
        assert_int_equal(steps(automaton, first, 3, 7, &other), 0);
        assert_int_equal(steps(automaton, first, 2, 0, &other), 1);
        /* what no run has: anything, or nothing */
        assert_int_equal(steps(automaton, start, 3, 7, &other), lenient ? 1 : 0);
        if (lenient) {
            assert_int_equal(steps(automaton, other, 1, 5, &second), 1);
            assert_int_equal(steps(automaton, other, 1, 0, &second), 0); /* it may wait */
        }
        assert_int_equal(steps(automaton, start, 3, 0, &other), lenient ? 0 : 1);
        automaton_free(automaton);
        serial_free(runs);
        arena_free(arena);
        values_free(values);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
