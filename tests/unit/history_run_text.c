/* Serial runs as lines: what is printed is read again; broken lines and broken observation files
 * are refused without harm. */
#include "judge/history/run_text.h"
#include "tool/cli/observations.h"
#include "base/hash.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static Value random_value(Values *values, Random *random)
{
    char text[8];
    size_t length = (size_t)random_below(random, sizeof text);
    switch (random_below(random, 5)) {
    case 0:
        return VALUE_TRUE;
    case 1:
        return VALUE_FALSE;
    case 2:
        return VALUE_NONE;
    case 3:
        for (size_t i = 0; i < length; i++)
            text[i] = (char)random_below(random, 256);
        return value_string(values, (Str){text, length});
    default:
        return value_int(values, (int64_t)random_next(random) >> random_below(random, 64));
    }
}

static void test_round_trip(void **unused)
{
    (void)unused;
    static const char *const names[] = {"put", "get", "a_b", "x"};
    Random random = {1};
    for (int i = 0; i < 5000; i++) {
        Values *values = values_new();
        RunCall calls[RUN_TEXT_CALLS], again[RUN_TEXT_CALLS];
        size_t count = (size_t)random_below(&random, RUN_TEXT_CALLS + 1), read;
        for (size_t j = 0; j < count; j++) {
            calls[j] = (RunCall){.thread = (uint32_t)random_below(&random, 8),
                                 .name = str_of(names[random_below(&random, 4)]),
                                 .count = (uint32_t)random_below(&random, 3),
                                 .result = random_value(values, &random)};
            for (uint32_t a = 0; a < calls[j].count; a++) {
                do /* no value is no argument */
                    calls[j].arguments[a] = random_value(values, &random);
                while (value_equal(calls[j].arguments[a], VALUE_NONE));
            }
        }
        if (count && random_below(&random, 4) == 0)
            calls[count - 1].result = VALUE_UNKNOWN;
        Buffer line = {0};
        Error error = {0};
        run_text_print(values, calls, count, &line);
        if (!run_text_parse(values, buffer_str(&line), again, &read, &error))
            fail_msg("%s: %.*s", error.message, STR_ARG(buffer_str(&line)));
        assert_int_equal(read, count);
        for (size_t j = 0; j < count; j++) {
            assert_int_equal(again[j].thread, calls[j].thread);
            assert_true(str_equal(again[j].name, calls[j].name));
            assert_int_equal(again[j].count, calls[j].count);
            assert_true(value_equal(again[j].result, calls[j].result));
            for (uint32_t a = 0; a < calls[j].count; a++)
                assert_true(value_equal(again[j].arguments[a], calls[j].arguments[a]));
        }
        vec_free(&line);
        values_free(values);
    }
}

static void test_refused(void **unused)
{
    (void)unused;
    static const char *const lines[] = {
        "x",           "0:put",      "0:put(i1)",   "0:(i1)=",   "-1:put()=",
        "0:put(i)=",   "0:put(s1)=", "0:put(sg0)=", "0:put()#x", "0:put()# 0:put()=",
        "0:put(i1,)=", "0:put()=x",  "999:put()=",  ":put()="};
    Values *values = values_new();
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        RunCall calls[RUN_TEXT_CALLS];
        size_t count;
        Error error = {0};
        if (run_text_parse(values, str_of(lines[i]), calls, &count, &error))
            fail_msg("accepted: %s", lines[i]);
        assert_true(error.message[0]);
    }
    values_free(values);
}

static const char figure[] =
    "<observationset><observation><thread id=\"A\">1 2</thread><thread id=\"B\">3B</thread>\n"
    "<op id=\"1\" name=\"Add\">value=\"200\"</op><op id=\"2\" name=\"Add\">value=\"4&amp;0\"</op>\n"
    "<op id=\"3\" name=\"Take\"/><history>1[ ]1 2[ ]2 3[ #</history></observation>\n"
    "<observation><thread id=\"A\">1</thread><op id=\"1\" name=\"Try\">result=\"'a b'\"</op>"
    "<history>1[ ]1</history></observation></observationset>";
static const char line_seed[] = "0:put(i1)= 1:get()=i1 2:text(s6162,t)=s 1:get()#";

static size_t mutate(const char *seed, size_t length, Random *random, char *to, size_t room)
{
    static const char *const pieces[] = {
        "<history>", "</history>", "1[", "]1",  "#", "\"", "&#44;", "<op id=\"1\"",
        "'",         "(",          ")",  ":",   "=", "s6", "i-",    "99999999999999999999",
        " ",         "B",          "\n", "\xff"};
    memcpy(to, seed, length);
    for (uint64_t changes = 1 + random_below(random, 4); changes--;) {
        size_t at = (size_t)random_below(random, length + 1);
        const char *piece = pieces[random_below(random, COUNT_OF(pieces))];
        size_t bytes = strlen(piece), gone;
        switch (random_below(random, 3)) {
        case 0: /* another byte */
            if (at < length)
                to[at] = (char)random_below(random, 256);
            break;
        case 1: /* a piece more */
            if (length + bytes > room)
                break;
            memmove(to + at + bytes, to + at, length - at);
            memcpy(to + at, piece, bytes);
            length += bytes;
            break;
        default: /* a piece less */
            gone = (size_t)random_below(random, 20);
            gone = MIN(gone, length - at);
            memmove(to + at, to + at + gone, length - at - gone);
            length -= gone;
        }
    }
    return length;
}

static void test_fuzz(void **unused)
{
    (void)unused;
    bool nightly = getenv("HEDDLE_NIGHTLY") != NULL;
    Random random = {7};
    char text[2048];
    unsigned fine = 0;
    for (int i = 0; i < (nightly ? 10000000 : 100000); i++) {
        Values *values = values_new();
        RunCall calls[RUN_TEXT_CALLS];
        size_t count, length = mutate(line_seed, sizeof line_seed - 1, &random, text, sizeof text);
        Error error = {0};
        fine += run_text_parse(values, (Str){text, length}, calls, &count, &error);
        values_free(values);
    }
    assert_true(fine > 100);
    char folder[] = "/tmp/heddle-test-XXXXXX", path[64], exchange[64], kept[80];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/o.xml", folder);
    snprintf(exchange, sizeof exchange, "%s/x", folder);
    snprintf(kept, sizeof kept, "%s.kept", exchange);
    fine = 0;
    for (int i = 0; i < (nightly ? 200000 : 3000); i++) {
        size_t length = mutate(figure, sizeof figure - 1, &random, text, sizeof text);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fwrite(text, 1, length, file);
        fclose(file);
        Error error = {0};
        if (!observations_give(path, exchange, &error)) {
            assert_true(error.message[0]);
            continue;
        }
        fine++; /* then the program can read it */
        char line[8192];
        assert_non_null(file = fopen(kept, "r"));
        while (fgets(line, sizeof line, file)) {
            Values *values = values_new();
            RunCall calls[RUN_TEXT_CALLS];
            size_t count;
            if (!run_text_parse(values, str_trim(str_of(line)), calls, &count, &error))
                fail_msg("%s in \"%s\" from %.*s", error.message, line, (int)length, text);
            values_free(values);
        }
        fclose(file);
    }
    assert_true(fine > 50);
    unlink(path);
    unlink(kept);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_fuzz)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
