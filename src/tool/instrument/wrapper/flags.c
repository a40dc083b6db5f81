#include "tool/instrument/wrapper/flags.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/str.h"

/* Splits a command as a shell does: words, quotes, backslashes; nothing is expanded. */
void flags_split(Arena *arena, const char *at, Words *out)
{
    Buffer word = {0};
    bool open = false; /* a word has begun, if only by a pair of quotes */
    char quote = 0;
    for (; *at; at++) {
        if (*at == '\\' && quote != '\'' && at[1]) {
            bool kept = quote == '"' && !strchr("\\\"$`\n", at[1]);
            if (kept)
                buffer_append(&word, at, 1);
            buffer_append(&word, ++at, 1);
            open = true;
        } else if (quote ? *at == quote : *at == '"' || *at == '\'') {
            quote = quote ? 0 : *at;
            open = true;
        } else if (!quote && strchr(" \t\n", *at)) {
            if (open)
                vec_push(out, str_copy(arena, buffer_str(&word)));
            vec_clear(&word);
            open = false;
        } else {
            buffer_append(&word, at, 1);
            open = true;
        }
    }
    if (open)
        vec_push(out, str_copy(arena, buffer_str(&word)));
    vec_free(&word);
}

/* PATH as seen from FOLDER, without detours, so that two ways to one place are equal. */
const char *flags_path(Arena *arena, const char *folder, const char *path)
{
    char real[PATH_MAX];
    const char *whole = path[0] == '/' ? path : arena_printf(arena, "%s/%s", folder, path);
    return realpath(whole, real) ? arena_printf(arena, "%s", real) : whole;
}

/* Options whose value is a path. */
static bool names_path(const char *word)
{
    static const char *const words[] = {"-I",         "-isystem", "-iquote",
                                        "-idirafter", "-include", "-imacros"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (!strcmp(word, words[i]))
            return true;
    return false;
}

/* A file that is included first is looked for in FOLDER, and then like every other header. */
static const char *value_of(Arena *arena, const char *folder, const char *word, const char *value)
{
    bool searched = !strcmp(word, "-include") || !strcmp(word, "-imacros");
    if (!names_path(word))
        return value;
    const char *path = flags_path(arena, folder, value);
    return searched && access(path, F_OK) != 0 ? value : path;
}

/* Is WORD about something that is ours to choose, or that the project's own build has seen to? */
static bool means_nothing(const char *word)
{
    static const char *const starts[] = {"-O",
                                         "-g",
                                         "-fsanitize",
                                         "-flto",
                                         "-fno-lto",
                                         "-ffat-lto",
                                         "-fno-fat-lto",
                                         "-fuse-l",
                                         "-fprofile",
                                         "-ftest-coverage",
                                         "-fcoverage",
                                         "-ffile-prefix-map",
                                         "-fdebug-prefix-map",
                                         "-fmacro-prefix-map",
                                         "-frandom-seed",
                                         "-fdiagnostics",
                                         "-fno-diagnostics",
                                         "-fmessage-length",
                                         "-mllvm",
                                         "-L",
                                         "-l",
                                         "-Xlinker",
                                         "-rdynamic",
                                         "-static-lib"};
    for (size_t i = 0; i < COUNT_OF(starts); i++)
        if (!strncmp(word, starts[i], strlen(starts[i])))
            return true;
    /* a warning that is off may be an error that is none */
    return !strncmp(word, "-W", 2) && strncmp(word, "-Wno-", 5) != 0;
}

void flags_take(Arena *arena, const char *folder, const Words *words, Words *out)
{
    static const char *const joined[] = {"-isystem", "-iquote", "-idirafter"};
    for (size_t i = 1; i < words->count; i++) {
        const char *word = words->at[i], *value = NULL;
        bool separate = false, link, known = compiler_wants(word, &separate, &link);
        for (size_t k = 0; k < COUNT_OF(joined) && !known; k++)
            if (!strncmp(word, joined[k], strlen(joined[k]))) {
                value = word + strlen(joined[k]);
                word = joined[k];
                known = true;
            }
        if (!known)
            continue;
        if (separate && i + 1 < words->count)
            value = words->at[++i];
        if (means_nothing(word) || (separate && !value))
            continue;
        if (!strncmp(word, "-I", 2) && word[2])
            word = arena_printf(arena, "-I%s", flags_path(arena, folder, word + 2));
        vec_push(out, word);
        if (value)
            vec_push(out, value_of(arena, folder, word, value));
    }
}

bool flags_same(const Words *a, const Words *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = !strcmp(a->at[i], b->at[i]);
    return same;
}
