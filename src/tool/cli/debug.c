#include "tool/cli/debug.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/file.h"
#include "tool/cli/session/mapping.h"

extern const char debug_script[], debug_script_end[];
__asm__(".section .rodata\n.global debug_script\ndebug_script:\n"
        ".incbin \"src/tool/cli/heddle_gdb.py\"\n"
        ".global debug_script_end\ndebug_script_end:\n.byte 0\n.previous\n");

static bool write_script(const char *path, Error *error)
{
    FileWriter to;
    file_begin(&to, path);
    fwrite(debug_script, 1, (size_t)(debug_script_end - debug_script), to.stream);
    return file_commit(&to, error);
}

/* gdb keeps the terminal: it is not put into a group of its own, and stdin stays. */
static bool run_gdb(char *const *arguments, int *status, Error *error)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        execvp(arguments[0], arguments);
        _exit(errno == ENOENT ? 127 : 126);
    }
    if (pid < 0)
        return error_set(error, "can't start gdb: %s", strerror(errno));
    int end;
    while (waitpid(pid, &end, 0) < 0)
        if (errno != EINTR)
            return error_set(error, "can't wait for gdb: %s", strerror(errno));
    if (WIFEXITED(end) && (WEXITSTATUS(end) == 126 || WEXITSTATUS(end) == 127))
        return error_set(error, "gdb can't be started: is it installed?");
    *status = WIFEXITED(end) ? WEXITSTATUS(end) : 128 + WTERMSIG(end);
    return true;
}

bool debug_run(Session *session, const Record *record, uint32_t stop, const Words *words,
               int *status, Error *error)
{
    Arena *arena = session->arena;
    char *script = workspace_file(&session->workspace, arena, "heddle_gdb.py");
    SuperviseRequest request = {.program = session->build.program,
                                .name = session->name,
                                .label = session->label,
                                .mode = LINK_REPLAY,
                                .options = session->explore,
                                .record = record};
    int link_fd;
    Link *link = mapping_make(arena, &request, &link_fd, error);
    if (!link)
        return false;
    link->debugged = 1;
    link->debug_stop = stop;
    bool done = write_script(script, error);
    setenv(LINK_ENVIRONMENT, arena_printf(arena, "%d", link_fd), 1);
    Vec(char *) arguments = {0};
    static char gdb[] = "gdb", quiet[] = "-q", source[] = "-x";
    vec_push(&arguments, gdb);
    vec_push(&arguments, quiet);
    vec_push(&arguments, source);
    vec_push(&arguments, script);
    for (size_t i = 0; i < words->count; i++)
        vec_push(&arguments, arena_copy(arena, words->at[i], strlen(words->at[i])));
    vec_push(&arguments, arena_copy(arena, request.program, strlen(request.program)));
    vec_push(&arguments, NULL);
    done = done && run_gdb(arguments.at, status, error);
    unsetenv(LINK_ENVIRONMENT);
    vec_free(&arguments);
    close(link_fd);
    munmap(link, sizeof *link);
    return done;
}
