#include "tool/instrument/process.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/print.h"
#include "base/stop.h"

extern char **environ;
static volatile sig_atomic_t interrupted;
static bool addresses_random;

static void on_interrupt(int number)
{
    interrupted = number;
    stop_request();
}

void process_catch_interrupts(void)
{
    /* No SA_RESTART: a wait in progress must return and look. */
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        struct sigaction old;
        /* A signal that the caller's shell told us to ignore (nohup, background jobs) stays
         * ignored. */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
}

int process_interrupted(void)
{
    return interrupted;
}

double process_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void process_prepare(const ProcessStart *start, posix_spawn_file_actions_t *actions,
                            posix_spawnattr_t *attributes)
{
    posix_spawn_file_actions_init(actions);
    posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (start->output >= 0)
        posix_spawn_file_actions_adddup2(actions, start->output, STDOUT_FILENO);
    else
        posix_spawn_file_actions_addopen(actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (start->errors >= 0)
        posix_spawn_file_actions_adddup2(actions, start->errors, STDERR_FILENO);
    else
        posix_spawn_file_actions_adddup2(actions, STDOUT_FILENO, STDERR_FILENO);

    posix_spawnattr_init(attributes);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &all);
    if (start->own_group) {
        flags |= POSIX_SPAWN_SETPGROUP;
        posix_spawnattr_setpgroup(attributes, 0);
    }
    posix_spawnattr_setflags(attributes, flags);
}

bool process_start(const ProcessStart *start, pid_t *pid, Error *error)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    process_prepare(start, &actions, &attributes);
    /* Limits are inherited: set ours for a moment rather than run code between fork and exec. */
    struct rlimit cores = {0, 0};
    bool limited = start->own_group && getrlimit(RLIMIT_CORE, &cores) == 0;
    if (limited)
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, cores.rlim_max});
    int persona = start->fixed_addresses ? personality(0xffffffff) : -1;
    bool changed = persona != -1 && !(persona & ADDR_NO_RANDOMIZE) &&
                   personality((unsigned long)persona | ADDR_NO_RANDOMIZE) != -1;
    if (start->fixed_addresses && !changed && (persona == -1 || !(persona & ADDR_NO_RANDOMIZE)))
        addresses_random = true;
    const char *file = start->file ? start->file : start->arguments[0];
    int failure = posix_spawnp(pid, file, &actions, &attributes, start->arguments,
                               start->environment ? start->environment : environ);
    if (limited)
        setrlimit(RLIMIT_CORE, &cores);
    if (changed)
        personality((unsigned long)persona);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failure == ENOENT && access("/dev/null", R_OK | W_OK) != 0)
        return error_set(error, "can't start %s: there is no /dev/null here", file);
    struct statvfs mount;
    if (failure == EACCES && statvfs(file, &mount) == 0 && (mount.f_flag & ST_NOEXEC))
        return error_set(error,
                         "can't start %s: it lies on a file system that is mounted noexec; set "
                         "TMPDIR to a folder where programs may run",
                         file);
    if (failure)
        return error_set(error, "can't start %s: %s", file, strerror(failure));
    return true;
}

bool process_addresses_random(void)
{
    return addresses_random;
}

void process_end_with(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(4);
}

/* Ends when PID has something to tell, or after a second: a signal may come between a look at
 * `interrupted` and a wait without limit, and would not end that. */
static void wait_awhile(pid_t pid)
{
    struct pollfd end = {.fd = pidfd_open(pid, 0), .events = POLLIN};
    poll(&end, 1, end.fd < 0 ? 10 : 1000);
    if (end.fd >= 0)
        close(end.fd);
}

bool process_wait(pid_t pid, int *status)
{
    while (!interrupted) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid)
            return true;
        if (ended < 0 && errno != EINTR)
            break;
        if (ended == 0)
            wait_awhile(pid);
    }
    kill(-pid, SIGKILL); /* with its group, if it leads one */
    kill(pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
    return false;
}
