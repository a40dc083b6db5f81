/* file.h: whole files. A reader never waits: a FIFO, a device or a folder in place of a file is an
 * error. A writer replaces the file at once, or leaves everything as it was: a failed write, a full
 * disk or a kill leaves neither an empty file nor half of one. */
#ifndef HEDDLE_BASE_FILE_H
#define HEDDLE_BASE_FILE_H
#include <stdio.h>
#include "base/error.h"
#include "base/str.h"

/* Appends the contents of the regular file PATH to *TEXT, which stays the caller's. */
MUST_USE bool file_read(const char *path, Buffer *text, Error *error);

/* The part of PATH below the current folder, if it lies there; else PATH itself. Looks at names
 * alone. */
const char *file_from_here(const char *path);

typedef struct FileWriter {
    FILE *stream; /* write to this; it is memory until file_commit */
    char *text;
    size_t bytes;
    const char *path; /* as given; it must live until the end */
} FileWriter;

/* Begins a file. End it with file_commit or file_abandon. */
void file_begin(FileWriter *writer, const char *path);
/* Puts what was written in the place of PATH. A FIFO or a device that stands there is written to
 * instead. Frees the writer, whatever the result. */
MUST_USE bool file_commit(FileWriter *writer, Error *error);
void file_abandon(FileWriter *writer);
#endif
