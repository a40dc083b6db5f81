#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_read(const char *path, Buffer *text, Error *error)
{
    /* O_NONBLOCK: opening a FIFO without a writer would wait for one. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return error_set(error, "%s: %s", path, strerror(errno));
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(fd);
        return error_set(error, "%s is not a regular file", path);
    }
    char piece[65536];
    ssize_t got;
    while ((got = read(fd, piece, sizeof piece)) > 0)
        buffer_append(text, piece, (size_t)got);
    int reason = errno;
    close(fd);
    return got == 0 || error_set(error, "%s: %s", path, strerror(reason));
}

void file_begin(FileWriter *writer, const char *path)
{
    *writer = (FileWriter){.path = path};
    writer->stream = open_memstream(&writer->text, &writer->bytes);
    if (!writer->stream)
        die("out of memory");
}

void file_abandon(FileWriter *writer)
{
    if (writer->stream)
        fclose(writer->stream);
    free(writer->text);
    *writer = (FileWriter){0};
}

static bool write_bytes(int fd, const char *at, size_t count)
{
    while (count) {
        ssize_t written = write(fd, at, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += written;
        count -= (size_t)written;
    }
    return true;
}

/* Writes to what stands at PATH already: a device, a FIFO, or a file in a folder that takes no new
 * ones. */
static bool write_in_place(const char *path, const char *text, size_t bytes, int flags)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | flags);
    if (fd < 0)
        return false;
    bool written = write_bytes(fd, text, bytes);
    int reason = errno;
    written &= close(fd) == 0 || !written;
    if (!written && reason)
        errno = reason;
    return written;
}

/* A file without a name needs no cleaning up when this process is killed; it gets its name by a
 * link. Where the file system has none, a name that nobody else has chosen does. */
static bool write_beside(const char *path, const char *fresh, const char *text, size_t bytes)
{
    char folder[PATH_MAX], self[64];
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)MAX(slash - path, 1) : 1;
    snprintf(folder, sizeof folder, "%.*s", length, slash ? path : ".");
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    bool named = fd < 0;
    if (named)
        fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    bool written = write_bytes(fd, text, bytes), placed = false;
    if (written && !named) {
        placed = linkat(AT_FDCWD, self, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
        named = !placed && linkat(AT_FDCWD, self, AT_FDCWD, fresh, AT_SYMLINK_FOLLOW) == 0;
        if (!placed && !named) { /* no /proc: once more, with a name from the start */
            close(fd);
            fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
            named = fd >= 0;
            written = named && write_bytes(fd, text, bytes);
        }
    }
    int reason = errno;
    if (fd >= 0 && close(fd) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written && !placed && rename(fresh, path) == 0)
        return true;
    if (written && !placed)
        reason = errno;
    if (named)
        unlink(fresh);
    errno = reason;
    return written && placed;
}

static bool place(const char *path, const char *text, size_t bytes)
{
    struct stat status;
    char real[PATH_MAX], fresh[PATH_MAX + 32];
    bool there = stat(path, &status) == 0;
    if (there && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (there && !S_ISREG(status.st_mode))
        return write_in_place(path, text, bytes, 0);
    /* The target of a link is replaced, not the link. */
    if (there && realpath(path, real))
        path = real;
    if (there && access(path, W_OK) != 0)
        return false;
    if (strlen(path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    snprintf(fresh, sizeof fresh, "%s.%d.tmp", path, (int)getpid());
    if (write_beside(path, fresh, text, bytes))
        return true;
    bool closed = errno == EACCES || errno == EROFS || errno == EPERM || errno == ENAMETOOLONG;
    return there && closed && write_in_place(path, text, bytes, O_TRUNC);
}

bool file_commit(FileWriter *writer, Error *error)
{
    bool complete = fclose(writer->stream) == 0;
    writer->stream = NULL;
    bool placed = complete && place(writer->path, writer->text, writer->bytes);
    if (!placed)
        error_set(error, "can't write %s: %s", writer->path, strerror(errno));
    file_abandon(writer);
    return placed;
}

const char *file_from_here(const char *path)
{
    char folder[PATH_MAX];
    size_t length = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    if (length && !strncmp(path, folder, length) && path[length] == '/')
        path += length + 1;
    while (!strncmp(path, "./", 2))
        path += 2;
    return path;
}
