/* stdio.c: the program's output and input. While exploring, what it prints is thrown away: only the
 * accesses through the arguments and the result count. Standard input is empty. Other streams are
 * libc's own; they need an exploration that starts again from the beginning each time. */
#include "guest/entry/guest.h"
#include "guest/entry/kernel/kernel.h"
#include "guest/explore/memory/allocation.h"
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>
#include "guest/entry/library/format.h"
#include "guest/entry/library/hidden.h"
#include "guest/runtime/unseen.h"

/* The formats are the program's. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

#define WRAP(type, name, parameters)                                                               \
    GUEST type __wrap_##name parameters;                                                           \
    type __wrap_##name parameters

/* A call of libc's on a stream of the program's, in the order that is explored. */
#define ON_STREAM(stream, pc, code)                                                                \
    do {                                                                                           \
        hidden_enter_stream(stream, pc);                                                           \
        code;                                                                                      \
        hidden_leave_stream(stream, pc);                                                           \
    } while (0)

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
        ON_STREAM(stream, pc, result = vfprintf(stream, format, list));
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
        op_unsupported_at(GUEST_PC, "the program writes to file descriptor %d", descriptor);
    VARIADIC(format, print(stream, format, list, GUEST_PC));
}

static int put_string(const char *text, FILE *stream, bool line, const void *pc)
{
    size_t length = strlen(text);
    guest_will_read(text, length + 1, pc);
    if (dropped(stream))
        return (int)length + line;
    int result;
    ON_STREAM(stream, pc, {
        result = fputs(text, stream);
        if (line && result >= 0)
            result = fputc('\n', stream);
    });
    return result;
}

static int put_character(int value, FILE *stream, const void *pc)
{
    int result = (unsigned char)value;
    if (!dropped(stream))
        ON_STREAM(stream, pc, result = fputc(value, stream));
    return result;
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
    return put_character(value, stream, GUEST_PC);
}

WRAP(int, putc, (int value, FILE *stream))
{
    return put_character(value, stream, GUEST_PC);
}

WRAP(int, putchar, (int value))
{
    return put_character(value, stdout, GUEST_PC);
}

WRAP(int, putchar_unlocked, (int value))
{
    return put_character(value, stdout, GUEST_PC);
}

WRAP(int, putc_unlocked, (int value, FILE *stream))
{
    return put_character(value, stream, GUEST_PC);
}

WRAP(size_t, fwrite, (const void *restrict from, size_t size, size_t count, FILE *restrict stream))
{
    guest_will_read(from, size * count, GUEST_PC);
    if (!dropped(stream))
        ON_STREAM(stream, GUEST_PC, count = fwrite(from, size, count, stream));
    return count;
}

WRAP(int, fflush, (FILE * stream))
{
    if (op_active() && !guest_options.echo && (!stream || stream == stdout || stream == stderr))
        return 0;
    int result;
    ON_STREAM(stream, GUEST_PC, result = fflush(stream));
    return result;
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
    (void)bytes;
    if (op_active() && stream != stdout && stream != stderr)
        op_needs_replay("the program uses a file");
    if (op_active() && buffer && mode != _IONBF && stream != stdout && stream != stderr)
        unseen_call("setvbuf", (uintptr_t)GUEST_PC); /* what else uses the buffer is not seen */
    return 0; /* the program's own buffer would be written behind the log */
}

WRAP(void, setbuf, (FILE *restrict stream, char *restrict buffer))
{
    if (op_active() && buffer && stream != stdout && stream != stderr)
        unseen_call("setbuf", (uintptr_t)GUEST_PC);
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
    bool printed = descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO;
    if (!op_active() || (printed && guest_options.echo))
        return write(descriptor, from, bytes);
    if (descriptor != STDOUT_FILENO && descriptor != STDERR_FILENO)
        return kernel_write(descriptor, from, bytes, GUEST_PC);
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

static int get_character(FILE *stream, const void *pc)
{
    int result = EOF;
    if (!empty(stream))
        ON_STREAM(stream, pc, result = fgetc(stream));
    return result;
}

/* Reads up to MOST bytes, to the end of a line if LINE. They come piece by piece into memory of
 * ours and are then stored in sight. */
static size_t get_bytes(char *to, size_t most, bool line, FILE *stream, const void *pc)
{
    char piece[256];
    size_t got = 0;
    for (bool more = true; more && got < most;) {
        size_t count = 0;
        while (more && count < MIN(sizeof piece, most - got)) {
            int value = fgetc(stream);
            more = value != EOF && !(line && value == '\n');
            if (value != EOF)
                piece[count++] = (char)value;
        }
        if (count)
            guest_store(to + got, piece, count, pc);
        got += count;
    }
    return got;
}

WRAP(int, getchar, (void))
{
    return get_character(stdin, GUEST_PC);
}

WRAP(int, getchar_unlocked, (void))
{
    return get_character(stdin, GUEST_PC);
}

WRAP(int, fgetc, (FILE * stream))
{
    return get_character(stream, GUEST_PC);
}

WRAP(int, getc, (FILE * stream))
{
    return get_character(stream, GUEST_PC);
}

WRAP(char *, fgets, (char *restrict to, int bytes, FILE *restrict stream))
{
    size_t got = 0;
    if (bytes <= 0 || empty(stream))
        return NULL;
    ON_STREAM(stream, GUEST_PC, got = get_bytes(to, (size_t)bytes - 1, true, stream, GUEST_PC));
    if (!got)
        return NULL;
    guest_store(to + got, "", 1, GUEST_PC);
    return to;
}

WRAP(size_t, fread, (void *restrict to, size_t size, size_t count, FILE *restrict stream))
{
    size_t got = 0;
    if (!size || empty(stream))
        return 0;
    ON_STREAM(stream, GUEST_PC, got = get_bytes(to, size * count, false, stream, GUEST_PC));
    return got / size;
}

WRAP(ssize_t, getline, (char **restrict line, size_t *restrict bytes, FILE *restrict stream))
{
    ssize_t result = -1;
    if (empty(stream))
        return -1;
    if (op_active())
        unseen_call("getline", (uintptr_t)GUEST_PC);
    ON_STREAM(stream, GUEST_PC, result = getline(line, bytes, stream));
    return result;
}

WRAP(ssize_t, read, (int descriptor, void *to, size_t bytes))
{
    if (!op_active())
        return read(descriptor, to, bytes);
    if (descriptor != STDIN_FILENO)
        return kernel_read(descriptor, to, bytes, GUEST_PC);
    return empty(stdin) ? 0 : -1;
}

/* How much it reads, and so what it stores, is known when it has done so: nobody sees the stores.
 */
static int scan(FILE *stream, const char *format, va_list list, const void *pc)
{
    int result = EOF;
    if (empty(stream))
        return EOF;
    if (op_active())
        unseen_call("fscanf", (uintptr_t)pc);
    ON_STREAM(stream, pc, result = vfscanf(stream, format, list));
    return result;
}

WRAP(int, scanf, (const char *restrict format, ...))
{
    VARIADIC(format, scan(stdin, format, list, GUEST_PC));
}

WRAP(int, __isoc99_scanf, (const char *restrict format, ...))
{
    VARIADIC(format, scan(stdin, format, list, GUEST_PC));
}

WRAP(int, fscanf, (FILE *restrict stream, const char *restrict format, ...))
{
    VARIADIC(format, scan(stream, format, list, GUEST_PC));
}

WRAP(int, __isoc99_fscanf, (FILE *restrict stream, const char *restrict format, ...))
{
    VARIADIC(format, scan(stream, format, list, GUEST_PC));
}
