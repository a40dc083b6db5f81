/* The message from the program under test to the tool: what is said is read; what is damaged is
 * read as far as it makes sense, never a crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "base/hash.h"
#include "record/kinds.h"
#include "record/outcome.h"

static OutcomeMessage message, other;

static void begin(void)
{
    memset(&message, 0, sizeof message);
    memset(&other, 0, sizeof other);
}

static void says_what_it_was_told(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Outcome out;
    begin();
    message.verdict = VERDICT_VIOLATED;
    message.violation = VIOLATION_RACE;
    message.grows_address = UINT64_MAX;
    outcome_say(&message, OUTCOME_reason, "%d threads", 3);
    outcome_say(&message, OUTCOME_shape, "2x2");
    outcome_read(arena, &message, &out);
    assert_int_equal(out.verdict, VERDICT_VIOLATED);
    assert_int_equal(out.violation, VIOLATION_RACE);
    assert_true(out.grows_address == UINT64_MAX && out.tests == 0);
    assert_string_equal(out.reason, "3 threads");
    assert_string_equal(out.shape, "2x2");
    assert_null(out.coverage);
    assert_int_equal(out.order_count, 0);
    arena_free(arena);
}

static void takes_the_last_text(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Outcome out;
    begin();
    for (int i = 0; i < 100000; i++) { /* shorter ones need no new room */
        outcome_say(&message, OUTCOME_reason, "%s", i % 2 ? "short" : "a longer text");
        outcome_say(&message, OUTCOME_closest, "%s", "");
    }
    outcome_read(arena, &message, &out);
    assert_string_equal(out.reason, "short");
    assert_null(out.closest);
    outcome_say(&other, OUTCOME_shape, "1x1");
    outcome_say(&other, OUTCOME_quasi, "get:2");
    outcome_copy_texts(&message, &other);
    outcome_read(arena, &message, &out);
    assert_string_equal(out.reason, "short");
    assert_string_equal(out.shape, "1x1");
    assert_string_equal(out.quasi, "get:2");
    outcome_clear_texts(&message);
    outcome_read(arena, &message, &out);
    assert_true(!out.reason && !out.shape && !message.used);
    arena_free(arena);
}

static void cuts_what_does_not_fit(void **state)
{
    (void)state;
    static char text[OUTCOME_ROOM];
    Arena *arena = arena_new();
    Outcome out;
    begin();
    memset(text, 'x', sizeof text);
    outcome_say(&message, OUTCOME_shape, "2x2");
    outcome_put(&message, OUTCOME_explanation, (Str){text, sizeof text});
    outcome_say(&message, OUTCOME_reason, "no room");
    outcome_read(arena, &message, &out);
    assert_string_equal(out.shape, "2x2");
    assert_int_equal(strlen(out.explanation), OUTCOME_ROOM - 3);
    assert_null(out.reason);
    arena_free(arena);
}

static void put_orders(void)
{
    const uint32_t calls[] = {2, 0, 1};
    const OutcomeRefused refused[] = {{3, "it gives 1"}, {4, NULL}};
    const OutcomeOrder orders[] = {{3, 2, calls, refused}, {0, 1, calls, refused}, {0}};
    Buffer text = {0};
    for (size_t i = 0; i < COUNT_OF(orders); i++)
        outcome_encode_order(&text, &orders[i]);
    outcome_put(&message, OUTCOME_orders, buffer_str(&text));
    vec_free(&text);
}

static void keeps_orders(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Outcome out;
    begin();
    put_orders();
    outcome_read(arena, &message, &out);
    assert_int_equal(out.order_count, 3);
    const OutcomeOrder *first = &out.orders[0];
    assert_true(first->count == 3 && first->calls[0] == 2 && first->calls[2] == 1);
    assert_true(first->refused_count == 2 && first->refused[0].call == 3);
    assert_string_equal(first->refused[0].why, "it gives 1");
    assert_null(first->refused[1].why);
    assert_true(out.orders[1].count == 0 && out.orders[1].refused_count == 1);
    assert_true(out.orders[2].count == 0 && out.orders[2].refused_count == 0);
    arena_free(arena);
}

/* Bytes at random places of the message, and everything that it says of places and lengths. */
static void survives_damage(void **state)
{
    (void)state;
    Random random = {7};
    for (int round = 0; round < 20000; round++) {
        Arena *arena = arena_new();
        Outcome out;
        memset(&message, 0, offsetof(OutcomeMessage, room) + 256);
        outcome_say(&message, OUTCOME_reason, "because");
        put_orders();
        for (uint64_t i = random_next(&random) % 8 + 1; i--;) {
            size_t at = random_next(&random) % (offsetof(OutcomeMessage, room) + 128);
            ((unsigned char *)&message)[at] = (unsigned char)random_next(&random);
        }
        outcome_read(arena, &message, &out);
        assert_true(out.verdict <= VERDICT_INCONCLUSIVE && out.violation < VIOLATION_KIND_COUNT);
        size_t seen = 0;
        for (uint32_t i = 0; i < out.order_count; i++)
            for (uint32_t k = 0; k < out.orders[i].refused_count; k++)
                seen += out.orders[i].refused[k].why ? strlen(out.orders[i].refused[k].why) : 0;
        assert_true(seen <= OUTCOME_ROOM);
        arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_it_was_told), cmocka_unit_test(takes_the_last_text),
        cmocka_unit_test(cuts_what_does_not_fit), cmocka_unit_test(keeps_orders),
        cmocka_unit_test(survives_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
