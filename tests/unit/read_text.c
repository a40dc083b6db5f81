/* The reader: what each notation means, and every bad input with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "base/hash.h"
#include "prove/read/text.h"

static void expect_error(const char *text, int line, const char *part)
{
    Arena *arena = arena_new();
    IrProgram *program;
    Error error = {0};
    if (text_read(arena, "t", str_of(text), &program, &error))
        fail_msg("accepted: %s", text);
    if (!strstr(error.message, part))
        fail_msg("expected \"%s\", got \"%s\"", part, error.message);
    assert_int_equal(error.line, line);
    arena_free(arena);
}

static void test_errors(void **state)
{
    (void)state;
    expect_error("", 1, "no operation");
    expect_error("op A {", 1, "expected a sub-operation");
    expect_error("op A { }", 1, "no sub-operation");
    expect_error("op A {\n 1 <x == 0>\n}", 2, "'x' is not declared");
    expect_error("global int x;\nop A { 1 <x ! 0> }", 2, "expected a comparison");
    expect_error("global int x;\nglobal int x;\nop A { 1 x = 1; }", 2, "declared twice");
    expect_error("struct N { int v; }\nop A { N p; 1 <p == 3> }", 2, "compared with NULL");
    expect_error("struct N { int v; }\nop A { N p; 1 <p.w == 3> }", 2, "no field 'w'");
    expect_error("op A { int x;\n 1 x = 1;\n 1 x = 2; }", 3, "set twice");
    expect_error("op A { 1 }\nop A { 1 }", 2, "defined twice");
    expect_error("op A { int x; 1 new x; }", 1, "points to a structure");
    expect_error("global int x;\nop A { 1 5 = x; }", 2, "expected a sub-operation");
    expect_error("op A { 1 } /* never", 1, "never ends");
    expect_error("assume \"never", 1, "never ends");
    expect_error("op A { 1 } $", 1, "unexpected character");
    expect_error("op A { 1 <99999999999999 == 0> }", 1, "too large");
    expect_error("op A { 1 }\nspec { }", 1, "not in the specification");
    expect_error("op A { 1 }\nspec { op A { 1 1 } }", 2, "one sub-operation");
    expect_error("op A { 1 }\nspec { op A { 1 } op B { 1 } }", 2, "not defined");
    expect_error("op A { int v; 1 }\nspec { op A { int w; 1 } }", 2, "no local of it");
    expect_error("op op { 1 }", 1, "word of the language");
    expect_error("global int x;\ninvariant forall int i, int j, int k: x == 0;\nop A { 1 }", 2,
                 "at most two");
    expect_error("op A { assert <1 == 1> 1 }", 1, "before an operation");
}

static void test_meaning(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    IrProgram *program;
    Error error = {0};
    static const char text[] = "struct N { int v; N next; }\nglobal N top;\n"
                               "push(int v)\n N X; N t;\n 1 X = malloc N;\n 1 X.v = v;\n"
                               " 1 <top == t; t \xe2\x89\xa0 NULL> X.next = t; top = X; ...p\n"
                               "find\n N P;\n 1 READ P;\n";
    assert_true(text_read(arena, "t", str_of(text), &program, &error));
    Buffer out = {0};
    assert_int_equal(program->operations.at[0].subops.count, 3); /* as it is written */
    program = (IrProgram *)(uintptr_t)program->joined;
    assert_non_null(program);
    const IrOperation *push = &program->operations.at[0];
    assert_int_equal(push->subops.count, 1); /* the private steps joined the one that publishes */
    assert_string_equal(push->subops.at[0].label, "p");
    ir_subop_print(&out, program, push, &push->subops.at[0]);
    assert_string_equal(out.at, "1 <top == t; t != NULL> new X; X.v = v; X.next = t; top = X;");
    vec_clear(&out);
    const IrOperation *find = &program->operations.at[1];
    ir_subop_print(&out, program, find, &find->subops.at[0]);
    assert_string_equal(out.at, "1 <live P>");
    vec_free(&out);
    arena_free(arena);
}

/* Bytes cut out and changed at random: an answer or an error, never a crash. */
static void test_noise(void **state)
{
    (void)state;
    static const char text[] =
        "collected; struct N { bool m; key k; N n; } global N h; global int a[];\n"
        "init { N d; new d; h = d; }\n"
        "invariant forall N n, N m: (live n && n.m == 0) => n.k <= m.k;\n"
        "op A { N P, C; key k; walk P from h via n to C keeping <P.m == 0> until <P.m == 1>;\n"
        " 1 x: <live P; P.k < k> 1 y: <P.n == C> P.n = NULL; assert <P.n == C>\n"
        " * z: new C; free P; a[1 + 2] = a[0] - 1; ensure none N q: <q.k == k> }\n"
        "spec { global bool in[]; op A { key k; 1 <in[k] == 1> in[k] = 0; } }\n";
    Random random = {5};
    for (int i = 0; i < 3000; i++) {
        char copy[sizeof text];
        memcpy(copy, text, sizeof text);
        size_t length = sizeof text - 1;
        for (int k = 0; k < 3; k++) {
            size_t at = random_below(&random, length);
            if (random_below(&random, 2))
                copy[at] = (char)random_below(&random, 256);
            else
                memmove(copy + at, copy + at + 1, --length - at);
        }
        Arena *arena = arena_new();
        IrProgram *program;
        Error error = {0};
        if (!text_read(arena, "noise", (Str){copy, length}, &program, &error))
            assert_true(error.message[0] != '\0');
        arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_errors),
                                       cmocka_unit_test(test_meaning),
                                       cmocka_unit_test(test_noise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
