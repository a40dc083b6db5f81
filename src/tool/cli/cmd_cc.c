/* cmd_cc.c: `heddle cc' and `heddle c++': compilers for CC= and CXX=. They run the real compiler,
 * with the words that they were given, and leave a note in what it made (wrapper/note.h). What the
 * build makes is therefore the ordinary program, which configure scripts can run; `heddle run
 * ./program' compiles the sources again. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file.h"
#include "base/print.h"
#include "tool/cli/commands.h"
#include "tool/cli/present.h"
#include "tool/instrument/wrapper/invocation.h"
#include "tool/instrument/wrapper/note.h"

extern char **environ;

static const char help[] =
    "Usage: heddle cc [--cc=COMPILER] WORD...\n"
    "  or:  heddle c++ [--cc=COMPILER] WORD...\n"
    "Compile and link as gcc or g++ would, and note in each object and program how it was made, so "
    "that `heddle run ./program' can explore it.\n"
    "\n"
    "      --cc=COMPILER          gcc or clang of any version, e.g. gcc-12 (the environment's "
    "HEDDLE_CC, or gcc); it must be the first word\n"
    "\n"
    "Examples:\n"
    "  make CC='heddle cc' && heddle run ./program\n"
    "  ./configure CC='heddle cc' CXX='heddle c++'\n"
    "  CC=heddle-cc CXX=heddle-c++ cmake -B build\n"
    "  CC=heddle-cc meson setup build\n";

/* Runs WORDS with our own stdin, stdout and stderr, and returns the exit status. */
static int run_words(Words *words)
{
    vec_push(words, NULL);
    union {
        const char **constant;
        char *const *plain;
    } view = {words->at};
    pid_t pid;
    int status = 0, failure = posix_spawnp(&pid, words->at[0], NULL, NULL, view.plain, environ);
    words->count--;
    if (failure) {
        print_plain(stderr, "heddle: can't start %s: %s\n", words->at[0], strerror(failure));
        return 2;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 2;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Is PATH a regular file that has sections? A precompiled header has none, nor has /dev/null. */
static bool is_object(const char *path)
{
    struct stat status;
    char magic[4] = "";
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    FILE *file = file_open_stream(path, FILE_MOST_BYTES, NULL);
    bool is = file && fread(magic, 1, sizeof magic, file) == sizeof magic &&
              !memcmp(magic, "\177ELF", sizeof magic);
    if (file)
        fclose(file);
    return is;
}

/* Puts NOTE into the SECTION of the file at PATH, if it is an object or a program. */
static bool leave_note(Arena *arena, const char *path, const char *section, const Note *note,
                       Error *error)
{
    if (!is_object(path))
        return true;
    const char *text = arena_printf(arena, "%s.heddle-note-%ld", path, (long)getpid());
    const char *objcopy = getenv("OBJCOPY");
    FileWriter writer;
    Buffer bytes = {0};
    note_write(&bytes, note);
    file_begin(&writer, text);
    fwrite(bytes.at, 1, bytes.count, writer.stream);
    vec_free(&bytes);
    if (!file_commit(&writer, error))
        return false;
    Words words = {0};
    vec_push(&words, objcopy && *objcopy ? objcopy : "objcopy");
    vec_push(&words, "--add-section");
    vec_push(&words, arena_printf(arena, "%s=%s", section, text));
    vec_push(&words, compiler_file_word(arena, path));
    bool added = run_words(&words) == 0;
    vec_free(&words);
    unlink(text);
    return added || error_set(error, "objcopy can't write into %s how it was made", path);
}

static bool leave_notes(Arena *arena, const Invocation *invocation, bool cxx, Error *error)
{
    char *folder = getcwd(NULL, 0);
    if (!folder)
        return error_set(error, "there is no current folder: %s", strerror(errno));
    Note note = {.folder = arena_copy(arena, folder, strlen(folder)), .words = invocation->words};
    free(folder);
    if (invocation->kind == INVOCATION_LINK) {
        note.source = "";
        note.language = cxx ? FILE_CXX : FILE_C;
        const char *output = invocation->output ? invocation->output : "a.out";
        return leave_note(arena, output, NOTE_LINKED, &note, error);
    }
    for (size_t i = 0; i < invocation->sources.count; i++) {
        note.source = invocation->sources.at[i].path;
        note.language = invocation->sources.at[i].language;
        if (!leave_note(arena, invocation_object(arena, invocation, note.source), NOTE_COMPILED,
                        &note, error))
            return false;
    }
    return true;
}

/* Link-time optimisation would make new objects, without notes, of those that have them. */
static void refuse_lto(Words *words)
{
    for (size_t i = 1; i < words->count; i++)
        if (!strncmp(words->at[i], "-flto", 5)) {
            vec_push(words, "-fno-lto");
            return;
        }
}

static int compile(Arena *arena, int argc, char **argv, bool cxx)
{
    const char *name = getenv("HEDDLE_CC");
    int first = 1;
    if (argc > 1 && !strncmp(argv[1], "--cc=", 5))
        name = argv[first++] + 5;
    Compiler compiler;
    Error error = {0};
    if (!compiler_find(name && *name ? name : NULL, arena, &compiler, &error))
        return present_failure(&error);
    Words words = {0};
    vec_push(&words, cxx ? compiler.cxx : compiler.c);
    for (int i = first; i < argc; i++)
        vec_push(&words, argv[i]);
    refuse_lto(&words);
    int status = run_words(&words);
    Invocation invocation = {0};
    if (status == 0 &&
        (!invocation_read(arena, ".", &words, cxx, &invocation, &error) ||
         (invocation.kind != INVOCATION_OTHER && !leave_notes(arena, &invocation, cxx, &error))))
        status = present_failure(&error);
    invocation_free(&invocation);
    vec_free(&words);
    return status;
}

static int command(int argc, char **argv, bool cxx)
{
    if (argc < 2 || (argc == 2 && !strcmp(argv[1], "--help"))) {
        fputs(help, argc < 2 ? stderr : stdout);
        fflush(stdout);
        return argc < 2 ? 2 : 0;
    }
    Arena *arena = arena_new();
    int status = compile(arena, argc, argv, cxx);
    arena_free(arena);
    return status;
}

int cmd_cc(int argc, char **argv)
{
    return command(argc, argv, false);
}

int cmd_cxx(int argc, char **argv)
{
    return command(argc, argv, true);
}
