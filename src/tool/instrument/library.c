#include "tool/instrument/library.h"
#include <string.h>
#include "record/known.h"
#include "tool/instrument/liveness/image.h"

bool library_program_defines(const Build *build, const char *name)
{
    for (size_t i = 0; i < build->objects.count; i++)
        for (size_t k = 0; k < build->objects.at[i].defined.count; k++)
            if (!strcmp(build->objects.at[i].defined.at[k], name))
                return true;
    return false;
}

static bool is_bound_at_run_time(const Image *image, const char *function)
{
    const char *name;
    for (size_t at = 0; (name = image_next_stub(image, &at));)
        if (!strcmp(name, function))
            return true;
    return false;
}

/* FUNCTION keeps state. Most programs that name one which no table knows never call it: the runtime
 * sees the call if the program finds the function by a table of addresses (guest/runtime/opaque.h),
 * and goes on without checkpoints then. */
static void note_state(const Image *image, const char *function, LibraryUse *out)
{
    if (!known_lists(function) && is_bound_at_run_time(image, function))
        out->may_keep_state = true;
    else if (!out->replay_name)
        out->replay_name = function;
}

bool library_use_of(Arena *arena, const Build *build, LibraryUse *out, Error *error)
{
    Image *image;
    *out = (LibraryUse){0};
    if (!image_open(arena, build->program, &image, error))
        return false;
    for (size_t i = 0; i < build->objects.count; i++) {
        const ObjectFile *file = &build->objects.at[i];
        if (file->has_thread_local || file->uses_errno)
            out->needs_thread_local = true;
        for (size_t k = 0; k < file->undefined.count; k++) {
            const char *name = file->undefined.at[k];
            if (!strcmp(name, "__gxx_personality_v0"))
                out->needs_thread_local = true; /* exceptions in flight are a thread's own */
            if (!strcmp(name, "dlsym") || !strcmp(name, "dlvsym"))
                out->finds_functions = true;
            if (known_class(name) == KNOWN_REPLAY && !library_program_defines(build, name))
                note_state(image, name, out);
        }
    }
    image_close(image);
    return true;
}
