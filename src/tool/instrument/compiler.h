/* compiler.h: the user's compiler: which one, how its C++ driver is called, which flags make it
 * call our runtime at every access. gcc and clang of any version that knows -fsanitize=thread. */
#ifndef HEDDLE_INSTRUMENT_COMPILER_H
#define HEDDLE_INSTRUMENT_COMPILER_H
#include "base/arena.h"
#include "base/error.h"
#include "base/vec.h"

typedef Vec(const char *) Words; /* a command line under construction */
void words_append(Words *to, const Words *from);

typedef struct Compiler {
    const char *c, *cxx; /* drivers, as found on PATH or given with a path */
    bool clang;
    bool aarch64; /* what it compiles for */
} Compiler;

typedef enum FileLanguage {
    FILE_UNKNOWN,
    FILE_C,
    FILE_CXX,
    FILE_OBJECT,
    FILE_ARCHIVE
} FileLanguage;
FileLanguage compiler_file_language(const char *path); /* by its ending */

/* PATH as a word of a command line: a name that begins with - or @ would be an option, or a list of
 * further words. */
const char *compiler_file_word(Arena *arena, const char *path);

/* NAME is what --cc was given; NULL means gcc. */
MUST_USE bool compiler_find(const char *name, Arena *arena, Compiler *out, Error *error);

/* Is this word of the command line for the compiler (-DX, -O2, -std=..., -lm)? Then *separate says
 * whether the following word belongs to it (-D X) and *link whether the linker needs it too. */
bool compiler_wants(const char *word, bool *separate, bool *link);

/* Does the last -std= among these words ask for C++20 or later? */
bool compiler_standard_is_cxx20(const Words *words);

/* Appends what stands before and after the user's own arguments in an instrumenting compilation.
 * REDIRECT is the header written by compiler_write_header. */
void compiler_flags_before(const char *redirect, Words *words);
void compiler_flags_after(const Compiler *compiler, Words *words);
/* Appends what clang needs beside these in its first or SECOND step (unannounced/fields.h). */
void compiler_flags_step(bool second, Words *words);
/* Writes the header that every file includes first: it turns the compiler's built-in memory
 * functions, which gcc would expand without instrumentation, into calls, and takes the attributes
 * away that forbid instrumentation. */
MUST_USE bool compiler_write_header(const char *path, Error *error);
/* Writes the header that C++ files include first: templates of the C++ library are compiled with
 * the program. Unless EVERY_TRY, what waits in libstdc++ by loads alone (atomics, latches,
 * barriers) looks once instead of 16 times before it goes to sleep. That neither adds nor loses an
 * outcome: a look that fails changes nothing, so it can be repeated until there have been 16; and
 * of several looks the one that succeeds, or else the last, stands for all of them.
 * A try of a semaphore fails in two ways. It finds the count 0: that is such a look, so it is the
 * last of its tries here. Or it finds another count, and a thread is quicker (its compare-exchange
 * fails): that can't be repeated at will, so it is one of 16. Nothing is added: a search that ends
 * with a count of 0 after fewer tries becomes one of 16 by repeating that look at its place.
 * Nothing is lost: failed tries only read, so those before a success may be left out; and of 16
 * that fail, either all are of the second kind, or all but one that finds 0 may be left out. Reads
 * that are left out take happens-before edges with them, but no write: what races, races still.
 */
MUST_USE bool compiler_write_templates(const char *path, bool every_try, Error *error);
/* Returns the list of functions that RUNTIME, a path, takes over, for compiler_link_flags: it lies
 * beside the runtime. */
const char *compiler_wraps(Arena *arena, const char *runtime);
/* Appends the arguments of the link that follow the object files. WRAPS names the functions that
 * the runtime takes over, as an argument of the linker or as @FILE with one a line. -lm is left to
 * the caller. */
void compiler_link_flags(Words *words, const char *wraps);
/* Does the main function come from an archive: -lgtest_main and its like? */
bool compiler_main_is_in_library(const Words *link);
#endif
