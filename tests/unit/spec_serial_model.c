/* Serial runs as a specification: all serial runs of the calls of a random history, made by an
 * independent model, allow exactly what the model allows. */
#include "judge/spec/serial.h"
#include "judge/linear/linearize.h"
#include "reference.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Adds all serial runs of the calls of H that begin with the COUNT calls in DONE. */
static void add_runs(SerialRuns *runs_seen, Values *values, const RefHistory *h, unsigned done,
                     const RefState *state, uint32_t *calls, Value *results, uint32_t count)
{
    SerialConflict conflict;
    bool last = true;
    for (int i = 0; i < h->n; i++) {
        if (done >> i & 1)
            continue;
        last = false;
        RefOutcome out[MOST_STATE];
        if (!ref_outcomes(h->model, &h->ops[i], state, out)) {
            assert_true(serial_add(runs_seen, calls, results, count, (uint32_t)i, &conflict));
            continue;
        }
        calls[count] = (uint32_t)i;
        results[count] = ref_value(values, h->model, out[0].result, false);
        add_runs(runs_seen, values, h, done | 1u << i, &out[0].state, calls, results, count + 1);
    }
    if (last)
        assert_true(serial_add(runs_seen, calls, results, count, SERIAL_NO_OP, &conflict));
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
        Values *values = values_new();
        SerialRuns *runs_seen = serial_new(values);
        static const char *const names[MOST_OPS] = {"op", "op", "op", "op", "op"};
        uint32_t calls[MOST_OPS];
        Value results[MOST_OPS];
        RefState start = ref_initial(model);
        serial_begin(runs_seen, names, (uint32_t)h.n, false);
        add_runs(runs_seen, values, &h, 0, &start, calls, results, 0);
        Automaton *automaton = automaton_new(serial_spec(runs_seen));
        Linearizer *linearizer = linearizer_new();
        LinearizeOp ops[MOST_OPS];
        for (int i = 0; i < h.n; i++) {
            Value result = ref_value(values, model, h.ops[i].result, false);
            SpecCall call = serial_call(runs_seen, (uint32_t)i, result);
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
        serial_free(runs_seen);
        values_free(values);
    }
    assert_in_range(held, rounds / 50, rounds - rounds / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_the_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
