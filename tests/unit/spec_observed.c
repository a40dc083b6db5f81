/* Observed serial runs as a specification: all serial runs of the calls of a random history, made
 * by an independent model, allow exactly what the model allows; and nondeterminism is noticed. */
#include "spec/observed.h"
#include "check/linearize.h"
#include "reference.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Adds all serial runs of the calls of H; operations get a name each, since they are different
 * calls. */
static void add_runs(Observed *observed, Values *values, const RefHistory *h, unsigned done,
                     const RefState *state, ObservedCall *calls, size_t count)
{
    bool last = true;
    for (int i = 0; i < h->n; i++) {
        if (done >> i & 1)
            continue;
        last = false;
        RefOutcome out[MOST_STATE];
        int outcomes = ref_outcomes(h->model, &h->ops[i], state, out);
        char name[16];
        snprintf(name, sizeof name, "op%d", i);
        calls[count] = (ObservedCall){value_symbol(values, value_string(values, str_of(name))), 0,
                                      NULL, VALUE_UNKNOWN};
        if (outcomes) {
            calls[count].result = ref_value(values, h->model, out[0].result, false);
            add_runs(observed, values, h, done | 1u << i, &out[0].state, calls, count + 1);
        } else {
            assert_true(observed_add(observed, calls, count + 1, NULL));
        }
    }
    if (last)
        assert_true(observed_add(observed, calls, count, NULL));
}

static void test_as_the_model(void **state)
{
    (void)state;
    static const int models[] = {FIFO, LIFO, REGISTER, CAS_REGISTER, COUNTER, SEMAPHORE, SET, LOCK};
    long held = 0, rounds = 4000;
    for (long round = 0; round < rounds; round++) {
        Random random = {(uint64_t)round + 400};
        RefHistory h;
        int model = models[round % (long)COUNT_OF(models)];
        ref_random_history(&random, model, 1 + ref_random(&random, 5), false, &h);
        Arena *arena = arena_new();
        Values *values = values_new();
        Observed *observed = observed_new(arena, values);
        ObservedCall calls[MOST_OPS];
        RefState start = ref_initial(model);
        add_runs(observed, values, &h, 0, &start, calls, 0);
        Spec *spec = observed_spec(observed);
        Automaton *automaton = automaton_new(spec);
        Linearizer *linearizer = linearizer_new();
        LinearizeOp ops[MOST_OPS];
        for (int i = 0; i < h.n; i++) {
            char name[16];
            snprintf(name, sizeof name, "op%d", i);
            SpecCall call = {.result = ref_value(values, model, h.ops[i].result, false)};
            assert_true(spec->resolve(spec, str_of(name), 0, &call.method));
            ops[i] =
                (LinearizeOp){automaton_label(automaton, &call), (uint32_t)h.ops[i].called * 2,
                              h.ops[i].returned == INT32_MAX ? LINEARIZE_PENDING
                                                             : (uint32_t)h.ops[i].returned * 2 + 1,
                              false};
        }
        LinearizeProblem problem = {
            .automaton = automaton, .ops = ops, .count = (uint32_t)h.n, .stuck = LINEARIZE_NONE};
        LinearizeLimits limits = {0};
        bool expected = ref_linearizable(&h);
        held += expected;
        bool found = linearize(linearizer, &problem, &limits).verdict == VERDICT_HOLDS;
        if (found != expected) {
            ref_print(&h);
            print_error("round %ld: the model says %d\n", round, expected);
            fail();
        }
        linearizer_free(linearizer);
        automaton_free(automaton);
        observed_free(observed);
        values_free(values);
        arena_free(arena);
    }
    assert_in_range(held, rounds / 50, rounds - rounds / 50);
}

static void test_nondeterminism(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Values *values = values_new();
    Observed *observed = observed_new(arena, values);
    uint32_t get = value_symbol(values, value_string(values, STR("get")));
    Value one = value_int(values, 1), two = value_int(values, 2);
    ObservedCall first[] = {{get, 0, NULL, one}, {get, 0, NULL, two}};
    ObservedCall second[] = {{get, 0, NULL, one}, {get, 0, NULL, one}};
    ObservedCall third[] = {{get, 0, NULL, VALUE_UNKNOWN}};
    ObservedConflict conflict;
    assert_true(observed_add(observed, first, 2, &conflict));
    assert_true(observed_add(observed, first, 2, &conflict));
    assert_false(observed_add(observed, second, 2, &conflict));
    assert_int_equal(conflict.run, 0);
    assert_int_equal(conflict.place, 1);
    assert_true(value_equal(conflict.earlier, two));
    assert_false(observed_add(observed, third, 1, &conflict));
    assert_int_equal(conflict.place, 0);
    observed_free(observed);
    values_free(values);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_the_model),
                                       cmocka_unit_test(test_nondeterminism)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
