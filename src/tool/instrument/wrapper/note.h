/* note.h: how an object or a program was made, written into the file itself by `heddle cc', so that
 * `heddle run ./program' can make it again with instrumentation. A note is data of a section that
 * is never loaded; the linker joins those of the objects that it takes, so that a program has the
 * notes of exactly what is in it. Files are read with libelf; everything in a note is checked,
 * since it may come from anybody. */
#ifndef HEDDLE_INSTRUMENT_WRAPPER_NOTE_H
#define HEDDLE_INSTRUMENT_WRAPPER_NOTE_H
#include "base/error.h"
#include "base/str.h"
#include "tool/instrument/compiler.h"

#define NOTE_COMPILED ".heddle.compiled" /* in objects, joined by the linker */
#define NOTE_LINKED ".heddle.linked"     /* in programs and shared libraries: one note */

typedef struct Note {
    const char *folder;    /* the current one of the compiler */
    const char *source;    /* "" if this is about a link */
    FileLanguage language; /* of the source; of a link: FILE_CXX for the C++ driver */
    Words words;           /* the command line, the compiler first */
} Note;
typedef Vec(Note) Notes;

/* An object, a program, a shared library or a member of an archive. */
typedef struct NotedFile {
    const char *name; /* for messages: "libq.a(queue.o)" */
    bool executable;  /* a program or a shared library */
    Notes compiled;   /* empty: somebody else made it */
    Notes linked;
} NotedFile;
typedef Vec(NotedFile) NotedFiles;

/* Appends NOTE as it stands in a section. */
void note_write(Buffer *out, const Note *note);
/* Appends the notes in BYTES; LABEL is the name of the file, for errors. */
MUST_USE bool note_parse(Arena *arena, const char *label, Str bytes, Notes *out, Error *error);
/* Appends the file at PATH, or each member of the archive at PATH. *IS_ELF is false, and nothing is
 * appended, if it is neither. */
MUST_USE bool note_read_file(Arena *arena, const char *path, NotedFiles *out, bool *is_elf,
                             Error *error);
void note_free_files(NotedFiles *files);
#endif
