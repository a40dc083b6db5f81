/* cmd_init.c: `heddle init': a test file from a header, a list of tests from a project. */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "base/print.h"
#include "tool/cli/commands.h"
#include "tool/cli/init/api.h"
#include "tool/cli/init/emit.h"
#include "tool/cli/init/outline.h"
#include "tool/cli/init/project_list.h"
#include "tool/cli/options.h"
#include "tool/cli/present.h"
#include "tool/cli/project/config.h"

static const char doc[] =
    "Write a test file for the data structure that HEADER declares: its operations, with arguments "
    "to try, how it is set up, and the specification if it looks like a queue or a stack. What is "
    "guessed from names and types says TODO.\v"
    "-D -I -U -std -include -isystem go to the compiler. A header for C++ ends with .hh, .hpp, "
    ".hxx, .h++ or .H, or is named with --c++.\n\n"
    "Examples:\n"
    "  heddle init queue.h && heddle check queue_check.c queue.c\n"
    "  heddle init --only=mpmc -o stack_check.c /usr/include/ck_stack.h\n"
    "  heddle init --toml && heddle check\n\n"
    "Exit status: 0 written, 2 usage or input error.";

typedef struct InitOptions {
    RunOptions run; /* for the compiler's words */
    Words files, includes;
    const char *output, *only, *class;
    bool cxx, toml, force;
} InitOptions;

enum { KEY_ONLY = 0x200, KEY_INCLUDE, KEY_CXX, KEY_CLASS, KEY_TOML, KEY_FORCE };

static const struct argp_option init_options[] = {
    {"output", 'o', "FILE", 0, "Write to FILE; - is standard output (NAME_check.c)", 0},
    {"only", KEY_ONLY, "NAMES", 0,
     "Only functions whose names contain one of NAMES, which commas separate, are operations", 0},
    {"include", KEY_INCLUDE, "HEADER", 0,
     "Include HEADER instead, because HEADER includes the one to test and wants to be the only one "
     "that does (glib.h); may be repeated",
     0},
    {"c++", KEY_CXX, 0, 0, "The header is C++, whatever its name", 0},
    {"class", KEY_CLASS, "TYPE", 0,
     "The object is of this C++ type, such as 'Queue<int, 16>' (the class with the most public "
     "methods)",
     0},
    {"toml", KEY_TOML, 0, 0,
     "Write heddle.toml, the list of a project's tests, instead: of the files that are named, or "
     "of all below this folder that include <heddle.h>",
     0},
    {"force", KEY_FORCE, 0, 0, "Replace a file that is there", 0},
    {0}};

static error_t init_parse(int key, char *text, struct argp_state *state)
{
    InitOptions *options = state->input;
    switch (key) {
    case 'o':
        options->output = text;
        return 0;
    case KEY_ONLY:
        options->only = text;
        return 0;
    case KEY_INCLUDE:
        vec_push(&options->includes, text);
        return 0;
    case KEY_CXX:
        options->cxx = true;
        return 0;
    case KEY_CLASS:
        options->class = text;
        options->cxx = true;
        return 0;
    case KEY_TOML:
        options->toml = true;
        return 0;
    case KEY_FORCE:
        options->force = true;
        return 0;
    case ARGP_KEY_ARG:
        vec_push(&options->files, text);
        return 0;
    case ARGP_KEY_END:
        if (!options->toml && options->files.count != 1)
            argp_error(state, options->files.count ? "one header at a time" : "which header?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool names_cxx(const char *path)
{
    static const char *const endings[] = {".hh", ".hpp", ".hxx", ".h++", ".H"};
    bool is = false;
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        is |= str_ends(str_of(path), str_of(endings[i]));
    return is;
}

/* The header by its path, or in a folder of -I or of the system. */
static const char *find_header(Arena *arena, const char *name, const Words *compile)
{
    static const char *const system[] = {"/usr/local/include", "/usr/include/x86_64-linux-gnu",
                                         "/usr/include"};
    if (access(name, R_OK) == 0)
        return name;
    for (size_t i = 0; i < compile->count; i++) {
        const char *word = compile->at[i], *folder = NULL;
        if (!strncmp(word, "-I", 2))
            folder = word[2] ? word + 2 : i + 1 < compile->count ? compile->at[i + 1] : NULL;
        if (folder && access(arena_printf(arena, "%s/%s", folder, name), R_OK) == 0)
            return arena_printf(arena, "%s/%s", folder, name);
    }
    for (size_t i = 0; i < COUNT_OF(system); i++)
        if (access(arena_printf(arena, "%s/%s", system[i], name), R_OK) == 0)
            return arena_printf(arena, "%s/%s", system[i], name);
    return name;
}

/* How a test file names the header: <...> if it is in a folder of the system. */
static const char *include_line(Arena *arena, const char *path)
{
    static const char *const system[] = {"/usr/local/include/", "/usr/include/x86_64-linux-gnu/",
                                         "/usr/include/"};
    for (size_t i = 0; i < COUNT_OF(system); i++)
        if (str_starts(str_of(path), str_of(system[i])))
            return arena_printf(arena, "<%s>", path + strlen(system[i]));
    return arena_printf(arena, "\"%s\"", path);
}

/* "dir/queue.h": "queue_check.c" */
static const char *default_output(Arena *arena, const char *header, bool cxx)
{
    const char *slash = strrchr(header, '/'), *base = slash ? slash + 1 : header;
    const char *dot = strrchr(base, '.');
    return arena_printf(arena, "%.*s_check.%s", dot ? (int)(dot - base) : (int)strlen(base), base,
                        cxx ? "cc" : "c");
}

static bool write_file(const InitOptions *options, const char *path, const Buffer *text,
                       Error *error)
{
    struct stat status;
    if (!strcmp(path, "-"))
        return fwrite(text->at, 1, text->count, stdout) == text->count ||
               error_set(error, "the file can't be written: %s", strerror(errno));
    if (!options->force && stat(path, &status) == 0)
        return error_set(error, "%s is there already: say --force, or -o FILE", path);
    FileWriter writer;
    file_begin(&writer, path);
    fwrite(text->at, 1, text->count, writer.stream);
    return file_commit(&writer, error);
}

static bool init_list(Arena *arena, const InitOptions *options, Error *error)
{
    Buffer text = {0};
    size_t count;
    const char *path = options->output ? options->output : CONFIG_FILE;
    bool fine =
        project_list(arena, &options->files, &options->run.build.compile, &text, &count, error) &&
        write_file(options, path, &text, error);
    if (fine && strcmp(path, "-") != 0)
        print_plain(stdout, "%s lists %zu test%s; `heddle check' runs %s\n", path, count,
                    count == 1 ? "" : "s", count == 1 ? "it" : "them");
    vec_free(&text);
    return fine;
}

static bool init_test(Arena *arena, const InitOptions *options, Error *error)
{
    const Words *compile = &options->run.build.compile;
    const char *header = find_header(arena, options->files.at[0], compile);
    bool cxx = options->cxx || names_cxx(header);
    const char *path = options->output ? options->output : default_output(arena, header, cxx);
    const char *name = strcmp(path, "-") != 0 ? path : default_output(arena, header, cxx);
    const char *command = arena_printf(arena, "heddle init %s", options->files.at[0]);
    Api api = {0};
    Outline outline = {0};
    Buffer text = {0};
    Words lines = {0};
    EmitCount count;
    for (size_t i = 0; i < options->includes.count; i++)
        vec_push(&lines, arena_printf(arena, "<%s>", options->includes.at[i]));
    if (!lines.count)
        vec_push(&lines, include_line(arena, header));
    bool fine = api_read(arena, header, &options->includes, compile, cxx, &api, error) &&
                outline_make(arena, &api, options->only, &outline, error);
    if (fine && options->class)
        api.class = options->class;
    if (fine) {
        emit_test(arena, &outline, &lines, name, command, &text, &count);
        fine = write_file(options, path, &text, error);
    }
    if (fine && strcmp(path, "-") != 0) {
        print_plain(stdout,
                    "%s: %u operation%s, %u guess%s to look at (TODO), %u function%s left out\n",
                    path, count.operations, count.operations == 1 ? "" : "s", count.guesses,
                    count.guesses == 1 ? "" : "es", count.left, count.left == 1 ? "" : "s");
        if (count.vacuous)
            print_plain(stdout,
                        "%u of them %s vacuous: a result that is not told can't be wrong (TODO)\n",
                        count.vacuous, count.vacuous == 1 ? "is" : "are");
    }
    vec_free(&text);
    vec_free(&lines);
    outline_free(&outline);
    api_free(&api);
    return fine;
}

int cmd_init(int argc, char **argv)
{
    static const struct argp parser = {
        init_options, init_parse, "HEADER\n--toml [FILE...]", doc, 0, 0, 0};
    InitOptions options = {0};
    char name[] = "heddle init";
    argv[0] = name;
    options_init(&options.run);
    options_take_compiler_words(&argc, argv, &options.run);
    argp_parse(&parser, argc, argv, 0, NULL, &options);
    Arena *arena = arena_new();
    Error error = {0};
    bool fine =
        options.toml ? init_list(arena, &options, &error) : init_test(arena, &options, &error);
    int status = fine ? 0 : present_failure(&error);
    vec_free(&options.files);
    vec_free(&options.includes);
    options_free(&options.run);
    arena_free(arena);
    return status;
}
