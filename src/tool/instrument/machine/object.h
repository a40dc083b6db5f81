/* object.h: what the symbol tables of object files and archives say, before the linker sees them:
 * is the code instrumented, does it need the C++ library, does it have thread-local variables. */
#ifndef HEDDLE_INSTRUMENT_MACHINE_OBJECT_H
#define HEDDLE_INSTRUMENT_MACHINE_OBJECT_H
#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"
#include "tool/instrument/isa/isa.h"

typedef struct ObjectFile { /* one relocatable file, perhaps a member of an archive */
    const char *name;       /* for messages: "queue.o", "libq.a(queue.o)" */
    const void *bytes;      /* the whole file, mapped or copied */
    size_t size;
    const Isa *isa;
    bool instrumented; /* refers to __tsan_* */
    bool has_code;     /* has a non-empty executable section */
    bool needs_cxx;    /* refers to the C++ library */
    bool has_thread_local;
    bool uses_errno;
    bool left_out;                        /* the linker did not take it: archives.h */
    const char *library;                  /* NULL, or the name by which -l named its archive */
    Vec(const char *) undefined, defined; /* global names */
} ObjectFile;
typedef Vec(ObjectFile) ObjectFiles;

/* Appends the file at PATH, or each member of the archive at PATH. The bytes stay mapped until
 * object_free. LABEL is its name in messages. */
MUST_USE bool object_read(Arena *arena, const char *path, const char *label, ObjectFiles *files,
                          Error *error);
void object_free(ObjectFiles *files);
#endif
