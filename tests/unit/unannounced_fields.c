/* Which local variables of LLVM IR get a name behind which clang does not look. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include "tool/instrument/unannounced/fields.h"

static void check(const char *given, const char *expected)
{
    Buffer out = {0};
    fields_reveal(str_of(given), &out);
    out.at[--out.count] = 0; /* the last line has no end, and got one */
    assert_string_equal(out.at, expected);
    vec_free(&out);
}

/* A function of one pointer variable %x, with LINES, in the notation up to version 14. */
static void check_typed(const char *lines, bool escapes)
{
    static const char before[] = "@s = global i32 0\n"
                                 "define void @f() {\n"
                                 "  %x = alloca { i32, [2 x i8*] }, align 8\n";
    static const char hidden[] = "@s = global i32 0\n"
                                 "define void @f() {\n"
                                 "  %heddle.x = alloca { i32, [2 x i8*] }, align 8\n"
                                 "  %x = call { i32, [2 x i8*] }* asm \"\", \"=r,0\"({ i32, [2 x "
                                 "i8*] }* %heddle.x)\n";
    char given[2048], expected[2048];
    (void)snprintf(given, sizeof given, "%s%s  ret void\n}\n", before, lines);
    (void)snprintf(expected, sizeof expected, "%s%s  ret void\n}\n", escapes ? hidden : before,
                   lines);
    check(given, expected);
}

static void test_escapes(void **state)
{
    (void)state;
    static const char part[] =
        "  %p = getelementptr { i32, [2 x i8*] }, { i32, [2 x i8*] }* %x, i32 0, i32 0\n";
    char lines[1024];
    static const struct {
        const char *lines;
        bool escapes;
    } cases[] = {
        {"  store i32 1, i32* %p, align 4\n", false},
        {"  %v = load i32, i32* %p, align 4\n", false},
        {"  store i32* %p, i32** @q, align 8\n", true},
        {"  store atomic i32* %p, i32** @q seq_cst, align 8\n", true},
        {"  store { i32*, i8* } { i32* %p, i8* null }, { i32*, i8* }* @q\n", true},
        {"  %b = bitcast i32* %p to i8*\n  store i8 0, i8* %b\n", false},
        {"  %b = bitcast i32* %p to i8*\n  call void @g(i8* noundef %b)\n", true},
        {"  %b = bitcast i32* %p to i8*\n  call void @llvm.memset.p0i8.i64(i8* align 4 %b, i8 0, "
         "i64 4, i1 false)\n",
         false},
        {"  %n = ptrtoint i32* %p to i64\n", true},
        {"  %c = phi i32* [ %p, %a ], [ null, %z ]\n", true},
        {"  %r = call i32 @h(i32 1), !dbg !7 ; \"%p\"\n", false},
        {"  ret i32* %p\n", true},
        {"    #dbg_value(ptr %p, !10, !DIExpression(), !14)\n", false},
        {"  %i = invoke i32 @h(i32* %p)\n          to label %a unwind label %z\n", true},
        {"  %w = atomicrmw add i32* %p, i32 1 seq_cst\n", true}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        (void)snprintf(lines, sizeof lines, "%s%s", part, cases[i].lines);
        check_typed(lines, cases[i].escapes);
        /* the part may be named before the line that computes it */
        (void)snprintf(lines, sizeof lines, "%s%s", cases[i].lines, part);
        check_typed(lines, cases[i].escapes);
    }
}

static void test_text(void **state)
{
    (void)state;
    /* since version 15; names with blanks; debug information keeps to the variable, marks of its
     * lifetime go; another function has a variable of the same name */
    check("define void @f(ptr %0) #0 {\n"
          "  %\"a b\" = alloca %struct.s, align 4\n"
          "  %2 = alloca i64, i64 %n, align 8\n"
          "  %3 = alloca i32, align 4\n"
          "  call void @llvm.dbg.declare(metadata ptr %\"a b\", metadata !1), !dbg !2\n"
          "    #dbg_declare(ptr %2, !1, !DIExpression(), !2)\n"
          "  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %\"a b\")\n"
          "  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %3)\n"
          "  call void @g(ptr %\"a b\", ptr %2)\n"
          "}\n"
          "define void @h() {\n"
          "  %2 = alloca i32, align 4\n"
          "  store i32 1, ptr %2, align 4\n"
          "}\n",
          "define void @f(ptr %0) #0 {\n"
          "  %\"heddle.a b\" = alloca %struct.s, align 4\n"
          "  %\"a b\" = call ptr asm \"\", \"=r,0\"(ptr %\"heddle.a b\")\n"
          "  %heddle.2 = alloca i64, i64 %n, align 8\n"
          "  %2 = call ptr asm \"\", \"=r,0\"(ptr %heddle.2)\n"
          "  %3 = alloca i32, align 4\n"
          "  call void @llvm.dbg.declare(metadata ptr %\"heddle.a b\", metadata !1), !dbg !2\n"
          "    #dbg_declare(ptr %heddle.2, !1, !DIExpression(), !2)\n"
          "  call void @llvm.lifetime.start.p0(i64 4, ptr nonnull %3)\n"
          "  call void @g(ptr %\"a b\", ptr %2)\n"
          "}\n"
          "define void @h() {\n"
          "  %2 = alloca i32, align 4\n"
          "  store i32 1, ptr %2, align 4\n"
          "}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_escapes), cmocka_unit_test(test_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
