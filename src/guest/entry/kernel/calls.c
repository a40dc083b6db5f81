/* calls.c: calls of the kernel that the runtime makes itself: those that may wait, whose arguments
 * depend on a command, or that choose names at random. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "guest/entry/guest.h"
#include "guest/entry/kernel/kernel.h"
#include "guest/explore/memory/deferred.h"

/* Makes CALL on descriptor FD, which sets errno, between two events. */
#define IN_KERNEL(name, fd, pc, call)                                                              \
    do {                                                                                           \
        kernel_enter(name, pc);                                                                    \
        kernel_check_descriptor(fd, pc);                                                           \
        GUEST_KEEP_ERRNO(call);                                                                    \
        kernel_leave(name, pc);                                                                    \
    } while (0)

/* ---- locks ---- */

int __wrap_flock(int fd, int operation);
int __wrap_lockf(int fd, int command, off_t bytes);
int __wrap_lockf64(int fd, int command, off_t bytes);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, ...);

/* The kernel would stop the only kernel thread: who does not get the lock asks again when another
 * call may have released it. */
GUEST int __wrap_flock(int fd, int operation)
{
    const void *pc = GUEST_PC;
    if (!op_active())
        return flock(fd, operation);
    bool takes = operation & (LOCK_SH | LOCK_EX), waits = takes && !(operation & LOCK_NB);
    kernel_use_locks();
    for (;;) {
        int result;
        kernel_enter("flock", pc);
        kernel_check_descriptor(fd, pc);
        GUEST_KEEP_ERRNO(result = flock(fd, operation | LOCK_NB));
        bool busy = result && errno == EWOULDBLOCK;
        uint32_t seen = takes ? kernel_lock(pc) : 0;
        kernel_leave(!result && !(operation & LOCK_EX) ? "unlock" : "flock", pc);
        if (!busy || !waits)
            return result;
        kernel_await_release(seen, pc);
    }
}

/* Locks of a process (not OF_FILE): its threads never wait for each other; another process has it,
 * if any. */
static int lock_range(int fd, int command, struct flock *lock, bool of_file, const void *pc)
{
    bool waits = command == F_SETLKW || command == F_OFD_SETLKW;
    int now = !waits ? command : of_file ? F_OFD_SETLK : F_SETLK;
    kernel_use_locks();
    for (;;) {
        int result;
        kernel_enter("fcntl", pc);
        kernel_check_descriptor(fd, pc);
        GUEST_KEEP_ERRNO(result = fcntl(fd, now, lock));
        bool busy = result && (errno == EAGAIN || errno == EACCES);
        uint32_t seen = lock->l_type == F_UNLCK ? 0 : kernel_lock(pc);
        kernel_leave(!result && lock->l_type != F_WRLCK ? "unlock" : "fcntl", pc);
        if (!busy || !waits)
            return result;
        if (!of_file)
            op_unsupported_at(pc, "the program waits for another process, which has locked a file");
        kernel_await_release(seen, pc);
    }
}

static int lock_file(int fd, int command, struct flock *lock, const void *pc)
{
    bool tells = command == F_GETLK || command == F_OFD_GETLK;
    bool of_file = command == F_OFD_GETLK || command == F_OFD_SETLK || command == F_OFD_SETLKW;
    guest_will_read(lock, sizeof *lock, pc);
    struct flock copy = *lock;
    int result = lock_range(fd, command, &copy, of_file, pc);
    if (tells && result == 0)
        guest_store(lock, &copy, sizeof copy, pc);
    return result;
}

static int control(int fd, int command, void *argument, const void *pc)
{
    if (!op_active())
        return fcntl(fd, command, argument);
    int result;
    switch (command) {
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_GETLK:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
        return lock_file(fd, command, argument, pc);
    case F_SETFL:
    case F_SETFD:
    case F_GETFL:
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
    case F_GETFD:
        break;
    default:
        op_unsupported_at(pc, "the program calls fcntl with command %d, whose effects are unknown",
                          command);
    }
    IN_KERNEL("fcntl", fd, pc, result = fcntl(fd, command, argument));
    return result;
}

#define CONTROL()                                                                                  \
    va_list list;                                                                                  \
    va_start(list, command);                                                                       \
    void *argument = va_arg(list, void *);                                                         \
    va_end(list);                                                                                  \
    return control(fd, command, argument, GUEST_PC)

GUEST int __wrap_fcntl(int fd, int command, ...)
{
    CONTROL();
}

GUEST int __wrap_fcntl64(int fd, int command, ...)
{
    CONTROL();
}

static int lock_bytes(int fd, int command, off_t bytes, const void *pc)
{
    int result;
    if (!op_active())
        return lockf(fd, command, bytes);
    IN_KERNEL("lockf", fd, pc, result = lockf(fd, command == F_LOCK ? F_TLOCK : command, bytes));
    if (result < 0 && command == F_LOCK && (errno == EAGAIN || errno == EACCES))
        op_unsupported_at(pc, "the program waits for another process, which has locked a file");
    return result;
}

GUEST int __wrap_lockf(int fd, int command, off_t bytes)
{
    return lock_bytes(fd, command, bytes, GUEST_PC);
}

GUEST int __wrap_lockf64(int fd, int command, off_t bytes)
{
    return lock_bytes(fd, command, bytes, GUEST_PC);
}

/* ---- names ---- */

int __wrap_mkstemp(char *name);
int __wrap_mkstemp64(char *name);
int __wrap_mkostemp(char *name, int flags);
int __wrap_mkostemp64(char *name, int flags);
char *__wrap_mkdtemp(char *name);

/* The place of the six letters in NAME, or NULL. */
static char *letters_of(char *name, const void *pc)
{
    size_t length = strlen(name);
    guest_will_read(name, length + 1, pc);
    if (length >= 6 && !strcmp(name + length - 6, "XXXXXX"))
        return name + length - 6;
    guest_errno(EINVAL);
    return NULL;
}

/* The first free name in the order of numbers, instead of a random one. */
static int make_unique(char *name, bool folder, int flags, const void *pc)
{
    enum { MOST = 1000000 };
    int result = -1;
    char *letters = letters_of(name, pc), made[7];
    if (!letters)
        return -1;
    guest_will_write(letters, 6, pc);
    deferred_settle();
    const char *call = folder ? "mkdir" : "open";
    kernel_enter(call, pc);
    for (int i = 0; i < MOST; i++) {
        snprintf(made, sizeof made, "%06d", i);
        memcpy(letters, made, 6);
        uint64_t arguments[] = {(uintptr_t)name, folder ? 0700 : O_RDWR | O_CREAT | O_EXCL, 0600};
        struct stat status;
        if (!lstat(name, &status))
            continue;
        kernel_prepare(call, arguments, pc);
        GUEST_KEEP_ERRNO(result = folder ? mkdir(name, 0700)
                                         : open(name, O_RDWR | O_CREAT | O_EXCL | flags, 0600));
        if (result >= 0 || errno != EEXIST)
            break;
    }
    kernel_leave(call, pc);
    return result;
}

GUEST int __wrap_mkstemp(char *name)
{
    return op_active() ? make_unique(name, false, 0, GUEST_PC) : mkstemp(name);
}

GUEST int __wrap_mkstemp64(char *name)
{
    return op_active() ? make_unique(name, false, 0, GUEST_PC) : mkstemp(name);
}

GUEST int __wrap_mkostemp(char *name, int flags)
{
    return op_active() ? make_unique(name, false, flags, GUEST_PC) : mkostemp(name, flags);
}

GUEST int __wrap_mkostemp64(char *name, int flags)
{
    return op_active() ? make_unique(name, false, flags, GUEST_PC) : mkostemp(name, flags);
}

GUEST char *__wrap_mkdtemp(char *name)
{
    if (!op_active())
        return mkdtemp(name);
    return make_unique(name, true, 0, GUEST_PC) < 0 ? NULL : name;
}

/* ---- bytes ---- */

ssize_t kernel_write(int fd, const void *from, size_t bytes, const void *pc)
{
    ssize_t result;
    IN_KERNEL("write", fd, pc, result = write(fd, from, bytes));
    return result;
}

ssize_t kernel_read(int fd, void *to, size_t bytes, const void *pc)
{
    char piece[4096];
    ssize_t result;
    if (bytes > sizeof piece)
        op_unsupported_at(pc,
                          "the program reads %zu bytes at once from a file (up to %zu are known)",
                          bytes, sizeof piece);
    IN_KERNEL("read", fd, pc, result = read(fd, piece, bytes));
    if (result > 0)
        guest_store(to, piece, (size_t)result, pc);
    return result;
}
