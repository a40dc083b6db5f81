/* Values as text, and their order: what needs nothing of the table but its questions (value.h). */
#include "judge/history/value.h"
#include <inttypes.h>
#include <string.h>

static void print_string(Str text, Buffer *out)
{
    buffer_append(out, "\"", 1);
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.at[i];
        if (c == '"' || c == '\\')
            buffer_printf(out, "\\%c", c);
        else if (c == '\n')
            buffer_append(out, "\\n", 2);
        else if (c < ' ' || c == 127)
            buffer_printf(out, "\\u%04x", c);
        else
            buffer_append(out, &text.at[i], 1);
    }
    buffer_append(out, "\"", 1);
}

/* [1, 2], {1: 2, 3: 4}, {1, 2} */
static void print_items(Values *values, Value value, char open, char close, Buffer *out)
{
    size_t count;
    bool map = value_kind(values, value) == VALUE_IS_MAP;
    buffer_append(out, &open, 1);
    value_items(values, value, &count);
    for (size_t i = 0; i < count; i++) {
        if (i)
            buffer_append(out, map && i % 2 ? ": " : ", ", 2);
        value_print(values, value_items(values, value, &count)[i], out);
    }
    buffer_append(out, &close, 1);
}

void value_print(Values *values, Value value, Buffer *out)
{
    int64_t number;
    switch (value_kind(values, value)) {
    case VALUE_IS_NONE:
        buffer_append(out, "none", 4);
        break;
    case VALUE_IS_UNKNOWN:
        buffer_append(out, "?", 1);
        break;
    case VALUE_IS_BOOL:
        buffer_printf(out, "%s", value.word == VALUE_TRUE.word ? "true" : "false");
        break;
    case VALUE_IS_INT:
        value_to_int(values, value, &number);
        buffer_printf(out, "%" PRId64, number);
        break;
    case VALUE_IS_STRING:
        print_string(value_text(values, value), out);
        break;
    case VALUE_IS_WORD: {
        Str text = value_text(values, value);
        buffer_append(out, text.at, text.length);
        break;
    }
    case VALUE_IS_ECHO:
        value_print(values, value_echoed(values, value), out);
        break;
    case VALUE_IS_ARRAY:
        print_items(values, value, '[', ']', out);
        break;
    case VALUE_IS_MAP:
    case VALUE_IS_SET:
        print_items(values, value, '{', '}', out);
        break;
    }
}

int value_compare(Values *values, Value a, Value b)
{
    if (a.word == b.word)
        return 0;
    ValueKind kind_a = value_kind(values, a), kind_b = value_kind(values, b);
    if (kind_a != kind_b)
        return kind_a < kind_b ? -1 : 1;
    int64_t number_a = 0, number_b = 0;
    switch (kind_a) {
    case VALUE_IS_BOOL:
    case VALUE_IS_INT:
        value_to_int(values, a, &number_a);
        value_to_int(values, b, &number_b);
        return number_a < number_b ? -1 : 1;
    case VALUE_IS_STRING:
    case VALUE_IS_WORD: {
        Str text_a = value_text(values, a), text_b = value_text(values, b);
        int order = memcmp(text_a.at, text_b.at, MIN(text_a.length, text_b.length));
        return order ? order : text_a.length < text_b.length ? -1 : 1;
    }
    case VALUE_IS_ECHO:
        return value_compare(values, value_echoed(values, a), value_echoed(values, b));
    case VALUE_IS_ARRAY:
    case VALUE_IS_MAP:
    case VALUE_IS_SET: {
        size_t count_a, count_b;
        value_items(values, a, &count_a);
        value_items(values, b, &count_b);
        for (size_t i = 0; i < count_a && i < count_b; i++) {
            size_t unused;
            int order = value_compare(values, value_items(values, a, &unused)[i],
                                      value_items(values, b, &unused)[i]);
            if (order)
                return order;
        }
        return count_a < count_b ? -1 : 1;
    }
    default:
        return 0;
    }
}
