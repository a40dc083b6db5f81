/* The modelling language: from text to steps, paths through atomic actions, values. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <cmocka.h>
#include "model/program.h"

static const Model *read(Arena *arena, const char *text)
{
    ModelOptions options = {0};
    Error error = {{0}, {0}, 0, 0};
    const Model *model;
    if (!model_read_text(arena, "test", str_of(text), &options, &model, &error))
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    return model;
}

/* The steps of an operation as "1 -> 2 text" lines. */
static const char *steps(Arena *arena, const ModelOperation *operation)
{
    Buffer out = {0};
    for (int i = 0; i < operation->flow->edge_count; i++) {
        const Edge *edge = &operation->flow->edges[i];
        buffer_printf(&out, "%d -> %d ", edge->from, edge->to);
        edge_print(&out, edge);
        buffer_printf(&out, "\n");
    }
    const char *text = str_copy(arena, buffer_str(&out));
    vec_free(&out);
    return text;
}

/* Where the step with that text leads from point p; fails if there is none. */
static int follow(const Flow *flow, int p, const char *text)
{
    for (int i = flow->first_edge[p]; i < flow->first_edge[p + 1]; i++) {
        Buffer out = {0};
        edge_print(&out, &flow->edges[i]);
        bool same = str_is(buffer_str(&out), text);
        vec_free(&out);
        if (same)
            return flow->edges[i].to;
    }
    fail_msg("no step %s from point %d", text, p);
    return -1;
}

static void statements_are_steps(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    const Model *model = read(arena, "int(0..3) x, y;\n"
                                     "operation int(0..3) f() {\n"
                                     "  int(0..3) a = x;\n"
                                     "  if (a == y) x = 1;\n"
                                     "  while (x < 2) { y = x; await(y > 0); }\n"
                                     "  return a; }\n");
    /* how points are numbered does not matter: walk along the steps by their texts */
    const Flow *flow = model->implementation->operations[0]->flow;
    int p = FLOW_ENTRY;
    p = follow(flow, p, "a = x");
    assert_int_equal(follow(flow, follow(flow, p, "<a == y>"), "x = 1"),
                     follow(flow, p, "<a != y>"));
    int loop = follow(flow, p, "<a != y>");
    p = follow(flow, loop, "<x < 2>");
    p = follow(flow, p, "y = x");
    assert_int_equal(follow(flow, p, "<y > 0>"), loop);
    p = follow(flow, loop, "<!(x < 2)>");
    assert_int_equal(follow(flow, p, "return a"), FLOW_DONE);
    assert_int_equal(flow->edge_count, 9);
    arena_free(arena);
}

static void choices_share_their_first_point(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    const Model *model =
        read(arena, "int(0..3) x;\n"
                    "operation void f() {\n"
                    "  choose { await(x == 0); x = 1; } or { while (x == 1) x = 2; } }\n");
    const char *text = steps(arena, model->implementation->operations[0]);
    assert_non_null(strstr(text, "1 -> 2 <x == 0>"));
    assert_non_null(strstr(text, "skip")); /* the loop must not come back to the choice */
    arena_free(arena);
}

static void parameters_and_variants_cost_no_step(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    const Model *model = read(arena, "param BUG = 0;\nint(0..3) x;\n"
                                     "operation void f() { if (BUG == 1) x = 3; else x = 1; }\n");
    assert_string_equal(steps(arena, model->implementation->operations[0]), "1 -> 0 x = 1\n");
    arena_free(arena);
}

static int paths(Arena *arena, const char *text, MicroPaths *out)
{
    const Model *model = read(arena, text);
    Error error = {{0}, {0}, 0, 0};
    const Flow *flow = model->implementation->operations[0]->flow;
    if (!flow_expand(arena, &flow->edges[0], 100, out, &error))
        return -1;
    return out->count;
}

static void atomic_actions_expand_to_paths(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    MicroPaths out;
    assert_int_equal(paths(arena,
                           "int(0..3) x;\noperation bool f() { atomic { if (x == 0) { x = 1; "
                           "return true; } return false; } }",
                           &out),
                     2);
    assert_int_equal(out.at[0].count, 3);
    assert_int_equal(out.at[0].at[0].kind, MICRO_ASSUME);
    assert_int_equal(out.at[0].at[1].kind, MICRO_ASSIGN);
    assert_int_equal(out.at[0].at[2].kind, MICRO_RETURN);
    assert_int_equal(out.at[1].count, 2);
    /* a loop with a constant number of rounds is unrolled: 2 * 2 ways through the ifs */
    assert_int_equal(paths(arena,
                           "int(0..3) a[2];\noperation void f() { atomic { for (int(0..2) i = 0; "
                           "i < 2; i++) if (a[i] == 0) a[i] = 1; } }",
                           &out),
                     4);
    /* choices are paths too, functions are inlined */
    assert_int_equal(
        paths(arena,
              "int(0..3) x;\nbool g(int(0..3) v) { if (v > x) return true; return "
              "false; }\noperation void f() { atomic { choose { x = 1; } or { bool b = "
              "g(2); x = 2; } } }",
              &out),
        3);
    /* one whose rounds depend on the state is not */
    assert_int_equal(
        paths(arena, "int(0..3) x;\noperation void f() { atomic { while (x > 0) x--; } }", &out),
        -1);
    arena_free(arena);
}

static void private_nodes_are_known(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    const Model *model =
        read(arena, "struct N { int(0..1) i; N *next; } pool 3;\nN *top;\n"
                    "operation void f() { N *n = new N; n->i = 1; n->next = top; top = n; "
                    "n->i = 0; }\n");
    const Flow *flow = model->implementation->operations[0]->flow;
    const bool expected[] = {false, true, false, false, false}; /* new, i, next = top, top = n, i */
    assert_int_equal(flow->edge_count, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(flow->edges[i].is_private, expected[i]);
    arena_free(arena);
}

static int64_t run_once(Arena *arena, const char *text)
{
    const Model *model = read(arena, text);
    const Program *program = program_compile(arena, model->implementation, 0);
    unsigned char memory[256] = {0};
    Machine machine = {
        .program = program, .memory = memory, .locals = program->shared_bytes, .self = 1};
    program_initial(program, memory);
    RunStatus status = machine_run(&machine, program->code + program->operations[0].code);
    return status == RUN_RETURN ? machine.result : -1000 - (int)machine.fault;
}

static void expressions_have_their_values(void **state)
{
    (void)state;
    static const struct {
        const char *expression;
        int64_t value;
    } cases[] = {{"x + 2 * 3", 11},     {"(x + 2) * 3", 21}, {"-x % 3", -2},
                 {"x / 2", 2},          {"x << 2 | 1", 21},  {"~x & 7", 2},
                 {"x > 4 && x < 6", 1}, {"x == 4 || !x", 0}, {"x != 5 ? 1 : 7", 7},
                 {"x - 7", -2},         {"(x ^ 1) >> 1", 2}, {"1 + 2 == 3", 1}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Arena *arena = arena_new();
        const char *text = arena_printf(arena, "int x = 5;\noperation int f() { return %s; }",
                                        cases[i].expression);
        assert_int_equal(run_once(arena, text), cases[i].value);
        arena_free(arena);
    }
}

static void locals_start_with_their_first_value(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    assert_int_equal(run_once(arena, "struct S { int(-3..3) i; int(2..5) j; };\n"
                                     "operation int f() { int(-3..3) a[2]; S s; int(2..9) n; "
                                     "return 1000 * a[0] + 100 * a[1] + 10 * s.i + s.j + n; }"),
                     4);
    assert_int_equal(run_once(arena, "int(-3..3) g[2];\noperation int f() { return g[0] + g[1]; }"),
                     0);
    arena_free(arena);
}

static void faults_are_found(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    assert_int_equal(run_once(arena, "int x = 0;\noperation int f() { return 1 / x; }"),
                     -1000 - FAULT_DIVISION);
    assert_int_equal(
        run_once(arena, "int(0..9) x = 2; int a[2];\noperation int f() { return a[x]; }"),
        -1000 - FAULT_INDEX);
    assert_int_equal(run_once(arena, "int(0..3) x = 3;\noperation int f() { x++; return 0; }"),
                     -1000 - FAULT_RANGE);
    assert_int_equal(run_once(arena, "int x = 30000;\noperation int f() { return x * x * x; }"),
                     -1000 - FAULT_OVERFLOW);
    assert_int_equal(
        run_once(arena, "struct N { int i; } pool 1; N *p;\noperation int f() { return p->i; }"),
        -1000 - FAULT_NULL_REFERENCE);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_are_steps),
        cmocka_unit_test(choices_share_their_first_point),
        cmocka_unit_test(parameters_and_variants_cost_no_step),
        cmocka_unit_test(atomic_actions_expand_to_paths),
        cmocka_unit_test(private_nodes_are_known),
        cmocka_unit_test(expressions_have_their_values),
        cmocka_unit_test(locals_start_with_their_first_value),
        cmocka_unit_test(faults_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
