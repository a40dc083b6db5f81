#include "tool/instrument/machine/rename.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"
#include "tool/instrument/process.h"

#define OPTION "-Wl,--wrap="

static uint64_t key_of(const char *name)
{
    return hash_bytes(name, strlen(name), 0);
}

/* The names that the linker wraps; main is wrapped because the program defines it, and C++ names
 * belong to the library even where a header gives the program a copy. */
static void read_wrapped(const char *wraps, HashMap *names)
{
    char line[1024];
    FILE *file = file_open_stream(wraps, FILE_MOST_BYTES, NULL);
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        const char *name = line + strlen(OPTION);
        if (!strncmp(line, OPTION, strlen(OPTION)) && strcmp(name, "main") != 0 &&
            strncmp(name, "_Z", 2) != 0)
            hashmap_put(names, key_of(name), NULL);
    }
    if (file)
        fclose(file);
}

/* Writes "name newname" lines for objcopy; the number of them. */
static size_t write_list(const Build *build, const HashMap *wrapped, FILE *to)
{
    size_t count = 0;
    HashMap written = {0};
    for (size_t i = 0; i < build->objects.count; i++)
        for (size_t k = 0; k < build->objects.at[i].defined.count; k++) {
            const char *name = build->objects.at[i].defined.at[k];
            bool fresh = false;
            if (!hashmap_find(wrapped, key_of(name)))
                continue;
            hashmap_put(&written, key_of(name), &fresh);
            if (fresh) {
                fprintf(to, "%s heddle_program_%s\n", name, name);
                count++;
            }
        }
    hashmap_free(&written);
    return count;
}

static bool run_objcopy(Arena *arena, Workspace *workspace, const char *list, const char *from,
                        const char *to, Error *error)
{
    char program[] = "objcopy";
    char *arguments[] = {program, arena_printf(arena, "--redefine-syms=%s", list),
                         arena_copy(arena, from, strlen(from)), arena_copy(arena, to, strlen(to)),
                         NULL};
    ProcessStart start = {.arguments = arguments, .output = -1, .errors = 2, .own_group = true};
    pid_t pid;
    int status = 0;
    if (!process_start(&start, &pid, error))
        return false;
    workspace_adopt_group(workspace, pid);
    bool waited = process_wait(pid, &status);
    workspace_release_group(workspace, pid);
    if (!waited)
        return error_set(error, "interrupted while linking");
    return status == 0 || error_set(error, "objcopy fails on %s", from);
}

static bool rename_all(Arena *arena, Workspace *workspace, Build *build, const char *list,
                       Error *error)
{
    object_free(&build->objects);
    build->objects = (ObjectFiles){0};
    for (size_t i = 0; i < build->inputs.count; i++) {
        BuildInput *input = &build->inputs.at[i];
        const char *dot = strrchr(input->object, '.');
        const char *copy =
            arena_printf(arena, "%s/%zu.own%s", workspace->path, i, dot ? dot : ".o");
        if (!run_objcopy(arena, workspace, list, input->object, copy, error) ||
            !object_read(arena, copy, input->path, &build->objects, error))
            return false;
        input->object = copy;
    }
    return true;
}

bool rename_own_functions(Arena *arena, Workspace *workspace, Build *build, const char *wraps,
                          Error *error)
{
    HashMap wrapped = {0};
    read_wrapped(wraps, &wrapped);
    const char *list = workspace_file(workspace, arena, "own_names");
    FileWriter file;
    file_begin(&file, list);
    size_t count = write_list(build, &wrapped, file.stream);
    hashmap_free(&wrapped);
    return file_commit(&file, error) &&
           (!count || rename_all(arena, workspace, build, list, error));
}
