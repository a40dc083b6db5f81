/* string.c: the str* functions, and numbers from strings. Each announces what it reads and writes,
 * then leaves the work to libc. The lengths are measured before the announcement, so a string
 * without end runs into memory that is not mapped, as it would natively, or into the bounds of its
 * object. */
#include "guest/entry/guest.h"
#include "guest/entry/library/hidden.h"
#include "guest/explore/memory/allocation.h"
#include <stdlib.h>
#include <wchar.h>

#define WRAP(type, name, parameters)                                                               \
    GUEST type __wrap_##name parameters;                                                           \
    type __wrap_##name parameters

static size_t read_string(const char *text, const void *pc)
{
    size_t length = strlen(text);
    guest_will_read(text, length + 1, pc);
    return length;
}

/* Reads at most LIMIT bytes; the terminator only if it is among them. */
static size_t read_up_to(const char *text, size_t limit, const void *pc)
{
    size_t length = strnlen(text, limit);
    guest_will_read(text, length < limit ? length + 1 : limit, pc);
    return length;
}

WRAP(size_t, strlen, (const char *text))
{
    return read_string(text, GUEST_PC);
}

WRAP(size_t, strnlen, (const char *text, size_t limit))
{
    return read_up_to(text, limit, GUEST_PC);
}

/* A comparison stops at the first difference. */
static int compare(const char *left, const char *right, size_t limit, const void *pc)
{
    size_t i = 0;
    while (i < limit && left[i] == right[i] && left[i])
        i++;
    size_t bytes = MIN(i + 1, limit);
    guest_will_read(left, bytes, pc);
    guest_will_read(right, bytes, pc);
    return i == limit ? 0 : (unsigned char)left[i] - (unsigned char)right[i];
}

WRAP(int, strcmp, (const char *left, const char *right))
{
    return compare(left, right, SIZE_MAX, GUEST_PC);
}

WRAP(int, strncmp, (const char *left, const char *right, size_t limit))
{
    return compare(left, right, limit, GUEST_PC);
}

#define READ_TWO(type, name)                                                                       \
    WRAP(type, name, (const char *left, const char *right))                                        \
    {                                                                                              \
        read_string(left, GUEST_PC);                                                               \
        read_string(right, GUEST_PC);                                                              \
        return (type)(uintptr_t)name(left, right);                                                 \
    }
READ_TWO(char *, strstr)
READ_TWO(char *, strcasestr)
READ_TWO(char *, strpbrk)
READ_TWO(size_t, strspn)
READ_TWO(size_t, strcspn)

WRAP(int, strcasecmp, (const char *left, const char *right))
{
    read_string(left, GUEST_PC);
    read_string(right, GUEST_PC);
    return strcasecmp(left, right);
}

WRAP(int, strncasecmp, (const char *left, const char *right, size_t limit))
{
    read_up_to(left, limit, GUEST_PC);
    read_up_to(right, limit, GUEST_PC);
    return strncasecmp(left, right, limit);
}

WRAP(int, strcoll, (const char *left, const char *right))
{
    read_string(left, GUEST_PC);
    read_string(right, GUEST_PC);
    return strcoll(left, right);
}

WRAP(char *, strchr, (const char *text, int value))
{
    read_string(text, GUEST_PC);
    return strchr(text, value);
}

WRAP(char *, strrchr, (const char *text, int value))
{
    read_string(text, GUEST_PC);
    return strrchr(text, value);
}

WRAP(char *, strchrnul, (const char *text, int value))
{
    read_string(text, GUEST_PC);
    return strchrnul(text, value);
}

/* -- writers
 * --------------------------------------------------------------------------------------- */

static char *copy(char *to, const char *from, size_t bytes, const void *pc)
{
    guest_will_write(to, bytes, pc);
    memmove(to, from, bytes);
    return to + bytes;
}

WRAP(char *, strcpy, (char *restrict to, const char *restrict from))
{
    copy(to, from, read_string(from, GUEST_PC) + 1, GUEST_PC);
    return to;
}

WRAP(char *, stpcpy, (char *restrict to, const char *restrict from))
{
    return copy(to, from, read_string(from, GUEST_PC) + 1, GUEST_PC) - 1;
}

static char *copy_padded(char *to, const char *from, size_t bytes, const void *pc)
{
    size_t length = read_up_to(from, bytes, pc);
    guest_will_write(to, bytes, pc);
    memmove(to, from, length);
    memset(to + length, 0, bytes - length);
    return to + length;
}

WRAP(char *, strncpy, (char *restrict to, const char *restrict from, size_t bytes))
{
    copy_padded(to, from, bytes, GUEST_PC);
    return to;
}

WRAP(char *, stpncpy, (char *restrict to, const char *restrict from, size_t bytes))
{
    return copy_padded(to, from, bytes, GUEST_PC);
}

WRAP(char *, strcat, (char *restrict to, const char *restrict from))
{
    size_t length = read_string(to, GUEST_PC);
    copy(to + length, from, read_string(from, GUEST_PC) + 1, GUEST_PC);
    return to;
}

WRAP(char *, strncat, (char *restrict to, const char *restrict from, size_t bytes))
{
    size_t length = read_string(to, GUEST_PC), more = read_up_to(from, bytes, GUEST_PC);
    guest_will_write(to + length, more + 1, GUEST_PC);
    memmove(to + length, from, more);
    to[length + more] = '\0';
    return to;
}

WRAP(char *, strdup, (const char *text))
{
    size_t bytes = read_string(text, GUEST_PC) + 1;
    char *fresh = heap_allocate(bytes, GUEST_PC);
    if (fresh)
        copy(fresh, text, bytes, GUEST_PC);
    return fresh;
}

WRAP(char *, strndup, (const char *text, size_t limit))
{
    size_t length = read_up_to(text, limit, GUEST_PC);
    char *fresh = heap_allocate(length + 1, GUEST_PC);
    if (fresh) {
        guest_will_write(fresh, length + 1, GUEST_PC);
        memcpy(fresh, text, length);
        fresh[length] = '\0';
    }
    return fresh;
}

static char *token(char *text, const char *separators, char **rest, const void *pc)
{
    if (!text)
        text = *rest;
    read_string(separators, pc);
    read_string(text, pc);
    text += strspn(text, separators);
    if (!*text) {
        guest_put(rest, &text, sizeof text);
        return NULL;
    }
    char *end = text + strcspn(text, separators);
    if (*end) {
        guest_will_write(end, 1, pc);
        *end++ = '\0';
    }
    guest_put(rest, &end, sizeof end);
    return text;
}

/* libc keeps one position for the process: threads that share it without order race. */
WRAP(char *, strtok, (char *restrict text, const char *restrict separators))
{
    hidden_enter('K', 'H', GUEST_PC);
    char **rest = (char **)(void *)hidden_cell('K'), *found = NULL;
    if (text || *rest)
        found = token(text, separators, rest, GUEST_PC);
    hidden_leave('K', 'H', GUEST_PC);
    return found;
}

WRAP(char *, strtok_r, (char *restrict text, const char *restrict separators, char **restrict rest))
{
    guest_will_write(rest, sizeof *rest, GUEST_PC);
    return token(text, separators, rest, GUEST_PC);
}

WRAP(char *, strsep, (char **restrict text, const char *restrict separators))
{
    char *start = *text, *end;
    guest_will_read(text, sizeof *text, GUEST_PC);
    if (!start)
        return NULL;
    read_string(start, GUEST_PC);
    end = start + strcspn(start, separators);
    char *next = *end ? end + 1 : NULL;
    if (*end) {
        guest_will_write(end, 1, GUEST_PC);
        *end = '\0';
    }
    guest_store(text, &next, sizeof next, GUEST_PC);
    return start;
}

/* -- numbers
 * --------------------------------------------------------------------------------------- */

#define NUMBER(type, name, base_parameter, base_argument)                                          \
    WRAP(type, name, (const char *restrict text, char **restrict end base_parameter))              \
    {                                                                                              \
        char *stop = NULL;                                                                         \
        type value = 0;                                                                            \
        read_string(text, GUEST_PC);                                                               \
        GUEST_KEEP_ERRNO(value = name(text, &stop base_argument));                                 \
        if (end)                                                                                   \
            guest_store(end, &stop, sizeof stop, GUEST_PC);                                        \
        return value;                                                                              \
    }
#define COMMA ,
NUMBER(long, strtol, COMMA int base, COMMA base)
NUMBER(long long, strtoll, COMMA int base, COMMA base)
NUMBER(unsigned long, strtoul, COMMA int base, COMMA base)
NUMBER(unsigned long long, strtoull, COMMA int base, COMMA base)
NUMBER(float, strtof, , )
NUMBER(double, strtod, , )
NUMBER(long double, strtold, , )

#define NUMBER_ONLY(type, name)                                                                    \
    WRAP(type, name, (const char *text))                                                           \
    {                                                                                              \
        type value = 0;                                                                            \
        read_string(text, GUEST_PC);                                                               \
        GUEST_KEEP_ERRNO(value = name(text));                                                      \
        return value;                                                                              \
    }
NUMBER_ONLY(int, atoi)
NUMBER_ONLY(long, atol)
NUMBER_ONLY(long long, atoll)
NUMBER_ONLY(double, atof)
