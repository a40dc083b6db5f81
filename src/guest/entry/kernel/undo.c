#include "guest/entry/kernel/undo.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/vec.h"

enum { MOST_BYTES = 64 << 20, MOST_ENTRIES = 1 << 16 };

typedef enum UndoKind {
    UNDO_NOTHING_THERE, /* the name was free */
    UNDO_THERE,         /* it was not: `status`, and `bytes` of a file or a symbolic link */
    UNDO_CONTENTS,      /* the same of a file that keeps its name */
    UNDO_MOVE,          /* what had the name has `other` now */
    UNDO_DIRECTORY,
    UNDO_MASK
} UndoKind;

typedef struct Undo {
    UndoKind kind;
    char *path, *other, *bytes;
    struct stat status;
    mode_t mask;
} Undo;
static Vec(Undo) list;

bool undo_locate(int dir, const char *path, char out[UNDO_PATH])
{
    char full[2 * UNDO_PATH], link[64];
    size_t used = 0;
    if (!path || !*path || strlen(path) >= UNDO_PATH)
        return false;
    if (path[0] != '/') {
        snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
        ssize_t got = dir == AT_FDCWD ? (getcwd(full, UNDO_PATH) ? (ssize_t)strlen(full) : -1)
                                      : readlink(link, full, UNDO_PATH - 1);
        if (got <= 0)
            return false;
        used = (size_t)got;
        full[used++] = '/';
    }
    strcpy(full + used, path);
    for (size_t end = strlen(full); end > 1 && full[end - 1] == '/'; end--)
        full[end - 1] = 0;
    char *name = strrchr(full, '/') + 1;
    if (!strcmp(name, ".") || !strcmp(name, "..") || !*name)
        return realpath(full, out) != NULL;
    char last[256];
    if (strlen(name) >= sizeof last)
        return false;
    strcpy(last, name);
    name[name > full + 1 ? -1 : 0] = 0;
    if (!realpath(full, out) || strlen(out) + strlen(last) + 2 > UNDO_PATH)
        return false;
    if (strcmp(out, "/"))
        strcat(out, "/");
    strcat(out, last);
    return true;
}

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return strcpy(copy, text);
}

static Undo *add(UndoKind kind, const char *path)
{
    vec_push(&list, (Undo){.kind = kind, .path = path ? copy_text(path) : NULL});
    return &vec_last(&list);
}

/* The bytes of a file; NULL if it can't be read or has become another. */
static char *read_file(const char *path, size_t bytes)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    char *to = malloc(bytes + 1);
    size_t got = 0;
    for (ssize_t more = 1; fd >= 0 && got < bytes && more > 0; got += (size_t)MAX(more, 0))
        more = read(fd, to + got, bytes - got);
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && got == bytes)
        return to;
    free(to);
    return NULL;
}

/* Takes the contents into U; why it can't, or NULL. */
static const char *keep(Undo *u)
{
    size_t bytes = (size_t)u->status.st_size;
    if (S_ISREG(u->status.st_mode)) {
        u->bytes = bytes <= MOST_BYTES ? read_file(u->path, bytes) : NULL;
        return u->bytes ? NULL : "a file that is too large to be kept, or can't be read";
    }
    if (S_ISLNK(u->status.st_mode)) {
        u->bytes = calloc(1, UNDO_PATH);
        return readlink(u->path, u->bytes, UNDO_PATH - 1) > 0 ? NULL : "a link that can't be read";
    }
    return S_ISDIR(u->status.st_mode) ? NULL : "something that is no file, directory or link";
}

static const char *keep_status(UndoKind kind, const char *path, const struct stat *status)
{
    Undo *u = add(kind, path);
    u->status = *status;
    const char *problem = keep(u);
    if (problem)
        u->kind = UNDO_MASK, u->mask = umask(0), umask(u->mask); /* nothing to take back */
    return problem;
}

const char *undo_keep_name(const char *path)
{
    struct stat status;
    if (list.count >= MOST_ENTRIES)
        return "too many files";
    if (lstat(path, &status)) {
        add(UNDO_NOTHING_THERE, path);
        return NULL;
    }
    if (S_ISREG(status.st_mode) && status.st_nlink > 1)
        for (size_t i = 0;; i++) {
            if (i == list.count)
                return "a file with several names";
            if (list.at[i].path && !strcmp(list.at[i].path, path) &&
                list.at[i].kind == UNDO_NOTHING_THERE)
                break; /* the program has made it itself */
        }
    return keep_status(UNDO_THERE, path, &status);
}

const char *undo_keep_contents(const char *path)
{
    struct stat status;
    if (list.count >= MOST_ENTRIES)
        return "too many files";
    return lstat(path, &status) ? NULL : keep_status(UNDO_CONTENTS, path, &status);
}

const char *undo_keep_move(const char *from, const char *to)
{
    struct stat moved, there;
    if (lstat(from, &moved))
        return NULL; /* the call fails */
    if (!lstat(to, &there) && moved.st_dev == there.st_dev && moved.st_ino == there.st_ino)
        return NULL; /* it does nothing */
    const char *problem = undo_keep_name(to);
    if (!problem)
        add(UNDO_MOVE, from)->other = copy_text(to);
    return problem;
}

void undo_keep_directory(void)
{
    char path[UNDO_PATH];
    if (getcwd(path, sizeof path))
        add(UNDO_DIRECTORY, path);
}

void undo_keep_mask(void)
{
    mode_t mask = umask(0);
    umask(mask);
    add(UNDO_MASK, NULL)->mask = mask;
}

/* ---- back ---- */

static void put_status(int fd, const struct stat *status)
{
    struct timespec times[2] = {status->st_atim, status->st_mtim};
    (void)!fchown(fd, status->st_uid, status->st_gid);
    (void)!fchmod(fd, status->st_mode & 07777);
    (void)!futimens(fd, times);
}

static void remove_name(const char *path)
{
    DEBUG_ASSERT(path[0] == '/');
    if (unlink(path))
        (void)!rmdir(path);
}

static void put_file(const Undo *u, int flags)
{
    size_t bytes = (size_t)u->status.st_size, put = 0;
    int fd = open(u->path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
    for (ssize_t more = 1; fd >= 0 && put < bytes && more > 0; put += (size_t)MAX(more, 0))
        more = write(fd, u->bytes + put, bytes - put);
    if (fd < 0)
        return;
    put_status(fd, &u->status);
    close(fd);
}

/* Is the file as it was? */
static bool is_same(const Undo *u)
{
    struct stat now;
    return !lstat(u->path, &now) && now.st_ino == u->status.st_ino &&
           now.st_dev == u->status.st_dev &&
           !memcmp(&now.st_ctim, &u->status.st_ctim, sizeof now.st_ctim);
}

static void put_back_name(const Undo *u)
{
    if (is_same(u))
        return;
    if (S_ISREG(u->status.st_mode)) {
        remove_name(u->path);
        put_file(u, O_CREAT | O_EXCL);
    } else if (S_ISLNK(u->status.st_mode)) {
        remove_name(u->path);
        (void)!symlink(u->bytes, u->path);
    } else if (!mkdir(u->path, 0700)) {
        int fd = open(u->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0)
            put_status(fd, &u->status), close(fd);
    }
}

static void put_back_contents(const Undo *u)
{
    struct timespec times[2] = {u->status.st_atim, u->status.st_mtim};
    if (is_same(u))
        return;
    if (S_ISREG(u->status.st_mode)) {
        (void)!chmod(u->path, u->status.st_mode | 0200);
        put_file(u, O_TRUNC);
        return;
    }
    if (S_ISDIR(u->status.st_mode))
        (void)!chmod(u->path, u->status.st_mode & 07777);
    (void)!utimensat(AT_FDCWD, u->path, times, AT_SYMLINK_NOFOLLOW);
}

static void take_back(const Undo *u)
{
    switch (u->kind) {
    case UNDO_NOTHING_THERE:
        remove_name(u->path);
        break;
    case UNDO_THERE:
        put_back_name(u);
        break;
    case UNDO_CONTENTS:
        put_back_contents(u);
        break;
    case UNDO_MOVE:
        (void)!rename(u->other, u->path);
        break;
    case UNDO_DIRECTORY:
        (void)!chdir(u->path);
        break;
    case UNDO_MASK:
        umask(u->mask);
    }
}

void undo_all(void)
{
    int before = errno;
    while (list.count) {
        Undo u = vec_pop(&list);
        take_back(&u);
        free(u.path);
        free(u.other);
        free(u.bytes);
    }
    errno = before;
}
