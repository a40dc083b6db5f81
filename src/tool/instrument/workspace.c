#include "tool/instrument/workspace.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file.h"
#include "tool/instrument/process.h"

extern char **environ;

#define KEEPER_TRIES 200
#define KEEPER_PAUSE_US 20000

static int remove_entry(const char *path, const struct stat *status UNUSED, int kind UNUSED,
                        struct FTW *place UNUSED)
{
    remove(path);
    return 0;
}

static void remove_tree(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* The keeper's life. It reads process groups to guard (or, negated, to forget) as they come; end of
 * file means the tool is gone. */
NORETURN static void keeper_run(const char *path, int pipe_end)
{
    setsid();
    prctl(PR_SET_NAME, "heddle-keeper");
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    if (pipe_end != 0)
        dup2(pipe_end, 0);
    if (close_range(1, ~0u, 0) != 0) /* an old or a small kernel */
        for (int fd = 1; fd < 1024; fd++)
            close(fd);
    pid_t groups[64] = {0};
    pid_t group;
    for (;;) {
        ssize_t got = read(0, &group, sizeof group);
        if (got < 0 && errno == EINTR)
            continue;
        if (got != (ssize_t)sizeof group)
            break;
        pid_t from = group > 0 ? 0 : -group, to = group > 0 ? group : 0;
        for (size_t i = 0; i < COUNT_OF(groups); i++)
            if (groups[i] == from) {
                groups[i] = to;
                break;
            }
    }
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        if (groups[i])
            kill(-groups[i], SIGKILL);
    /* A process that is being killed may still make files, and the folder is not empty then. */
    for (int tries = 0; tries < KEEPER_TRIES; tries++) {
        remove_tree(path);
        if (access(path, F_OK) != 0)
            break;
        usleep(KEEPER_PAUSE_US);
    }
    _exit(0);
}

bool workspace_open(Workspace *workspace, Error *error)
{
    const char *base = getenv("TMPDIR");
    if (!base || !*base)
        base = "/tmp";
    int length = snprintf(workspace->path, sizeof workspace->path, "%s/heddle-XXXXXX", base);
    if (length < 0 || (size_t)length >= sizeof workspace->path)
        return error_set(error, "the name of the temporary folder is too long: %s", base);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(error, "can't make a pipe: %s", strerror(errno));
    /* No signal may end this process while there is a folder and nobody who keeps it. */
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    if (!mkdtemp(workspace->path)) {
        int reason = errno;
        sigprocmask(SIG_SETMASK, &before, NULL);
        close(ends[0]);
        close(ends[1]);
        return error_set(error, "can't make a temporary folder in %s: %s", base, strerror(reason));
    }
    workspace->keeper = fork();
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (workspace->keeper == 0) {
        close(ends[1]);
        keeper_run(workspace->path, ends[0]);
    }
    close(ends[0]);
    workspace->pipe = ends[1];
    if (workspace->keeper < 0) {
        int reason = errno;
        remove_tree(workspace->path);
        close(ends[1]);
        return error_set(error, "can't start a process: %s", strerror(reason));
    }
    return true;
}

static void keeper_tell(Workspace *workspace, pid_t group)
{
    ssize_t written;
    do
        written = write(workspace->pipe, &group, sizeof group);
    while (written < 0 && errno == EINTR);
}

void workspace_adopt_group(Workspace *workspace, pid_t group)
{
    keeper_tell(workspace, group);
}

void workspace_release_group(Workspace *workspace, pid_t group)
{
    keeper_tell(workspace, -group);
}

bool workspace_start(Arena *arena, Workspace *workspace, char *const *arguments, const char *log,
                     pid_t *pid, Error *error)
{
    int fd = file_create(log, O_APPEND, 0600);
    if (fd < 0)
        return error_set(error, "can't write %s: %s", log, strerror(errno));
    ProcessStart start = {.arguments = arguments,
                          .environment = workspace_environment(workspace, arena),
                          .output = fd,
                          .errors = -1,
                          .own_group = true};
    /* No signal may end this process while the keeper does not know the group. */
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    bool started = process_start(&start, pid, error);
    if (started)
        workspace_adopt_group(workspace, *pid);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(fd);
    return started;
}

char *workspace_file(const Workspace *workspace, Arena *arena, const char *name)
{
    return arena_printf(arena, "%s/%s", workspace->path, name);
}

char *const *workspace_environment(const Workspace *workspace, Arena *arena)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **list = arena_array_of(arena, char *, count + 2);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0)
            list[kept++] = environ[i];
    list[kept++] = arena_printf(arena, "TMPDIR=%s", workspace->path);
    list[kept] = NULL;
    return list;
}

const char *workspace_room(const Workspace *workspace, Arena *arena)
{
    const uint64_t least = 16u << 20; /* a program and what the linker needs beside it */
    struct statvfs system;
    if (statvfs(workspace->path, &system) != 0)
        return "";
    uint64_t bytes = (uint64_t)system.f_bavail * system.f_frsize;
    if (bytes < least)
        return arena_printf(arena, ": %s has %llu KB left; TMPDIR chooses another place",
                            workspace->path, (unsigned long long)(bytes >> 10));
    if (system.f_files && system.f_favail < 16)
        return arena_printf(arena, ": %s has room for %llu files; TMPDIR chooses another place",
                            workspace->path, (unsigned long long)system.f_favail);
    return "";
}

void workspace_close(Workspace *workspace)
{
    if (workspace->keeper <= 0)
        return;
    close(workspace->pipe); /* the keeper removes everything, then ends */
    while (waitpid(workspace->keeper, NULL, 0) < 0 && errno == EINTR)
        ;
    remove_tree(workspace->path); /* somebody may have killed the keeper */
    workspace->keeper = 0;
}
