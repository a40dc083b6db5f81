#include "tool/cli/init/project_list.h"
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/file.h"

#define MOST_BYTES (1 << 20) /* a test file is smaller */

/* nftw has no argument for its callback. */
static Words *found;
static Arena *found_arena;

/* Does the source include <heddle.h> and say what to check? */
static bool is_test(const char *path)
{
    Buffer text = {0};
    Error ignored;
    bool is = file_read(path, &text, &ignored) && text.count && text.count < MOST_BYTES &&
              strstr(text.at, "<heddle.h>") &&
              (strstr(text.at, "HD_OP") || strstr(text.at, "HD_BEGIN"));
    vec_free(&text);
    return is;
}

static int look_at(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status;
    const char *base = path + at->base;
    FileLanguage language = compiler_file_language(path);
    if (at->level && base[0] == '.')
        return kind == FTW_D ? FTW_SKIP_SUBTREE : FTW_CONTINUE;
    if (kind == FTW_D && (!strcmp(base, "build") || !strcmp(base, "node_modules")))
        return FTW_SKIP_SUBTREE;
    if (kind == FTW_F && (language == FILE_C || language == FILE_CXX) && is_test(path))
        vec_push(found, arena_printf(found_arena, "%s", path + 2)); /* without "./" */
    return FTW_CONTINUE;
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void find_tests(Arena *arena, Words *out)
{
    found = out;
    found_arena = arena;
    nftw(".", look_at, 16, FTW_PHYS | FTW_ACTIONRETVAL);
    qsort(out->at, out->count, sizeof *out->at, compare_words);
}

static void write_string(Buffer *out, const char *text)
{
    buffer_printf(out, "\"");
    for (; *text; text++)
        buffer_printf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    buffer_printf(out, "\"");
}

static void write_defaults(const Words *compile, Buffer *out)
{
    struct stat status;
    bool include = stat("include", &status) == 0 && S_ISDIR(status.st_mode);
    buffer_printf(out,
                  "# The tests of this project, for `heddle check': heddle.toml(5) has all keys.\n"
                  "[defaults]\ntime = \"60s\"\nflags = [");
    if (include)
        buffer_printf(out, "\"-Iinclude\"%s", compile->count ? ", " : "");
    for (size_t i = 0; i < compile->count; i++) {
        buffer_printf(out, "%s", i ? ", " : "");
        write_string(out, compile->at[i]);
    }
    buffer_printf(out, "]\n# model = [\"sc\", \"rc11\"]  # each test under both\n");
}

bool project_list(Arena *arena, const Words *files, const Words *compile, Buffer *out,
                  size_t *count, Error *error)
{
    Words tests = {0};
    for (size_t i = 0; i < files->count; i++)
        vec_push(&tests, files->at[i]);
    if (!tests.count)
        find_tests(arena, &tests);
    *count = tests.count;
    if (tests.count)
        write_defaults(compile, out);
    for (size_t i = 0; i < tests.count; i++) {
        buffer_printf(out, "\n[[test]]\nfiles = [");
        write_string(out, tests.at[i]);
        buffer_printf(out, "]  # and the sources that it does not include\n");
    }
    vec_free(&tests);
    return *count ||
           error_set(error, "no source below this folder includes <heddle.h> and declares "
                            "operations: `heddle init HEADER' writes one");
}
