#include "tool/instrument/machine/archives.h"
#include <string.h>
#include "base/file.h"
#include "base/str.h"

bool archives_is_known_library(const char *name)
{
    static const char *const known[] = {"c",      "m",   "pthread", "dl",    "rt",
                                        "stdc++", "gcc", "gcc_s",   "atomic"};
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (!strcmp(name, known[i]))
            return true;
    return false;
}

const char *archives_library(const Words *link, size_t i)
{
    DEBUG_ASSERT(i < link->count);
    const char *word = link->at[i];
    if (strncmp(word, "-l", 2) != 0)
        return NULL;
    return word[2] ? word + 2 : i + 1 < link->count ? link->at[i + 1] : "";
}

bool archives_want_map(const BuildRequest *request, const Build *build)
{
    for (size_t i = 0; i < build->inputs.count; i++)
        if (build->inputs.at[i].language == FILE_ARCHIVE)
            return true;
    for (size_t i = 0; i < request->link.count; i++) {
        const char *name = archives_library(&request->link, i);
        if (name && !archives_is_known_library(name))
            return true;
    }
    return false;
}

/* The lines "libq.a(queue.o)   main.o (queue_put)" after the heading, up to the next section. A
 * long name stands on a line of its own. */
static bool read_members(Arena *arena, Str text, Words *members)
{
    Str line;
    bool inside = false;
    while (str_next(&text, '\n', &line)) {
        if (str_starts(line, STR("Archive member included "))) {
            inside = true;
            continue;
        }
        if (!inside || !line.length || line.at[0] == ' ' || line.at[0] == '\t')
            continue;
        const char *end = memchr(line.at, ')', line.length);
        if (!end || !memchr(line.at, '(', (size_t)(end - line.at)))
            return true; /* another section */
        vec_push(members, arena_copy(arena, line.at, (size_t)(end + 1 - line.at)));
    }
    return inside;
}

static bool is_member(const Words *members, const char *archive, const char *suffix)
{
    size_t length = strlen(archive);
    for (size_t i = 0; i < members->count; i++)
        if (!strncmp(members->at[i], archive, length) && !strcmp(members->at[i] + length, suffix))
            return true;
    return false;
}

static void mark_inputs(const Words *members, Build *build)
{
    for (size_t i = 0; i < build->inputs.count; i++) {
        const BuildInput *input = &build->inputs.at[i];
        size_t length = strlen(input->path);
        for (size_t k = 0; k < build->objects.count && input->language == FILE_ARCHIVE; k++) {
            ObjectFile *file = &build->objects.at[k];
            if (!strncmp(file->name, input->path, length) && file->name[length] == '(')
                file->left_out = !is_member(members, input->object, file->name + length);
        }
    }
}

/* The archive of the library NAME that members were taken from, or NULL. */
static const char *archive_of(Arena *arena, const Words *members, const char *name)
{
    const char *file = name[0] == ':' ? name + 1 : arena_printf(arena, "lib%s.a", name);
    for (size_t i = 0; i < members->count; i++) {
        const char *end = strrchr(members->at[i], '(');
        const char *path = arena_copy(arena, members->at[i], (size_t)(end - members->at[i]));
        const char *slash = strrchr(path, '/');
        if (!strcmp(slash ? slash + 1 : path, file))
            return path;
    }
    return NULL;
}

static bool read_library(Arena *arena, const Words *members, const char *name, Build *build,
                         Error *error)
{
    const char *archive = archive_of(arena, members, name);
    size_t before = build->members.count;
    for (size_t i = 0; i < before; i++)
        if (!strcmp(build->members.at[i].library, name))
            return true; /* named twice */
    if (!archive)
        return true;
    const char *slash = strrchr(archive, '/'), *label = slash ? slash + 1 : archive;
    if (!object_read(arena, archive, label, &build->members, error))
        return false;
    for (size_t i = before; i < build->members.count; i++) {
        ObjectFile *file = &build->members.at[i];
        file->library = name;
        file->left_out = !is_member(members, archive, file->name + strlen(label));
    }
    return true;
}

bool archives_find(Arena *arena, const char *map, const BuildRequest *request, Build *build,
                   Error *error)
{
    Buffer text = {0};
    Words members = {0};
    bool fine = file_read(map, &text, error);
    if (fine && read_members(arena, buffer_str(&text), &members)) {
        mark_inputs(&members, build);
        for (size_t i = 0; i < request->link.count && fine; i++) {
            const char *name = archives_library(&request->link, i);
            if (name && !archives_is_known_library(name))
                fine = read_library(arena, &members, name, build, error);
        }
    }
    vec_free(&text);
    vec_free(&members);
    return fine;
}
