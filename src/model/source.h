/* source.h: model text and places in it. A place is what every message about a model points at:
 * file, line, column and width, so that the line can be shown with a caret below it. */
#ifndef HEDDLE_MODEL_SOURCE_H
#define HEDDLE_MODEL_SOURCE_H
#include "base/error.h"
#include "base/str.h"

typedef struct SourceFile {
    const char *name; /* as the user named it; "<fifo.hm>" for a file of the library */
    const char *text;
    size_t length;
} SourceFile;

typedef struct Place {
    const SourceFile *file; /* NULL when there is no place */
    int line, column, width;
} Place;

/* A file by path; fails with a message that names it. Lives as long as arena. */
MUST_USE bool source_read(Arena *arena, const char *path, const SourceFile **out, Error *error);
/* A file of the library that comes with the tool ("common.hm"), or NULL. */
const SourceFile *source_library(Arena *arena, const char *name);
/* The text of one line, without its end. */
Str source_line(const SourceFile *file, int line);
/* The text from PLACE on. */
const char *source_at(Place place);
/* Fills *error with "message", the line and a caret below the place; returns false. */
bool source_error(Error *error, Place place, const char *format, ...) PRINTF_LIKE(3, 4);
/* "file:line", for messages about behaviour. */
const char *source_place_text(Arena *arena, Place place);
#endif
