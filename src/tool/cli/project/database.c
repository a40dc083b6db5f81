#include "tool/cli/project/database.h"
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "tool/instrument/trust.h"
#include "tool/instrument/wrapper/flags.h"

/* The flags of the file PATH (which is real) in the LIST; false if it is not there. */
static bool find_file(Arena *arena, json_t *list, const char *path, Words *out)
{
    size_t index;
    json_t *entry;
    json_array_foreach(list, index, entry)
    {
        const char *folder = json_string_value(json_object_get(entry, "directory"));
        const char *file = json_string_value(json_object_get(entry, "file"));
        const char *command = json_string_value(json_object_get(entry, "command"));
        json_t *arguments = json_object_get(entry, "arguments"), *word;
        char real[PATH_MAX];
        if (!folder || !file || !realpath(flags_path(arena, folder, file), real) ||
            strcmp(real, path) != 0)
            continue;
        Words words = {0};
        size_t i;
        json_array_foreach(arguments, i, word) if (json_string_value(word))
            vec_push(&words, arena_printf(arena, "%s", json_string_value(word)));
        if (!words.count && command)
            flags_split(arena, command, &words);
        flags_take(arena, folder, &words, out);
        vec_free(&words);
        return true;
    }
    return false;
}

static bool check_words(const char *path, const Words *words, bool inside, Error *error)
{
    TrustRules rules = {.folder = ".", .outside = !inside, .macros = true};
    Buffer refused = {0};
    bool fine = trust_words(&rules, words, &refused);
    if (!fine)
        error_at(error, path, 0, 0, "has flags that could run commands or write files: %.600s",
                 refused.at);
    vec_free(&refused);
    return fine;
}

/* The flags of FILE in the LIST; false if it is no source, or not there. */
static bool flags_of(Arena *arena, json_t *list, const char *file, Words *out)
{
    FileLanguage language = compiler_file_language(file);
    char real[PATH_MAX];
    return (language == FILE_C || language == FILE_CXX) && realpath(file, real) &&
           find_file(arena, list, real, out);
}

/* How many folders two absolute paths have in common. */
static size_t common_folders(const char *a, const char *b)
{
    size_t folders = 0;
    for (; *a && *a == *b; a++, b++)
        folders += *a == '/';
    return folders;
}

/* The source of the LIST that is in the language of FILE and nearest to it; NULL if there is
 * none. */
static const char *nearest_file(Arena *arena, json_t *list, const char *file)
{
    char real[PATH_MAX];
    const char *nearest = NULL;
    size_t index, most = 0;
    json_t *entry;
    if (!realpath(file, real))
        return NULL;
    json_array_foreach(list, index, entry)
    {
        const char *folder = json_string_value(json_object_get(entry, "directory"));
        const char *name = json_string_value(json_object_get(entry, "file"));
        const char *path = folder && name ? flags_path(arena, folder, name) : NULL;
        if (!path || compiler_file_language(path) != compiler_file_language(file) ||
            access(path, R_OK) != 0 || common_folders(path, real) <= most)
            continue;
        most = common_folders(path, real);
        nearest = path;
    }
    return nearest;
}

/* The flags of FILE: its own, else those of its neighbour; false if it is no source, or alone. */
static bool take_flags(Arena *arena, json_t *list, const char *file, Words *out,
                       DatabaseTaken *taken)
{
    FileLanguage language = compiler_file_language(file);
    if (flags_of(arena, list, file, out)) {
        taken->count++;
        return true;
    }
    const char *neighbour =
        language == FILE_C || language == FILE_CXX ? nearest_file(arena, list, file) : NULL;
    if (!neighbour || !flags_of(arena, list, neighbour, out))
        return false;
    vec_push(&taken->near, arena_printf(arena, "%s as %s", file, file_from_here(neighbour)));
    return true;
}

/* Fails if nothing was TAKEN from the list at PATH. */
static bool check_taken(const char *path, const DatabaseTaken *taken, Error *error)
{
    return taken->count || taken->near.count ||
           error_at(error, path, 0, 0,
                    "none of the files that are named is in it, nor any in their language");
}

static bool collect(Arena *arena, const char *path, json_t *list, const Words *files,
                    Words *compile, DatabaseTaken *taken, bool *differ, Error *error)
{
    Words common = {0};
    for (size_t i = 0, found = 0; i < files->count; i++) {
        Words words = {0};
        if (take_flags(arena, list, files->at[i], &words, taken)) {
            *differ |= found && !flags_same(&words, &common);
            for (size_t k = 0; !found && k < words.count; k++)
                vec_push(&common, words.at[k]);
            found++;
        }
        vec_free(&words);
    }
    bool fine = check_words(path, &common, false, error) && check_taken(path, taken, error);
    for (size_t i = 0; fine && !*differ && i < common.count; i++)
        vec_push(compile, common.at[i]);
    vec_free(&common);
    return fine;
}

/* Reads FOLDER/compile_commands.json; NULL, with the error, if it is no list. */
static json_t *read_list(Arena *arena, const char *folder, const char **path, Error *error)
{
    Buffer text = {0};
    json_error_t why;
    *path = arena_printf(arena, "%s/compile_commands.json", folder);
    if (!file_read(*path, &text, error))
        return NULL;
    json_t *list = json_loadb(text.at ? text.at : "", text.count, 0, &why);
    vec_free(&text);
    if (json_is_array(list))
        return list;
    error_at(error, *path, list ? 0 : why.line, 0, "is no list of compilations");
    json_decref(list);
    return NULL;
}

bool database_flags(Arena *arena, const char *folder, const Words *files, Words *compile,
                    DatabaseTaken *taken, bool *differ, Error *error)
{
    const char *path;
    json_t *list = read_list(arena, folder, &path, error);
    *taken = (DatabaseTaken){0};
    *differ = false;
    bool fine = list && collect(arena, path, list, files, compile, taken, differ, error);
    json_decref(list);
    return fine;
}

/* Adds every source of the LIST that is not among the files of REQUEST to an archive. */
static void add_others(Arena *arena, json_t *list, BuildRequest *request)
{
    size_t index;
    json_t *entry;
    json_array_foreach(list, index, entry)
    {
        const char *folder = json_string_value(json_object_get(entry, "directory"));
        const char *file = json_string_value(json_object_get(entry, "file"));
        const char *path = folder && file ? flags_path(arena, folder, file) : NULL;
        BuildOwn own = {.archive = 1};
        bool known = !path || access(path, R_OK) != 0;
        for (size_t i = 0; i < request->files.count && !known; i++) {
            char real[PATH_MAX];
            known = realpath(request->files.at[i], real) && !strcmp(real, path);
        }
        if (known || !flags_of(arena, list, path, &own.flags)) {
            vec_free(&own.flags);
            continue;
        }
        vec_push(&request->files, file_from_here(path));
        vec_push(&request->own, own);
    }
}

bool database_own(Arena *arena, const char *folder, bool all, BuildRequest *request,
                  DatabaseTaken *taken, Error *error)
{
    const char *path;
    json_t *list = read_list(arena, folder, &path, error);
    const Words files = request->files;
    bool fine = list != NULL;
    *taken = (DatabaseTaken){0};
    request->files = (Words){0};
    request->own = (BuildOwns){0};
    for (size_t i = 0; i < files.count; i++) {
        BuildOwn own = {0};
        if (fine)
            take_flags(arena, list, files.at[i], &own.flags, taken);
        vec_push(&request->files, files.at[i]);
        vec_push(&request->own, own);
    }
    if (fine && !all)
        fine = check_taken(path, taken, error);
    if (fine && all)
        add_others(arena, list, request);
    for (size_t i = 0; fine && i < request->own.count; i++)
        fine =
            check_words(path, &request->own.at[i].flags, request->inside, error) &&
            (!request->inside || trust_path(&(TrustRules){.folder = "."}, request->files.at[i]) ||
             error_at(error, path, 0, 0,
                      "names a file from outside this folder, %.300s: look at it, then say "
                      "--allow-outside",
                      request->files.at[i]));
    json_decref(list);
    return fine;
}
