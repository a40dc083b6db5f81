/* What is printed of every sequence of up to two bytes, and of each code point, is what iconv and
 * the lists of the standards say: nothing that a terminal could obey. */
#include "base/print.h"
#include <iconv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The slow way: one code point, as iconv decodes it, or -1. */
static int64_t decoded(iconv_t decoder, const char *bytes, size_t length)
{
    uint32_t code[8];
    char in[8], *from = in, *to = (char *)code;
    size_t left = length, room = sizeof code;
    memcpy(in, bytes, length);
    iconv(decoder, NULL, NULL, NULL, NULL);
    size_t result = iconv(decoder, &from, &left, &to, &room);
    return result == (size_t)-1 || left || room != sizeof code - 4 ? -1 : (int64_t)code[0];
}

static bool steers(int64_t code)
{
    return (code < 0x20 && code != '\t' && code != '\n') || (code >= 0x7F && code <= 0x9F) ||
           code == 0x61C || code == 0x200E || code == 0x200F ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

static void check(iconv_t decoder, const char *bytes, size_t length)
{
    bool safe;
    uint32_t code;
    int64_t expected = decoded(decoder, bytes, length);
    size_t taken = print_character((Str){bytes, length}, &code, &safe);
    assert_true(taken >= 1 && taken <= length);
    if (expected < 0 && taken == length)
        assert_false(safe);
    if (expected >= 0) {
        assert_int_equal(taken, length);
        assert_int_equal(safe, !steers(expected));
        assert_true(!safe || code == expected);
    }
}

static void test_characters(void **state)
{
    (void)state;
    iconv_t decoder = iconv_open("UTF-32LE", "UTF-8"), encoder = iconv_open("UTF-8", "UTF-32LE");
    char bytes[8];
    for (int a = 0; a < 256; a++) {
        bytes[0] = (char)a;
        check(decoder, bytes, 1);
        for (int b = 0; b < 256; b++) {
            bytes[1] = (char)b;
            bytes[2] = (char)0x80;
            check(decoder, bytes, 2);
            check(decoder, bytes, 3);
        }
    }
    for (uint32_t code = 0; code < 0x11000; code += code < 0x3000 ? 1 : 97) {
        char in[4], *from = in, *to = bytes;
        size_t left = 4, room = sizeof bytes;
        memcpy(in, &code, 4);
        iconv(encoder, NULL, NULL, NULL, NULL);
        if (iconv(encoder, &from, &left, &to, &room) != (size_t)-1)
            check(decoder, bytes, sizeof bytes - room);
    }
    iconv_close(decoder);
    iconv_close(encoder);
}

static void test_texts(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"plain\ttext\n", "plain\ttext\n"},
        {"a\033[31mb", "a?[31mb"},
        {"a\xC2\x9B"
         "31mb",
         "a?31mb"},
        {"a\x9B"
         "31mb",
         "a?31mb"},
        {"a\rb\b\x7F", "a?b??"},
        {"\xE2\x80\xAE"
         "cba",
         "?cba"},
        {"\xC3\xA9\xE2\x86\x92", "\xC3\xA9\xE2\x86\x92"},
        {"cut \xE2\x86", "cut ??"},
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        char *text, copy[64];
        size_t bytes;
        FILE *to = open_memstream(&text, &bytes);
        print_plain(to, "%s", pairs[i][0]);
        fclose(to);
        assert_string_equal(text, pairs[i][1]);
        free(text);
        snprintf(copy, sizeof copy, "%s", pairs[i][0]);
        print_make_plain(copy);
        assert_string_equal(copy, pairs[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_characters),
                                       cmocka_unit_test(test_texts)};
    return cmocka_run_group_tests_name("base_print", tests, NULL, NULL);
}
