#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The descriptor that PATH names (/dev/stdin, /dev/fd/N, as the shell's <(command) gives), or -1.
 * Such a path is a link, and names what the caller has open already: a pipe is read and written
 * there. */
static int own_descriptor(const char *path)
{
    static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"},
                             *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (int i = 0; i < (int)COUNT_OF(names); i++)
        if (!strcmp(path, names[i]))
            return i;
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        const char *digits = path + strlen(folders[i]);
        if (strncmp(path, folders[i], strlen(folders[i])) != 0 || !*digits || strlen(digits) > 6 ||
            digits[strspn(digits, "0123456789")])
            continue;
        return (int)strtol(digits, NULL, 10);
    }
    return -1;
}

static const char *text_of_mode(mode_t mode)
{
    return S_ISDIR(mode)                    ? "a folder"
           : S_ISFIFO(mode)                 ? "a FIFO"
           : S_ISLNK(mode)                  ? "a symbolic link"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                            : "a socket";
}

static int refuse(const char *path, mode_t mode, int reason, Error *error)
{
    error_set(error, "%s is %s, not a regular file", path, text_of_mode(mode));
    errno = reason;
    return -1;
}

static int refuse_errno(const char *path, Error *error)
{
    int reason = errno;
    error_set(error, "%s: %s", path, strerror(reason));
    errno = reason;
    return -1;
}

/* Asks before it opens: opening a device can do something, and a FIFO without a writer waits for
 * one. Asks again afterwards, since another file may have taken its name. */
static int open_checked(const char *path, int flags, bool fifo, Error *error)
{
    struct stat status;
    int (*ask)(const char *, struct stat *) = flags & O_NOFOLLOW ? lstat : stat;
    if (ask(path, &status) != 0) {
        if (errno != ENOENT || !(flags & O_CREAT))
            return refuse_errno(path, error);
    } else if (!S_ISREG(status.st_mode) && !(fifo && S_ISFIFO(status.st_mode)))
        return refuse(path, status.st_mode, S_ISLNK(status.st_mode) ? ELOOP : EINVAL, error);
    int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0666);
    if (fd < 0)
        return refuse_errno(path, error);
    if (fstat(fd, &status) == 0 && (S_ISREG(status.st_mode) || (fifo && S_ISFIFO(status.st_mode))))
        return fd;
    close(fd);
    return refuse(path, status.st_mode, EINVAL, error);
}

/* A copy of descriptor FD, which PATH names: a file or a pipe. */
static int open_own(const char *path, int fd, Error *error)
{
    struct stat status;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0 || fstat(copy, &status) != 0)
        return refuse_errno(path, error);
    if (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
        return copy;
    close(copy);
    return refuse(path, status.st_mode, EINVAL, error);
}

int file_open(const char *path, Error *error)
{
    int own = own_descriptor(path);
    return own >= 0 ? open_own(path, own, error) : open_checked(path, O_RDONLY, false, error);
}

int file_open_growing(const char *path, Error *error)
{
    int own = own_descriptor(path);
    return own >= 0 ? open_own(path, own, error) : open_checked(path, O_RDONLY, true, error);
}

int file_open_kept(const char *path, int flags, Error *error)
{
    return open_checked(path, flags | O_NOFOLLOW, false, error);
}

FILE *file_open_stream(const char *path, size_t most, Error *error)
{
    struct stat status;
    int fd = file_open(path, error);
    if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size > (off_t)most) {
        close(fd);
        error_set(error, "%s has more than %zu MB", path, most >> 20);
        return NULL;
    }
    FILE *stream = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && !stream)
        die("out of memory");
    return stream;
}

int file_create(const char *path, int flags, mode_t mode)
{
    return open(path, flags | O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);
}

bool file_read_at_most(const char *path, size_t most, Buffer *text, Error *error)
{
    int fd = file_open(path, error);
    if (fd < 0)
        return false;
    char piece[65536];
    ssize_t got;
    size_t sum = 0;
    while ((got = read(fd, piece, sizeof piece)) > 0 || (got < 0 && errno == EINTR)) {
        if (got < 0)
            continue;
        sum += (size_t)got;
        if (sum > most)
            break;
        buffer_append(text, piece, (size_t)got);
    }
    int reason = errno;
    close(fd);
    if (sum > most)
        return error_set(error, "%s has more than %zu MB", path, most >> 20);
    return got == 0 || error_set(error, "%s: %s", path, strerror(reason));
}

bool file_read(const char *path, Buffer *text, Error *error)
{
    return file_read_at_most(path, FILE_MOST_BYTES, text, error);
}

bool file_is_readable(const char *path, Error *error)
{
    int fd = file_open(path, error);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

bool file_make_folder(const char *path, Error *error)
{
    char folder[PATH_MAX];
    struct stat status;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length >= sizeof folder)
        return error_set(error, "can't make the folder %s: %s", path, strerror(ENAMETOOLONG));
    snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    if (mkdir(folder, 0777) == 0)
        return true;
    int reason = errno;
    if (reason == EEXIST && lstat(folder, &status) == 0 && S_ISDIR(status.st_mode))
        return true;
    if (reason == EEXIST)
        return error_set(error, "%s is %s, not a folder", path,
                         S_ISREG(status.st_mode) ? "a file" : text_of_mode(status.st_mode));
    return error_set(error, "can't make the folder %s: %s", path, strerror(reason));
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
    int own = own_descriptor(path), fd;
    if (own == STDOUT_FILENO)
        fflush(stdout);
    if (own >= 0)
        fd = fcntl(own, F_DUPFD_CLOEXEC, 3);
    else /* a FIFO that nobody reads does not wait for a reader, but one that is read is waited for
          */
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK | flags);
    if (fd < 0)
        return false;
    if (own < 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
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

/* The files that were named as inputs, by device and number. */
static struct {
    Vec(struct stat) files;
} inputs;

void file_protect(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0)
        vec_push(&inputs.files, status);
}

static bool is_protected(const struct stat *status)
{
    for (size_t i = 0; i < inputs.files.count; i++)
        if (inputs.files.at[i].st_ino == status->st_ino &&
            inputs.files.at[i].st_dev == status->st_dev)
            return true;
    return false;
}

static bool place(const char *path, const char *text, size_t bytes)
{
    struct stat status;
    char fresh[PATH_MAX + 32];
    if (own_descriptor(path) >= 0)
        return write_in_place(path, text, bytes, 0);
    bool there = lstat(path, &status) == 0;
    if (there && S_ISLNK(status.st_mode)) {
        errno = ELOOP;
        return false;
    }
    if (there && is_protected(&status)) {
        errno = ETXTBSY;
        return false;
    }
    if (there && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (there && !S_ISREG(status.st_mode))
        return write_in_place(path, text, bytes, 0);
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

const char *file_write_reason(int reason)
{
    return reason == ELOOP     ? "it is a symbolic link, and none is followed"
           : reason == ETXTBSY ? "it is a file that was read"
                               : strerror(reason);
}

bool file_commit(FileWriter *writer, Error *error)
{
    bool complete = fclose(writer->stream) == 0;
    writer->stream = NULL;
    bool placed = complete && place(writer->path, writer->text, writer->bytes);
    if (!placed)
        error_set(error, "can't write %s: %s", writer->path, file_write_reason(errno));
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
