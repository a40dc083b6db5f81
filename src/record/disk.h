/* disk.h: a record as a file: the execution, and all that is needed to run it again: the files and
 * words of the command line, the options, hashes of the sources; and what is needed to draw it
 * without any of that. Versioned; a file that is damaged,
 * truncated or of another version is refused with the reason.
 *
 * Format, all numbers little-endian: the magic line, a version, the sizes of the structures as
 * written (a check against a tool built from other sources), a hash of everything after it, then
 * counted arrays of strings, sources, events, objects, threads and text. */
#ifndef HEDDLE_RECORD_DISK_H
#define HEDDLE_RECORD_DISK_H
#include "base/arena.h"
#include "base/error.h"
#include "record/options.h"
#include "record/record.h"

#define DISK_VERSION 6

typedef struct RecordSource {
    const char *path;
    uint64_t bytes, hash;
} RecordSource;

typedef struct RecordStrings {
    const char **at;
    uint32_t count;
} RecordStrings;

typedef struct RecordBytes {
    const void *at;
    uint32_t count;
} RecordBytes;

typedef struct RecordFile {
    const char *tool;     /* version of the tool that wrote it */
    const char *command;  /* the subcommand: "run" */
    const char *folder;   /* current folder of the run */
    const char *compiler; /* --cc, or "" */
    const char *machine;  /* the processor that the program was compiled for: "x86-64" */
    RecordStrings files, compile, link, arguments;
    RecordSource *sources;
    uint32_t source_count;
    ExploreOptions options;
    Record record;
    /* what a page shows of it (tool/report/page/packed.h): the steps that matter, and every step */
    RecordBytes page, whole_page;
} RecordFile;

/* Replaces the file at PATH at once, or leaves it alone. */
MUST_USE bool disk_write(const char *path, const RecordFile *file, Error *error);
MUST_USE bool disk_read(Arena *arena, const char *path, RecordFile *out, Error *error);
/* Reads bytes in memory; PATH is for messages. */
MUST_USE bool disk_parse(Arena *arena, const char *path, const void *bytes, size_t count,
                         RecordFile *out, Error *error);
#endif
