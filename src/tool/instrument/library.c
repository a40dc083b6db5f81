#include "tool/instrument/library.h"
#include <string.h>
#include "record/known.h"

bool library_program_defines(const Build *build, const char *name)
{
    for (size_t i = 0; i < build->objects.count; i++)
        for (size_t k = 0; k < build->objects.at[i].defined.count; k++)
            if (!strcmp(build->objects.at[i].defined.at[k], name))
                return true;
    return false;
}

void library_use_of(const Build *build, LibraryUse *out)
{
    *out = (LibraryUse){0};
    for (size_t i = 0; i < build->objects.count; i++) {
        const ObjectFile *file = &build->objects.at[i];
        if (file->has_thread_local || file->uses_errno)
            out->needs_thread_local = true;
        for (size_t k = 0; k < file->undefined.count; k++)
            if (!strcmp(file->undefined.at[k], "__gxx_personality_v0"))
                out->needs_thread_local = true; /* exceptions in flight are a thread's own */
        for (size_t k = 0; k < file->undefined.count; k++)
            if (!strcmp(file->undefined.at[k], "dlsym") || !strcmp(file->undefined.at[k], "dlvsym"))
                out->finds_functions = true;
        for (size_t k = 0; k < file->undefined.count && !out->replay_name; k++)
            if (known_class(file->undefined.at[k]) == KNOWN_REPLAY &&
                !library_program_defines(build, file->undefined.at[k]))
                out->replay_name = file->undefined.at[k];
    }
}
