#include "model/source.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/file.h"

/* The library travels inside the tool, so that a model means the same wherever it is read. Each
 * file is plain model text under src/model/library/. */
#define LIBRARY_FILES(X)                                                                           \
    X(common) X(fifo) X(lifo) X(priority) X(set) X(register) X(counter) X(lock) X(channel)

#define X(name)                                                                                    \
    extern const char model_library_##name[], model_library_##name##_end[];                        \
    __asm__(".section .rodata\n.global model_library_" #name "\nmodel_library_" #name ":\n"        \
            ".incbin \"src/model/library/" #name ".hm\"\n"                                         \
            ".global model_library_" #name "_end\nmodel_library_" #name                            \
            "_end:\n.byte 0\n.previous\n");
LIBRARY_FILES(X)
#undef X

const SourceFile *source_library(Arena *arena, const char *name)
{
    static const struct {
        const char *name, *text, *end;
    } files[] = {
#define X(name) {#name ".hm", model_library_##name, model_library_##name##_end},
        LIBRARY_FILES(X)
#undef X
    };
    for (size_t i = 0; i < COUNT_OF(files); i++)
        if (!strcmp(files[i].name, name)) {
            SourceFile *file = arena_new_of(arena, SourceFile);
            file->name = arena_printf(arena, "<%s>", name);
            file->text = files[i].text;
            file->length = (size_t)(files[i].end - files[i].text);
            return file;
        }
    return NULL;
}

bool source_read(Arena *arena, const char *path, const SourceFile **out, Error *error)
{
    Buffer text = {0};
    if (!file_read_at_most(path, FILE_TEXT_BYTES, &text, error)) {
        vec_free(&text);
        return false;
    }
    file_protect(path);
    SourceFile *file = arena_new_of(arena, SourceFile);
    file->name = arena_printf(arena, "%s", path);
    file->text = arena_copy(arena, text.at ? text.at : "", text.count);
    file->length = text.count;
    vec_free(&text);
    *out = file;
    return true;
}

Str source_line(const SourceFile *file, int line)
{
    const char *at = file->text, *end = file->text + file->length;
    for (int i = 1; i < line && at < end; i++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    Str text = {at, (size_t)((newline ? newline : end) - at)};
    while (text.length && text.at[text.length - 1] == '\r')
        text.length--;
    return text;
}

const char *source_at(Place place)
{
    return source_line(place.file, place.line).at + place.column - 1;
}

bool source_error(Error *error, Place place, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!place.file)
        return error_set(error, "%s", message);
    Str line = source_line(place.file, place.line);
    char shown[201], caret[201];
    size_t length = MIN(line.length, (size_t)200), column = (size_t)MAX(place.column - 1, 0);
    for (size_t i = 0; i < length; i++) /* one column a character: tabs would shift the caret */
        shown[i] = line.at[i] == '\t' ? ' ' : line.at[i];
    shown[length] = 0;
    size_t width = (size_t)MAX(place.width, 1), n = 0;
    for (; n < column && n < 200; n++)
        caret[n] = ' ';
    for (size_t i = 0; i < width && n < 200 && (i == 0 || n < length); i++)
        caret[n++] = i == 0 ? '^' : '~';
    caret[n] = 0;
    return error_at(error, place.file->name, place.line, place.column, "%s\n    %s\n    %s",
                    message, shown, caret);
}

const char *source_place_text(Arena *arena, Place place)
{
    if (!place.file)
        return "";
    return arena_printf(arena, "%s:%d", place.file->name, place.line);
}
