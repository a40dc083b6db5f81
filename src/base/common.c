#include "base/common.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void assert_failed(const char *condition, const char *file, int line)
{
    char text[512];
    int length =
        snprintf(text, sizeof text, "heddle: internal error: %s (%s:%d)\n", condition, file, line);
    if (length > 0 && write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(4);
    _exit(4);
}

void die(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dprintf(STDERR_FILENO, "heddle: %s\n", text);
    _exit(4);
}
