/* Annotations in the text of a source: what is read from the paper's example, what is forgiven,
 * what is an error and where; and damaged ones, which must be refused or accepted, with a place in
 * every message. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <ctype.h>
#include "base/hash.h"
#include "tool/instrument/annotate/annotation.h"

/* Figure 5 of the paper, as far as annotations go. */
static const char rcu[] = "class RCU {\n"
                          "/** @Structure_Define:\n"
                          "@DeclareVar: int _data, _version;\n"
                          "@InitVar: _data = 0; _version = 0;\n"
                          "@Happens_Before: Update->Read Update->Update*/\n"
                          "atomic<Node*> node;\n"
                          "public:\n"
                          "/** @Interface: Read\n"
                          "@Ordering_Point_Set: Read_Point\n"
                          "@ID: this\n"
                          "@PostCondition:\n"
                          "_data == *data && _version == *version */\n"
                          "void read(int *data, int *version) {\n"
                          "Node *res = node.load(mo_acquire);\n"
                          "/** @Ordering_Point_Label_Check: true\n"
                          "@Label: Read_Point */\n"
                          "*data = res->data;\n"
                          "}\n"
                          "/** @Interface: Update\n"
                          "@Ordering_Point_Set: Update_Point\n"
                          "@ID: this\n"
                          "@SideEffect: _data = data; _version++; */\n"
                          "void update(int data) {\n"
                          "/** @Ordering_Point_Label_Check: succ\n"
                          "@Label: Update_Point */\n"
                          "} };\n";

static Arena *arena;

static bool read_it(const char *text, Annotations *out, Error *error)
{
    *out = (Annotations){0};
    *error = (Error){0};
    return annotation_read(arena, "file.c", str_of(text), out, error);
}

static void test_paper(void **state)
{
    (void)state;
    Annotations list;
    Error error;
    assert_true(read_it(rcu, &list, &error));
    assert_int_equal(list.count, 5);
    const Annotation *structure = &list.at[0], *get = &list.at[1], *point = &list.at[2],
                     *update = &list.at[3];
    assert_int_equal(structure->kind, ANNOTATION_STRUCTURE);
    assert_int_equal(structure->line, 2);
    assert_string_equal(structure->variables.at[0].text, "int _data, _version;");
    assert_int_equal(structure->variables.at[0].line, 3);
    assert_int_equal(structure->variables.at[0].column, 14);
    assert_string_equal(structure->inits.at[0].text, "_data = 0; _version = 0;");
    assert_int_equal(structure->rules.count, 2);
    assert_string_equal(structure->rules.at[0].from.text, "Update");
    assert_string_equal(structure->rules.at[0].to.text, "Read");
    assert_null(structure->rules.at[0].to_condition.text);
    assert_string_equal(structure->rules.at[1].to.text, "Update");
    assert_int_equal(get->kind, ANNOTATION_METHOD);
    assert_string_equal(get->name.text, "Read");
    assert_string_equal(get->point_set.at[0].text, "Read_Point");
    assert_string_equal(get->id.text, "this");
    assert_string_equal(get->post.text, "_data == *data && _version == *version");
    assert_int_equal(get->post.line, 12);
    assert_null(get->pre.text);
    assert_int_equal(point->kind, ANNOTATION_LABEL_CHECK);
    assert_string_equal(point->condition.text, "true");
    assert_string_equal(point->label.text, "Read_Point");
    assert_string_equal(update->side.text, "_data = data; _version++;");
}

static void test_forgiven(void **state)
{
    (void)state;
    Annotations list;
    Error error;
    assert_true(read_it("// @method Push\n"
                        "//   @ordering_point_SET A | B\n"
                        "// @HBCondition ok :: __RET__ == '@';\n"
                        "//! @pre_condition x == \"@ID\" &&\n"
                        "//    y\n"
                        "void f();\n"
                        "/*!\n"
                        " * Some words.\n"
                        " * @potential_ordering_point: p->x\n"
                        " * @label L;\n"
                        " * @Ordering_Point_Clear: 1 @Label: M\n"
                        " */\n",
                        &list, &error));
    assert_int_equal(list.count, 3);
    assert_string_equal(list.at[0].name.text, "Push");
    assert_int_equal(list.at[0].point_set.count, 2);
    assert_string_equal(list.at[0].point_set.at[1].text, "B");
    assert_string_equal(list.at[0].conditions.at[0].name.text, "ok");
    assert_string_equal(list.at[0].conditions.at[0].code.text, "__RET__ == '@'");
    assert_string_equal(list.at[0].pre.text, "x == \"@ID\" &&\n      y");
    assert_int_equal(list.at[1].kind, ANNOTATION_POTENTIAL);
    assert_string_equal(list.at[1].condition.text, "p->x");
    assert_string_equal(list.at[1].label.text, "L");
    assert_int_equal(list.at[1].line, 9);
    assert_int_equal(list.at[2].kind, ANNOTATION_CLEAR);
}

/* Other comments, and what looks like a comment. */
static void test_none(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "/** @param x the value\n * @return nothing\n * @id 7\n * @label here */ int f(int x);",
        "/** @interface Foo */",
        "/** @methods of mine\n * @interfaces too\n * @structure: x */",
        "/* about @PostCondition: things */",
        "const char *s = \"/** @Structure_Define: */\";",
        "const char *s = R\"x(/** @Structure_Define: */)x\"; int i = 1'000'000;",
        "char c = '\"'; /* @method of my own */",
        "",
        "/*",
        "/* @",
        "// @",
        "'",
        "\"",
        "R\"(",
        "int @Structure_Define;"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        Annotations list;
        Error error;
        assert_true(read_it(texts[i], &list, &error));
        assert_int_equal(list.count, 0);
        assert_false(annotation_present(str_of(texts[i])));
    }
    assert_true(annotation_present(str_of(rcu)));
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        int line;
    } cases[] = {
        {"/* @Method: f */", "no @Ordering_Point_Set", 1},
        {"\n/* @DeclareVar: int x; */", "outside of @Structure_Define", 2},
        {"/* @Structure_Define:\n@PostCondition: 1 */", "is no part of @Structure_Define", 2},
        {"/* @Structure_Define: int x; */", "nothing stands between", 1},
        {"/* @Method: f g\n@Ordering_Point_Set: A */", "one name and nothing else", 1},
        {"/* @Method:\n@Ordering_Point_Set: A */", "wants a name", 1},
        {"/* @Method: f\n@Ordering_Point_Set: */", "wants labels", 2},
        {"/* @Method: f\n@Ordering_Point_Set: A B */", "wants labels", 2},
        {"/* @Method: f\n@Ordering_Point_Set: A\n@HB_Condition: x */", "wants a label, ::", 3},
        {"/* @Method: f\n@Ordering_Point_Set: A\n@Pre: x */", "unknown keyword @Pre", 3},
        {"/* @Methd: f\n@Ordering_Point_Set: A */", "unknown keyword @Methd; did you mean @Method?",
         1},
        {"/* @Ordring_Point_Check: x */",
         "unknown keyword @Ordring_Point_Check; did you mean @Ordering_Point_Check?", 1},
        {"/* @Method: f\n@Ordering_Point_Set: A\n@PostConditon: x */",
         "unknown keyword @PostConditon; did you mean @PostCondition?", 3},
        {"/* @Method: f\n@Ordering_Point_Set: A\n@SideEffect: return; */", "may not return", 3},
        {"/* @Structure_Define:\n@Happens_Before: A */", "-> is missing", 2},
        {"/* @Structure_Define:\n@Happens_Before: A(x -> B */", "a ) is missing", 2},
        {"/* @Structure_Define:\n@Happens_Before: -> B */", "wants rules", 2},
        {"/* @Ordering_Point_Check: 1\n@Label: A */", "no @Potential_Ordering_Point_Label", 1},
        {"/* @Ordering_Point_Clear: 1 */", "no @Label", 1},
        {"/* @Potential_Ordering_Point:\n@Label: A */", "is empty", 1},
        {"/* @Ordering_Point_Clear: 1\n@Label: A\n@Label: B */", "given twice", 3},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Annotations list;
        Error error;
        assert_false(read_it(cases[i].text, &list, &error));
        if (!strstr(error.message, cases[i].message) || error.line != cases[i].line)
            fail_msg("%s: line %d, %s", cases[i].text, error.line, error.message);
    }
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *code, *names;
    } cases[] = {{"int a;", "a "},
                 {"int a, *b, c[3], d = 4;", "a b c d "},
                 {"struct { int x, y; } p; struct node *first, *last;", "p first last "},
                 {"int (*f)(int a, int b), g;", "f g "},
                 {"int a[2][3]; unsigned b : 3", "a b "},
                 {"", ""},
                 {"int a; // b,\nint c", "a c "}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AnnotationWords names = {0};
        annotation_declared_names(arena, str_of(cases[i].code), &names);
        Buffer all = {0};
        for (size_t k = 0; k < names.count; k++)
            buffer_printf(&all, "%s ", names.at[k]);
        if (strcmp(all.at ? all.at : "", cases[i].names))
            fail_msg("%s: %s", cases[i].code, all.at ? all.at : "");
        vec_free(&all);
    }
}

static const char *const spare[] = {
    "@", "@Method", "@Label:", "/*",   "*/", "//",          "\"",  "'", "\n", "->", "::", "(", ")",
    "|", ":",       "*",       "R\"(", "",   "@DeclareVar", "@ID", "x", ";",  "\\", "\t", "@@"};

static void test_damaged(void **state)
{
    (void)state;
    Random random = {7};
    unsigned refused = 0, accepted = 0;
    for (unsigned round = 0; round < 20000; round++) {
        Buffer text = {0};
        for (size_t at = 0; at < sizeof rcu - 1;) {
            size_t end = at + 1;
            if (isalnum((unsigned char)rcu[at]) || rcu[at] == '_')
                while (isalnum((unsigned char)rcu[end]) || rcu[end] == '_')
                    end++;
            uint64_t what = random_below(&random, 60);
            if (what == 0)
                buffer_printf(&text, "%s", spare[random_below(&random, COUNT_OF(spare))]);
            if (what != 1)
                buffer_append(&text, rcu + at, end - at);
            at = end;
        }
        Annotations list = {0};
        Error error = {0};
        Str whole = buffer_str(&text);
        if (round % 3 == 0)
            whole.length = (size_t)random_below(&random, whole.length + 1);
        if (annotation_read(arena, "file.c", whole, &list, &error)) {
            accepted++;
            for (size_t i = 0; i < list.count; i++)
                assert_true(list.at[i].begin < list.at[i].end && list.at[i].end <= whole.length);
        } else {
            int lines = 1;
            for (size_t i = 0; i < whole.length; i++)
                lines += whole.at[i] == '\n';
            refused++;
            assert_string_equal(error.file, "file.c");
            assert_in_range(error.line, 1, lines);
            assert_true(error.message[0]);
        }
        vec_free(&text);
        if (round % 100 == 0)
            arena_reset(arena);
    }
    assert_true(refused > 1000 && accepted > 1000);
}

int main(void)
{
    arena = arena_new();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper), cmocka_unit_test(test_forgiven),
        cmocka_unit_test(test_none),  cmocka_unit_test(test_errors),
        cmocka_unit_test(test_names), cmocka_unit_test(test_damaged)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(arena);
    return failed;
}
