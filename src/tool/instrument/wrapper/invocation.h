/* invocation.h: the command line of a compiler, as a build tool writes it: what it makes, from
 * which files. Knows the options of gcc and clang that take the next word as their value. */
#ifndef HEDDLE_INSTRUMENT_WRAPPER_INVOCATION_H
#define HEDDLE_INSTRUMENT_WRAPPER_INVOCATION_H
#include "base/error.h"
#include "tool/instrument/compiler.h"

typedef enum InvocationKind {
    INVOCATION_OTHER,   /* preprocesses, asks for the version, reads stdin, ... */
    INVOCATION_COMPILE, /* -c: an object a source */
    INVOCATION_LINK     /* a program or a shared library */
} InvocationKind;

typedef struct InvocationSource {
    const char *path;
    FileLanguage language;
} InvocationSource;

typedef struct Invocation {
    InvocationKind kind;
    Words words;                   /* all of them, the compiler first; @FILE is replaced */
    Vec(InvocationSource) sources; /* C and C++ */
    Words inputs;                  /* objects, archives, shared libraries, and -l words, in order */
    Words folders;                 /* of -L */
    Words linker;                  /* words of -Wl, and -Xlinker, one by one */
    const char *output;            /* of -o, or NULL */
    bool shared;
} Invocation;

/* Reads WORDS, of which the first is the compiler; CXX says that it is the C++ driver, to which a
 * .c file is C++. Fails if an @FILE can't be read; @FILE is looked for in FOLDER. */
MUST_USE bool invocation_read(Arena *arena, const char *folder, const Words *words, bool cxx,
                              Invocation *out, Error *error);
void invocation_free(Invocation *invocation);
/* The object that -c makes of SOURCE, in the arena. */
const char *invocation_object(Arena *arena, const Invocation *invocation, const char *source);
#endif
