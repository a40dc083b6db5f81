/* trust.h: what a file from somebody else may ask of the compiler. A record, or the heddle.toml of
 * a cloned project, is data: the compilers that it names are known by their names, and the words
 * for them are on a list of those that neither run a program nor load one nor write a file.
 * Everything else is refused and shown. The list says what is allowed, because what compilers can
 * be talked into grows with every version. */
#ifndef HEDDLE_INSTRUMENT_TRUST_H
#define HEDDLE_INSTRUMENT_TRUST_H
#include "base/str.h"
#include "tool/instrument/compiler.h"

typedef struct TrustRules {
    const char *folder; /* files and search folders lie in it, or in one of the system's */
    bool outside;       /* they may lie anywhere */
    bool macros;        /* -D may define anything: the sources come from the same hand */
} TrustRules;

/* gcc, g++, clang, clang++, cc or c++, perhaps with a version (gcc-12) and the name of a target
 * before it (x86_64-linux-gnu-gcc), and without a path. */
bool trust_compiler(const char *name);
/* Appends each word that is refused to *REFUSED, separated by ", "; returns whether there is none.
 * WORDS are as compiler_wants sorted them: an option whose value is a word of its own precedes
 * it. */
MUST_USE bool trust_words(const TrustRules *rules, const Words *words, Buffer *refused);
/* Does PATH lie in the folder of the rules once every link is followed? A file that does not exist
 * is judged by its name. */
bool trust_path(const TrustRules *rules, const char *path);
#endif
