/* What the rest of glib would do for its threads: messages, errors, strings and times are not what is tested. */
#include <glib.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

gboolean g_mem_gc_friendly;

void g_log(const gchar *domain, GLogLevelFlags level, const gchar *format, ...)
{
    (void)domain, (void)format;
    if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL))
        abort();
}
void g_return_if_fail_warning(const char *domain, const char *function, const char *expression)
{
    (void)domain, (void)function, (void)expression;
    abort();
}
void g_assertion_message_expr(const char *domain, const char *file, int line, const char *function,
                              const char *expression)
{
    (void)domain, (void)file, (void)line, (void)function, (void)expression;
    abort();
}
gint64 g_get_monotonic_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}
gint64 g_get_real_time(void)
{
    return g_get_monotonic_time();
}
void g_usleep(gulong microseconds)
{
    (void)microseconds;
}
const gchar *g_get_prgname(void)
{
    return NULL;
}
gint g_snprintf(gchar *to, gulong bytes, gchar const *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(to, bytes, format, arguments);
    va_end(arguments);
    return length;
}
void g_propagate_error(GError **to, GError *error)
{
    (void)to, (void)error;
    abort();
}
void g_set_error(GError **error, GQuark domain, gint code, const gchar *format, ...)
{
    (void)error, (void)domain, (void)code, (void)format;
    abort();
}
GQuark g_quark_from_static_string(const gchar *text)
{
    (void)text;
    return 1;
}
const gchar *g_strerror(gint number)
{
    (void)number;
    return "error";
}
gchar *g_strdup(const gchar *text)
{
    return text ? strdup(text) : NULL;
}
gpointer g_memdup2(gconstpointer from, gsize bytes)
{
    gpointer to = malloc(bytes);
    return memcpy(to, from, bytes);
}
/* G_SLICE=always-malloc: the slices are an allocator, and no part of what is tested. */
const gchar *g_getenv(const gchar *name)
{
    return strcmp(name, "G_SLICE") ? NULL : "always-malloc";
}
guint g_parse_debug_string(const gchar *text, const GDebugKey *keys, guint count)
{
    for (guint i = 0; i < count; i++)
        if (!strcmp(text, keys[i].key))
            return keys[i].value;
    return 0;
}
gint g_fprintf(FILE *file, gchar const *format, ...)
{
    (void)file, (void)format;
    return 0;
}
gint g_vfprintf(FILE *file, gchar const *format, va_list arguments)
{
    (void)file, (void)format, (void)arguments;
    return 0;
}
