#include "tool/cli/project/cache.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
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
    FILE *from = fopen(path, "re");
    char line[LONGEST_LINE + 2];
    bool whole = true; /* the line begins here */
    while (from && lines->count < MOST_LINES && fgets(line, sizeof line, from)) {
        size_t length = strcspn(line, "\n");
        bool ends = line[length] == '\n' || feof(from), fine = whole && ends && length > 0;
        for (size_t i = 0; i < length; i++)
            fine &= (unsigned char)line[i] >= 32 && line[i] != 127;
        whole = ends;
        if (fine)
            vec_push(lines, arena_copy(arena, line, length));
    }
    if (from)
        fclose(from);
}

/* As a whole or not at all: another run may read it at the same time. */
bool cache_write(const char *path, const Words *lines, Error *error)
{
    char folder[4096], fresh[4200];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) {
        *slash = 0;
        if (mkdir(folder, 0777) != 0 && errno != EEXIST)
            return error_set(error, "%s: %s", folder, strerror(errno));
    }
    snprintf(fresh, sizeof fresh, "%s.%ld", path, (long)getpid());
    FILE *to = fopen(fresh, "we");
    if (!to)
        return error_set(error, "%s: %s", fresh, strerror(errno));
    for (size_t i = 0; i < lines->count; i++)
        fprintf(to, "%s\n", lines->at[i]);
    bool written = !ferror(to);
    written &= fclose(to) == 0;
    if (written && rename(fresh, path) == 0)
        return true;
    error_set(error, "%s: %s", path, strerror(errno));
    unlink(fresh);
    return false;
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
