/* workspace.h: a temporary folder and the processes that belong to it. Both are gone when the tool
 * is gone, however it ends: a keeper process, deaf to signals of the terminal, waits for the tool's
 * end (the other end of a pipe closes, even on SIGKILL), kills the process groups it was told of
 * and removes the folder. */
#ifndef HEDDLE_INSTRUMENT_WORKSPACE_H
#define HEDDLE_INSTRUMENT_WORKSPACE_H
#include <sys/types.h>
#include "base/arena.h"
#include "base/error.h"

typedef struct Workspace {
    char path[512];
    int pipe; /* to the keeper */
    pid_t keeper;
} Workspace;

/* In $TMPDIR, or /tmp. */
MUST_USE bool workspace_open(Workspace *workspace, Error *error);
/* An adopted group is killed when the workspace ends; a released one (all its processes are known
 * to be gone, so the number may get another owner) is not. */
void workspace_adopt_group(Workspace *workspace, pid_t group);
void workspace_release_group(Workspace *workspace, pid_t group);
/* Starts a compiler or a linker in an adopted group, since it has children and none may outlive us;
 * what it prints is appended to the file LOG. Whoever waits for it releases the group. */
MUST_USE bool workspace_start(Arena *arena, Workspace *workspace, char *const *arguments,
                              const char *log, pid_t *pid, Error *error);
/* PATH/NAME, for a file inside. */
char *workspace_file(const Workspace *workspace, Arena *arena, const char *name);
/* Our environment, except that programs put their temporary files into the workspace: a compiler
 * that is killed leaves some. */
char *const *workspace_environment(const Workspace *workspace, Arena *arena);
/* The end of a message about a compiler or a linker that failed, if the workspace has so little
 * room that this may be why: how much there is. Otherwise "". */
const char *workspace_room(const Workspace *workspace, Arena *arena);
void workspace_close(Workspace *workspace);
#endif
