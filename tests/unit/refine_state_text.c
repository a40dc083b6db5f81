/* What the globals of a model hold after each step of a counterexample: models with one behaviour,
 * whose states follow by hand. */
#include "refine/state_text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "refine/refine.h"

static RefineResult run(Arena *arena, const char *text)
{
    const Model *model;
    Error error = {0};
    ModelOptions options = {0};
    if (!model_read_text(arena, "test.hm", str_of(text), &options, &model, &error))
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    RefineOptions refine = {.model = model, .jobs = 1, .no_fusion = true};
    RefineResult result;
    if (!refine_run(arena, &refine, &result, &error))
        fail_msg("%s", error.message);
    assert_int_equal(result.violation, VIOLATION_ASSERTION);
    return result;
}

/* The values of global NUMBER, each when it changes, from the start on: "0; 1; 2". */
static const char *values_of(Arena *arena, const RefineResult *result, int number)
{
    Buffer text = {0};
    const char *last = result->initial_values[number];
    buffer_printf(&text, "%s", last);
    for (int i = 0; i < result->step_count; i++) {
        const char **values = result->steps[i].values;
        if (!values || str_is(str_of(values[number]), last))
            continue;
        last = values[number];
        buffer_printf(&text, "; %s", last);
    }
    const char *copy = str_copy(arena, buffer_str(&text));
    vec_free(&text);
    return copy;
}

static void nodes_and_arrays(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    RefineResult result = run(arena, "struct Node { int(0..3) value; Node *next; } pool 3;\n"
                                     "Node *head, *last;\n"
                                     "int(0..3) marks[2];\n"
                                     "bool done;\n"
                                     "thread {\n"
                                     "    Node *n = new Node;\n"
                                     "    n->value = 1;\n"
                                     "    head = n;\n"
                                     "    last = n;\n"
                                     "    n = new Node;\n"
                                     "    n->value = 2;\n"
                                     "    n->next = head;\n"
                                     "    head = n;\n"
                                     "    marks[1] = 3;\n"
                                     "    done = true;\n"
                                     "    assert(!done);\n"
                                     "}\n");
    assert_string_equal(values_of(arena, &result, 0),
                        "NULL; #1{value: 1, next: NULL}; "
                        "#1{value: 2, next: #2{value: 1, next: NULL}}");
    /* met before, so by number only */
    assert_string_equal(values_of(arena, &result, 1), "NULL; #1; #2");
    assert_string_equal(values_of(arena, &result, 2), "[0, 0]; [0, 3]");
    assert_string_equal(values_of(arena, &result, 3), "false; true");
    arena_free(arena);
}

/* Threads are renamed by the search; the counterexample calls them the same throughout. */
static void threads(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    RefineResult result = run(arena, "threads 2;\n"
                                     "bool mine[thread];\n"
                                     "thread owner = none;\n"
                                     "operation void take()\n"
                                     "{\n"
                                     "    atomic { if (owner != none) { return; } owner = self; }\n"
                                     "    mine[self] = true;\n"
                                     "    assert(!mine[self]);\n"
                                     "}\n");
    int who = result.steps[result.step_count - 1].thread + 1;
    assert_string_equal(values_of(arena, &result, 0),
                        who == 1 ? "[t1: false, t2: false]; [t1: true, t2: false]"
                                 : "[t1: false, t2: false]; [t1: false, t2: true]");
    assert_string_equal(values_of(arena, &result, 1), who == 1 ? "none; t1" : "none; t2");
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_and_arrays),
                                       cmocka_unit_test(threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
