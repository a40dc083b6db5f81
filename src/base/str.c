#include "base/str.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

Str str_of(const char *text)
{
    return (Str){text ? text : "", text ? strlen(text) : 0};
}

bool str_equal(Str a, Str b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

bool str_is(Str a, const char *text)
{
    return str_equal(a, str_of(text));
}

bool str_starts(Str text, Str prefix)
{
    return text.length >= prefix.length && str_equal((Str){text.at, prefix.length}, prefix);
}

bool str_ends(Str text, Str suffix)
{
    return text.length >= suffix.length &&
           str_equal((Str){text.at + text.length - suffix.length, suffix.length}, suffix);
}

Str str_trim(Str text)
{
    while (text.length && isspace((unsigned char)text.at[0])) {
        text.at++;
        text.length--;
    }
    while (text.length && isspace((unsigned char)text.at[text.length - 1]))
        text.length--;
    return text;
}

bool str_next(Str *rest, char separator, Str *piece)
{
    if (!rest->at)
        return false;
    const char *end = rest->length ? memchr(rest->at, separator, rest->length) : NULL;
    if (!end) {
        *piece = *rest;
        *rest = (Str){NULL, 0};
        return true;
    }
    *piece = (Str){rest->at, (size_t)(end - rest->at)};
    rest->length -= piece->length + 1;
    rest->at = end + 1;
    return true;
}

bool str_to_int64(Str text, int64_t *value)
{
    bool negative = text.length && text.at[0] == '-';
    size_t i = negative || (text.length && text.at[0] == '+') ? 1 : 0;
    if (i == text.length)
        return false;
    int64_t result = 0;
    for (; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
        int digit = text.at[i] - '0';
        if (__builtin_mul_overflow(result, 10, &result) ||
            __builtin_add_overflow(result, negative ? -digit : digit, &result))
            return false;
    }
    *value = result;
    return true;
}

const char *str_copy(Arena *arena, Str text)
{
    return arena_copy(arena, text.at, text.length);
}

void buffer_append(Buffer *buffer, const void *bytes, size_t count)
{
    vec_reserve(buffer, buffer->count + count + 1);
    if (count)
        memcpy(buffer->at + buffer->count, bytes, count);
    buffer->count += count;
    buffer->at[buffer->count] = 0;
}

void buffer_printf(Buffer *buffer, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    ASSERT(length >= 0);
    vec_reserve(buffer, MAX(buffer->count + (size_t)length + 1, buffer->count * 2));
    vsnprintf(buffer->at + buffer->count, (size_t)length + 1, format, again);
    va_end(again);
    buffer->count += (size_t)length;
}

Str buffer_str(const Buffer *buffer)
{
    return (Str){buffer->at ? buffer->at : "", buffer->count};
}

size_t str_distance(const char *a, const char *b)
{
    size_t row[32], columns = MIN(strlen(b), COUNT_OF(row) - 1);
    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = MIN(change, MIN(row[j], row[j - 1]) + 1);
        }
    }
    return row[columns];
}
