/* Who is overtaken: examples worked out by hand. A run is a string of "put a": a letter; "take a":
 * the letter in upper case; "found nothing": a dot. */
#include "judge/quasi/overtaking.h"
#include "judge/quasi/relax.h"
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char letter(const Values *values, Value value)
{
    int64_t number = '.';
    if (value.word != VALUE_NONE.word)
        assert_true(value_to_int(values, value, &number));
    return (char)number;
}

/* "late" or "early", the element, its place and turn, and the others; "" if nobody is displaced. */
static const char *find(const char *spec_name, const char *put, const char *take, const char *run)
{
    static char text[64];
    Arena *arena = arena_new();
    Values *values = values_new();
    Error error;
    Spec *spec = spec_builtin(arena, values, str_of(spec_name), &error);
    assert_non_null(spec);
    Automaton *inner = automaton_new(spec);
    SpecCall calls[32];
    Value arguments[32];
    uint8_t class[32];
    uint32_t order[32], count = (uint32_t)strlen(run);
    for (uint32_t i = 0; i < count; i++) {
        bool puts = islower((unsigned char)run[i]);
        arguments[i] = value_int(values, tolower((unsigned char)run[i]));
        calls[i] = (SpecCall){.count = puts, .arguments = &arguments[i], .result = SPEC_DONE};
        if (!puts)
            calls[i].result = run[i] == '.' ? VALUE_NONE : arguments[i];
        assert_true(
            spec->resolve(spec, str_of(puts ? put : take), calls[i].count, &calls[i].method));
        class[i] = puts ? RELAX_NO_CLASS : 0;
        order[i] = i;
    }
    OvertakingInput input = {inner, calls, class, order, count};
    Overtaking worst;
    text[0] = 0;
    if (overtaking_find(&input, 0, &worst)) {
        int used =
            snprintf(text, sizeof text, "%s %c %u %u:", worst.place > worst.turn ? "late" : "early",
                     letter(values, worst.result), worst.place, worst.turn);
        for (uint32_t i = 0; i < worst.count; i++) {
            char c = letter(values, worst.others[i].result);
            used += snprintf(text + used, sizeof text - (size_t)used, "%c",
                             worst.others[i].op == OVERTAKING_NOBODY ? c : toupper(c));
        }
    }
    automaton_free(inner);
    values_free(values);
    arena_free(arena);
    return text;
}

static void test_queue(void **state)
{
    (void)state;
    assert_string_equal(find("fifo", "enq", "deq", "abAB"), "");
    assert_string_equal(find("fifo", "enq", "deq", "abBA"), "late a 2 1:B");
    assert_string_equal(find("fifo", "enq", "deq", "abcdBCDA"), "late a 4 1:BCD");
    assert_string_equal(find("fifo", "enq", "deq", "abcdDABC"), "early d 1 4:ABC");
    /* not taken: it can be the next at best */
    assert_string_equal(find("fifo", "enq", "deq", "abcBC"), "late a 3 1:BC");
    assert_string_equal(find("fifo", "enq", "deq", "abcC"), "early c 1 3:ab");
    /* a take that finds nothing though two are inside: its turn comes after theirs */
    assert_string_equal(find("fifo", "enq", "deq", "ab."), "early . 1 3:ab");
    /* a put between takes: the turns are a, c (when b is gone), not by age alone */
    assert_string_equal(find("fifo", "enq", "deq", "abBcCA"), "late a 3 1:BC");
}

static void test_stack(void **state)
{
    (void)state;
    assert_string_equal(find("lifo", "push", "pop", "abBA"), "");
    assert_string_equal(find("lifo", "push", "pop", "abcABC"), "late c 3 1:AB");
    assert_string_equal(find("lifo", "push", "pop", "abAcCB"), "late b 3 1:AC");
}

static void test_priority_queue(void **state)
{
    (void)state;
    assert_string_equal(find("priority-queue", "insert", "deqmin", "caACb"), "");
    assert_string_equal(find("priority-queue", "insert", "deqmin", "cabCAB"), "early c 1 3:AB");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_queue), cmocka_unit_test(test_stack),
                                       cmocka_unit_test(test_priority_queue)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
