/* build.c: a program as an instrumented program, built once and kept, by the tool's own compiler
 * driver. Started without the tool, such a program explores itself: HEDDLE_DEBUG says how. */
#include "build.h"
#include "tool/instrument/build.h"
#include <stdio.h>
#include <stdlib.h>

bool twin_build(const char *cc, const char *source, const char *out, char **flags)
{
    Arena *arena = arena_new();
    Workspace workspace;
    Build build = {0};
    Error error = {0};
    BuildRequest request = {.cc = cc};
    vec_push(&request.files, source);
    vec_push(&request.compile, "-mcx16"); /* 16-byte atomics, of parts_interp.c */
    for (; *flags; flags++)
        vec_push(&request.compile, *flags);
    bool opened = workspace_open(&workspace, &error);
    bool ok = opened && build_program(arena, &workspace, &request, &build, &error);
    if (ok) {
        const char *copy = arena_printf(arena, "cp '%s' '%s'", build.program, out);
        ok = system(copy) == 0;
    }
    if (!ok) {
        char text[2048];
        error_text(&error, text, sizeof text);
        fprintf(stderr, "twin: %s\n", text);
    }
    build_free(&build);
    if (opened)
        workspace_close(&workspace);
    vec_free(&request.files);
    vec_free(&request.compile);
    arena_free(arena);
    return ok;
}
