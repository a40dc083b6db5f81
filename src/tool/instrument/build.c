#include "tool/instrument/build.h"
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
#include "base/log.h"
#include "base/str.h"
#include "tool/instrument/annotate/annotate.h"
#include "tool/instrument/process.h"
#include "tool/instrument/machine/archives.h"
#include "tool/instrument/nested.h"
#include "tool/instrument/unannounced/fields.h"
#include "tool/instrument/machine/pauses.h"
#include "tool/instrument/machine/rename.h"

#define MOST_COMPILERS 4 /* at a time */

typedef struct Job { /* a compiler at work */
    pid_t pid;       /* 0: not started */
    bool done;
    bool nested;  /* nested.h: compiled for the second time */
    bool halfway; /* clang's first step is done: there is LLVM IR (fields.h) */
    int status;
    const char *log, *second_log, *assembler_log; /* files with messages */
} Job;

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

/* posix_spawn takes char *const *, though it changes nothing. */
static char *const *words_arguments(Words *words)
{
    vec_push(words, NULL);
    union {
        const char **constant;
        char *const *plain;
    } view = {words->at};
    if (getenv("HEDDLE_LOG"))
        for (size_t i = 0; words->at[i]; i++)
            LOG(LOG_DEBUG, "  %s", words->at[i]);
    return view.plain;
}

/* Does a C++ source set macros of its own that change the library's headers as a whole? Then
 * nothing of theirs may be included before. */
static bool decides_library(const char *path)
{
    Buffer text = {0};
    Error ignored;
    static const char *const macros[] = {"_GLIBCXX_DEBUG", "_GLIBCXX_USE_CXX11_ABI"};
    bool decides = false;
    if (file_read(path, &text, &ignored))
        for (size_t i = 0; i < COUNT_OF(macros); i++)
            decides |= memmem(text.at, text.count, macros[i], strlen(macros[i])) != NULL;
    vec_free(&text);
    return decides;
}

/* The compiler stops at assembly text: there every inline assembly of the source stands between
 * marks, with its line, for the scan of what escapes instrumentation. */
static bool build_start_compiler(Arena *arena, Workspace *workspace, const BuildRequest *request,
                                 const Build *build, size_t i, Job *job, Error *error)
{
    const BuildInput *input = &build->inputs.at[i];
    const Compiler *compiler = &build->compiler;
    Words words = {0};
    vec_push(&words, input->language == FILE_CXX ? compiler->cxx : compiler->c);
    compiler_flags_before(workspace_file(workspace, arena, "calls.h"), &words);
    if (input->language == FILE_CXX && !decides_library(input->source)) {
        vec_push(&words, "-include");
        vec_push(&words, workspace_file(workspace, arena, "templates.h"));
    }
    words_append(&words, &input->flags);
    words_append(&words, &input->own.flags);
    words_append(&words, &request->compile);
    compiler_flags_after(compiler, &words);
    if ((isatty(STDERR_FILENO) && !getenv("NO_COLOR")) || getenv("CLICOLOR_FORCE"))
        vec_push(&words, "-fdiagnostics-color=always");
    const char *header = build_own_file(arena, "heddle.h");
    if (header) {
        vec_push(&words, "-idirafter");
        vec_push(&words, arena_printf(arena, "%.*s", (int)(strrchr(header, '/') - header), header));
    }
    if (!job->halfway) {
        vec_push(&words, "-MMD");
        vec_push(&words, "-MF");
        vec_push(&words, arena_printf(arena, "%s/%zu.d", workspace->path, i));
    }
    vec_push(&words, "-S");
    if (job->nested)
        nested_flags(arena, input->assembly, &words);
    if (compiler->clang)
        compiler_flags_step(job->halfway, &words);
    vec_push(&words, "-o");
    vec_push(&words, compiler->clang && !job->halfway ? input->halfway : input->assembly);
    if (job->halfway) {
        vec_push(&words, "-x");
        vec_push(&words, "ir");
    } else if (input->language != compiler_file_language(input->path)) {
        vec_push(&words, "-x");
        vec_push(&words, input->language == FILE_CXX ? "c++" : "c");
    }
    vec_push(&words, job->halfway ? input->halfway : input->source);
    const char **log = job->halfway ? &job->second_log : &job->log;
    *log =
        arena_printf(arena, job->halfway ? "%s/%zu.second.log" : "%s/%zu.log", workspace->path, i);
    bool started =
        workspace_start(arena, workspace, words_arguments(&words), *log, &job->pid, error);
    vec_free(&words);
    return started;
}

/* Its messages matter only if it fails: clang's assembler warns of what clang itself wrote. */
static bool build_start_assembler(Arena *arena, Workspace *workspace, const Build *build, size_t i,
                                  Job *job, Error *error)
{
    const BuildInput *input = &build->inputs.at[i];
    Words words = {0};
    vec_push(&words, build->compiler.c);
    vec_push(&words, "-c");
    vec_push(&words, "-o");
    vec_push(&words, input->object);
    vec_push(&words, input->assembly);
    job->assembler_log = arena_printf(arena, "%s.log", input->assembly);
    bool started = workspace_start(arena, workspace, words_arguments(&words), job->assembler_log,
                                   &job->pid, error);
    vec_free(&words);
    return started;
}

static void build_print_log(const char *path)
{
    Buffer text = {0};
    Error ignored;
    if (file_read(path, &text, &ignored) && text.count)
        fwrite(text.at, 1, text.count, stderr);
    vec_free(&text);
}

static void build_kill(Job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (jobs[i].pid > 0 && !jobs[i].done) {
            kill(-jobs[i].pid, SIGKILL);
            while (waitpid(jobs[i].pid, NULL, 0) < 0 && errno == EINTR)
                ;
        }
}

/* Compiles, then assembles, every source, MOST_COMPILERS at a time. */
static bool build_compile(Arena *arena, Workspace *workspace, const BuildRequest *request,
                          const Build *build, Error *error)
{
    size_t count = build->inputs.count, next = 0;
    unsigned running = 0,
             most = (unsigned)MIN(MAX(sysconf(_SC_NPROCESSORS_ONLN), 1), MOST_COMPILERS);
    Job *jobs = arena_array_of(arena, Job, count);
    bool *assembling = arena_array_of(arena, bool, count);
    for (;;) {
        for (; running < most && next < count; next++) {
            if (!build->inputs.at[next].assembly) {
                jobs[next].done = true;
                continue;
            }
            if (!build_start_compiler(arena, workspace, request, build, next, &jobs[next], error)) {
                build_kill(jobs, count);
                return false;
            }
            running++;
        }
        if (!running)
            break;
        int status;
        pid_t pid = waitpid(-1, &status, 0);
        if (pid < 0 && errno == EINTR && !process_interrupted())
            continue;
        if (pid < 0) {
            build_kill(jobs, count);
            return error_set(error, "interrupted while compiling");
        }
        size_t i = 0;
        while (i < count && (jobs[i].pid != pid || jobs[i].done))
            i++;
        if (i == count)
            continue; /* not ours: nothing to note */
        workspace_release_group(workspace, pid);
        jobs[i].status = status;
        const char *assembly = build->inputs.at[i].assembly;
        if (status == 0 && build->compiler.clang && !jobs[i].halfway) {
            jobs[i].halfway = true;
            if (!fields_reveal_file(build->inputs.at[i].halfway, error) ||
                !build_start_compiler(arena, workspace, request, build, i, &jobs[i], error)) {
                jobs[i].done = true;
                build_kill(jobs, count);
                return false;
            }
            continue;
        }
        if (status == 0 && !assembling[i] && !jobs[i].nested && !build->compiler.clang &&
            build->inputs.at[i].language == FILE_C && nested_functions_in(assembly)) {
            jobs[i].nested = true;
            if (!build_start_compiler(arena, workspace, request, build, i, &jobs[i], error)) {
                jobs[i].done = true;
                build_kill(jobs, count);
                return false;
            }
            continue;
        }
        if (status == 0 && !assembling[i]) {
            assembling[i] = true;
            if ((jobs[i].nested && !nested_mark(arena, assembly, error)) ||
                !pauses_remove(assembly, error) ||
                !assembly_translate_file(assembly, request->meaning, error) ||
                !build_start_assembler(arena, workspace, build, i, &jobs[i], error)) {
                jobs[i].done = true;
                build_kill(jobs, count);
                return false;
            }
            continue;
        }
        jobs[i].done = true;
        running--;
    }
    const char *failed = NULL;
    size_t failures = 0;
    for (size_t i = 0; i < count; i++) {
        if (jobs[i].log)
            build_print_log(jobs[i].log);
        if (jobs[i].second_log)
            build_print_log(jobs[i].second_log);
        if (jobs[i].status && jobs[i].assembler_log)
            build_print_log(jobs[i].assembler_log);
        if (jobs[i].status && !failures++)
            failed = build->inputs.at[i].path;
    }
    if (failures > 1)
        return error_set(error, "%s and %zu more do not compile with %s%s", failed, failures - 1,
                         build->compiler.c, workspace_room(workspace, arena));
    if (failures)
        return error_set(error, "%s does not compile with %s%s", failed, build->compiler.c,
                         workspace_room(workspace, arena));
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

/* One sentence from the linker's many; ROOM is the end of those that name no cause. */
static bool build_link_error(Arena *arena, const BuildRequest *request, Build *build,
                             const char *log, const char *room, Error *error)
{
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
            if (missing++ < 4)
                buffer_printf(&names, "%s%s", missing > 1 ? ", " : "", quoted);
        }
    if (no_main && missing == 1) {
        error_set(error, "the program has no main function");
    } else {
        if (missing > 4)
            buffer_printf(&names, " and %zu more", missing - 4);
        if (!missing || !request->may_lack)
            fwrite(text.at, 1, text.count, stderr);
        if (missing) {
            build->undefined = str_copy(arena, buffer_str(&names));
            error_set(error,
                      "the program does not link: nothing defines %s; name the file or library "
                      "that does, or the list of the project's sources (-p)",
                      names.at);
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

/* Runs WORDS, which are freed, to their end. WHAT is what an interruption stops. */
static bool build_run(Arena *arena, Workspace *workspace, Words *words, const char *log,
                      const char *what, int *status, Error *error)
{
    pid_t pid;
    bool started = workspace_start(arena, workspace, words_arguments(words), log, &pid, error);
    vec_free(words);
    if (!started)
        return false;
    bool waited = process_wait(pid, status);
    workspace_release_group(workspace, pid);
    return waited || error_set(error, "interrupted while %s", what);
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
    build_print_log(log);
    return error_set(error, "ar can't make an archive");
}

static bool is_first_member(const Build *build, size_t input)
{
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
        return build_link_error(arena, request, build, log, workspace_room(workspace, arena),
                                error);
    build_print_log(log);
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
        !build_annotate(arena, workspace, request, build, error) ||
        !build_compile(arena, workspace, request, build, error))
        return false;
    for (size_t i = 0; i < build->inputs.count; i++)
        if (!object_read(arena, build->inputs.at[i].object, build->inputs.at[i].path,
                         &build->objects, error))
            return false;
    double compiled = process_seconds();
    build->compile_seconds = compiled - start;
    if (!build_link(arena, workspace, request, build, error))
        return false;
    build->link_seconds = process_seconds() - compiled;
    return build_collect_sources(arena, workspace, build, error);
}

void build_free(Build *build)
{
    object_free(&build->objects);
    object_free(&build->members);
    vec_free(&build->inputs);
    vec_free(&build->sources);
}
