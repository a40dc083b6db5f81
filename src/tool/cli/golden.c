#include "tool/cli/golden.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file.h"
#include "base/print.h"
#include "tool/instrument/compiler.h"
#include "tool/instrument/process.h"
#include "tool/instrument/workspace.h"

static const char *crash_file;
static const char *
    *crash_ended; /* in the golden code: the function by which it ended the process */

static void crashed(int number)
{
    char text[512];
    int length =
        snprintf(text, sizeof text, "heddle: %s: the golden code %s%s (%s) in %s\n", crash_file,
                 *crash_ended ? "called " : "crashed", *crash_ended ? *crash_ended : "",
                 strsignal(number), golden_running ? golden_running : "Heddle itself");
    if (length > 0 && write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(4);
    _exit(golden_running ? 2 : 4);
}

/* Golden code that ends the process must not end in an answer. */
static void left(void)
{
    if (!golden_running)
        return;
    print_plain(stderr, "heddle: %s: the golden code called exit in %s\n", crash_file,
                golden_running);
    _exit(2);
}

/* Linked into the golden code: functions that would end the process, or the thread, without an
 * answer. */
#define ENDINGS(X) X(_exit) X(_Exit) X(quick_exit) X(pthread_exit) X(thrd_exit)
static const char endings[] = "#include <stdlib.h>\nconst char *heddle_spec_ended;\n"
#define X(name)                                                                                    \
    "void __wrap_" #name "(void); void __wrap_" #name "(void)\n"                                   \
    "{ heddle_spec_ended = \"" #name "\"; abort(); }\n"
    ENDINGS(X)
#undef X
    ;

static bool write_endings(const char *path, Error *error)
{
    FileWriter file;
    file_begin(&file, path);
    fputs(endings, file.stream);
    return file_commit(&file, error);
}

/* On a stack of its own: the golden code may have used up the other one. */
static void catch_crashes(void)
{
    static char stack[65536];
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK};
    for (size_t i = 0; i < COUNT_OF(signals); i++)
        sigaction(signals[i], &action, NULL);
}

static int guard_pipe[2] = {-1, -1};
static volatile pid_t guarded;

static void hand_on(int number)
{
    kill(guarded, number);
}

bool golden_guard(int *status)
{
    if (pipe2(guard_pipe, O_CLOEXEC))
        return true; /* without the guard, then */
    pid_t parent = getpid();
    guarded = fork();
    if (guarded < 0)
        return true;
    if (guarded == 0) {
        process_end_with(parent);
        close(guard_pipe[0]);
        return true;
    }
    close(guard_pipe[1]);
    struct sigaction action = {.sa_handler = hand_on, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    char byte;
    int ended = 0;
    while (waitpid(guarded, &ended, 0) < 0 && errno == EINTR)
        continue;
    bool done = read(guard_pipe[0], &byte, 1) == 1;
    close(guard_pipe[0]);
    int signal_number = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
    if (signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP) {
        signal(signal_number, SIG_DFL); /* whoever has ended it meant all of it */
        raise(signal_number);
    }
    if (signal_number == SIGKILL) {
        fprintf(stderr, "heddle: inconclusive: the process that judges was killed, perhaps because "
                        "the system had no memory left\n");
        *status = 3;
        return false;
    }
    *status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 4;
    if (!done && *status != 2 && *status != 4) {
        fprintf(stderr, "heddle: the golden code ended the process (status %d)\n", *status);
        *status = 2;
    }
    return false;
}

void golden_guard_done(void)
{
    if (guard_pipe[1] >= 0 && write(guard_pipe[1], "", 1) < 0)
        return;
}

/* Where heddle_spec.h is: beside the tool when built or installed, or in the sources. */
static void find_include(char *folder, size_t bytes)
{
    char tool[PATH_MAX], candidate[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", tool, sizeof tool - 1);
    tool[MAX(length, 0)] = 0;
    const char *base = dirname(tool);
    static const char *const places[] = {"include", "../include", "../../include"};
    snprintf(folder, bytes, "%s", ".");
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        snprintf(candidate, sizeof candidate, "%s/%s/heddle_spec.h", base, places[i]);
        if (access(candidate, R_OK) == 0) {
            snprintf(folder, bytes, "%.*s/%s", (int)(bytes - 16), base, places[i]);
            return;
        }
    }
}

static bool compile(Arena *arena, const char *path, const char *compiler, Workspace *workspace,
                    const char *object, Error *error)
{
    char *extra = workspace_file(workspace, arena, "endings.c");
    char *log = workspace_file(workspace, arena, "log");
    if (!write_endings(extra, error))
        return false;
    char folder[PATH_MAX];
    find_include(folder, sizeof folder);
    const char *const words[] = {compiler,
                                 "-shared",
                                 "-fPIC",
                                 "-O2",
                                 "-g",
                                 "-I",
                                 folder,
                                 "-o",
                                 object,
#define X(name) "-Wl,--wrap=" #name,
                                 ENDINGS(X)
#undef X
                                     extra,
                                 path};
    char *arguments[COUNT_OF(words) + 1] = {0};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        arguments[i] = arena_copy(arena, words[i], strlen(words[i]));
    pid_t child;
    if (!workspace_start(arena, workspace, arguments, log, &child, error))
        return false;
    int status;
    pid_t waited;
    do
        waited = waitpid(child, &status, 0);
    while (waited < 0 && errno == EINTR);
    workspace_release_group(workspace, child);
    if (waited < 0)
        return error_set(error, "can't wait for the compiler: %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    char complaint[900] = "";
    FILE *file = file_open_stream(log, FILE_MOST_BYTES, NULL);
    if (file) {
        size_t got = fread(complaint, 1, sizeof complaint - 1, file);
        complaint[got] = 0;
        fclose(file);
    }
    return error_at(error, path, 0, 0, "the compiler rejects it:\n%s", complaint);
}

/* Ends the command: what golden code asked for and can't have must not end in an answer. */
static void refused(void *handle, const char *operation, const heddle_misuse *misuse)
{
    (void)handle;
    char text[512];
    golden_refusal(text, sizeof text, operation, misuse);
    print_plain(stderr, "heddle: %s: the golden code's %s\n", crash_file, text);
    _exit(2);
}

static GoldenOp *find_op(void *handle, const char *name)
{
    char symbol[300];
    snprintf(symbol, sizeof symbol, "heddle_spec_op_%s", name);
    GoldenOp *op;
    *(void **)(void *)&op = dlsym(handle, symbol); /* POSIX blesses this detour */
    return op;
}

Spec *golden_load(Arena *arena, Values *values, const char *path, const char *compiler,
                  Error *error)
{
    if (!file_is_readable(path, error))
        return NULL;
    if (!compiler)
        compiler = getenv("CC") && *getenv("CC") ? getenv("CC") : "cc";
    Workspace workspace = {0};
    char object[600];
    if (!workspace_open(&workspace, error))
        return NULL;
    snprintf(object, sizeof object, "%s/golden.so", workspace.path);
    Spec *spec = NULL;
    if (compile(arena, compiler_file_word(arena, path), compiler, &workspace, object, error)) {
        void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
        const unsigned long *bytes = handle ? dlsym(handle, "heddle_spec_bytes") : NULL;
        GoldenCode code = {.find = find_op, .context = handle, .name = path, .refuse = refused};
        if (handle)
            *(void **)(void *)&code.init = dlsym(handle, "heddle_spec_init");
        if (!handle)
            error_at(error, path, 0, 0,
                     "can't be loaded: %s (TMPDIR must be where code may be run: not on a file "
                     "system that is mounted noexec)",
                     dlerror());
        else if (!bytes || !code.init)
            error_at(error, path, 0, 0,
                     "has no HEDDLE_SPEC_STATE or no HEDDLE_SPEC_INIT (see heddle_spec.h)");
        else if (*bytes > (1u << 20))
            error_at(error, path, 0, 0, "its state is larger than 1 MB");
        else {
            code.bytes = *bytes;
            code.process = dlsym(handle, "heddle_spec_process") != NULL;
            crash_file = str_copy(arena, str_of(path));
            crash_ended = dlsym(handle, "heddle_spec_ended");
            catch_crashes();
            atexit(left);
            (void)at_quick_exit(left);
            spec = spec_golden(arena, values, &code);
        }
    }
    workspace_close(&workspace); /* what is loaded stays */
    return spec;
}
