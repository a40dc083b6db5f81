/* The relaxed automaton against what is known about bounded permutations: from a queue with n
 * items, deq with factor K can drain it in exactly P(K, n) orders, the number of permutations that
 * move no item by more than K. The numbers are from the literature (K = 1: Fibonacci; the paper on
 * testing quasi linearizability prints 14, 31, 73 and 172 for K = 2) and are counted here again by
 * definition. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <cmocka.h>
#include "refine/automaton.h"

typedef struct Queue {
    Arena *arena;
    const Model *model;
    AutomatonOptions options;
    RefAutomaton *automaton;
    int factors[64], classes[64];
} Queue;

static void queue_open(Queue *queue, int factor, const char *specification)
{
    static const char text[] = "param FIFO_CAPACITY = 9; param LIFO_CAPACITY = 9; data Value;\n"
                               "operation bool enq(Value v) { return true; }\n"
                               "operation Value deq() { return none; }\n"
                               "#define push enq\n#define pop deq\n"
                               "#include <fifo.hm>\n#include <lifo.hm>\n";
    Error error = {{0}, {0}, 0, 0};
    ModelOptions options = {0};
    queue->arena = arena_new();
    if (!model_read_text(queue->arena, "queue", (Str){text, sizeof text - 1}, &options,
                         &queue->model, &error))
        fail_msg("%s", error.message);
    memset(queue->factors, 0, sizeof queue->factors);
    memset(queue->classes, 0, sizeof queue->classes);
    queue->factors[1] = factor;
    queue->options = (AutomatonOptions){
        .model = queue->model,
        .implementation = program_compile(queue->arena, queue->model->implementation, 2),
        .specification = model_find_specification(queue->model, specification),
        .factors = queue->factors,
        .classes = queue->classes};
    assert_non_null(queue->options.specification);
    assert_true(ref_automaton_check(&queue->options, &error));
    queue->automaton = ref_automaton_new(&queue->options);
}

static void queue_close(Queue *queue)
{
    ref_automaton_free(queue->automaton);
    arena_free(queue->arena);
}

typedef Vec(uint32_t) States;

static void states_add(States *states, uint32_t state)
{
    for (size_t i = 0; i < states->count; i++)
        if (states->at[i] == state)
            return;
    vec_push(states, state);
}

/* The states after a call that returned result. */
static States advance(Queue *queue, const States *from, int operation, unsigned char argument,
                      int result)
{
    States to = {0};
    for (size_t i = 0; i < from->count; i++) {
        StepOutcomes outcomes;
        assert_true(
            ref_automaton_step(queue->automaton, from->at[i], operation, &argument, 1, &outcomes));
        for (int k = 0; k < outcomes.count; k++) {
            StepOutcome outcome = *ref_automaton_outcome(queue->automaton, outcomes, k);
            if (outcome.kind == RESULT_VALUE && outcome.result == result)
                states_add(&to, outcome.next);
            uint32_t next;
            if (outcome.kind == RESULT_LATE &&
                ref_automaton_resolve(queue->automaton, outcome.next, 1, result, &next))
                states_add(&to, next);
        }
    }
    return to;
}

static bool within(const int *order, int count, int items, int factor)
{
    for (int i = 0; i < count; i++)
        if (abs(order[i] - 1 - i) > factor)
            return false;
    /* what is left, in its order, must also be in time: the best that can still happen */
    int position = count;
    for (int item = 1; item <= items; item++) {
        bool used = false;
        for (int i = 0; i < count; i++)
            used |= order[i] == item;
        if (used)
            continue;
        if (abs(item - 1 - position) > factor)
            return false;
        position++;
    }
    return true;
}

/* Counts full drains; every prefix must be accepted exactly when the definition says so. */
static int drain(Queue *queue, const States *states, int *order, int count, int items, int factor)
{
    if (count == items)
        return 1;
    int total = 0;
    for (int item = 1; item <= items; item++) {
        bool used = false;
        for (int i = 0; i < count; i++)
            used |= order[i] == item;
        if (used)
            continue;
        order[count] = item;
        States next = advance(queue, states, 1, 0, item);
        assert_int_equal(next.count > 0, within(order, count + 1, items, factor));
        if (next.count)
            total += drain(queue, &next, order, count + 1, items, factor);
        vec_free(&next);
    }
    return total;
}

static int drains(int factor, int items)
{
    Queue queue;
    uint32_t initial;
    int order[16];
    queue_open(&queue, factor, "fifo");
    assert_true(ref_automaton_initial(queue.automaton, &initial));
    States states = {0};
    vec_push(&states, initial);
    for (int item = 1; item <= items; item++) {
        States next = advance(&queue, &states, 0, (unsigned char)item, 1);
        vec_free(&states);
        states = next;
        assert_int_equal(states.count, 1);
    }
    int count = drain(&queue, &states, order, 0, items, factor);
    vec_free(&states);
    queue_close(&queue);
    return count;
}

static void drains_in_as_many_orders_as_there_are_bounded_permutations(void **state)
{
    (void)state;
    static const int known[][3] = {{0, 5, 1},   {1, 1, 1},  {1, 2, 2},    {1, 3, 3},
                                   {1, 4, 5},   {1, 5, 8},  {1, 6, 13},   {1, 7, 21},
                                   {2, 3, 6},   {2, 4, 14}, {2, 5, 31},   {2, 6, 73},
                                   {2, 7, 172}, {3, 4, 24}, {3, 8, 2069}, {2, 9, 932}};
    for (size_t i = 0; i < COUNT_OF(known); i++)
        assert_int_equal(drains(known[i][0], known[i][1]), known[i][2]);
}

static void an_empty_queue_is_empty_only_in_time(void **state)
{
    (void)state;
    /* K = 1, one item: deq may say none first and the item next, but not none twice */
    Queue queue;
    uint32_t initial;
    queue_open(&queue, 1, "fifo");
    assert_true(ref_automaton_initial(queue.automaton, &initial));
    States states = {0};
    vec_push(&states, initial);
    States one = advance(&queue, &states, 0, 1, 1);
    States none = advance(&queue, &one, 1, 0, 0);
    assert_int_equal(none.count > 0, 1);
    States item = advance(&queue, &none, 1, 0, 1), twice = advance(&queue, &none, 1, 0, 0);
    assert_int_equal(item.count > 0, 1);
    assert_int_equal(twice.count, 0);
    States after = advance(&queue, &item, 1, 0, 0);
    assert_int_equal(after.count > 0, 1);
    vec_free(&states);
    vec_free(&one);
    vec_free(&none);
    vec_free(&item);
    vec_free(&twice);
    vec_free(&after);
    queue_close(&queue);
}

static void renaming_and_sending_keep_the_state(void **state)
{
    (void)state;
    Queue queue, other;
    uint32_t initial;
    queue_open(&queue, 2, "lifo");
    queue_open(&other, 2, "lifo");
    assert_true(ref_automaton_initial(queue.automaton, &initial));
    States states = {0};
    vec_push(&states, initial);
    for (unsigned char item = 1; item <= 4; item++) {
        States next = advance(&queue, &states, 0, item, 1);
        vec_free(&states);
        states = next;
    }
    States taken = advance(&queue, &states, 1, 0, 2);
    Renaming there, back;
    renaming_identity(&there);
    renaming_identity(&back);
    for (int i = 1; i <= 4; i++) {
        there.values[i] = (unsigned char)(i % 4 + 1);
        back.values[i % 4 + 1] = (unsigned char)i;
    }
    there.values_change = back.values_change = true;
    assert_true(taken.count > 0);
    for (size_t i = 0; i < taken.count; i++) {
        uint32_t renamed = ref_automaton_rename(queue.automaton, taken.at[i], &there);
        assert_int_equal(ref_automaton_rename(queue.automaton, renamed, &back), taken.at[i]);
        Buffer bytes = {0}, again = {0};
        ref_automaton_export(queue.automaton, taken.at[i], &bytes);
        uint32_t copy =
            ref_automaton_import(other.automaton, (const unsigned char *)bytes.at, bytes.count);
        ref_automaton_export(other.automaton, copy, &again);
        assert_int_equal(bytes.count, again.count);
        assert_memory_equal(bytes.at, again.at, bytes.count);
        vec_free(&bytes);
        vec_free(&again);
    }
    vec_free(&states);
    vec_free(&taken);
    queue_close(&queue);
    queue_close(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drains_in_as_many_orders_as_there_are_bounded_permutations),
        cmocka_unit_test(an_empty_queue_is_empty_only_in_time),
        cmocka_unit_test(renaming_and_sending_keep_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
