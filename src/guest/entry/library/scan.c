/* scan.c: sscanf and its like. libc converts into memory of this function, and what was converted
 * is then stored in sight, one object after the other: so exactly what is assigned is announced. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include "guest/entry/guest.h"

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

#define WRAP(type, name, parameters)                                                               \
    GUEST type __wrap_##name parameters;                                                           \
    type __wrap_##name parameters

enum { MOST = 24, ROOM = 16384 };

typedef struct Target { /* one conversion that assigns */
    char *to;           /* the program's object */
    size_t bytes;       /* of a number; for characters, how many */
    size_t unit;        /* of a string: the size of a character; 0: no string */
    bool counts;        /* in sscanf's result: all but %n */
} Target;

typedef struct Scan {
    Target targets[MOST];
    size_t offsets[MOST]; /* in the room below */
    unsigned count;
    size_t used;
} Scan;

static size_t number_bytes(const char **at)
{
    static const struct {
        const char *word;
        size_t bytes;
    } sizes[] = {{"hh", 1}, {"h", 2}, {"ll", 8}, {"l", 8}, {"L", 16},
                 {"j", 8},  {"z", 8}, {"t", 8},  {"q", 8}};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        if (!strncmp(*at, sizes[i].word, strlen(sizes[i].word))) {
            *at += strlen(sizes[i].word);
            return sizes[i].bytes;
        }
    return 4;
}

/* The end of a set "[^]abc]". */
static const char *set_end(const char *at)
{
    at += at[1] == '^' ? 2 : 1;
    return strchr(*at == ']' ? at + 1 : at, ']');
}

/* Describes the conversion at AT (behind '%', '*' and the width); false if it is not known. */
static bool describe(const char **at, size_t width, size_t longest, Target *target, size_t *room)
{
    size_t size = number_bytes(at);
    bool wide = size == 8;
    *target = (Target){.counts = true};
    switch (**at) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        target->bytes = size == 16 ? 8 : size;
        break;
    case 'n':
        target->bytes = size;
        target->counts = false;
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        target->bytes = size;
        break;
    case 'p':
        target->bytes = sizeof(void *);
        break;
    case 'C':
    case 'c':
        target->bytes = (width ? width : 1) * (wide || **at == 'C' ? sizeof(wchar_t) : 1);
        break;
    case 'S':
    case 's':
        target->unit = wide || **at == 'S' ? sizeof(wchar_t) : 1;
        break;
    case '[':
        target->unit = wide ? sizeof(wchar_t) : 1;
        *at = set_end(*at);
        if (!*at)
            return false;
        break;
    default:
        return false;
    }
    ++*at;
    *room = target->unit ? (longest + 1) * target->unit : target->bytes;
    return true;
}

/* Lists the targets of FORMAT; false if there is something in it that is not known. */
static bool plan(Scan *scan, const char *format, va_list list, size_t longest)
{
    for (const char *at = format; (at = strchr(at, '%'));) {
        char *end;
        if (*++at == '%') {
            at++;
            continue;
        }
        bool dropped = *at == '*';
        at += dropped;
        at += strspn(at, "'I");
        size_t width = strtoul(at, &end, 10), room;
        at = end;
        Target target;
        if (*at == '$' || *at == 'm' || !describe(&at, width, longest, &target, &room))
            return false;
        if (dropped)
            continue;
        target.to = va_arg(list, char *);
        scan->used = (scan->used + 15) & ~(size_t)15;
        if (scan->count == MOST || scan->used + room > ROOM)
            return false;
        scan->offsets[scan->count] = scan->used;
        scan->targets[scan->count++] = target;
        scan->used += room;
    }
    return true;
}

#define UNTOUCHED 0xab /* no number of characters that fit in memory consists of such bytes */

static bool is_untouched(const char *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)from[i] != UNTOUCHED)
            return false;
    return true;
}

static void store_results(const Scan *scan, char *room, int assigned, const void *pc)
{
    for (unsigned i = 0; i < scan->count; i++) {
        const Target *target = &scan->targets[i];
        if (target->counts && assigned-- <= 0)
            break; /* a %n behind it was not reached either */
        char *from = room + scan->offsets[i];
        if (!target->counts && is_untouched(from, target->bytes))
            continue;
        size_t bytes = target->unit == 1 ? strlen(from) + 1
                       : target->unit    ? (wcslen((void *)from) + 1) * sizeof(wchar_t)
                                         : target->bytes;
        guest_store(target->to, from, bytes, pc);
    }
}

static int scan_text(const char *text, const char *format, va_list list, const void *pc)
{
    if (!op_active())
        return vsscanf(text, format, list);
    size_t length = strlen(text);
    guest_will_read(text, length + 1, pc);
    guest_will_read(format, strlen(format) + 1, pc);
    Scan scan = {.used = 0};
    char room[ROOM] __attribute__((aligned(16)));
    char *t[MOST];
    if (!plan(&scan, format, list, length))
        op_unsupported_at(pc, "sscanf with the format \"%.60s\"", format);
    for (unsigned i = 0; i < MOST; i++)
        t[i] = room + (i < scan.count ? scan.offsets[i] : 0);
    memset(room, UNTOUCHED, scan.used);
    int result = 0;
    GUEST_KEEP_ERRNO(result = sscanf(text, format, t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7],
                                     t[8], t[9], t[10], t[11], t[12], t[13], t[14], t[15], t[16],
                                     t[17], t[18], t[19], t[20], t[21], t[22], t[23]));
    store_results(&scan, room, result, pc);
    return result;
}

#define VARIADIC(last, call)                                                                       \
    va_list list;                                                                                  \
    va_start(list, last);                                                                          \
    int result = call;                                                                             \
    va_end(list);                                                                                  \
    return result

#define SCANF(name, vname)                                                                         \
    WRAP(int, name, (const char *restrict text, const char *restrict format, ...))                 \
    {                                                                                              \
        VARIADIC(format, scan_text(text, format, list, GUEST_PC));                                 \
    }                                                                                              \
    WRAP(int, vname, (const char *restrict text, const char *restrict format, va_list list))       \
    {                                                                                              \
        return scan_text(text, format, list, GUEST_PC);                                            \
    }
SCANF(sscanf, vsscanf)
SCANF(__isoc99_sscanf, __isoc99_vsscanf)
