#include "tool/instrument/annotate/clang.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void *open_library(void)
{
    const char *named = getenv("HEDDLE_LIBCLANG");
    if (named && *named)
        return dlopen(named, RTLD_NOW | RTLD_LOCAL);
    /* Debian's names, newest first; then whatever a link calls it */
    static const char *const names[] = {"libclang-19.so.1", "libclang-18.so.1",
                                        "libclang-17.so.1", "libclang-16.so.1",
                                        "libclang-15.so.1", "libclang-14.so.1",
                                        "libclang-13.so.1", "libclang.so.1",
                                        "libclang.so",      "/usr/lib/llvm-14/lib/libclang.so.1"};
    void *library = NULL;
    for (size_t i = 0; !library && i < COUNT_OF(names); i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

bool clang_load(const Clang **out, Error *error)
{
    static Clang clang;
    static bool loaded;
    *out = &clang;
    if (loaded)
        return true;
    void *library = open_library();
    if (!library)
        return error_set(error, "this needs libclang, which is not installed: on Debian, "
                                "apt-get install libclang1-14 libclang-common-14-dev (or a newer "
                                "one); HEDDLE_LIBCLANG may name the library");
    const char *missing = NULL;
    /* an object pointer to a function pointer, as POSIX says */
#define X(result, name, parameters)                                                                \
    {                                                                                              \
        void *found = dlsym(library, "clang_" #name);                                              \
        memcpy(&clang.name, &found, sizeof found);                                                 \
        missing = found ? missing : #name;                                                         \
    }
    CLANG_FUNCTIONS(X)
#undef X
    if (missing)
        return error_set(error, "this libclang is too old: it has no clang_%s", missing);
    return loaded = true;
}

const char *clang_text(const Clang *clang, Arena *arena, ClangString string)
{
    const char *text = clang->getCString(string);
    char *copy = arena_copy(arena, text ? text : "", text ? strlen(text) : 0);
    clang->disposeString(string);
    return copy;
}
