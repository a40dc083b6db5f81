#include "tool/cli/project/cache.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"

#define MOST_LINES 32
#define LONGEST_LINE 1000 /* as a scenario may be */

const char *cache_path(Arena *arena, const char *folder, const Words *files)
{
    uint64_t key = 0;
    for (size_t i = 0; i < files->count; i++)
        key = hash_bytes(files->at[i], strlen(files->at[i]) + 1, key);
    const char *slash = strrchr(files->at[0], '/'), *name = slash ? slash + 1 : files->at[0];
    return arena_printf(arena, "%s/%.*s-%016llx.tests", folder, (int)strcspn(name, "."), name,
                        (unsigned long long)key);
}

/* Lines that are too long or have control characters are not ours: they are passed over. */
void cache_read(Arena *arena, const char *path, Words *lines)
{
    Buffer text = {0};
    Error ignored;
    bool read = file_read(path, &text, &ignored);
    Str rest = buffer_str(&text), line;
    while (read && lines->count < MOST_LINES && str_next(&rest, '\n', &line)) {
        bool fine = line.length > 0 && line.length <= LONGEST_LINE;
        for (size_t i = 0; fine && i < line.length; i++)
            fine = (unsigned char)line.at[i] >= 32 && line.at[i] != 127;
        if (fine)
            vec_push(lines, str_copy(arena, line));
    }
    vec_free(&text);
}

/* Writes all or nothing: another run may read it at the same time. */
bool cache_write(const char *path, const Words *lines, Error *error)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) {
        *slash = 0;
        if (!file_make_folder(folder, error))
            return false;
    }
    struct stat status;
    if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return error_set(error, "%s is not a regular file", path);
    FileWriter to;
    file_begin(&to, path);
    for (size_t i = 0; i < lines->count; i++)
        fprintf(to.stream, "%s\n", lines->at[i]);
    return file_commit(&to, error);
}

bool cache_add(Arena *arena, const char *path, const char *line, Error *error)
{
    Words old = {0}, all = {0};
    cache_read(arena, path, &old);
    vec_push(&all, line);
    for (size_t i = 0; i < old.count && all.count < MOST_LINES; i++)
        if (strcmp(old.at[i], line) != 0)
            vec_push(&all, old.at[i]);
    bool written = strlen(line) > LONGEST_LINE || cache_write(path, &all, error);
    vec_free(&old);
    vec_free(&all);
    return written;
}
