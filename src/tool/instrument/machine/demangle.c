#include "tool/instrument/machine/demangle.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef char *Demangler(const char *name, char *buffer, size_t *length, int *status);

const char *demangle(Arena *arena, const char *name)
{
    if (strncmp(name, "_Z", 2) != 0)
        return name;
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "__cxa_demangle") : NULL;
    Demangler *read = NULL;
    memcpy(&read, &found,
           sizeof found); /* an object pointer to a function pointer, as POSIX says */
    char *text = read ? read(name, NULL, NULL, NULL) : NULL;
    const char *copy = text ? arena_copy(arena, text, strlen(text)) : name;
    free(text);
    if (library)
        dlclose(library);
    return copy;
}
