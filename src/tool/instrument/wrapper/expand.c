#include "tool/instrument/wrapper/expand.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "base/str.h"
#include "tool/instrument/trust.h"
#include "tool/instrument/wrapper/flags.h"
#include "tool/instrument/wrapper/invocation.h"
#include "tool/instrument/wrapper/note.h"

#define DEEPEST 16 /* shared libraries of shared libraries */

typedef struct Expansion {
    Arena *arena;
    BuildRequest *request; /* under construction */
    unsigned archives;     /* that were replaced so far */
    unsigned depth;
    Words seen; /* shared libraries */
    Error *error;
} Expansion;

static void add_file(Expansion *expansion, const char *path, BuildOwn own)
{
    vec_push(&expansion->request->files, path);
    vec_push(&expansion->request->own, own);
}

static bool refuse_flags(Expansion *expansion, const char *label, const Words *words)
{
    TrustRules rules = {.folder = ".", .outside = true, .macros = true};
    Buffer refused = {0};
    bool fine = trust_words(&rules, words, &refused);
    if (!fine)
        error_set(expansion->error,
                  "%s was made with words that could run commands or write files, or that heddle "
                  "does not know: %.600s",
                  label, refused.at);
    vec_free(&refused);
    return fine;
}

/* The compiler of the notes is used again, if it is a usual one and the user names no other. */
static void take_compiler(Expansion *expansion, const Note *note)
{
    const char *name = note->words.at[0];
    if (!expansion->request->cc && strcmp(name, "gcc") && strcmp(name, "g++") &&
        trust_compiler(name))
        expansion->request->cc = name;
}

static bool add_source(Expansion *expansion, const Note *note, const char *source,
                       FileLanguage language, unsigned archive)
{
    Arena *arena = expansion->arena;
    const BuildRequest *request = expansion->request;
    BuildOwn own = {.language = language, .archive = archive};
    const char *path = file_from_here(flags_path(arena, note->folder, source));
    flags_take(arena, note->folder, &note->words, &own.flags);
    /* a source finds its neighbours by its own folder, but also by that of the compiler */
    bool fine = refuse_flags(expansion, path, &own.flags);
    bool known = false; /* the program and its library may share an object */
    for (size_t i = 0; fine && i < request->files.count && !known; i++)
        known = !strcmp(request->files.at[i], path) && request->own.at[i].language == language &&
                flags_same(&request->own.at[i].flags, &own.flags);
    take_compiler(expansion, note);
    if (fine && !known)
        add_file(expansion, path, own);
    else
        vec_free(&own.flags);
    return fine;
}

static bool add_compiled(Expansion *expansion, const Notes *notes, unsigned archive)
{
    for (size_t i = 0; i < notes->count; i++)
        if (!add_source(expansion, &notes->at[i], notes->at[i].source, notes->at[i].language,
                        archive))
            return false;
    return true;
}

static bool add_linked(Expansion *expansion, const char *label, const Note *note);

/* A shared library that `heddle cc' made is compiled into the program. */
static bool add_shared(Expansion *expansion, const NotedFile *file)
{
    bool fine = true;
    for (size_t i = 0; i < expansion->seen.count; i++)
        if (!strcmp(expansion->seen.at[i], file->name))
            return true;
    vec_push(&expansion->seen, file->name);
    if (++expansion->depth > DEEPEST)
        return error_set(expansion->error, "%s: libraries need each other without an end",
                         file->name);
    fine = add_compiled(expansion, &file->compiled, 0);
    for (size_t i = 0; fine && i < file->linked.count; i++)
        fine = add_linked(expansion, file->name, &file->linked.at[i]);
    expansion->depth--;
    return fine;
}

/* "-lgtest" for /usr/lib/x86_64-linux-gnu/libgtest.a, as CMake names libraries of the system; NULL
 * if PATH is no such file. */
static const char *system_library(Arena *arena, const char *path)
{
    static const char *const folders[] = {"/usr/lib/", "/lib/", "/usr/local/lib/"};
    const char *base = strrchr(path, '/') + 1, *dot = strstr(base, ".so");
    bool system = false;
    for (size_t i = 0; i < COUNT_OF(folders); i++)
        system |= !strncmp(path, folders[i], strlen(folders[i]));
    if (!dot && str_ends(str_of(base), STR(".a")))
        dot = base + strlen(base) - 2;
    if (!system || !dot || strncmp(base, "lib", 3) != 0)
        return NULL;
    return arena_printf(arena, "-l%.*s", (int)(dot - base) - 3, base + 3);
}

/* One file of a link that the program's own notes are of: what has notes is among them, or a shared
 * library; the rest is linked as it is. */
static bool add_input(Expansion *expansion, const char *path)
{
    NotedFiles files = {0};
    bool is_elf, fine = note_read_file(expansion->arena, path, &files, &is_elf, expansion->error);
    bool whole = false, shared = false; /* something in it has no note; it is a shared library */
    for (size_t i = 0; fine && i < files.count; i++) {
        const NotedFile *file = &files.at[i];
        shared |= file->executable;
        if (file->executable && (file->compiled.count || file->linked.count))
            fine = add_shared(expansion, file);
        else
            whole |= !file->compiled.count;
    }
    const char *library = path[0] == '/' ? system_library(expansion->arena, path) : NULL;
    /* what is no object is a script of the linker */
    if (fine && library && (whole || !is_elf))
        vec_push(&expansion->request->link, library);
    else if (fine && (shared || !is_elf) && (whole || !is_elf))
        vec_push(&expansion->request->link, path);
    else if (fine && whole)
        add_file(expansion, file_from_here(path), (BuildOwn){0});
    note_free_files(&files);
    return fine;
}

/* The file that -lNAME means, if it lies in one of the folders of -L; else NULL. */
static const char *find_library(Arena *arena, const Note *note, const Invocation *invocation,
                                const char *name)
{
    static const char *const endings[] = {"so", "a"};
    for (size_t i = 0; i < invocation->folders.count; i++)
        for (size_t k = 0; k < COUNT_OF(endings); k++) {
            const char *path = arena_printf(
                arena, "%s/lib%s.%s", flags_path(arena, note->folder, invocation->folders.at[i]),
                name, endings[k]);
            if (access(path, R_OK) == 0)
                return path;
        }
    return NULL;
}

/* Words for the linker that do not change what a program does once its parts are in it. */
static bool linker_word_is_idle(const char *word)
{
    static const char *const whole[] = {"--as-needed",
                                        "--no-as-needed",
                                        "--start-group",
                                        "--end-group",
                                        "-(",
                                        "-)",
                                        "--whole-archive",
                                        "--no-whole-archive",
                                        "--gc-sections",
                                        "--no-gc-sections",
                                        "--push-state",
                                        "--pop-state",
                                        "-Bstatic",
                                        "-Bdynamic",
                                        "-Bsymbolic",
                                        "-Bsymbolic-functions",
                                        "--export-dynamic",
                                        "-E",
                                        "--no-undefined",
                                        "--fatal-warnings",
                                        "--enable-new-dtags",
                                        "--disable-new-dtags",
                                        "--no-copy-dt-needed-entries",
                                        "--copy-dt-needed-entries",
                                        "--allow-shlib-undefined",
                                        "--no-allow-shlib-undefined",
                                        "--no-keep-memory",
                                        "--stats",
                                        "-s",
                                        "-S",
                                        "-x",
                                        "-O0",
                                        "-O1",
                                        "-O2",
                                        "-pie"};
    static const char *const starts[] = {
        "--build-id",       "--hash-style",      "-rpath-link=",     "--rpath-link=",
        "--version-script", "-soname=",          "--soname=",        "-Map=",
        "--color-",         "--sort-",           "--compress-debug", "--exclude-libs=",
        "-plugin",          "--dependency-file="};
    for (size_t i = 0; i < COUNT_OF(whole); i++)
        if (!strcmp(word, whole[i]))
            return true;
    for (size_t i = 0; i < COUNT_OF(starts); i++)
        if (!strncmp(word, starts[i], strlen(starts[i])))
            return true;
    return false;
}

/* Idle words that have a value of their own. */
static bool linker_word_has_value(const char *word)
{
    static const char *const words[] = {"-z",           "-soname",         "-h",   "--soname",
                                        "-rpath-link",  "--rpath-link",    "-Map", "--exclude-libs",
                                        "--out-implib", "--version-script"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (!strcmp(word, words[i]))
            return true;
    return false;
}

static bool add_linker_words(Expansion *expansion, const char *label, const Invocation *invocation)
{
    const Words *words = &invocation->linker;
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->at[i], *folder = NULL;
        if ((!strcmp(word, "-rpath") || !strcmp(word, "-R") || !strcmp(word, "--rpath")) &&
            i + 1 < words->count)
            folder = words->at[++i];
        else if (!strncmp(word, "-rpath=", 7) || !strncmp(word, "--rpath=", 8))
            folder = strchr(word, '=') + 1;
        if (folder)
            vec_push(&expansion->request->link,
                     arena_printf(expansion->arena, "-Wl,-rpath,%s", folder));
        else if (linker_word_has_value(word))
            i++;
        else if (!linker_word_is_idle(word))
            return error_set(expansion->error,
                             "%s was linked with -Wl,%s, which heddle can't repeat: name its "
                             "sources instead",
                             label, word);
    }
    return true;
}

static void add_link_words(Expansion *expansion, const Invocation *invocation)
{
    static const char *const kept[] = {"-pthread", "-static-libstdc++", "-static-libgcc",
                                       "-rdynamic"};
    for (size_t i = 1; i < invocation->words.count; i++) {
        const char *word = invocation->words.at[i];
        for (size_t k = 0; k < COUNT_OF(kept); k++)
            if (!strcmp(word, kept[k]))
                vec_push(&expansion->request->link, word);
        if (!strncmp(word, "-stdlib=", 8))
            vec_push(&expansion->request->link, word);
    }
}

static bool add_inputs(Expansion *expansion, const char *label, const Note *note,
                       const Invocation *invocation)
{
    Arena *arena = expansion->arena;
    for (size_t i = 0; i < invocation->sources.count; i++)
        if (!add_source(expansion, note, invocation->sources.at[i].path,
                        invocation->sources.at[i].language, 0))
            return false;
    for (size_t i = 0; i < invocation->folders.count; i++)
        vec_push(&expansion->request->link,
                 arena_printf(arena, "-L%s",
                              flags_path(arena, note->folder, invocation->folders.at[i])));
    for (size_t i = 0; i < invocation->inputs.count; i++) {
        const char *input = invocation->inputs.at[i];
        bool library = !strncmp(input, "-l", 2);
        const char *path = library ? find_library(arena, note, invocation, input + 2)
                                   : flags_path(arena, note->folder, input);
        if (library && !path)
            vec_push(&expansion->request->link, input);
        else if (!add_input(expansion, path))
            return false;
    }
    add_link_words(expansion, invocation);
    return add_linker_words(expansion, label, invocation);
}

/* Adds what a program or a shared library was linked with. */
static bool add_linked(Expansion *expansion, const char *label, const Note *note)
{
    Invocation invocation = {0};
    bool fine = invocation_read(expansion->arena, note->folder, &note->words,
                                note->language == FILE_CXX, &invocation, expansion->error) &&
                add_inputs(expansion, label, note, &invocation);
    take_compiler(expansion, note);
    invocation_free(&invocation);
    return fine;
}

/* Members of archives stay members: the linker takes only those that something needs. */
static bool add_members(Expansion *expansion, const char *path, const NotedFiles *files,
                        bool *noted)
{
    bool foreign = false;
    unsigned archive = ++expansion->archives;
    for (size_t i = 0; i < files->count; i++) {
        foreign |= !files->at[i].compiled.count;
        *noted |= files->at[i].compiled.count > 0;
        if (!add_compiled(expansion, &files->at[i].compiled, archive))
            return false;
    }
    if (foreign || !*noted)
        add_file(expansion, path, (BuildOwn){0});
    return true;
}

/* libtool leaves a script in the place of a program that is not installed yet; the program lies in
 * .libs. Returns its path, or PATH. */
static const char *behind_libtool(Arena *arena, const char *path)
{
    Buffer text = {0};
    Error ignored;
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *found = path;
    if (file_read(path, &text, &ignored) && text.count > 2 && !strncmp(text.at, "#!", 2) &&
        strstr(text.at, "temporary wrapper script for "))
        found = arena_printf(arena, "%.*s.libs/%s", (int)(base - path), path, base);
    vec_free(&text);
    return access(found, R_OK) == 0 ? found : path;
}

static bool expand_file(Expansion *expansion, const char *path, BuildOwn own, Words *taken)
{
    FileLanguage language = compiler_file_language(path);
    if (language == FILE_C || language == FILE_CXX || access(path, R_OK) != 0) {
        add_file(expansion, path, own);
        return true;
    }
    const char *real = language ? path : behind_libtool(expansion->arena, path);
    NotedFiles files = {0};
    bool is_elf, noted = false;
    bool fine = note_read_file(expansion->arena, real, &files, &is_elf, expansion->error);
    if (fine && language == FILE_ARCHIVE) {
        fine = add_members(expansion, path, &files, &noted);
    } else if (fine && is_elf && files.count == 1) {
        const NotedFile *file = &files.at[0];
        noted = file->compiled.count || file->linked.count;
        if (noted)
            fine = file->executable ? add_shared(expansion, file)
                                    : add_compiled(expansion, &file->compiled, 0);
        else if (file->executable && language == FILE_UNKNOWN)
            fine = error_set(expansion->error,
                             "%s is a program that `heddle cc' did not make: build it with "
                             "CC='heddle cc' CXX='heddle c++', or name its sources",
                             path);
    }
    if (fine && noted)
        vec_push(taken, path);
    else if (fine && language != FILE_ARCHIVE)
        add_file(expansion, path, (BuildOwn){0});
    note_free_files(&files);
    return fine;
}

bool expand_files(Arena *arena, BuildRequest *request, Words *taken, Error *error)
{
    const BuildRequest before = *request;
    Expansion expansion = {.arena = arena, .request = request, .error = error};
    request->files = (Words){0};
    request->link = (Words){0};
    request->own = (BuildOwns){0};
    bool fine = true;
    for (size_t i = 0; i < before.own.count; i++)
        expansion.archives = MAX(expansion.archives, before.own.at[i].archive);
    for (size_t i = 0; i < before.link.count; i++)
        vec_push(&request->link, before.link.at[i]);
    for (size_t i = 0; fine && i < before.files.count; i++)
        fine = expand_file(&expansion, before.files.at[i],
                           before.own.count ? before.own.at[i] : (BuildOwn){0}, taken);
    vec_free(&expansion.seen);
    return fine;
}

void expand_free(BuildRequest *request)
{
    for (size_t i = 0; i < request->own.count; i++)
        vec_free(&request->own.at[i].flags);
    vec_free(&request->own);
    vec_free(&request->files);
    vec_free(&request->link);
}
