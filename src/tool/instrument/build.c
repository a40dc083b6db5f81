#include "tool/instrument/build.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file.h"
#include "base/hash.h"
#include "base/print.h"
#include "base/str.h"
#include "tool/instrument/annotate/annotate.h"
#include "tool/instrument/process.h"
#include "tool/instrument/machine/archives.h"
#include "tool/instrument/compile.h"
#include "tool/instrument/builds.h"
#include "tool/instrument/machine/rename.h"

const char *build_own_file(Arena *arena, const char *relative)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0)
        self[length] = 0;
    else if (!realpath((const char *)getauxval(AT_EXECFN), self)) /* there may be no /proc */
        return NULL;
    char *slash = strrchr(self, '/');
    *slash = 0;
    /* in the build folder; beside a unit test; installed */
    static const char *const folders[] = {"lib", "../lib", "../lib/heddle", "include",
                                          "../include"};
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        char *path = arena_printf(arena, "%s/%s/%s", self, folders[i], relative);
        if (access(path, R_OK) == 0)
            return path;
    }
    char *path =
        arena_printf(arena, "%s/%s", HEDDLE_LIBDIR, relative); /* make install LIBDIR=... */
    return access(path, R_OK) == 0 ? path : NULL;
}

bool build_hash_file(const char *path, BuildSource *out, Error *error)
{
    Buffer text = {0};
    bool read = file_read(path, &text, error);
    if (read)
        *out = (BuildSource){path, text.count, hash_bytes(text.at, text.count, 0)};
    vec_free(&text);
    return read;
}

/* Wants plain files that exist, before any compiler starts, so that the error is ours and short. */
static bool build_check_inputs(Arena *arena, Workspace *workspace, const BuildRequest *request,
                               Build *build, Error *error)
{
    for (size_t i = 0; i < request->files.count; i++) {
        const char *path = request->files.at[i];
        BuildInput input = {.path = path,
                            .source = compiler_file_word(arena, path),
                            .language = compiler_file_language(path)};
        if (request->own.count)
            input.own = request->own.at[i];
        if (input.own.language)
            input.language = input.own.language;
        struct stat status;
        if (strchr(path, '\n')) /* compilers can't list it among what they read */
            return error_set(error, "a file whose name has more than one line can't be built");
        if (stat(path, &status) != 0)
            return error_set(error, "%s: %s", path, strerror(errno));
        if (!S_ISREG(status.st_mode))
            return error_set(error, "%s is %s, not a source file", path,
                             S_ISDIR(status.st_mode) ? "a folder" : "a device or a pipe");
        if (access(path, R_OK) != 0)
            return error_set(error, "%s: %s", path, strerror(errno));
        bool header = str_ends(str_of(path), STR(".h")) || str_ends(str_of(path), STR(".hpp"));
        if (input.language == FILE_UNKNOWN)
            return error_set(
                error, "%s: not a kind of file that can be checked (.c .cc .cpp .cxx .o .a)%s%s%s",
                path, header ? "; `heddle init " : "", header ? path : "",
                header ? "' writes a test for what a header declares" : "");
        input.object = input.source;
        if (input.language == FILE_C || input.language == FILE_CXX) {
            input.assembly = arena_printf(arena, "%s/%zu.s", workspace->path, i);
            input.object = arena_printf(arena, "%s/%zu.o", workspace->path, i);
            input.halfway = arena_printf(arena, "%s/%zu.ll", workspace->path, i);
        }
        vec_push(&build->inputs, input);
    }
    return true;
}

static void build_add_source(Build *build, const BuildSource *source)
{
    for (size_t k = 0; k < build->sources.count; k++)
        if (!strcmp(build->sources.at[k].path, source->path))
            return;
    vec_push(&build->sources, *source);
}

/* Reads the rules "0.s: prog.c queue.h \" that the compiler left, for the hashes of a record. */
static bool build_collect_sources(Arena *arena, Workspace *workspace, Build *build, Error *error)
{
    for (size_t i = 0; i < build->inputs.count; i++) {
        const BuildInput *input = &build->inputs.at[i];
        Buffer text = {0};
        char *rules = arena_printf(arena, "%s/%zu.d", workspace->path, i);
        if (!input->assembly) {
            buffer_printf(&text, ": %s", input->path);
        } else if (!file_read(rules, &text, error)) {
            vec_free(&text);
            return false;
        }
        char *at = text.at ? strchr(text.at, ':') : NULL;
        while (at && *++at) {
            char *name = at, *to = at;
            while (*at && *at != ' ' && *at != '\n') {
                if (*at == '\\' && (at[1] == ' ' || at[1] == '\t' || at[1] == '#' || at[1] == '\\'))
                    at++;
                else if (*at == '$' && at[1] == '$')
                    at++;
                *to++ = *at++;
            }
            if (!*at)
                at--; /* stop at the end in the next round */
            Str word = {name, (size_t)(to - name)};
            if (!word.length || str_is(word, "\\") || str_starts(word, str_of(workspace->path)))
                continue;
            BuildSource source = {.path = str_copy(arena, word)};
            if (!build_hash_file(source.path, &source, error)) {
                vec_free(&text);
                return false;
            }
            build_add_source(build, &source);
        }
        vec_free(&text);
    }
    return true;
}

/* Runs WORDS, which are freed, to their end. WHAT is what an interruption stops. */
static bool build_run(Arena *arena, Workspace *workspace, Words *words, const char *log,
                      const char *what, int *status, Error *error)
{
    pid_t pid;
    bool started = workspace_start(arena, workspace, compile_arguments(words), log, &pid, error);
    vec_free(words);
    if (!started)
        return false;
    bool waited = process_wait(pid, status);
    workspace_release_group(workspace, pid);
    return waited || error_set(error, "interrupted while %s", what);
}

/* Returns advice about functions that the compiler calls of its own accord and the runtime does not
 * define. */
static const char *advise_other_compiler(Arena *arena, Workspace *workspace, const Build *build)
{
    Words words = {0};
    vec_push(&words, build->compiler.c);
    vec_push(&words, "-dumpversion");
    const char *log = workspace_file(workspace, arena, "version.log");
    int status = 1;
    Error ignored;
    Buffer text = {0};
    if (!build_run(arena, workspace, &words, log, "asking for a version", &status, &ignored) ||
        status != 0 || !file_read(log, &text, &ignored))
        text.count = 0;
    Str version = str_trim(buffer_str(&text));
    const char *advice = arena_printf(
        arena,
        "%s%s%.*s calls them of its own accord, and this heddle knows what gcc 11 to 14 and clang "
        "14 to 19 call: choose one of these (--cc)",
        build->compiler.c, version.length ? ", version " : "", STR_ARG(version));
    vec_free(&text);
    return advice;
}

typedef struct MissingKinds { /* of the functions that nothing defines */
    size_t atomic, hooks;
    bool glibc;
} MissingKinds;

static const char *link_advice(Arena *arena, Workspace *workspace, const Build *build,
                               const MissingKinds *kinds, size_t missing)
{
    if (kinds->glibc)
        return arena_printf(arena,
                            "%s links with another C library than glibc (musl?), which heddle does "
                            "not support",
                            build->compiler.c);
    if (kinds->hooks == missing)
        return advise_other_compiler(arena, workspace, build);
    if (kinds->atomic ==
        missing) /* calls that the compiler made: gcc adds to an _Atomic float so */
        return "gcc's libatomic does: add -latomic";
    return "name the file or library that does, or the list of the project's sources (-p)";
}

/* One sentence from the linker's many. */
static bool build_link_error(Arena *arena, Workspace *workspace, const BuildRequest *request,
                             Build *build, const char *log, Error *error)
{
    const char *room = workspace_room(workspace, arena);
    Buffer text = {0};
    Error ignored;
    if (!file_read(log, &text, &ignored) || !text.count) {
        vec_free(&text);
        return error_set(error, "the program does not link%s", room);
    }
    static const char *const marks[] = {"undefined reference to `", "undefined symbol: "};
    Buffer names = {0};
    size_t missing = 0;
    bool no_main = false;
    MissingKinds kinds = {0};
    for (size_t m = 0; m < COUNT_OF(marks); m++)
        for (const char *at = text.at; (at = strstr(at, marks[m]));) {
            at += strlen(marks[m]);
            size_t length = strcspn(at, "'\n");
            char name[256];
            snprintf(name, sizeof name, "%.*s", (int)MIN(length, 200u), at);
            if (!strcmp(name, "__real_main") || !strcmp(name, "main"))
                no_main = true;
            char quoted[260];
            snprintf(quoted, sizeof quoted, "`%s'", name);
            if (names.at && strstr(names.at, quoted))
                continue;
            kinds.atomic += !strncmp(name, "__atomic_", 9);
            kinds.hooks += !strncmp(name, "__tsan_", 7);
            kinds.glibc |= !strcmp(name, "__libc_single_threaded"); /* the runtime asks for it */
            if (missing++ < 4)
                buffer_printf(&names, "%s%s", missing > 1 ? ", " : "", quoted);
        }
    if (no_main && missing == 1) {
        error_set(error, "the program has no main function");
    } else {
        if (missing > 4)
            buffer_printf(&names, " and %zu more", missing - 4);
        if (!missing || !request->may_lack)
            print_text(stderr, buffer_str(&text));
        if (missing) {
            build->undefined = str_copy(arena, buffer_str(&names));
            const char *advice = link_advice(arena, workspace, build, &kinds, missing);
            error_set(error, "the program does not link: nothing defines %s; %s", names.at, advice);
        } else {
            error_set(error, "the program does not link%s", room);
        }
    }
    vec_free(&names);
    vec_free(&text);
    return false;
}

/* Are there no objects, archives or libraries but what is made of sources here? */
static bool all_is_compiled_here(const BuildRequest *request, const Build *build)
{
    for (size_t i = 0; i < build->inputs.count; i++)
        if (!build->inputs.at[i].assembly)
            return false;
    return !request->link.count;
}

/* Makes the archive that the object of INPUT number FIRST is the first member of. */
static bool build_archive(Arena *arena, Workspace *workspace, const Build *build, size_t first,
                          const char *path, Error *error)
{
    Words words = {0};
    vec_push(&words, "ar");
    vec_push(&words, "rcs");
    vec_push(&words, path);
    for (size_t i = first; i < build->inputs.count; i++)
        if (build->inputs.at[i].own.archive == build->inputs.at[first].own.archive)
            vec_push(&words, build->inputs.at[i].object);
    int status = 0;
    char *log = workspace_file(workspace, arena, "ar.log");
    if (!build_run(arena, workspace, &words, log, "linking", &status, error))
        return false;
    if (status == 0)
        return true;
    compile_print_log(log);
    return error_set(error, "ar can't make an archive");
}

static bool is_first_member(const Build *build, size_t input)
{
    DEBUG_ASSERT(input < build->inputs.count);
    for (size_t i = 0; i < input; i++)
        if (build->inputs.at[i].own.archive == build->inputs.at[input].own.archive)
            return false;
    return true;
}

/* Appends the objects, and archives of those that belong to one. */
static bool build_add_objects(Arena *arena, Workspace *workspace, const Build *build, Words *words,
                              Error *error)
{
    bool grouped = false; /* archives may need each other */
    for (size_t i = 0; i < build->inputs.count; i++) {
        unsigned archive = build->inputs.at[i].own.archive;
        if (!archive) {
            vec_push(words, build->inputs.at[i].object);
        } else if (is_first_member(build, i)) {
            const char *path = arena_printf(arena, "%s/%u.a", workspace->path, archive);
            if (!build_archive(arena, workspace, build, i, path, error))
                return false;
            if (!grouped)
                vec_push(words, "-Wl,--start-group");
            vec_push(words, path);
            grouped = true;
        }
    }
    if (grouped)
        vec_push(words, "-Wl,--end-group");
    return true;
}

static bool build_link(Arena *arena, Workspace *workspace, const BuildRequest *request,
                       Build *build, Error *error)
{
    const char *file = request->many_events ? "heddle_rt_long.o" : "heddle_rt.o";
    const char *runtime = getenv("HEDDLE_RUNTIME");
    const char *slash = runtime ? strrchr(runtime, '/') : NULL;
    if (!runtime)
        runtime = build_own_file(arena, file);
    else if (request->many_events)
        runtime =
            arena_printf(arena, "%.*s%s", slash ? (int)(slash + 1 - runtime) : 0, runtime, file);
    if (!runtime)
        return error_set(error, "%s, the runtime, is not where the tool was installed", file);
    const char *wraps = compiler_wraps(arena, runtime);
    if (wraps[0] == '@' && !rename_own_functions(arena, workspace, build, wraps + 1, error))
        return false;
    bool cxx = false;
    for (size_t i = 0; i < build->inputs.count; i++)
        cxx = cxx || build->inputs.at[i].language == FILE_CXX;
    for (size_t i = 0; i < build->objects.count; i++)
        cxx = cxx || build->objects.at[i].needs_cxx;
    Words words = {0};
    vec_push(&words, cxx ? build->compiler.cxx : build->compiler.c);
    /* All is compiled here, without link-time optimisation: the compiler's plug-in, which the
     * linker would load and ask about each symbol, has nothing to say. */
    bool ours = all_is_compiled_here(request, build);
    if (!build->compiler.clang && ours)
        vec_push(&words, "-fno-use-linker-plugin");
    vec_push(&words, "-o");
    vec_push(&words, build->program);
    if (!build_add_objects(arena, workspace, build, &words, error)) {
        vec_free(&words);
        return false;
    }
    vec_push(&words, runtime);
    if (compiler_main_is_in_library(&request->link))
        vec_push(&words, "-Wl,-u,main"); /* what calls main here is the runtime, in vain */
    words_append(&words, &request->link);
    compiler_link_flags(&words, wraps);
    const char *map = workspace_file(workspace, arena, "link.map");
    bool with_map = archives_want_map(request, build);
    if (with_map)
        vec_push(&words, arena_printf(arena, "-Wl,-Map=%s", map));
    char *log = workspace_file(workspace, arena, "link.log");
    int status = 0;
    /* Few programs call libm, all of whose symbols the linker would read: it is named if something
     * is missing, or if there is code of others. */
    Words with_math = {0};
    words_append(&with_math, &words);
    vec_push(&with_math, "-lm");
    unlink(log); /* of an attempt before, with fewer files */
    bool ran =
        build_run(arena, workspace, ours ? &words : &with_math, log, "linking", &status, error);
    if (ran && ours && status != 0) {
        unlink(log);
        ran = build_run(arena, workspace, &with_math, log, "linking", &status, error);
    }
    vec_free(&words);
    vec_free(&with_math);
    if (!ran)
        return false;
    if (status != 0)
        return build_link_error(arena, workspace, request, build, log, error);
    compile_print_log(log);
    return !with_map || archives_find(arena, map, request, build, error);
}

/* Annotated sources are compiled as copies; the program is still made from the originals. */
static bool build_annotate(Arena *arena, Workspace *workspace, const BuildRequest *request,
                           Build *build, Error *error)
{
    AnnotatedSources sources = {0};
    if (!request->annotations)
        return true;
    bool fine = annotate_program(arena, workspace, request, &sources, error);
    for (size_t i = 0; i < sources.count && fine; i++) {
        BuildInput *input = &build->inputs.at[i];
        if (!sources.at[i].copy)
            continue;
        input->source = sources.at[i].copy;
        input->flags = sources.at[i].flags;
        for (size_t k = 0; k < sources.at[i].originals.count && fine; k++) {
            BuildSource source;
            fine = build_hash_file(sources.at[i].originals.at[k], &source, error);
            if (fine)
                build_add_source(build, &source);
        }
    }
    return fine;
}

bool build_program(Arena *arena, Workspace *workspace, const BuildRequest *request, Build *build,
                   Error *error)
{
    double start = process_seconds();
    build->program = workspace_file(workspace, arena, "program");
    if (!build_check_inputs(arena, workspace, request, build, error) ||
        !compiler_find(request->cc, arena, &build->compiler, error) ||
        !compiler_write_header(workspace_file(workspace, arena, "calls.h"), error) ||
        !compiler_write_templates(workspace_file(workspace, arena, "templates.h"),
                                  request->every_try, error) ||
        !build_annotate(arena, workspace, request, build, error))
        return false;
    bool taken = builds_take(arena, workspace, request, build);
    if (!taken && !compile_sources(arena, workspace, request, build, error))
        return false;
    for (size_t i = 0; i < build->inputs.count; i++)
        if (!object_read(arena, build->inputs.at[i].object, build->inputs.at[i].path,
                         &build->objects, error))
            return false;
    build->isa = build->objects.count ? build->objects.at[0].isa : isa_of(EM_X86_64);
    double compiled = process_seconds();
    build->compile_seconds = compiled - start;
    if (taken)
        return true;
    if (!build_link(arena, workspace, request, build, error))
        return false;
    build->link_seconds = process_seconds() - compiled;
    if (!build_collect_sources(arena, workspace, build, error))
        return false;
    builds_put(arena, workspace, request, build);
    return true;
}

void build_free(Build *build)
{
    object_free(&build->objects);
    object_free(&build->members);
    vec_free(&build->inputs);
    vec_free(&build->sources);
}
