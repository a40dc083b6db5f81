/* Serial runs as a specification: what the tree allows, which calls may wait, and relax() over it
 * against relax() over the built-in model whose runs it holds. */
#include "judge/spec/serial.h"
#include "judge/spec/automaton.h"
#include "judge/quasi/relax.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* ---- the tree itself ---- */

static void test_determinism(void **unused)
{
    (void)unused;
    static const char *const names[] = {"put", "get", "get"};
    Values *values = values_new();
    SerialRuns *runs_seen = serial_new(values);
    SerialConflict conflict;
    Value one = value_int(values, 1);
    uint32_t order[] = {0, 1, 2};
    Value first[] = {SPEC_DONE, one, VALUE_NONE}, second[] = {SPEC_DONE, VALUE_NONE, one};
    serial_begin(runs_seen, names, 3, false);
    assert_true(serial_add(runs_seen, order, first, 3, SERIAL_NO_OP, &conflict));
    assert_false(serial_add(runs_seen, order, second, 3, SERIAL_NO_OP, &conflict));
    assert_int_equal(conflict.count, 2);
    assert_true(value_equal(conflict.first, one) && value_equal(conflict.second, VALUE_NONE));
    assert_false(serial_add(runs_seen, order, first, 1, 1, &conflict)); /* now it blocks */
    assert_true(value_equal(conflict.second, VALUE_UNKNOWN));

    /* golden code may allow both, and waiting as well */
    serial_begin(runs_seen, names, 3, true);
    assert_true(serial_add(runs_seen, order, first, 3, SERIAL_NO_OP, &conflict));
    assert_true(serial_add(runs_seen, order, second, 3, SERIAL_NO_OP, &conflict));
    assert_true(serial_add(runs_seen, order, first, 1, 1, &conflict));
    Automaton *automaton = automaton_new(serial_spec(runs_seen));
    SpecCall put = serial_call(runs_seen, 0, SPEC_DONE);
    SpecCall get = serial_call(runs_seen, 1, VALUE_UNKNOWN);
    SpecCall other = serial_call(runs_seen, 2, VALUE_UNKNOWN);
    size_t count;
    uint32_t state = *automaton_step(automaton, automaton_initial(automaton),
                                     automaton_label(automaton, &put), &count);
    assert_int_equal(count, 1);
    automaton_step(automaton, state, automaton_label(automaton, &get), &count);
    assert_int_equal(count, 2);
    assert_true(automaton_waits(automaton, state, automaton_label(automaton, &get)));
    get.result = one;
    state = *automaton_step(automaton, state, automaton_label(automaton, &get), &count);
    assert_int_equal(count, 1);
    assert_false(automaton_waits(automaton, state, automaton_label(automaton, &other)));
    get.result = VALUE_TRUE; /* "1" is no "true" here, although logs may say so */
    automaton_step(automaton, state, automaton_label(automaton, &get), &count);
    assert_int_equal(count, 0);
    automaton_free(automaton);
    serial_free(runs_seen);
    values_free(values);
}

/* Adds all serial runs of COUNT calls. Call K gives RESULTS[K], but the last call gives LAST where
 * call 0 came directly before it. */
static void add_all(SerialRuns *runs_seen, const Value *results, Value last, uint32_t count,
                    uint32_t *calls, uint32_t made, uint32_t done)
{
    SerialConflict conflict;
    Value given[SERIAL_MOST];
    for (uint32_t k = 0; k < count; k++)
        if (!(done >> k & 1)) {
            calls[made] = k;
            add_all(runs_seen, results, last, count, calls, made + 1, done | 1u << k);
        }
    for (uint32_t i = 0; i < made; i++)
        given[i] = calls[i] == count - 1 && i && calls[i - 1] == 0 ? last : results[calls[i]];
    if (made == count)
        assert_true(serial_add(runs_seen, calls, given, count, SERIAL_NO_OP, &conflict));
}

static uint32_t count_states(Automaton *automaton, const uint32_t *labels, uint32_t count)
{
    uint32_t states[256] = {automaton_initial(automaton)}, found = 1;
    for (uint32_t i = 0; i < found; i++)
        for (uint32_t k = 0; k < count; k++) {
            size_t steps;
            const uint32_t *next = automaton_step(automaton, states[i], labels[k], &steps);
            bool known = !steps;
            for (uint32_t j = 0; j < found && !known; j++)
                known = states[j] == *next;
            if (!known)
                states[found++] = *next;
        }
    return found;
}

/* Calls that commute lead to the same state in each order, and others do not. */
static void test_states(void **unused)
{
    (void)unused;
    enum { CALLS = 4 };
    static const char *const names[] = {"put", "put", "put", "get"};
    uint32_t calls[SERIAL_MOST], labels[CALLS];
    Values *values = values_new();
    SerialRuns *runs_seen = serial_new(values);
    Value one = value_int(values, 1), results[CALLS] = {SPEC_DONE, SPEC_DONE, SPEC_DONE, one};
    for (int differ = 0; differ < 2; differ++) {
        serial_begin(runs_seen, names, CALLS, false);
        add_all(runs_seen, results, differ ? VALUE_NONE : one, CALLS, calls, 0, 0);
        Automaton *automaton = automaton_new(serial_spec(runs_seen));
        for (uint32_t k = 0; k < CALLS; k++) {
            SpecCall call = serial_call(runs_seen, k, VALUE_UNKNOWN);
            labels[k] = automaton_label(automaton, &call);
        }
        /* sets of calls made; where `get` has not been made and put 0 has, put 0 may be the last */
        assert_int_equal(count_states(automaton, labels, CALLS), differ ? 16 + 3 : 16);
        automaton_free(automaton);
    }
    serial_free(runs_seen);
    values_free(values);
}

/* ---- relax(tree) and relax(built-in) ---- */

#define MOST 8

typedef struct Kind { /* a call that may be made several times */
    const char *name;
    uint16_t count;
    Value argument;
} Kind;
typedef struct Model {
    const char *spec, *takes, *relaxed; /* RELAXED: the names of its class */
    Kind kinds[3];
} Model;

typedef struct World {
    Arena *arena;
    Values *values;
    Spec *inner;
    SerialRuns *runs_seen;
    const Model *model;
    uint32_t left[3]; /* calls of each kind that the tree still makes */
    uint32_t calls[MOST + 8];
    Value results[MOST + 8];
} World;

static SpecCall inner_call(const World *w, uint32_t kind, Value result)
{
    const Kind *k = &w->model->kinds[kind];
    SpecCall call = {.count = k->count, .arguments = &k->argument, .result = result};
    assert_true(w->inner->resolve(w->inner, str_of(k->name), k->count, &call.method));
    return call;
}

/* Every order of the calls that are left, after LENGTH others that lead to STATE. */
static void all_runs(World *w, const uint64_t *state, size_t words, uint32_t length)
{
    SerialConflict conflict;
    bool any = false;
    for (uint32_t kind = 0; kind < 3; kind++) {
        if (!w->left[kind])
            continue;
        any = true;
        SpecCall call = inner_call(w, kind, VALUE_UNKNOWN);
        SpecSteps steps = {0};
        spec_steps_clear(&steps, w->inner, &call);
        w->inner->step(w->inner, state, words, &call, &steps);
        assert_int_equal(steps.results.count, 1); /* none of these models waits or chooses */
        w->calls[length] = kind;
        w->results[length] = steps.results.at[0];
        w->left[kind]--;
        all_runs(w, steps.words.at, steps.words.count, length + 1);
        w->left[kind]++;
        spec_steps_free(&steps);
    }
    if (!any)
        assert_true(
            serial_add(w->runs_seen, w->calls, w->results, length, SERIAL_NO_OP, &conflict));
}

/* Is the run of LABELS allowed, with all states that it may be in? */
static bool allows(Automaton *automaton, const uint32_t *labels, uint32_t count)
{
    Vec(uint32_t) now = {0}, next = {0};
    vec_push(&now, automaton_initial(automaton));
    for (uint32_t i = 0; i < count; i++) {
        vec_clear(&next);
        for (size_t s = 0; s < now.count; s++) {
            size_t steps;
            const uint32_t *to = automaton_step(automaton, now.at[s], labels[i], &steps);
            for (size_t j = 0; j < steps; j++) {
                bool there = false;
                for (size_t z = 0; z < next.count; z++)
                    there |= next.at[z] == to[j];
                if (!there)
                    vec_push(&next, to[j]);
            }
        }
        vec_clear(&now);
        for (size_t z = 0; z < next.count; z++)
            vec_push(&now, next.at[z]);
    }
    bool accepted = false;
    for (size_t s = 0; s < now.count; s++)
        accepted |= automaton_accepts(automaton, now.at[s]);
    vec_free(&now);
    vec_free(&next);
    return accepted;
}

static bool is_relaxed(const Model *model, uint32_t kind)
{
    return strstr(model->relaxed, model->kinds[kind].name) != NULL;
}

/* Nothing is taken before it is put. */
static bool is_causal(const World *w, const uint32_t *kinds, const Value *results, uint32_t count)
{
    int inside[4] = {0};
    for (uint32_t i = 0; i < count; i++) {
        int64_t v = 0;
        bool takes = !strcmp(w->model->kinds[kinds[i]].name, w->model->takes);
        if (value_to_int(w->values, takes ? results[i] : w->model->kinds[kinds[i]].argument, &v) &&
            (takes ? --inside[v] < 0 : ++inside[v] < 0))
            return false;
    }
    return true;
}

static void compare(const Model *model, uint64_t seed, RelaxSemantics semantics, unsigned *both)
{
    Random random = {seed};
    World w = {.arena = arena_new(), .values = values_new()};
    Model own = *model;
    w.model = &own;
    for (int i = 0; i < 3; i++)
        if (own.kinds[i].count)
            own.kinds[i].argument = value_int(w.values, i + 1);
    Error error = {0};
    w.inner = spec_builtin(w.arena, w.values, str_of(own.spec), &error);
    assert_non_null(w.inner);
    w.runs_seen = serial_new(w.values);
    uint32_t factor = (uint32_t)random_below(&random, 3),
             count = 2 + (uint32_t)random_below(&random, 5);
    uint32_t kinds[MOST], how_many[3] = {0};
    const char *names[3];
    for (uint32_t i = 0; i < count; i++)
        how_many[kinds[i] = (uint32_t)random_below(&random, 3)]++;
    for (uint32_t k = 0; k < 3; k++) {
        names[k] = own.kinds[k].name;
        bool more = semantics == RELAX_KOOO && how_many[k] && is_relaxed(&own, k);
        w.left[k] = how_many[k] + (more ? factor : 0);
    }
    serial_begin(w.runs_seen, names, 3, false);
    SpecSteps start = {0};
    spec_steps_clear(&start, w.inner, NULL);
    w.inner->initial(w.inner, &start);
    all_runs(&w, start.words.at, start.words.count, 0);

    char factors[64];
    snprintf(factors, sizeof factors, "%s:%u", own.relaxed, factor);
    Spec *plain = spec_relax(w.arena, w.inner, str_of(factors), semantics, &error);
    Spec *tree = spec_relax(w.arena, serial_spec(w.runs_seen), str_of(factors), semantics, &error);
    assert_true(plain && tree);
    /* a run that is near one of the model's: each result is one of those of the last few states */
    for (int tries = 0; tries < 20; tries++) {
        Value results[MOST];
        for (uint32_t i = 0; i < count; i++) {
            uint64_t r = random_below(&random, 4);
            results[i] = strcmp(own.kinds[kinds[i]].name, own.takes) != 0 ? SPEC_DONE
                         : !r                                             ? VALUE_NONE
                              : value_int(w.values, 1 + (int64_t)r % 2);
            if (!strcmp(own.spec, "register:1") && value_equal(results[i], VALUE_NONE))
                results[i] = value_int(w.values, 1);
        }
        if (semantics == RELAX_KOOO && strcmp(own.spec, "register:1") != 0 &&
            !is_causal(&w, kinds, results, count))
            continue;
        uint32_t labels[2][MOST];
        Automaton *automata[2] = {automaton_new(plain), automaton_new(tree)};
        for (uint32_t i = 0; i < count; i++) {
            SpecCall call = inner_call(&w, kinds[i], results[i]);
            SpecCall numbered = serial_call(w.runs_seen, kinds[i], results[i]);
            labels[0][i] = automaton_label(automata[0], &call);
            labels[1][i] = automaton_label(automata[1], &numbered);
        }
        bool first = allows(automata[0], labels[0], count);
        bool second = allows(automata[1], labels[1], count);
        if (first != second)
            fail_msg("%s seed %llu: %d by the model, %d by its runs", own.spec,
                     (unsigned long long)seed, first, second);
        both[first]++;
        automaton_free(automata[0]);
        automaton_free(automata[1]);
        /* the labels of one history are not those of the next */
        spec_relax_free(plain);
        spec_relax_free(tree);
        plain = spec_relax(w.arena, w.inner, str_of(factors), semantics, &error);
        tree = spec_relax(w.arena, serial_spec(w.runs_seen), str_of(factors), semantics, &error);
    }
    spec_relax_free(plain);
    spec_relax_free(tree);
    spec_steps_free(&start);
    serial_free(w.runs_seen);
    values_free(w.values);
    arena_free(w.arena);
}

static void test_relaxed(void **unused)
{
    (void)unused;
    static const Model models[] = {
        {"fifo", "deq", "deq", {{"enq", 1, {0}}, {"enq", 1, {0}}, {"deq", 0, {0}}}},
        {"lifo", "pop", "pop", {{"push", 1, {0}}, {"push", 1, {0}}, {"pop", 0, {0}}}},
        {"fifo", "deq", "enq", {{"enq", 1, {0}}, {"enq", 1, {0}}, {"deq", 0, {0}}}},
        {"register:1", "read", "read", {{"write", 1, {0}}, {"write", 1, {0}}, {"read", 0, {0}}}}};
    unsigned seeds = getenv("HEDDLE_NIGHTLY") ? 5000 : 150;
    unsigned both[2] = {0, 0};
    for (size_t m = 0; m < COUNT_OF(models); m++)
        for (uint64_t seed = 0; seed < seeds; seed++) {
            compare(&models[m], seed, RELAX_SLOT, both);
            if (m != 2) /* additional puts: not what check does */
                compare(&models[m], seed, RELAX_KOOO, both);
        }
    assert_true(both[0] > seeds && both[1] > seeds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_determinism),
                                       cmocka_unit_test(test_states),
                                       cmocka_unit_test(test_relaxed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
