#include "judge/history/run_text.h"
#include <string.h>

Value run_text_value(Values *values, Value value, uint64_t done)
{
    if (value.word == done)
        return VALUE_NONE;
    if (value.word == VALUE_NONE.word)
        return value_string(values, str_of("none"));
    if (value_kind(values, value) != VALUE_IS_ARRAY)
        return value;
    Buffer text = {0};
    value_print(values, value, &text);
    Value string = value_string(values, buffer_str(&text));
    vec_free(&text);
    return string;
}

static void print_value(Values *values, Value value, Buffer *out)
{
    int64_t number = 0;
    switch (value_kind(values, value)) {
    case VALUE_IS_BOOL:
        buffer_printf(out, "%s", value.word == VALUE_TRUE.word ? "t" : "f");
        break;
    case VALUE_IS_INT:
        value_to_int(values, value, &number);
        buffer_printf(out, "i%lld", (long long)number);
        break;
    case VALUE_IS_STRING: {
        Str text = value_text(values, value);
        buffer_printf(out, "s");
        for (size_t i = 0; i < text.length; i++)
            buffer_printf(out, "%02x", (unsigned)(unsigned char)text.at[i]);
        break;
    }
    default:
        break; /* nothing */
    }
}

void run_text_print(Values *values, const RunCall *calls, size_t count, Buffer *out)
{
    for (size_t i = 0; i < count; i++) {
        const RunCall *call = &calls[i];
        buffer_printf(out, "%s%u:%.*s(", i ? " " : "", call->thread, STR_ARG(call->name));
        for (uint32_t j = 0; j < call->count; j++) {
            buffer_printf(out, "%s", j ? "," : "");
            print_value(values, call->arguments[j], out);
        }
        bool waits = call->result.word == VALUE_UNKNOWN.word;
        buffer_printf(out, ")%s", waits ? "#" : "=");
        if (!waits)
            print_value(values, call->result, out);
    }
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool parse_value(Values *values, Str text, Value *value)
{
    int64_t number;
    *value = VALUE_NONE;
    if (!text.length)
        return true;
    Str rest = {text.at + 1, text.length - 1};
    if (str_is(text, "t") || str_is(text, "f")) {
        *value = value_bool(text.at[0] == 't');
        return true;
    }
    if (text.at[0] == 'i' && str_to_int64(rest, &number)) {
        *value = value_int(values, number);
        return true;
    }
    if (text.at[0] != 's' || rest.length % 2)
        return false;
    Buffer bytes = {0};
    bool fine = true;
    buffer_append(&bytes, "", 0);
    for (size_t i = 0; i < rest.length && fine; i += 2) {
        int high = hex_digit(rest.at[i]), low = hex_digit(rest.at[i + 1]);
        char byte = (char)(high * 16 + low);
        fine = high >= 0 && low >= 0;
        buffer_append(&bytes, &byte, 1);
    }
    if (fine)
        *value = value_string(values, buffer_str(&bytes));
    vec_free(&bytes);
    return fine;
}

/* The place of C in TEXT, or its length. */
static size_t find(Str text, char c)
{
    const char *at = text.length ? memchr(text.at, c, text.length) : NULL;
    return at ? (size_t)(at - text.at) : text.length;
}

static bool parse_call(Values *values, Str text, RunCall *call)
{
    size_t colon = find(text, ':'), open = find(text, '('), close = find(text, ')');
    int64_t thread;
    if (!(colon < open && open < close && close + 1 < text.length) ||
        !str_to_int64((Str){text.at, colon}, &thread) || thread < 0 || thread > 255)
        return false;
    *call = (RunCall){.thread = (uint32_t)thread,
                      .name = {text.at + colon + 1, open - colon - 1},
                      .result = VALUE_UNKNOWN};
    if (!call->name.length)
        return false;
    Str arguments = {text.at + open + 1, close - open - 1}, word;
    while (arguments.length) {
        bool more = find(arguments, ',') < arguments.length;
        if (!str_next(&arguments, ',', &word) || call->count == RUN_TEXT_ARGUMENTS ||
            !parse_value(values, word, &call->arguments[call->count++]) ||
            (more && !arguments.length))
            return false;
    }
    Str rest = {text.at + close + 1, text.length - close - 1};
    if (str_is(rest, "#"))
        return true;
    rest.at++;
    rest.length--;
    return text.at[close + 1] == '=' && parse_value(values, rest, &call->result);
}

bool run_text_parse(Values *values, Str line, RunCall *calls, size_t *count, Error *error)
{
    Str rest = line, word;
    *count = 0;
    while (rest.length && str_next(&rest, ' ', &word)) {
        if (*count == RUN_TEXT_CALLS)
            return error_set(error, "a run of more than %u calls", RUN_TEXT_CALLS);
        if (*count && calls[*count - 1].result.word == VALUE_UNKNOWN.word)
            return error_set(error, "a call follows one that waits for ever");
        if (!parse_call(values, word, &calls[(*count)++]))
            return error_set(error, "\"%.*s\" is no call", (int)MIN(word.length, 60u), word.at);
    }
    return true;
}
