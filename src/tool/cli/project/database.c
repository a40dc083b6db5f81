#include "tool/cli/project/database.h"
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
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

static bool collect(Arena *arena, const char *path, json_t *list, const Words *files,
                    Words *compile, size_t *count, Error *error)
{
    const char *first = NULL;
    Words common = {0};
    bool fine = true;
    for (size_t i = 0; fine && i < files->count; i++) {
        FileLanguage language = compiler_file_language(files->at[i]);
        char real[PATH_MAX];
        Words words = {0};
        if ((language == FILE_C || language == FILE_CXX) && realpath(files->at[i], real) &&
            find_file(arena, list, real, &words)) {
            if (first && !flags_same(&words, &common))
                fine = error_at(error, path, 0, 0,
                                "%s and %s have other flags: compile one of them by itself "
                                "(-fsanitize=thread -O0 -g) and name the object",
                                first, files->at[i]);
            if (!first) {
                first = files->at[i];
                for (size_t k = 0; k < words.count; k++)
                    vec_push(&common, words.at[k]);
            }
            ++*count;
        }
        vec_free(&words);
    }
    if (fine && !first)
        fine = error_at(error, path, 0, 0, "none of the files that are named is in it");
    TrustRules rules = {.folder = ".", .outside = true, .macros = true};
    Buffer refused = {0};
    if (fine && !trust_words(&rules, &common, &refused))
        fine = error_at(error, path, 0, 0,
                        "has flags that could run commands or write files: %.600s", refused.at);
    for (size_t i = 0; fine && i < common.count; i++)
        vec_push(compile, common.at[i]);
    vec_free(&refused);
    vec_free(&common);
    return fine;
}

bool database_flags(Arena *arena, const char *folder, const Words *files, Words *compile,
                    size_t *count, Error *error)
{
    const char *path = arena_printf(arena, "%s/compile_commands.json", folder);
    Buffer text = {0};
    json_error_t why;
    *count = 0;
    if (!file_read(path, &text, error))
        return false;
    json_t *list = json_loadb(text.at ? text.at : "", text.count, 0, &why);
    vec_free(&text);
    if (!json_is_array(list)) {
        json_decref(list);
        return error_at(error, path, list ? 0 : why.line, 0, "is no list of compilations");
    }
    bool fine = collect(arena, path, list, files, compile, count, error);
    json_decref(list);
    return fine;
}
