#include "tool/instrument/builds.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"

#define LEAST_ROOM (UINT64_C(2) << 30) /* bytes that are left for others */

static void key_file(Buffer *key, const char *path)
{
    struct stat status;
    if (path && stat(path, &status) == 0)
        buffer_printf(key, "%s %jd %jd.%09ld\n", path, (intmax_t)status.st_size,
                      (intmax_t)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

/* Adds the file that NAME starts: a path, or the first of that name on PATH. */
static void key_program(Arena *arena, Buffer *key, const char *name)
{
    Str rest = str_of(getenv("PATH")), folder;
    if (strchr(name, '/'))
        key_file(key, name);
    else
        while (str_next(&rest, ':', &folder)) {
            const char *path = arena_printf(arena, "%.*s/%s", STR_ARG(folder), name);
            if (access(path, X_OK) == 0) {
                key_file(key, path);
                return;
            }
        }
}

static void key_words(Buffer *key, const Words *words)
{
    for (size_t i = 0; i < words->count; i++)
        buffer_printf(key, "%zu:%s\n", strlen(words->at[i]), words->at[i]);
    buffer_printf(key, ".\n");
}

/* Appends all that decides what the compilers do. */
static void key_write(Arena *arena, Buffer *key, const BuildRequest *request, const Build *build)
{
    static const char *const variables[] = {"PATH",
                                            "HEDDLE_RUNTIME",
                                            "LANG",
                                            "LC_ALL",
                                            "LC_CTYPE",
                                            "LC_MESSAGES",
                                            "CPATH",
                                            "C_INCLUDE_PATH",
                                            "LIBRARY_PATH",
                                            "CPLUS_INCLUDE_PATH",
                                            "COMPILER_PATH",
                                            "GCC_EXEC_PREFIX",
                                            "LD_RUN_PATH",
                                            "SOURCE_DATE_EPOCH",
                                            "LD_PRELOAD",
                                            "LD_LIBRARY_PATH",
                                            "DEPENDENCIES_OUTPUT",
                                            "SUNPRO_DEPENDENCIES",
                                            "CCC_OVERRIDE_OPTIONS"};
    char *folder = getcwd(NULL, 0);
    buffer_printf(key, "%s\n", folder ? folder : "?");
    free(folder);
    key_file(key, "/proc/self/exe");
    const char *runtime = getenv("HEDDLE_RUNTIME");
    key_file(key, runtime ? runtime : build_own_file(arena, "heddle_rt.o"));
    key_program(arena, key, build->compiler.c);
    key_program(arena, key, build->compiler.cxx);
    for (size_t i = 0; i < COUNT_OF(variables); i++) {
        const char *value = getenv(variables[i]);
        if (value)
            buffer_printf(key, "%s=%s\n", variables[i], value);
    }
    bool cxx = false;
    for (size_t i = 0; i < build->inputs.count; i++) {
        const BuildInput *input = &build->inputs.at[i];
        buffer_printf(key, "%s\n%d\n", input->path, (int)input->language);
        key_words(key, &input->own.flags);
        cxx |= input->language == FILE_CXX;
    }
    key_words(key, &request->compile);
    buffer_printf(key, "%d %d\n", cxx && request->every_try, request->many_events);
}

/* Returns HEDDLE_BUILDS if a build like this can be kept: it has no other files than sources and
 * what is made of them. */
static const char *builds_root(const BuildRequest *request, const Build *build)
{
    const char *root = getenv("HEDDLE_BUILDS");
    if (!root || !*root || request->annotations || request->link.count)
        return NULL;
    for (size_t i = 0; i < build->inputs.count; i++)
        if (!build->inputs.at[i].assembly || build->inputs.at[i].own.archive)
            return NULL;
    return root;
}

static const char *builds_folder(Arena *arena, const char *root, const Buffer *key)
{
    return arena_printf(arena, "%s/%016" PRIx64 "%016" PRIx64, root,
                        hash_bytes(key->at, key->count, 1), hash_bytes(key->at, key->count, 2));
}

/* Lists the names of the files of a build. */
static void builds_names(Arena *arena, const Build *build, Words *names)
{
    for (size_t i = 0; i < build->inputs.count; i++) {
        vec_push(names, arena_printf(arena, "%zu.s", i));
        vec_push(names, arena_printf(arena, "%zu.o", i));
    }
    vec_push(names, "program");
}

static bool link_files(Arena *arena, const char *from, const char *to, const Words *names)
{
    for (size_t i = 0; i < names->count; i++)
        if (link(arena_printf(arena, "%s/%s", from, names->at[i]),
                 arena_printf(arena, "%s/%s", to, names->at[i])) != 0)
            return false;
    return true;
}

static void remove_files(Arena *arena, const char *folder, const Words *names)
{
    for (size_t i = 0; i < names->count; i++)
        unlink(arena_printf(arena, "%s/%s", folder, names->at[i]));
}

static void remove_entry(Arena *arena, const char *folder, const Words *names)
{
    unlink(arena_printf(arena, "%s/key", folder));
    unlink(arena_printf(arena, "%s/sources", folder));
    remove_files(arena, folder, names);
    rmdir(folder);
}

static bool file_is(const char *path, const Buffer *text)
{
    Buffer there = {0};
    Error ignored;
    bool is = file_read(path, &there, &ignored) && str_equal(buffer_str(&there), buffer_str(text));
    vec_free(&there);
    return is;
}

/* Writes the sources with their sizes and hashes, a line each. */
static void write_sources(Buffer *out, const Build *build)
{
    for (size_t i = 0; i < build->sources.count; i++)
        buffer_printf(out, "%" PRIu64 " %" PRIx64 " %s\n", build->sources.at[i].bytes,
                      build->sources.at[i].hash, build->sources.at[i].path);
}

/* Reads such lines and fills build->sources. False if a source is not what it was. */
static bool read_sources(Arena *arena, const char *path, Build *build)
{
    Buffer text = {0}, again = {0};
    Error ignored;
    bool same = file_read(path, &text, &ignored);
    Str rest = buffer_str(&text), line;
    while (same && str_next(&rest, '\n', &line)) {
        Str number, hash;
        BuildSource source;
        if (!line.length)
            continue;
        same = str_next(&line, ' ', &number) && str_next(&line, ' ', &hash) &&
               build_hash_file(str_copy(arena, line), &source, &ignored);
        if (same)
            vec_push(&build->sources, source);
    }
    write_sources(&again, build);
    same = same && build->sources.count && str_equal(buffer_str(&text), buffer_str(&again));
    if (!same)
        vec_clear(&build->sources);
    vec_free(&text);
    vec_free(&again);
    return same;
}

bool builds_take(Arena *arena, const Workspace *workspace, const BuildRequest *request,
                 Build *build)
{
    const char *root = builds_root(request, build);
    if (!root)
        return false;
    Buffer key = {0};
    Words names = {0};
    key_write(arena, &key, request, build);
    builds_names(arena, build, &names);
    const char *folder = builds_folder(arena, root, &key);
    /* A build before this one may have left files here that are kept as well, under other names:
     * compilers would write into them. */
    remove_files(arena, workspace->path, &names);
    bool taken = file_is(arena_printf(arena, "%s/key", folder), &key) &&
                 read_sources(arena, arena_printf(arena, "%s/sources", folder), build);
    taken = taken && link_files(arena, folder, workspace->path, &names);
    if (!taken) { /* what is there, if anything, serves nobody */
        remove_files(arena, workspace->path, &names);
        remove_entry(arena, folder, &names);
        vec_clear(&build->sources);
    }
    vec_free(&names);
    vec_free(&key);
    return taken;
}

static bool has_inline_assembly(Str text)
{
    Str line;
    bool inside = false;
    while (str_next(&text, '\n', &line))
        if (assembly_is_mark(str_trim(line), &inside))
            return true;
    return false;
}

/* Did the compilers print something, or does a step depend on more than the key? */
static bool is_special(Arena *arena, const Workspace *workspace, const Build *build)
{
    static const char *const logs[] = {"log", "second.log"}; /* compile.c */
    struct stat status;
    bool special =
        stat(workspace_file(workspace, arena, "link.log"), &status) == 0 && status.st_size > 0;
    for (size_t i = 0; i < build->inputs.count && !special; i++) {
        Buffer text = {0};
        Error ignored;
        const char *object = arena_printf(arena, "%s/%zu.o", workspace->path, i);
        special = strcmp(build->inputs.at[i].object, object) != 0 || /* machine/rename.h */
                  !file_read(build->inputs.at[i].assembly, &text, &ignored) ||
                  has_inline_assembly(buffer_str(&text));
        vec_free(&text);
        for (size_t k = 0; k < COUNT_OF(logs) && !special; k++) {
            const char *log = arena_printf(arena, "%s/%zu.%s", workspace->path, i, logs[k]);
            special = stat(log, &status) == 0 && status.st_size > 0;
        }
    }
    return special;
}

static bool write_text(Arena *arena, const char *folder, const char *name, const Buffer *text)
{
    FileWriter writer;
    Error ignored;
    file_begin(&writer, arena_printf(arena, "%s/%s", folder, name));
    fwrite(text->at, 1, text->count, writer.stream);
    return file_commit(&writer, &ignored);
}

void builds_put(Arena *arena, const Workspace *workspace, const BuildRequest *request,
                const Build *build)
{
    const char *root = builds_root(request, build);
    struct statvfs system;
    if (!root || is_special(arena, workspace, build))
        return;
    mkdir(root, 0700);
    if (statvfs(root, &system) != 0 || (uint64_t)system.f_bavail * system.f_frsize < LEAST_ROOM)
        return;
    char *folder = arena_printf(arena, "%s/XXXXXX", root);
    if (!mkdtemp(folder))
        return;
    Buffer key = {0}, sources = {0};
    Words names = {0};
    key_write(arena, &key, request, build);
    write_sources(&sources, build);
    builds_names(arena, build, &names);
    /* It appears whole or not at all; another process may have been quicker. */
    if (!write_text(arena, folder, "key", &key) ||
        !write_text(arena, folder, "sources", &sources) ||
        !link_files(arena, workspace->path, folder, &names) ||
        rename(folder, builds_folder(arena, root, &key)) != 0) {
        remove_entry(arena, folder, &names);
    }
    vec_free(&names);
    vec_free(&sources);
    vec_free(&key);
}
