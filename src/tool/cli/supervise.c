#include "tool/cli/supervise.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file.h"
#include "base/str.h"
#include "tool/cli/progress.h"
#include "tool/cli/session/mapping.h"
#include "tool/instrument/process.h"

#define TICK_MS 20
/* The program is killed so long after it was asked to stop: while it works, and when it does
 * nothing. */
#define GRACE_SECONDS 2.0
#define IDLE_GRACE_SECONDS 0.3
#define LOOK_SECONDS 0.5 /* looks that are further apart: nobody ran in between */

extern char **environ;

typedef struct Child {
    const SuperviseRequest *request;
    SuperviseResult *result;
    Link *link;
    pid_t pid;
    int pidfd, errors;                   /* the read end of its stderr, or -1 */
    double start, last_sign, stop_asked; /* 0: not asked */
    double looked;                       /* the last look at it */
    double waited;                       /* how long it had waited for a processor by then */
    uint64_t last_progress;
    uint64_t memory_bytes;
    long own_rss_kb; /* of the tool, when the child was started */
    int link_fd;     /* the mapping's file */
    bool ended;
} Child;

/* --- looking at processes --------------------------------------------------------------------- */

/* The memory that a process holds, in bytes. */
typedef struct Memory {
    uint64_t own, shared, resident;
} Memory;

static uint64_t status_bytes(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    unsigned long long kilobytes = 0;
    if (at)
        sscanf(at + strlen(name), " %llu", &kilobytes);
    return (uint64_t)kilobytes * 1024;
}

/* False if the process is gone, or nobody says (there is no /proc). */
static bool process_memory(pid_t pid, Memory *out)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    int fd = file_open(path, NULL);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    *out = (Memory){0};
    if (got <= 0)
        return false;
    text[got] = 0;
    *out = (Memory){.own = status_bytes(text, "\nRssAnon:"),
                    .shared = status_bytes(text, "\nRssShmem:"),
                    .resident = status_bytes(text, "\nVmRSS:")};
    return true;
}

/* The children of PID, into LIST; at most MOST. */
static size_t process_children(pid_t pid, pid_t *list, size_t most)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *file = file_open_stream(path, FILE_MOST_BYTES, NULL);
    size_t count = 0;
    int child;
    while (file && count < most && fscanf(file, "%d", &child) == 1)
        list[count++] = child;
    if (file)
        fclose(file);
    return count;
}

/* Pages that the program shares among its processes count once; those of the link are not its
 * own. */
static void child_measure(Child *child)
{
    Memory memory;
    uint64_t sum = 0, shared = 0, peak = 0, link = 0;
    struct stat status;
    if (fstat(child->link_fd, &status) == 0)
        link = (uint64_t)status.st_blocks * 512;
    process_memory(child->pid, &memory);
    sum = memory.own;
    shared = memory.shared;
    peak = memory.resident;
    for (size_t i = 0; i < LINK_WORKERS; i++) {
        pid_t worker = __atomic_load_n(&child->link->workers.pid[i], __ATOMIC_RELAXED);
        if (worker <= 0 || worker == child->pid || !process_memory(worker, &memory))
            continue;
        sum += memory.own;
        shared = MAX(shared, memory.shared);
        peak = MAX(peak, memory.resident);
    }
    child->memory_bytes = sum + shared - MIN(shared, link);
    long kilobytes = (long)(peak / 1024);
    child->result->peak_rss_kb = MAX(child->result->peak_rss_kb, kilobytes);
}

/* Return addresses of a stopped process by the chain of its frame pointers, which code without them
 * cuts short: a frame lies above the one it called, and not far. */
static void child_read_callers(pid_t pid, uint64_t frame, uint64_t *callers)
{
    for (int i = 0; i < SUPERVISE_CALLERS; i++) {
        errno = 0;
        uint64_t next = (uint64_t)ptrace(PTRACE_PEEKDATA, pid, (void *)frame, NULL);
        callers[i] = errno ? 0 : (uint64_t)ptrace(PTRACE_PEEKDATA, pid, (void *)(frame + 8), NULL);
        if (errno || next <= frame || next - frame > 1u << 20 || next % 8) {
            callers[i] = errno ? 0 : callers[i];
            return;
        }
        frame = next;
    }
}

/* Did the process stop? One that has ended is left for child_reap. */
static bool child_stopped(pid_t pid, int *status)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED | WNOWAIT) == 0 &&
           info.si_code != CLD_EXITED && info.si_code != CLD_KILLED && info.si_code != CLD_DUMPED &&
           waitpid(pid, status, __WALL) == pid && WIFSTOPPED(*status);
}

/* Where a process stands that makes no events, or no execution: stops it some times and looks at
 * its program counter (once may be a moment in which its clock ticks). */
static void child_sample_pcs(const Child *child)
{
    pid_t pid = child->pid;
    for (size_t i = 0; i < LINK_WORKERS; i++) /* one that still has something to do */
        if (child->link->workers.pid[i] > 0)
            pid = child->link->workers.pid[i];
    struct user_regs_struct registers;
    SuperviseResult *result = child->result;
    int status;
    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0)
        return;
    for (size_t i = 0; i < COUNT_OF(result->pcs); i++) {
        if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0 || !child_stopped(pid, &status))
            return;
        if (ptrace(PTRACE_GETREGS, pid, NULL, &registers) == 0) {
            result->pcs[i] = registers.rip + 1; /* names are asked for return addresses */
            child_read_callers(pid, registers.rbp, result->callers[i]);
        }
        int signal_to_pass = status >> 16 ? 0 : WSTOPSIG(status);
        bool last = i + 1 == COUNT_OF(result->pcs);
        ptrace(last ? PTRACE_DETACH : PTRACE_CONT, pid, NULL, signal_to_pass);
        usleep(last ? 0 : 900);
    }
}

/* ---- life and death of the child ---- */

static bool child_start(Arena *arena, Workspace *workspace, Child *child, int link_fd, Error *error)
{
    const SuperviseRequest *request = child->request;
    Vec(char *) arguments = {0};
    Vec(char *) environment = {0};
    vec_push(&arguments, arena_copy(arena, request->name, strlen(request->name)));
    for (size_t i = 0; request->arguments && i < request->arguments->count; i++)
        vec_push(&arguments,
                 arena_copy(arena, request->arguments->at[i], strlen(request->arguments->at[i])));
    vec_push(&arguments, NULL);
    const Words *given = request->environment;
    for (size_t i = 0; given ? i < given->count : environ[i] != NULL; i++) {
        const char *variable = given ? given->at[i] : environ[i];
        if (strncmp(variable, LINK_ENVIRONMENT "=", sizeof LINK_ENVIRONMENT) != 0)
            vec_push(&environment, arena_copy(arena, variable, strlen(variable)));
    }
    vec_push(&environment, arena_printf(arena, LINK_ENVIRONMENT "=%d", link_fd));
    if (request->shared &&
        request->shared->libraries.count) /* so that their tables can be changed */
        vec_push(&environment, arena_printf(arena, "LD_BIND_NOW=1"));
    vec_push(&environment, NULL);
    int ends[2] = {-1, -1};
    if (!request->show_output && pipe2(ends, O_CLOEXEC) != 0) {
        vec_free(&arguments);
        vec_free(&environment);
        return error_set(error, "can't make a pipe: %s", strerror(errno));
    }
    int output = request->show_output ? STDERR_FILENO : -1;
    if (request->output_path)
        output = file_create(request->output_path, O_TRUNC, 0600);
    /* stdout is ours for results: whatever the program prints belongs on stderr, or nowhere */
    ProcessStart start = {.file = request->program,
                          .arguments = arguments.at,
                          .environment = environment.at,
                          .output = output,
                          .errors = request->show_output ? STDERR_FILENO : ends[1],
                          .own_group = true,
                          .fixed_addresses = true};
    bool started = process_start(&start, &child->pid, error);
    if (request->output_path && output >= 0)
        close(output);
    vec_free(&arguments);
    vec_free(&environment);
    if (ends[1] >= 0)
        close(ends[1]);
    if (!started) {
        if (ends[0] >= 0)
            close(ends[0]);
        return false;
    }
    workspace_adopt_group(workspace, child->pid);
    child->errors = ends[0];
    if (child->errors >= 0)
        fcntl(child->errors, F_SETFL, O_NONBLOCK);
    child->pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
    return true;
}

/* Keeps the last part of what the program writes to stderr. */
static void child_drain(Child *child)
{
    char *kept = child->result->errors;
    const size_t most = sizeof child->result->errors - 1;
    size_t length = strlen(kept);
    char piece[4096];
    ssize_t got;
    for (int rounds = 0; child->errors >= 0 && rounds < 64; rounds++) {
        got = read(child->errors, piece, sizeof piece);
        if (got <= 0) {
            if (got == 0) {
                close(child->errors);
                child->errors = -1;
            }
            break;
        }
        for (ssize_t i = 0; i < got; i++)
            if (!piece[i])
                piece[i] = '?';
        size_t fresh = MIN((size_t)got, most), old = MIN(length, most - fresh);
        memmove(kept, kept + length - old, old);
        memcpy(kept + old, piece + (size_t)got - fresh, fresh);
        length = old + fresh;
        kept[length] = 0;
    }
}

static void child_ask_to_stop(Child *child, SuperviseEnd why)
{
    if (child->stop_asked > 0)
        return;
    const LinkCounters *total = &child->result->total;
    child->result->end = why;
    child->result->depth = total->depth;
    child->result->last_pc = total->pc;
    if (why != SUPERVISE_MEMORY &&
        (why == SUPERVISE_HANG || (!total->executions && !total->blocked)))
        child_sample_pcs(child);
    child->stop_asked = process_seconds();
    __atomic_store_n(&child->link->stop, 1, __ATOMIC_RELEASE);
}

static void child_show(Child *child, Progress *progress)
{
    const ExploreOptions *options = &child->request->options;
    const LinkCounters *total = &child->result->total;
    Link *link = child->link;
    mapping_take_estimate(link, child->result);
    ProgressFigures figures = {.executions = total->executions,
                               .states = total->states,
                               .blocked = total->blocked,
                               .depth = total->depth,
                               .test = __atomic_load_n(&link->test_number, __ATOMIC_RELAXED),
                               .tests = __atomic_load_n(&link->test_count, __ATOMIC_RELAXED),
                               .memory_bytes = child->memory_bytes,
                               .time_limit = (double)options->time_ms / 1e3,
                               .wanted = options->schedules,
                               .estimate = child->result->estimate};
    progress_update(progress, &figures);
}

/* For how long the child has been able to run, and had no processor; 0 if nobody says. */
static double child_waited(const Child *child)
{
    char path[64];
    unsigned long long ran, waited = 0;
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)child->pid);
    FILE *file = file_open_stream(path, FILE_MOST_BYTES, NULL);
    if (!file || fscanf(file, "%llu %llu", &ran, &waited) != 2)
        waited = 0;
    if (file)
        fclose(file);
    return (double)waited * 1e-9;
}

/* Has the child given no sign for too long? Time in which it could not run does not count: the
 * machine slept, both were stopped, or others had the processors. */
static bool child_hangs(Child *child, double now)
{
    double most = (double)child->request->hang_ms / 1e3;
    if (now - child->looked > LOOK_SECONDS)
        child->last_sign = MIN(now, child->last_sign + now - child->looked);
    child->looked = now;
    if (!child->request->hang_ms || now - child->last_sign <= most)
        return false;
    double waited = child_waited(child);
    child->last_sign += MAX(waited - child->waited, 0);
    child->waited = waited;
    return now - child->last_sign > most;
}

/* One look at the child: limits, signs of life, a person's wish. */
static void child_watch(Child *child, Progress *progress)
{
    const SuperviseRequest *request = child->request;
    const ExploreOptions *options = &request->options;
    LinkCounters *total = &child->result->total;
    double now = process_seconds();
    mapping_add_counters(child->link, total);
    child_measure(child);
    if (total->progress != child->last_progress) {
        child->last_progress = total->progress;
        child->last_sign = now;
    }
    child_show(child, progress);
    if (process_interrupted())
        child_ask_to_stop(child, SUPERVISE_INTERRUPT);
    if (options->time_ms && now - child->start > (double)options->time_ms / 1e3)
        child_ask_to_stop(child, SUPERVISE_TIME);
    if (options->memory_bytes && child->memory_bytes > options->memory_bytes) {
        child_ask_to_stop(child, SUPERVISE_MEMORY);
        kill(-child->pid, SIGKILL); /* asking would cost more of it */
    }
    bool done = __atomic_load_n(&child->link->state, __ATOMIC_ACQUIRE) == LINK_DONE;
    if (child_hangs(child, now) && !done) {
        child_ask_to_stop(child, SUPERVISE_HANG);
        kill(-child->pid, SIGKILL);
    }
    /* It was asked, or has given its outcome, and still lives. */
    double asked = child->stop_asked > 0 ? now - child->stop_asked : 0;
    double idle = now - child->last_sign;
    if (asked > GRACE_SECONDS || (asked > IDLE_GRACE_SECONDS && idle > IDLE_GRACE_SECONDS) ||
        (done && idle > GRACE_SECONDS))
        kill(-child->pid, SIGKILL);
}

static bool child_reap(Child *child)
{
    struct rusage usage;
    int status;
    pid_t pid = wait4(child->pid, &status, WNOHANG, &usage);
    if (pid != child->pid)
        return pid < 0 && errno == ECHILD;
    SuperviseResult *result = child->result;
    if (child->stop_asked <= 0) {
        result->end = WIFSIGNALED(status) ? SUPERVISE_SIGNAL : SUPERVISE_EXITED;
        result->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    }
    /* The kernel's figure starts with our own memory, which the child shared until its exec: where
     * it is larger it is the child's, otherwise what was seen must do. */
    if (usage.ru_maxrss > child->own_rss_kb || !result->peak_rss_kb)
        result->peak_rss_kb = MAX(result->peak_rss_kb, usage.ru_maxrss);
    return true;
}

/* Kills what the child left: its group, and those that left the group (orphans come to us). */
static void child_bury(Workspace *workspace, Child *child)
{
    kill(-child->pid, SIGKILL);
    pid_t strays[64];
    for (int rounds = 0; rounds < 100; rounds++) {
        size_t count = process_children(getpid(), strays, COUNT_OF(strays)), left = 0;
        for (size_t i = 0; i < count; i++)
            if (strays[i] != workspace->keeper) {
                kill(strays[i], SIGKILL);
                while (waitpid(strays[i], NULL, __WALL) < 0 && errno == EINTR)
                    ;
                left++;
            }
        if (!left)
            break;
    }
    workspace_release_group(workspace, child->pid);
}

bool supervise_run(Arena *arena, Workspace *workspace, const SuperviseRequest *request,
                   SuperviseResult *result, Error *error)
{
    *result = (SuperviseResult){0};
    int link_fd;
    Link *link = mapping_make(arena, request, &link_fd, error);
    if (!link)
        return false;
    Child child = {.request = request, .result = result, .link = link, .errors = -1, .pidfd = -1};
    struct rusage own;
    if (getrusage(RUSAGE_SELF, &own) == 0)
        child.own_rss_kb = own.ru_maxrss;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    bool started = child_start(arena, workspace, &child, link_fd, error);
    fcntl(link_fd, F_SETFD, FD_CLOEXEC);
    child.link_fd = link_fd;
    if (!started) {
        close(link_fd);
        munmap(link, sizeof *link);
        return false;
    }
    Progress progress;
    const char *subject = request->mode == LINK_REPLAY
                              ? arena_printf(arena, "%s (replay)", request->label)
                              : request->label;
    progress_begin(&progress, subject, request->quiet);
    const SuperviseWatcher *watcher = &request->watcher;
    double looked = child.start = child.last_sign = child.looked = process_seconds();
    while (!child.ended) {
        struct pollfd wanted[2] = {{.fd = child.pidfd, .events = POLLIN},
                                   {.fd = child.errors, .events = POLLIN}};
        poll(wanted, 2, watcher->tick_ms ? watcher->tick_ms(watcher->context) : TICK_MS);
        child_drain(&child);
        child.ended = child_reap(&child);
        if (!child.ended && watcher->watch && !watcher->watch(watcher->context, link))
            kill(-child.pid, SIGKILL);
        if (!child.ended && process_seconds() - looked >= TICK_MS * 0.9e-3) {
            child_watch(&child, &progress);
            looked = process_seconds();
        }
    }
    result->seconds = process_seconds() - child.start;
    progress_end(&progress);
    child_bury(workspace, &child);
    child_drain(&child);
    if (request->watcher.end)
        request->watcher.end(request->watcher.context, link);
    mapping_collect(arena, link, request, result);
    Memory own_memory; /* the child may have been too quick for a look */
    result->unmeasured = !process_memory(getpid(), &own_memory);
    close(link_fd);
    if (child.pidfd >= 0)
        close(child.pidfd);
    if (child.errors >= 0)
        close(child.errors);
    munmap(link, sizeof *link);
    return true;
}
