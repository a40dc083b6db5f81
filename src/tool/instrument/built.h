/* built.h: what is to be built, and what was: the files of a request, their objects, the program.
 * build.h makes the one from the other; those that look at what was built need only this. */
#ifndef HEDDLE_INSTRUMENT_BUILT_H
#define HEDDLE_INSTRUMENT_BUILT_H
#include "tool/instrument/machine/assembly.h"
#include "tool/instrument/compiler.h"
#include "tool/instrument/machine/object.h"
#include "tool/instrument/workspace.h"

typedef struct BuildOwn {  /* what one file of a request has to itself */
    FileLanguage language; /* FILE_UNKNOWN: by its ending */
    Words flags;           /* before those of the request */
    unsigned archive;      /* not 0: its object is a member of the archive of that number */
} BuildOwn;
typedef Vec(BuildOwn) BuildOwns;

typedef struct BuildRequest {
    const char *cc;          /* NULL: gcc */
    Words files;             /* sources, objects, archives */
    BuildOwns own;           /* empty, or one for each file */
    Words compile, link;     /* the user's words for the two stages, in order */
    bool inside;             /* notes and lists of others may only name files in this folder */
    bool annotations;        /* compile copies that know of them (annotate.h) */
    AssemblyMeaning meaning; /* of inline assembly */
    bool every_try;          /* compile the C++ library's waiting as it is (compiler.h) */
    bool many_events;        /* link with the runtime for them (record/options.h) */
    bool may_lack;           /* the caller knows more files: do not print what the linker misses */
} BuildRequest;

typedef struct BuildSource { /* a file that the program was made from */
    const char *path;        /* as the compiler names it, relative to the current folder */
    uint64_t bytes, hash;
} BuildSource;

typedef struct BuildInput { /* one file of the request */
    const char *path;
    const char *source; /* what is compiled: the path, or an annotated copy */
    Words flags;        /* that the copy needs */
    BuildOwn own;
    FileLanguage language;
    const char *object;   /* to link */
    const char *assembly; /* compiler output; NULL for objects and archives */
    const char *halfway;  /* what clang makes first: LLVM IR (unannounced/fields.h) */
} BuildInput;

typedef struct Build {
    const char *program; /* the executable, in the workspace */
    Compiler compiler;
    const Isa *isa; /* what the program is for */
    Vec(BuildInput) inputs;
    Vec(BuildSource) sources; /* with the headers outside system folders */
    ObjectFiles objects;
    ObjectFiles members; /* of libraries that are archives (machine/archives.h) */
    double compile_seconds, link_seconds;
    const char *undefined; /* after a failure: what nothing defines, in words, or NULL */
} Build;
#endif
