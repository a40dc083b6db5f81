#include "base/print.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>

/* The character that the sequence of LENGTH bytes at AT stands for. */
static uint32_t decode(const unsigned char *at, size_t length)
{
    uint32_t code = length == 1 ? at[0] : at[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (at[i] & 0x3Fu);
    return code;
}

static bool turns_direction(uint32_t code)
{
    return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0x200E || code == 0x200F || code == 0x061C;
}

size_t print_character(Str text, uint32_t *code, bool *safe)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* by length: shorter would do */
    const unsigned char *at = (const unsigned char *)text.at;
    size_t length = at[0] < 0x80                    ? 1
                    : at[0] >= 0xC2 && at[0] < 0xE0 ? 2
                    : (at[0] & 0xF0) == 0xE0        ? 3
                    : at[0] >= 0xF0 && at[0] < 0xF5 ? 4
                                                    : 0;
    *safe = length > 0 && length <= text.length;
    for (size_t i = 1; *safe && i < length; i++)
        *safe = (at[i] & 0xC0) == 0x80;
    *code = *safe ? decode(at, length) : at[0];
    if (!*safe)
        return 1;
    bool control =
        (*code < 32 && *code != '\n' && *code != '\t') || (*code >= 0x7F && *code < 0xA0);
    *safe = !control && !turns_direction(*code) && *code >= least[length] &&
            (*code < 0xD800 || *code > 0xDFFF);
    return length;
}

void print_text(FILE *to, Str text)
{
    while (text.length) {
        bool safe;
        uint32_t code;
        size_t plain = 0;
        while (plain < text.length && text.at[plain] >= 32 && text.at[plain] < 127)
            plain++;
        fwrite(text.at, 1, plain, to);
        text = (Str){text.at + plain, text.length - plain};
        if (!text.length)
            break;
        size_t length = print_character(text, &code, &safe);
        fwrite(safe ? text.at : "?", 1, safe ? length : 1, to);
        text = (Str){text.at + length, text.length - length};
    }
}

void print_make_plain(char *text)
{
    char *to = text;
    for (Str rest = str_of(text); rest.length;) {
        bool safe;
        uint32_t code;
        size_t length = print_character(rest, &code, &safe);
        for (size_t i = 0; i < (safe ? length : 1); i++)
            *to++ = safe ? rest.at[i] : '?';
        rest = (Str){rest.at + length, rest.length - length};
    }
    *to = 0;
}

bool print_finish(void)
{
    static bool told;
    bool had_failed = ferror(stdout) != 0, failed = fflush(stdout) != 0;
    if (!had_failed && !failed)
        return true;
    if (!told)
        fprintf(stderr, "heddle: the answer can't be written%s%s\n", failed ? ": " : "",
                failed ? strerror(errno) : "");
    told = true;
    __fpurge(stdout);
    return false;
}

void print_plain(FILE *to, const char *format, ...)
{
    va_list arguments;
    char *text;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        die("out of memory");
    print_text(to, (Str){text, (size_t)length});
    free(text);
}
