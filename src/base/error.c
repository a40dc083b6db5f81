#include "base/error.h"
#include <stdarg.h>
#include <stdio.h>
#include "base/print.h"

PRINTF_LIKE(5, 0)
static void error_fill(Error *error, const char *file, int line, int column, const char *format,
                       va_list arguments)
{
    if (!error)
        return;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    print_make_plain(error->message); /* argp prints some of them */
    snprintf(error->file, sizeof error->file, "%s", file ? file : "");
    error->line = line;
    error->column = column;
}

bool error_set(Error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_fill(error, "", 0, 0, format, arguments);
    va_end(arguments);
    return false;
}

bool error_at(Error *error, const char *file, int line, int column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_fill(error, file, line, column, format, arguments);
    va_end(arguments);
    return false;
}

void error_text(const Error *error, char *text, size_t bytes)
{
    if (!error->file[0])
        snprintf(text, bytes, "%s", error->message);
    else if (!error->line)
        snprintf(text, bytes, "%s: %s", error->file, error->message);
    else if (!error->column)
        snprintf(text, bytes, "%s:%d: %s", error->file, error->line, error->message);
    else
        snprintf(text, bytes, "%s:%d:%d: %s", error->file, error->line, error->column,
                 error->message);
}
