#include "tool/cli/supervise.h"
#include <errno.h>
#include <math.h>
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
#include "base/str.h"
#include "tool/cli/progress.h"
#include "tool/instrument/process.h"
#include "record/check.h"
#include "tool/instrument/machine/liveness.h"

#define TICK_MS 20
/* Between asking the program to stop and killing it: while it works, and when it does nothing. */
#define GRACE_SECONDS 2.0
#define IDLE_GRACE_SECONDS 0.3

extern char **environ;

typedef struct Child {
    const SuperviseRequest *request;
    SuperviseResult *result;
    Link *link;
    pid_t pid;
    int pidfd, errors;                   /* the read end of its stderr, or -1 */
    double start, last_sign, stop_asked; /* 0: not asked */
    uint64_t last_progress;
    uint64_t memory_bytes;
    long own_rss_kb; /* of the tool, when the child was started */
    int link_fd;     /* the mapping's file */
    bool ended;
} Child;

/* --- the mapping ------------------------------------------------------------------------------ */

static Link *link_create(int *fd, Error *error)
{
    *fd = memfd_create("heddle-link", 0);
    if (*fd < 0 || ftruncate(*fd, (off_t)sizeof(Link)) != 0) {
        error_set(error, "can't make shared memory: %s", strerror(errno));
        if (*fd >= 0)
            close(*fd);
        return NULL;
    }
    Link *link = mmap(NULL, sizeof(Link), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (link == MAP_FAILED) {
        error_set(error, "can't map shared memory: %s", strerror(errno));
        close(*fd);
        return NULL;
    }
    return link;
}

static uint64_t evidence_put(Link *link, uint64_t *at, LinkRange *range, const void *from,
                             size_t count, size_t size)
{
    *range = (LinkRange){*at, count};
    if (count)
        memcpy(link->evidence + *at, from, count * size);
    *at = (*at + count * size + 15) & ~15ull;
    return *at;
}

/* What the explorer needs to tell states apart by their live parts only; without it more is
 * explored, nothing else changes. */
static void fill_liveness(Arena *arena, Link *link, const SuperviseRequest *request)
{
    LivenessTable *table;
    if (request->mode != LINK_EXPLORE || !request->options.reductions ||
        !liveness_analyse(arena, request->program, &table, NULL) ||
        liveness_bytes(table) > sizeof link->liveness)
        return;
    memcpy(link->liveness, table, liveness_bytes(table));
    link->liveness_bytes = liveness_bytes(table);
}

static void fill_first_tests(Link *link, const SuperviseRequest *request)
{
    size_t at = 0;
    for (size_t i = 0; request->first_tests && i < request->first_tests->count; i++) {
        const char *test = request->first_tests->at[i];
        size_t length = strlen(test);
        if (at + length + 2 > sizeof link->first_tests)
            break;
        memcpy(link->first_tests + at, test, length);
        link->first_tests[at + length] = '\n';
        at += length + 1;
    }
}

static void fill_unseen(Link *link, const SuperviseRequest *request)
{
    size_t count = request->unseen ? request->unseen->count : 0;
    for (size_t i = 0; i < MIN(count, LINK_UNSEEN); i++)
        link->unseen[i] = (LinkUnseen){.address = request->unseen->at[i].address,
                                       .escape = request->unseen->at[i].escape,
                                       .ran = count > LINK_UNSEEN}; /* who knows */
    link->unseen_count = (uint32_t)MIN(count, LINK_UNSEEN);
    link->watch_count = request->watches ? (uint32_t)MIN(request->watches->count, LINK_WATCHES) : 0;
    for (uint32_t i = 0; i < link->watch_count; i++)
        link->watches[i] = request->watches->at[i];
}

static const uint8_t *take_unseen(Arena *arena, const Link *link, const SuperviseRequest *request)
{
    size_t count = request->unseen ? request->unseen->count : 0, escapes = 0;
    for (size_t i = 0; i < count; i++)
        escapes = MAX(escapes, (size_t)request->unseen->at[i].escape + 1);
    if (!escapes)
        return NULL;
    uint8_t *ran = arena_array_of(arena, uint8_t, escapes);
    memset(ran, 0, escapes);
    for (size_t i = 0; i < count; i++)
        ran[request->unseen->at[i].escape] |= i >= LINK_UNSEEN || link->unseen[i].ran != 0;
    return ran;
}

/* Lays a record into the evidence area, where the program finds what to replay. */
static bool link_put_record(Link *link, const Record *record, Error *error)
{
    uint64_t bytes = (uint64_t)record->event_count * sizeof(RecordEvent) +
                     (uint64_t)record->object_count * sizeof(RecordObject) +
                     (uint64_t)record->thread_count * sizeof(RecordThread) + record->text_bytes +
                     64;
    if (bytes > LINK_EVIDENCE_BYTES)
        return error_set(error, "the record is too long to be replayed");
    uint64_t at = 0;
    evidence_put(link, &at, &link->events, record->events, record->event_count,
                 sizeof(RecordEvent));
    evidence_put(link, &at, &link->objects, record->objects, record->object_count,
                 sizeof(RecordObject));
    evidence_put(link, &at, &link->threads, record->threads, record->thread_count,
                 sizeof(RecordThread));
    evidence_put(link, &at, &link->text, record->text, record->text_bytes, 1);
    link->has_record = 1;
    link->record_model = record->model;
    link->record_violation = record->violation;
    link->record_message = record->message;
    link->record_load_base = record->load_base;
    link->record_pc = record->pc;
    return true;
}

/* A piece of the evidence, copied; false if the range does not lie in it. */
static bool evidence_get(Arena *arena, const Link *link, LinkRange range, size_t size, void **out,
                         uint32_t *count)
{
    if (range.offset > LINK_EVIDENCE_BYTES ||
        range.count > (LINK_EVIDENCE_BYTES - range.offset) / size)
        return false;
    *out = arena_copy(arena, link->evidence + range.offset, range.count * size);
    *count = (uint32_t)range.count;
    return true;
}

/* The program may have scribbled over anything: what it left is checked like a file from
 * outside. */
static const Record *link_get_record(Arena *arena, const Link *link, Error *error)
{
    Record *record = arena_new_of(arena, Record);
    void *events, *objects, *threads, *text;
    if (!evidence_get(arena, link, link->events, sizeof(RecordEvent), &events,
                      &record->event_count) ||
        !evidence_get(arena, link, link->objects, sizeof(RecordObject), &objects,
                      &record->object_count) ||
        !evidence_get(arena, link, link->threads, sizeof(RecordThread), &threads,
                      &record->thread_count) ||
        !evidence_get(arena, link, link->text, 1, &text, &record->text_bytes)) {
        error_set(error, "its parts lie outside the shared memory");
        return NULL;
    }
    record->events = events;
    record->objects = objects;
    record->threads = threads;
    record->text = text;
    record->violation = link->record_violation;
    record->model = link->record_model;
    record->message = link->record_message;
    record->load_base = link->record_load_base;
    record->pc = link->record_pc;
    memcpy(record->callers, link->record_callers, sizeof record->callers);
    return record_check(record, error) ? record : NULL;
}

static void counters_add(const Link *link, LinkCounters *total)
{
    *total = (LinkCounters){0};
    for (size_t i = 0; i <= LINK_WORKERS; i++) {
        const LinkCounters *from = &link->counters[i];
#define ADD(field) total->field += __atomic_load_n(&from->field, __ATOMIC_RELAXED)
        ADD(executions);
        ADD(states);
        ADD(blocked);
        ADD(stuck);
        ADD(cut);
        ADD(events);
        ADD(revisits);
        ADD(depth);
        if (from->pc)
            total->pc = __atomic_load_n(&from->pc, __ATOMIC_RELAXED);
        ADD(progress);
#undef ADD
    }
}

/* --- looking at processes --------------------------------------------------------------------- */

/* What a process holds in memory, in bytes. */
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
    int fd = open(path, O_RDONLY | O_CLOEXEC);
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
    FILE *file = fopen(path, "re");
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

/* Where a process that makes no events stands: stops it some times and looks at its program counter
 * (once may be a moment in which its clock ticks). */
static void child_sample_pcs(const Child *child)
{
    pid_t pid = child->pid;
    for (size_t i = 0; i < LINK_WORKERS; i++) /* one that still has something to do */
        if (child->link->workers.pid[i] > 0)
            pid = child->link->workers.pid[i];
    struct user_regs_struct registers;
    int status;
    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0)
        return;
    for (size_t i = 0; i < COUNT_OF(child->result->pcs); i++) {
        if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0 ||
            waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
            return;
        if (ptrace(PTRACE_GETREGS, pid, NULL, &registers) == 0)
            child->result->pcs[i] = registers.rip + 1; /* names are asked for return addresses */
        int signal_to_pass = status >> 16 ? 0 : WSTOPSIG(status);
        ptrace(PTRACE_CONT, pid, NULL, signal_to_pass);
        usleep(2000);
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
    for (char **at = environ; *at; at++)
        if (strncmp(*at, LINK_ENVIRONMENT "=", sizeof LINK_ENVIRONMENT) != 0)
            vec_push(&environment, *at);
    vec_push(&environment, arena_printf(arena, LINK_ENVIRONMENT "=%d", link_fd));
    vec_push(&environment, NULL);
    int ends[2] = {-1, -1};
    if (!request->show_output && pipe2(ends, O_CLOEXEC) != 0) {
        vec_free(&arguments);
        vec_free(&environment);
        return error_set(error, "can't make a pipe: %s", strerror(errno));
    }
    /* stdout is ours for results: whatever the program prints belongs on stderr, or nowhere */
    ProcessStart start = {.file = request->program,
                          .arguments = arguments.at,
                          .environment = environment.at,
                          .output = request->show_output ? STDERR_FILENO : -1,
                          .errors = request->show_output ? STDERR_FILENO : ends[1],
                          .own_group = true,
                          .fixed_addresses = true};
    bool started = process_start(&start, &child->pid, error);
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
    child->result->end = why;
    child->stop_asked = process_seconds();
    __atomic_store_n(&child->link->stop, 1, __ATOMIC_RELEASE);
}

static void take_estimate(Child *child)
{
    const Link *link = child->link;
    if (!__atomic_load_n(&link->forecast_probes, __ATOMIC_ACQUIRE))
        return;
    child->result->estimate = MAX(0.0, link->forecast_executions);
    child->result->estimate_error = sqrt(MAX(0.0, link->forecast_variance));
}

static void child_show(Child *child, Progress *progress)
{
    const ExploreOptions *options = &child->request->options;
    const LinkCounters *total = &child->result->total;
    Link *link = child->link;
    take_estimate(child);
    ProgressFigures figures = {.executions = total->executions,
                               .states = total->states,
                               .blocked = total->blocked,
                               .depth = total->depth,
                               .test = __atomic_load_n(&link->test_number, __ATOMIC_RELAXED),
                               .tests = __atomic_load_n(&link->test_count, __ATOMIC_RELAXED),
                               .memory_bytes = child->memory_bytes,
                               .time_limit = (double)options->time_ms / 1e3,
                               .wanted = options->schedules,
                               .estimate = child->result->estimate,
                               .estimate_error = child->result->estimate_error};
    progress_update(progress, &figures);
}

/* One look at the child: limits, signs of life, a person's wish. */
static void child_watch(Child *child, Progress *progress)
{
    const SuperviseRequest *request = child->request;
    const ExploreOptions *options = &request->options;
    LinkCounters *total = &child->result->total;
    double now = process_seconds();
    counters_add(child->link, total);
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
    if (!done && request->hang_ms && now - child->last_sign > (double)request->hang_ms / 1e3) {
        child_sample_pcs(child);
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

static void child_collect(Arena *arena, Child *child)
{
    SuperviseResult *result = child->result;
    const Link *link = child->link;
    counters_add(link, &result->total);
    take_estimate(child);
    if (child->request->orders)
        *child->request->orders = link->orders;
    uint32_t state = __atomic_load_n(&link->state, __ATOMIC_ACQUIRE);
    result->started = state != LINK_STARTING;
    result->done = state == LINK_DONE;
    if (result->done) {
        result->outcome = link->outcome;
        result->outcome.reason[sizeof result->outcome.reason - 1] = 0;
        if (result->end == SUPERVISE_EXITED || result->end == SUPERVISE_SIGNAL)
            result->end = SUPERVISE_DONE;
    }
    result->ran_unseen = take_unseen(arena, link, child->request);
    result->unseen_call_count = MIN(link->unseen_call_count, LINK_UNSEEN_CALLS);
    LinkUnseenCall *calls = (void *)arena_copy(arena, (const char *)link->unseen_calls,
                                               result->unseen_call_count * sizeof *calls);
    for (size_t i = 0; i < result->unseen_call_count; i++)
        calls[i].name[sizeof calls[i].name - 1] = 0;
    result->unseen_calls = calls;
    result->remark_count = MIN(link->remark_count, LINK_REMARKS);
    result->remarks = arena_array_of(arena, const char *, result->remark_count + 1);
    for (size_t i = 0; i < result->remark_count; i++)
        result->remarks[i] =
            arena_copy(arena, link->remarks[i], strnlen(link->remarks[i], sizeof link->remarks[i]));
    if (result->done && link->has_record) {
        Error error = {0};
        result->record = link_get_record(arena, link, &error);
        if (!result->record)
            snprintf(result->record_error, sizeof result->record_error, "%.250s", error.message);
    }
}

Link *supervise_link(Arena *arena, const SuperviseRequest *request, int *fd, Error *error)
{
    Link *link = link_create(fd, error);
    if (!link)
        return NULL;
    link->magic = LINK_MAGIC;
    link->mode = request->mode;
    link->options = request->options;
    if (request->orders)
        link->orders = *request->orders;
    fill_liveness(arena, link, request);
    fill_first_tests(link, request);
    fill_unseen(link, request);
    const SuperviseWatcher *watcher = &request->watcher;
    if ((request->record && !link_put_record(link, request->record, error)) ||
        (watcher->begin && !watcher->begin(watcher->context, link, error))) {
        close(*fd);
        munmap(link, sizeof *link);
        return NULL;
    }
    return link;
}

bool supervise_run(Arena *arena, Workspace *workspace, const SuperviseRequest *request,
                   SuperviseResult *result, Error *error)
{
    *result = (SuperviseResult){0};
    int link_fd;
    Link *link = supervise_link(arena, request, &link_fd, error);
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
                              ? arena_printf(arena, "%s (replay)", request->name)
                              : request->name;
    progress_begin(&progress, subject, request->quiet);
    const SuperviseWatcher *watcher = &request->watcher;
    double looked = child.start = child.last_sign = process_seconds();
    while (!child.ended) {
        struct pollfd wanted[2] = {{.fd = child.pidfd, .events = POLLIN},
                                   {.fd = child.errors, .events = POLLIN}};
        poll(wanted, 2, watcher->tick_ms ? watcher->tick_ms : TICK_MS);
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
    child_collect(arena, &child);
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
