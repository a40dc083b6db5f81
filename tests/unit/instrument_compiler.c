/* Words of the command line: which go to the compiler; which driver compiles C++. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "tool/cli/options.h"
#include "tool/instrument/compiler.h"

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        bool wanted, separate, link;
    } cases[] = {{"-DN=2", true, false, false},       {"-D", true, true, false},
                 {"-I", true, true, false},           {"-Iinc", true, false, false},
                 {"-O2", true, false, false},         {"-std=c11", true, false, false},
                 {"-include", true, true, false},     {"-lm", true, false, true},
                 {"-L/x", true, false, true},         {"-pthread", true, false, true},
                 {"-mcx16", true, false, true},       {"-Wall", true, false, false},
                 {"-Wl,-z,now", true, false, true},   {"-fno-inline", true, false, true},
                 {"--model=sc", false, false, false}, {"-j", false, false, false},
                 {"-j2", false, false, false},        {"queue.c", false, false, false},
                 {"-", false, false, false},          {"-q", false, false, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bool separate, link;
        assert_int_equal(compiler_wants(cases[i].word, &separate, &link), cases[i].wanted);
        assert_int_equal(separate, cases[i].separate);
        assert_int_equal(link, cases[i].link);
    }
}

static void test_split(void **state)
{
    (void)state;
    char line[12][16] = {"run", "-D", "N=2", "--json", "a.c", "-lfoo", "-O1", "--", "-x", "-D"};
    char *argv[12];
    for (int i = 0; i < 10; i++)
        argv[i] = line[i];
    argv[10] = NULL;
    int argc = 10;
    RunOptions options;
    options_init(&options);
    options_take_compiler_words(&argc, argv, &options);
    assert_int_equal(argc, 3);
    assert_string_equal(argv[1], "--json");
    assert_string_equal(argv[2], "a.c");
    assert_int_equal(options.build.compile.count, 3);
    assert_string_equal(options.build.compile.at[1], "N=2");
    assert_string_equal(options.build.compile.at[2], "-O1");
    assert_int_equal(options.build.link.count, 1);
    assert_string_equal(options.build.link.at[0], "-lfoo");
    assert_int_equal(options.program_arguments.count, 2);
    assert_string_equal(options.program_arguments.at[1], "-D");
    options_free(&options);
}

static void test_drivers(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Compiler compiler;
    Error error = {0};
    assert_true(compiler_find(NULL, arena, &compiler, &error));
    assert_string_equal(compiler.c, "gcc");
    assert_string_equal(compiler.cxx, "g++");
    assert_false(compiler.clang);
    assert_true(compiler_find("clang", arena, &compiler, &error));
    assert_string_equal(compiler.cxx, "clang++");
    assert_true(compiler.clang);
    assert_true(compiler_find("clang++", arena, &compiler, &error));
    assert_string_equal(compiler.c, "clang");
    assert_string_equal(compiler.cxx, "clang++");
    assert_true(compiler_find("/usr/bin/gcc", arena, &compiler, &error));
    assert_string_equal(compiler.cxx, "/usr/bin/g++");
    assert_true(compiler_find("cc", arena, &compiler, &error));
    assert_string_equal(compiler.cxx, "c++");
    assert_false(compiler_find("no-such-gcc", arena, &compiler, &error));
    assert_non_null(strstr(error.message, "no-such-gcc"));
    assert_false(compiler_find("true", arena, &compiler, &error));
    arena_free(arena);
}

static void test_files(void **state)
{
    (void)state;
    assert_int_equal(compiler_file_language("a/b.c"), FILE_C);
    assert_int_equal(compiler_file_language("b.cc"), FILE_CXX);
    assert_int_equal(compiler_file_language("b.cpp"), FILE_CXX);
    assert_int_equal(compiler_file_language("b.cxx"), FILE_CXX);
    assert_int_equal(compiler_file_language("b.o"), FILE_OBJECT);
    assert_int_equal(compiler_file_language("libb.a"), FILE_ARCHIVE);
    assert_int_equal(compiler_file_language("b"), FILE_UNKNOWN);
    assert_int_equal(compiler_file_language("b.py"), FILE_UNKNOWN);
}

static void test_quantities(void **state)
{
    (void)state;
    uint64_t value;
    assert_true(options_parse_duration("60s", &value));
    assert_int_equal(value, 60000);
    assert_true(options_parse_duration("90", &value));
    assert_int_equal(value, 90000);
    assert_true(options_parse_duration("1.5m", &value));
    assert_int_equal(value, 90000);
    assert_true(options_parse_duration("250ms", &value));
    assert_int_equal(value, 250);
    assert_true(options_parse_size("2G", &value));
    assert_int_equal(value, 2ull << 30);
    assert_true(options_parse_size("64k", &value));
    assert_int_equal(value, 65536);
    static const char *const bad[] = {"", "-1", "x", "1x", "s", "1e99G", "nan", "+3", "0x10"};
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        assert_false(options_parse_size(bad[i], &value));
    uint32_t model;
    assert_true(model_from_word("tso", &model));
    assert_int_equal(model, MODEL_TSO);
    assert_false(model_from_word("foo", &model));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_split),
                                       cmocka_unit_test(test_drivers), cmocka_unit_test(test_files),
                                       cmocka_unit_test(test_quantities)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
