/* file.h: the one place that opens what a path of the user's names. Reading is bounded and never
 * waits: a FIFO, a device or a folder in place of a file is an error, but a pipe under the name of
 * an open descriptor (/dev/stdin, /dev/fd/N) is read. Writing follows no symbolic link, and
 * replaces a file at once or leaves everything as it was: a failed write, a full disk or a kill
 * leaves neither an empty file nor half of one. tests/lint.sh refuses open, fopen and their like
 * elsewhere. */
#ifndef HEDDLE_BASE_FILE_H
#define HEDDLE_BASE_FILE_H
#include <stdio.h>
#include <sys/types.h>
#include "base/error.h"
#include "base/str.h"

#define FILE_MOST_BYTES ((size_t)1 << 30)  /* of a file that is read as a whole */
#define FILE_TEXT_BYTES ((size_t)16 << 20) /* of one that a person writes: a model, a relation */

/* Opens the regular file PATH for reading; -1 with *error, and errno, if that is not possible. The
 * caller closes it. */
int file_open(const char *path, Error *error);
/* Does the same for a stream, of at most MOST bytes; NULL on error. */
FILE *file_open_stream(const char *path, size_t most, Error *error);
/* Opens a log that somebody may still be writing: a FIFO is one, too, and reads as empty as long as
 * nobody has opened it for writing. */
int file_open_growing(const char *path, Error *error);
/* Opens a file that is kept between runs and locked, with FLAGS of open: never through a link. */
int file_open_kept(const char *path, int flags, Error *error);
/* A file of our own in a temporary folder, for writing; -1 and errno on error. */
int file_create(const char *path, int flags, mode_t mode);

/* Appends the contents of the file PATH to *TEXT, which stays the caller's. */
MUST_USE bool file_read(const char *path, Buffer *text, Error *error);
MUST_USE bool file_read_at_most(const char *path, size_t most, Buffer *text, Error *error);

/* Makes the folder PATH if it is not there. A link to a folder is none. */
MUST_USE bool file_make_folder(const char *path, Error *error);
/* Is PATH a file that can be read? */
MUST_USE bool file_is_readable(const char *path, Error *error);

/* The part of PATH below the current folder, if it lies there; else PATH itself. Looks at names
 * alone. */
const char *file_from_here(const char *path);

typedef struct FileWriter {
    FILE *stream; /* write to this; it is memory until file_commit */
    char *text;
    size_t bytes;
    const char *path; /* as given; it must live until the end */
} FileWriter;

/* Notes that PATH is an input of this run: file_commit does not replace it. */
void file_protect(const char *path);
/* Begins a file. End it with file_commit or file_abandon. */
void file_begin(FileWriter *writer, const char *path);
/* Puts what was written in the place of PATH. A FIFO or a device that stands there is written to
 * instead. Frees the writer, whatever the result. */
MUST_USE bool file_commit(FileWriter *writer, Error *error);
void file_abandon(FileWriter *writer);
/* Says what errno REASON means for a file that could not be written. */
const char *file_write_reason(int reason);
#endif
