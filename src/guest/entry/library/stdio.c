/* stdio.c: the program's output and input. While exploring, what it prints is thrown away: only the
 * accesses through the arguments and the result count. Standard input is empty. Other streams are
 * libc's own; they need an exploration that starts again from the beginning each time. */
#include "guest/entry/guest.h"
#include "guest/explore/memory/heap.h"
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>
#include "guest/entry/library/format.h"

/* The formats are the program's. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

#define WRAP(type, name, parameters)                                                               \
    GUEST type __wrap_##name parameters;                                                           \
    type __wrap_##name parameters

/* Is what goes to this stream to be dropped? */
static bool dropped(const FILE *stream)
{
    if (!op_active())
        return false;
    if (stream != stdout && stream != stderr) {
        op_needs_replay("the program uses a file");
        return false;
    }
    if (!guest_options.echo)
        return true;
    static bool unbuffered; /* the process ends without flushing */
    if (!unbuffered)
        setvbuf(stdout, NULL, _IONBF, 0);
    unbuffered = true;
    return false;
}

static int print(FILE *stream, const char *format, va_list list, const void *pc)
{
    va_list copy;
    int result;
    va_copy(copy, list);
    format_announce(format, copy, pc);
    va_end(copy);
    /* The length is the result, and %n must be set: libc does the formatting in any case. */
    if (dropped(stream))
        result = vsnprintf(NULL, 0, format, list);
    else
        result = vfprintf(stream, format, list);
    return result;
}

#define VARIADIC(last, call)                                                                       \
    va_list list;                                                                                  \
    va_start(list, last);                                                                          \
    int result = call;                                                                             \
    va_end(list);                                                                                  \
    return result

WRAP(int, printf, (const char *restrict format, ...))
{
    VARIADIC(format, print(stdout, format, list, GUEST_PC));
}

WRAP(int, vprintf, (const char *restrict format, va_list list))
{
    return print(stdout, format, list, GUEST_PC);
}

WRAP(int, fprintf, (FILE *restrict stream, const char *restrict format, ...))
{
    VARIADIC(format, print(stream, format, list, GUEST_PC));
}

WRAP(int, vfprintf, (FILE *restrict stream, const char *restrict format, va_list list))
{
    return print(stream, format, list, GUEST_PC);
}

WRAP(int, dprintf, (int descriptor, const char *restrict format, ...))
{
    FILE *stream = descriptor == STDERR_FILENO ? stderr : stdout;
    if (op_active() && descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO)
        op_unsupported("the program writes to file descriptor %d", descriptor);
    VARIADIC(format, print(stream, format, list, GUEST_PC));
}

static int put_string(const char *text, FILE *stream, bool line, const void *pc)
{
    size_t length = strlen(text);
    guest_will_read(text, length + 1, pc);
    if (dropped(stream))
        return (int)length + line;
    int result = fputs(text, stream);
    return line && result >= 0 ? fputc('\n', stream) : result;
}

WRAP(int, puts, (const char *text))
{
    return put_string(text, stdout, true, GUEST_PC);
}

WRAP(int, fputs, (const char *restrict text, FILE *restrict stream))
{
    return put_string(text, stream, false, GUEST_PC);
}

WRAP(int, fputc, (int value, FILE *stream))
{
    return dropped(stream) ? (unsigned char)value : fputc(value, stream);
}

WRAP(int, putc, (int value, FILE *stream))
{
    return dropped(stream) ? (unsigned char)value : fputc(value, stream);
}

WRAP(int, putchar, (int value))
{
    return dropped(stdout) ? (unsigned char)value : fputc(value, stdout);
}

WRAP(int, putchar_unlocked, (int value))
{
    return dropped(stdout) ? (unsigned char)value : fputc(value, stdout);
}

WRAP(int, putc_unlocked, (int value, FILE *stream))
{
    return dropped(stream) ? (unsigned char)value : fputc(value, stream);
}

WRAP(size_t, fwrite, (const void *restrict from, size_t size, size_t count, FILE *restrict stream))
{
    guest_will_read(from, size * count, GUEST_PC);
    return dropped(stream) ? count : fwrite(from, size, count, stream);
}

WRAP(int, fflush, (FILE * stream))
{
    if (op_active() && !guest_options.echo && (!stream || stream == stdout || stream == stderr))
        return 0;
    return fflush(stream);
}

WRAP(void, perror, (const char *text))
{
    if (text)
        guest_will_read(text, strlen(text) + 1, GUEST_PC);
    if (!dropped(stderr))
        perror(text);
}

WRAP(int, setvbuf, (FILE *restrict stream, char *restrict buffer, int mode, size_t bytes))
{
    (void)buffer, (void)mode, (void)bytes;
    if (op_active() && stream != stdout && stream != stderr)
        op_needs_replay("the program uses a file");
    return 0; /* the program's own buffer would be written behind the log */
}

WRAP(void, setbuf, (FILE *restrict stream, char *restrict buffer))
{
    (void)stream, (void)buffer;
}

/* The lock of a stream is libc's, and real: it would stop the only kernel thread. Nothing is
 * printed while exploring, so there is nothing to keep together. */
WRAP(void, flockfile, (FILE * stream))
{
    (void)stream;
}

WRAP(void, funlockfile, (FILE * stream))
{
    (void)stream;
}

WRAP(int, ftrylockfile, (FILE * stream))
{
    (void)stream;
    return 0;
}

WRAP(ssize_t, write, (int descriptor, const void *from, size_t bytes))
{
    guest_will_read(from, bytes, GUEST_PC);
    if (!op_active() || guest_options.echo)
        return write(descriptor, from, bytes);
    if (descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO)
        op_unsupported("the program writes to file descriptor %d", descriptor);
    return (ssize_t)bytes;
}

/* -- formatting into memory
 * ------------------------------------------------------------------------ */

static int format_into(char *to, size_t bytes, const char *format, va_list list, const void *pc)
{
    va_list copy;
    va_copy(copy, list);
    format_announce(format, copy, pc);
    va_end(copy);
    if (op_active()) { /* measure first: the write must be announced before it is made */
        va_copy(copy, list);
        int length = vsnprintf(NULL, 0, format, copy);
        va_end(copy);
        if (length >= 0 && bytes)
            guest_will_write(to, MIN((size_t)length + 1, bytes), pc);
    }
    return vsnprintf(to, bytes, format, list);
}

WRAP(int, snprintf, (char *restrict to, size_t bytes, const char *restrict format, ...))
{
    VARIADIC(format, format_into(to, bytes, format, list, GUEST_PC));
}

WRAP(int, vsnprintf, (char *restrict to, size_t bytes, const char *restrict format, va_list list))
{
    return format_into(to, bytes, format, list, GUEST_PC);
}

/* vsnprintf takes no more than this, and forms no pointer past the end of memory. */
static size_t rest_of_memory(const char *to)
{
    return MIN((size_t)INT32_MAX, (size_t)(UINTPTR_MAX - (uintptr_t)to));
}

WRAP(int, sprintf, (char *restrict to, const char *restrict format, ...))
{
    VARIADIC(format, format_into(to, rest_of_memory(to), format, list, GUEST_PC));
}

WRAP(int, vsprintf, (char *restrict to, const char *restrict format, va_list list))
{
    return format_into(to, rest_of_memory(to), format, list, GUEST_PC);
}

static int format_new(char **out, const char *format, va_list list, const void *pc)
{
    va_list copy;
    va_copy(copy, list);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    char *fresh = length < 0 ? NULL : heap_allocate((size_t)length + 1, pc);
    if (!fresh)
        return -1;
    guest_store(out, &fresh, sizeof fresh, pc);
    return format_into(fresh, (size_t)length + 1, format, list, pc);
}

WRAP(int, asprintf, (char **restrict out, const char *restrict format, ...))
{
    VARIADIC(format, format_new(out, format, list, GUEST_PC));
}

WRAP(int, vasprintf, (char **restrict out, const char *restrict format, va_list list))
{
    return format_new(out, format, list, GUEST_PC);
}

/* -- input: none
 * ----------------------------------------------------------------------------------- */

static bool empty(const FILE *stream)
{
    if (!op_active())
        return false;
    if (stream != stdin) {
        op_needs_replay("the program uses a file");
        return false;
    }
    op_warning("the program reads its standard input, which is empty here");
    return true;
}

WRAP(int, getchar, (void))
{
    return empty(stdin) ? EOF : getchar();
}

WRAP(int, getchar_unlocked, (void))
{
    return empty(stdin) ? EOF : getchar();
}

WRAP(int, fgetc, (FILE * stream))
{
    return empty(stream) ? EOF : fgetc(stream);
}

WRAP(int, getc, (FILE * stream))
{
    return empty(stream) ? EOF : fgetc(stream);
}

WRAP(char *, fgets, (char *restrict to, int bytes, FILE *restrict stream))
{
    return empty(stream) ? NULL : fgets(to, bytes, stream);
}

WRAP(size_t, fread, (void *restrict to, size_t size, size_t count, FILE *restrict stream))
{
    return empty(stream) ? 0 : fread(to, size, count, stream);
}

WRAP(ssize_t, getline, (char **restrict line, size_t *restrict bytes, FILE *restrict stream))
{
    return empty(stream) ? -1 : getline(line, bytes, stream);
}

WRAP(ssize_t, read, (int descriptor, void *to, size_t bytes))
{
    if (!op_active())
        return read(descriptor, to, bytes);
    if (descriptor != STDIN_FILENO)
        op_unsupported("the program reads from file descriptor %d", descriptor);
    return empty(stdin) ? 0 : -1;
}

static int scan(FILE *stream, const char *format, va_list list)
{
    return empty(stream) ? EOF : vfscanf(stream, format, list);
}

WRAP(int, scanf, (const char *restrict format, ...))
{
    VARIADIC(format, scan(stdin, format, list));
}

WRAP(int, __isoc99_scanf, (const char *restrict format, ...))
{
    VARIADIC(format, scan(stdin, format, list));
}

WRAP(int, fscanf, (FILE *restrict stream, const char *restrict format, ...))
{
    VARIADIC(format, scan(stream, format, list));
}

WRAP(int, __isoc99_fscanf, (FILE *restrict stream, const char *restrict format, ...))
{
    VARIADIC(format, scan(stream, format, list));
}
