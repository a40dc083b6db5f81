#include "guest/entry/library/format.h"
#include <wchar.h>
#include "guest/entry/guest.h"

/* The size modifiers of printf: hh h (none) l ll L j z t, by the number of bytes taken. */
typedef enum Size { SIZE_CHAR, SIZE_SHORT, SIZE_INT, SIZE_LONG, SIZE_LONG_DOUBLE } Size;

static const char *scan_size(const char *at, Size *size)
{
    *size = SIZE_INT;
    switch (*at) {
    case 'h':
        *size = at[1] == 'h' ? SIZE_CHAR : SIZE_SHORT;
        return at[1] == 'h' ? at + 2 : at + 1;
    case 'l':
        *size = SIZE_LONG;
        return at[1] == 'l' ? at + 2 : at + 1;
    case 'j':
    case 'z':
    case 't':
    case 'q':
        *size = SIZE_LONG;
        return at + 1;
    case 'L':
        *size = SIZE_LONG_DOUBLE;
        return at + 1;
    default:
        return at;
    }
}

/* A width or precision: digits, or '*' for an argument. */
static const char *scan_number(const char *at, va_list *list, int *value)
{
    if (*at == '*') {
        *value = va_arg(*list, int);
        return at + 1;
    }
    *value = 0;
    while (*at >= '0' && *at <= '9')
        *value = *value * 10 + (*at++ - '0');
    return at;
}

static void announce_string(const char *text, int precision, const void *pc)
{
    if (!text)
        return;
    size_t limit = precision < 0 ? SIZE_MAX : (size_t)precision;
    size_t length = strnlen(text, limit);
    guest_will_read(text, length < limit ? length + 1 : length, pc);
}

/* No more wide characters are looked at than bytes may be printed. */
static void announce_wide_string(const wchar_t *text, int precision, const void *pc)
{
    if (!text)
        return;
    size_t limit = precision < 0 ? SIZE_MAX : (size_t)precision;
    size_t length = wcsnlen(text, limit);
    guest_will_read(text, (length < limit ? length + 1 : length) * sizeof *text, pc);
}

/* False if the directive is unknown. */
static bool announce(char directive, Size size, int precision, va_list *list, const void *pc)
{
    static const size_t bytes[] = {1, 2, 4, 8, 8};
    switch (directive) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        if (size >= SIZE_LONG)
            (void)va_arg(*list, long);
        else
            (void)va_arg(*list, int);
        return true;
    case 'c':
        (void)va_arg(*list, int);
        return true;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        if (size == SIZE_LONG_DOUBLE)
            (void)va_arg(*list, long double);
        else
            (void)va_arg(*list, double);
        return true;
    case 'p':
        (void)va_arg(*list, void *);
        return true;
    case 's':
        if (size == SIZE_LONG)
            announce_wide_string(va_arg(*list, const wchar_t *), precision, pc);
        else
            announce_string(va_arg(*list, const char *), precision, pc);
        return true;
    case 'S':
        announce_wide_string(va_arg(*list, const wchar_t *), precision, pc);
        return true;
    case 'n':
        guest_will_write(va_arg(*list, void *), bytes[size], pc);
        return true;
    case 'm':
    case '%':
        return true;
    default:
        return false;
    }
}

void format_announce(const char *format, va_list list, const void *pc)
{
    if (!op_active())
        return;
    va_list own;
    va_copy(own, list);
    guest_will_read(format, strlen(format) + 1, pc);
    for (const char *at = format; (at = strchr(at, '%'));) {
        int width, precision = -1;
        Size size;
        at++;
        at += strspn(at, "-+ #0'I");
        at = scan_number(at, &own, &width);
        if (*at == '.')
            at = scan_number(at + 1, &own, &precision);
        at = scan_size(at, &size);
        if (!announce(*at, size, precision, &own, pc))
            break;
        at++;
    }
    va_end(own);
}
