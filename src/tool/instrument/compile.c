#include "tool/instrument/compile.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file.h"
#include "base/log.h"
#include "base/print.h"
#include "tool/instrument/process.h"
#include "tool/instrument/nested.h"
#include "tool/instrument/unannounced/fields.h"
#include "tool/instrument/machine/pauses.h"

#define MOST_COMPILERS 4 /* at a time */

typedef struct Job { /* a compiler at work */
    pid_t pid;       /* 0: not started */
    bool done;
    bool nested;  /* nested.h: compiled for the second time */
    bool halfway; /* clang's first step is done: there is LLVM IR (fields.h) */
    int status;
    const char *log, *second_log, *assembler_log; /* files with messages */
} Job;

char *const *compile_arguments(Words *words)
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
static bool start_compiler(Arena *arena, Workspace *workspace, const BuildRequest *request,
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
        workspace_start(arena, workspace, compile_arguments(&words), *log, &job->pid, error);
    vec_free(&words);
    return started;
}

/* Its messages matter only if it fails: clang's assembler warns of what clang itself wrote. */
static bool start_assembler(Arena *arena, Workspace *workspace, const Build *build, size_t i,
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
    bool started = workspace_start(arena, workspace, compile_arguments(&words), job->assembler_log,
                                   &job->pid, error);
    vec_free(&words);
    return started;
}

void compile_print_log(const char *path)
{
    Buffer text = {0};
    Error ignored;
    if (file_read(path, &text, &ignored) && text.count)
        print_text(stderr, buffer_str(&text));
    vec_free(&text);
}

static void kill_jobs(Job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (jobs[i].pid > 0 && !jobs[i].done) {
            kill(-jobs[i].pid, SIGKILL);
            while (waitpid(jobs[i].pid, NULL, 0) < 0 && errno == EINTR)
                ;
        }
}

bool compile_sources(Arena *arena, Workspace *workspace, const BuildRequest *request,
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
            if (!start_compiler(arena, workspace, request, build, next, &jobs[next], error)) {
                kill_jobs(jobs, count);
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
            kill_jobs(jobs, count);
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
                !start_compiler(arena, workspace, request, build, i, &jobs[i], error)) {
                jobs[i].done = true;
                kill_jobs(jobs, count);
                return false;
            }
            continue;
        }
        if (status == 0 && !assembling[i] && !jobs[i].nested && !build->compiler.clang &&
            build->inputs.at[i].language == FILE_C && nested_functions_in(assembly)) {
            jobs[i].nested = true;
            if (!start_compiler(arena, workspace, request, build, i, &jobs[i], error)) {
                jobs[i].done = true;
                kill_jobs(jobs, count);
                return false;
            }
            continue;
        }
        if (status == 0 && !assembling[i]) {
            assembling[i] = true;
            if ((jobs[i].nested && !nested_mark(arena, assembly, error)) ||
                !pauses_remove(assembly, error) ||
                !assembly_translate_file(assembly, request->meaning, error) ||
                !start_assembler(arena, workspace, build, i, &jobs[i], error)) {
                jobs[i].done = true;
                kill_jobs(jobs, count);
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
            compile_print_log(jobs[i].log);
        if (jobs[i].second_log)
            compile_print_log(jobs[i].second_log);
        if (jobs[i].status && jobs[i].assembler_log)
            compile_print_log(jobs[i].assembler_log);
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
