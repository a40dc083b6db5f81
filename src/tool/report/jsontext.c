#include "tool/report/jsontext.h"
#include <stdlib.h>
#include "base/print.h"

/* Bytes of the UTF-8 character at AT, 0 if it is none: overlong forms, surrogates and what lies
 * beyond U+10FFFF are none (RFC 3629). */
static size_t character_length(const unsigned char *at, size_t left)
{
    size_t length = at[0] < 0x80   ? 1
                    : at[0] < 0xC2 ? 0
                    : at[0] < 0xE0 ? 2
                    : at[0] < 0xF0 ? 3
                    : at[0] < 0xF5 ? 4
                                   : 0;
    if (!length || length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xF0 && at[1] < 0x90);
    bool surrogate = at[0] == 0xED && at[1] > 0x9F, beyond = at[0] == 0xF4 && at[1] > 0x8F;
    return overlong || surrogate || beyond ? 0 : length;
}

json_t *json_text_of(Str text)
{
    json_t *value = json_stringn(text.length ? text.at : "", text.length);
    if (value)
        return value;
    Buffer safe = {0};
    for (size_t i = 0; i < text.length;) {
        size_t length = character_length((const unsigned char *)text.at + i, text.length - i);
        if (length)
            buffer_append(&safe, text.at + i, length);
        else
            buffer_append(&safe, "\xEF\xBF\xBD", 3);
        i += length ? length : 1;
    }
    value = json_stringn(safe.at, safe.count);
    vec_free(&safe);
    if (!value)
        die("out of memory");
    return value;
}

json_t *json_text(const char *text)
{
    return text ? json_text_of(str_of(text)) : json_null();
}

bool json_print(FILE *to, const json_t *value, size_t flags)
{
    char *text = json_dumps(value, flags);
    if (!text)
        return false;
    Str rest = str_of(text);
    while (rest.length) {
        bool safe;
        uint32_t code;
        size_t plain = 0;
        while (plain < rest.length && (unsigned char)rest.at[plain] < 0x7F)
            plain++;
        fwrite(rest.at, 1, plain, to);
        rest = (Str){rest.at + plain, rest.length - plain};
        if (!rest.length)
            break;
        size_t length = print_character(rest, &code, &safe);
        if (safe)
            fwrite(rest.at, 1, length, to);
        else
            fprintf(to, "\\u%04x", (unsigned)code);
        rest = (Str){rest.at + length, rest.length - length};
    }
    free(text);
    return !ferror(to);
}

void json_put(json_t *object, const char *key, json_t *value)
{
    if (!value || json_object_set_new(object, key, value) != 0)
        die("out of memory");
}

void json_push(json_t *array, json_t *value)
{
    if (!value || json_array_append_new(array, value) != 0)
        die("out of memory");
}
