#include "base/log.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[] = {"error", "warn", "info", "debug"};

/* The folder that holds the source. */
static const char *module_of(const char *file, size_t *length)
{
    const char *end = strrchr(file, '/');
    const char *start = end ? end : file;
    while (start > file && start[-1] != '/')
        start--;
    *length = end ? (size_t)(end - start) : strlen(start);
    return start;
}

static int level_for(const char *module, size_t length)
{
    int chosen = LOG_WARN;
    const char *setting = getenv("HEDDLE_LOG");
    while (setting && *setting) {
        const char *colon = strchr(setting, ':');
        if (!colon)
            break;
        size_t name = (size_t)(colon - setting);
        bool matches = (name == 3 && !strncmp(setting, "all", 3)) ||
                       (name == length && !strncmp(setting, module, length));
        for (int i = 0; matches && i < (int)COUNT_OF(level_names); i++)
            if (!strncmp(colon + 1, level_names[i], strlen(level_names[i])))
                chosen = i;
        const char *comma = strchr(colon, ',');
        setting = comma ? comma + 1 : NULL;
    }
    return chosen;
}

void log_message(LogLevel level, const char *file, const char *format, ...)
{
    size_t length;
    const char *module = module_of(file, &length);
    if ((int)level > level_for(module, length))
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "heddle: %s: %.*s: %s\n", level_names[level], (int)length, module, text);
}
