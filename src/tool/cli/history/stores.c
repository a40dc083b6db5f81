#include "tool/cli/history/stores.h"
#include "judge/history/log.h"
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef Vec(const char *) Paths;

/* Runs are named by the time they began at: 20261119T100000.000Z. */
static bool is_run(const char *name)
{
    size_t digits = 0;
    while (isdigit((unsigned char)name[digits]))
        digits++;
    return digits == 8 && name[digits] == 'T';
}

static bool is_folder(const char *path, bool through_link)
{
    struct stat status;
    return (through_link ? stat(path, &status) : lstat(path, &status)) == 0 &&
           S_ISDIR(status.st_mode);
}

static void push_run(Paths *paths, const char *folder, Arena *arena)
{
    const char *name = log_in_folder(folder);
    vec_push(paths, name ? arena_printf(arena, "%s/%s", folder, name) : folder);
}

/* The runs in FOLDER; TESTS: and in the folders there, but not below. */
static void push_runs(Paths *paths, const char *folder, bool tests, Arena *arena)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        const char *path = arena_printf(arena, "%s/%s", folder, name);
        if (name[0] != '.' && is_folder(path, false)) {
            if (is_run(name))
                push_run(paths, path, arena);
            else if (tests)
                push_runs(paths, path, false, arena);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

void history_stores_expand(HistorySettings *settings, Arena *arena)
{
    Paths paths = {0};
    if (settings->follow) /* the log that grows is named itself */
        return;
    for (size_t i = 0; i < settings->logs.count; i++) {
        const char *log = settings->logs.at[i];
        size_t before = paths.count;
        if (is_folder(log, true) && !log_in_folder(log))
            push_runs(&paths, log, true, arena);
        if (paths.count > before)
            continue;
        if (is_folder(log, true))
            push_run(&paths, log, arena);
        else
            vec_push(&paths, log);
    }
    settings->logs.count = 0;
    for (size_t i = 0; i < paths.count; i++)
        vec_push(&settings->logs, paths.at[i]);
    vec_free(&paths);
}
