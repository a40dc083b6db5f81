/* The reader of heddle.toml: what it takes, what it refuses and where, and that no input breaks it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "tool/cli/project/config.h"
#include "tool/cli/project/toml.h"

static void test_values(void **state)
{
    (void)state;
    static const char text[] = "top = 1\n"
                               "[a-b]\r\n"
                               "'k 1' = \"x\\t\\u00e9\\\"\" # a comment\n"
                               "lit = 'C:\\n'\n"
                               "n = -1_000\n"
                               "yes = true\n"
                               "list = [ 'a', # first\n  \"b\",\n ]\n"
                               "[[t]]\n[[ t ]]\nx=+7\n";
    Arena *arena = arena_new();
    Error error = {0};
    TomlDocument document;
    assert_true(toml_parse(arena, "f", STR(text), &document, &error));
    assert_int_equal(document.count, 4);
    assert_int_equal(document.tables[0].entries[0].value.integer, 1);
    const TomlTable *table = &document.tables[1];
    assert_string_equal(table->name, "a-b");
    assert_int_equal(table->count, 5);
    assert_string_equal(table->entries[0].key, "k 1");
    assert_string_equal(table->entries[0].value.string, "x\t\xc3\xa9\"");
    assert_int_equal(table->entries[0].value.line, 3);
    assert_int_equal(table->entries[0].value.column, 9);
    assert_string_equal(table->entries[1].value.string, "C:\\n");
    assert_int_equal(table->entries[2].value.integer, -1000);
    assert_int_equal(table->entries[3].value.kind, TOML_BOOLEAN);
    assert_int_equal(table->entries[4].value.count, 2);
    assert_string_equal(table->entries[4].value.items[1].string, "b");
    assert_int_equal(table->entries[4].value.items[1].line, 8);
    assert_true(document.tables[2].one_of_many && document.tables[3].one_of_many);
    assert_int_equal(document.tables[3].entries[0].value.integer, 7);
    arena_free(arena);
}

/* The places are counted by hand: line and column of the first letter that can't be right. */
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } cases[] = {{"a = ", 1, 5, "a value is missing"},
                 {"a", 1, 2, "= is missing"},
                 {"a = x", 1, 5, "must stand in quotes"},
                 {"a = 1 2", 1, 7, "nothing more was expected"},
                 {"a = 1\nb = 2\na = 3", 3, 1, "a was given already, in line 1"},
                 {"a.b = 1", 1, 2, "names with dots"},
                 {"a = {}", 1, 5, "inline tables"},
                 {"a = \"\"\"x\"\"\"", 1, 5, "several lines"},
                 {"a = \"x", 1, 7, "has no end"},
                 {"a = \"x\ny\"", 1, 7, "has no end"},
                 {"a = \"\\q\"", 1, 7, "no escape like this"},
                 {"a = \"\\u12\"", 1, 10, "hexadecimal digit"},
                 {"a = \"\\u0000\"", 1, 12, "no character"},
                 {"a = \"\\ud800\"", 1, 12, "no character"},
                 {"a = \"\xff\"", 1, 6, "no UTF-8"},
                 {"a = \"\x01\"", 1, 6, "control character"},
                 {"# \x01", 1, 3, "control character"},
                 {"a = 1.5", 1, 6, "only whole decimal numbers"},
                 {"a = 2026-01-01", 1, 9, "only whole decimal numbers"},
                 {"a = 60s", 1, 7, "60s must stand in quotes"},
                 {"a = 012", 1, 8, "does not begin with 0"},
                 {"a = 1__2", 1, 6, "underscore"},
                 {"a = 99999999999999999999", 1, 5, "too large"},
                 {"a = [1", 1, 7, "a comma or the end"},
                 {"a = [1 2]", 1, 8, "a comma or the end"},
                 {"a = [[[[[[[[[[1]]]]]]]]]]", 1, 13, "too many arrays"},
                 {"[a", 1, 3, "] is missing"},
                 {"[[a]", 1, 4, "]] is missing"},
                 {"[]", 1, 2, "a name is missing"},
                 {"[a]\n[b]\n[a]", 3, 1, "[a] was there already, in line 1"},
                 {"[a]\n[[a]]", 2, 1, "[a] was there already"},
                 {"= 1", 1, 1, "a name is missing"},
                 {"\n\n\xc3\xa9 = 1", 3, 1, "a name is missing"},
                 {"a = '\xc3\xa9' x", 1, 9, "nothing more was expected"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        Arena *arena = arena_new();
        Error error = {0};
        TomlDocument document;
        if (toml_parse(arena, "f", str_of(cases[i].text), &document, &error))
            fail_msg("taken: %s", cases[i].text);
        if (error.line != cases[i].line || error.column != cases[i].column ||
            !strstr(error.message, cases[i].says))
            fail_msg("%s: %d:%d: %s", cases[i].text, error.line, error.column, error.message);
        arena_free(arena);
    }
}

static bool has_words(const ConfigTest *test, const char *const *words, size_t count)
{
    bool same = test->words.count == count;
    for (size_t i = 0; same && i < count; i++)
        same = !strcmp(test->words.at[i], words[i]);
    return same;
}

static void test_config(void **state)
{
    (void)state;
    static const char text[] = "[[test]]\nfile = 'a.c'\nmodel = ['sc', 'tso']\ntime = 5\n"
                               "[defaults]\ntime = '1m'\nflags = '-O1'\nmodel = 'rc11'\n"
                               "[[test]]\nname = 'two'\ncommand = 'run'\nfiles = ['b.c', 'c.c']\n"
                               "options = ['--weak-cas']\nexpect = 'violated race'\n"
                               "exhaustive = false\nweak-cas = true\n";
    Arena *arena = arena_new();
    Error error = {0};
    Config config;
    assert_true(config_parse(arena, "f", STR(text), &config, &error));
    assert_int_equal(config.count, 3);
    assert_string_equal(config.tests[0].name, "a.c (sc)");
    static const char *const first[] = {"--model=sc", "--time=1m", "-O1", "--time=5", "a.c"};
    static const char *const third[] = {"--model=rc11", "--time=1m", "-O1", "--weak-cas",
                                        "--weak-cas",   "b.c",       "c.c"};
    assert_true(has_words(&config.tests[0], first, COUNT_OF(first)));
    assert_string_equal(config.tests[1].name, "a.c (tso)");
    assert_string_equal(config.tests[2].name, "two");
    assert_string_equal(config.tests[2].command, "run");
    assert_true(has_words(&config.tests[2], third, COUNT_OF(third)));
    assert_int_equal(config.tests[2].expected, VERDICT_VIOLATED);
    assert_int_equal(config.tests[2].violation, VIOLATION_RACE);
    config_free(&config);
    arena_free(arena);
}

/* Bytes of a good file changed, dropped, doubled and mixed: it is read or refused with a place. */
static void test_fuzz(void **state)
{
    (void)state;
    static const char good[] = "# tests\n[defaults]\nmodel = [\"sc\", 'rc11']\ntime = \"60s\"\n\n"
                               "[[test]]\nname = \"q\\u00e9\"\nfiles = [\"a.c\",\n \"b.c\"] # two\n"
                               "samples = 1_000\nexhaustive = true\nexpect = \"violated race\"\n";
    static const char letters[] = "[]{}=,.\"'#\\\n\r\t _-+0aZ\x01\x7f\xc3\xa9\xff";
    long rounds = getenv("HEDDLE_NIGHTLY") ? 1000000 : 50000;
    Random random = {11};
    unsigned taken = 0;
    for (long round = 0; round < rounds; round++) {
        char text[2 * sizeof good];
        size_t length = sizeof good - 1;
        memcpy(text, good, length);
        for (uint64_t changes = 1 + random_below(&random, 6); changes; changes--) {
            size_t at = (size_t)random_below(&random, length);
            size_t count = (size_t)random_below(&random, 20);
            switch (random_below(&random, 4)) {
            case 0:
                text[at] = letters[random_below(&random, sizeof letters - 1)];
                break;
            case 1:
                count = MIN(count, length - at - (at == 0));
                memmove(text + at, text + at + count, length - at - count);
                length -= count;
                break;
            case 2:
                count =
                    MIN((size_t)random_below(&random, 20), MIN(length - at, sizeof text - length));
                memmove(text + at + count, text + at, length - at);
                length += count;
                break;
            default:
                length = at + 1;
            }
        }
        Arena *arena = arena_new();
        Error error = {0};
        Config config;
        /* on the heap, at its exact size: a sanitizer sees reads behind the end */
        char *copy = malloc(length);
        assert_non_null(copy);
        memcpy(copy, text, length);
        if (config_parse(arena, "f", (Str){copy, length}, &config, &error)) {
            taken++;
            config_free(&config);
        } else {
            assert_true(error.message[0] && error.line >= 0);
        }
        free(copy);
        arena_free(arena);
    }
    assert_true(taken > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_config), cmocka_unit_test(test_fuzz)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
