/* Text from outside as JSON: what is UTF-8 by RFC 3629 stays, every other byte becomes U+FFFD. */
#include "tool/report/jsontext.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>

#define BAD "\xEF\xBF\xBD"

static void expect(const char *text, size_t length, const char *wanted, size_t wanted_length)
{
    json_t *value = json_text_of((Str){text, length});
    assert_int_equal(json_string_length(value), wanted_length);
    assert_memory_equal(json_string_value(value), wanted, wanted_length);
    json_decref(value);
}
#define EXPECT(text, wanted) expect(text, sizeof text - 1, wanted, sizeof wanted - 1)

static void characters(void **state)
{
    (void)state;
    EXPECT("", "");
    EXPECT("<script>", "<script>");
    EXPECT("\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x90\x9B", "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x90\x9B");
    EXPECT("a\xFF z", "a" BAD " z");
    EXPECT("\xC0\xAF", BAD BAD);                 /* an overlong slash */
    EXPECT("\xE0\x80\xAF", BAD BAD BAD);         /* the same in three bytes */
    EXPECT("\xED\xA0\x80", BAD BAD BAD);         /* half of a surrogate pair */
    EXPECT("\xF4\x90\x80\x80", BAD BAD BAD BAD); /* beyond U+10FFFF */
    EXPECT("\xE2\x82", BAD BAD);                 /* cut at the end */
    EXPECT("\xE2\x82q", BAD BAD "q");
    EXPECT("a\0b\xFF", "a\0b" BAD);
    assert_true(json_is_null(json_text(NULL)));
    json_decref(json_text("x"));
}

/* Whatever the bytes, the result is one that the library accepts. */
static void all_pairs(void **state)
{
    (void)state;
    for (unsigned a = 0; a < 256; a++)
        for (unsigned b = 0; b < 256; b++) {
            char text[4] = {(char)a, (char)b, (char)0x80, 'x'};
            json_t *value = json_text_of((Str){text, sizeof text});
            json_t *again = json_stringn(json_string_value(value), json_string_length(value));
            assert_non_null(again);
            json_decref(again);
            json_decref(value);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(characters), cmocka_unit_test(all_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
