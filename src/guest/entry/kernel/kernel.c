#include "guest/entry/kernel/kernel.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>
#include "guest/entry/guest.h"
#include "guest/entry/kernel/undo.h"
#include "guest/entry/library/hidden.h"
#include "guest/explore/scale/workers.h"
#include "guest/explore/schedules/ahead.h"
#include "guest/runtime/image.h"
#include "guest/runtime/native.h"
#include "guest/runtime/opaque.h"
#include "guest/runtime/unseen.h"

enum { FRESH = 4096, STREAMS = 256, MAPPED = 256 };

typedef struct FileName { /* as the kernel numbers files */
    dev_t device;
    ino_t inode;
} FileName;

/* Nothing here is undone by backtracking: a program with such calls is re-executed, and
 * image_restore comes first. */
static struct {
    bool used;         /* since image_restore */
    bool streams_meet; /* streams take part (kernel_enter_stream): learnt, and kept */
    uint8_t depth[GUEST_THREADS];
    uint64_t fresh[FRESH]; /* inodes that are new, by the number that the program sees */
    uint32_t fresh_count;
    FileName streams[STREAMS]; /* files that were opened as streams */
    uint32_t stream_count;
    FileName mapped[MAPPED]; /* privately */
    uint32_t mapped_count;
    struct timespec start; /* of the process */
} kernel;

/* ---- one process at a time ----
 * Who has the turn makes executions, and keeps it for a while if nobody waits. Who waits holds the
 * other lock, so that whoever gives the turn back does not get it again before. */

enum { TURN, NEXT };
static struct {
    int fd[2]; /* files whose locks these are */
    pid_t pid; /* of the process that has opened them */
    bool held;
    struct timespec since;
} turn;

static void read_clock(clockid_t clock, struct timespec *now)
{
    native_call(SYS_clock_gettime, clock, (long)(uintptr_t)now, 0, 0);
}

/* All processes of an exploration run one program, which lies in a folder of its own: the locks of
 * these two tell them from others, and leave no file behind. */
static bool open_turn(int which)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return false;
    path[length] = 0;
    if (which == NEXT)
        strrchr(path, '/')[1] = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 200);
    if (fd >= 0)
        close(fd);
    if (high >= 0)
        image_keep_file(high);
    turn.fd[which] = high;
    return high >= 0;
}

/* Waits for a lock; false: it took too long. */
static bool await_lock(int which)
{
    enum { TRIES = 8000 }; /* 1 ms each: less than what the tool takes for a standstill */
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < TRIES; i++) {
        if (!flock(turn.fd[which], LOCK_EX | LOCK_NB))
            return true;
        native_call(SYS_nanosleep, (long)(uintptr_t)&pause, 0, 0, 0);
    }
    return false;
}

static bool take_turn(void)
{
    if (turn.pid && turn.pid != getpid()) { /* forked: the locks are those of the other process */
        close(turn.fd[TURN]);
        close(turn.fd[NEXT]);
        turn.pid = 0;
        turn.held = false;
    }
    if (turn.held)
        return true;
    if (!turn.pid && (!open_turn(TURN) || !open_turn(NEXT)))
        return true; /* the program is gone from its folder: nobody else runs it */
    turn.pid = getpid();
    if (!await_lock(NEXT))
        return false;
    turn.held = await_lock(TURN);
    flock(turn.fd[NEXT], LOCK_UN);
    read_clock(CLOCK_MONOTONIC, &turn.since);
    return turn.held;
}

static void give_turn(bool always)
{
    enum { SLICE = 20000000 };
    struct timespec now;
    if (!turn.held || turn.pid != getpid())
        return;
    read_clock(CLOCK_MONOTONIC, &now);
    int64_t passed =
        (now.tv_sec - turn.since.tv_sec) * INT64_C(1000000000) + now.tv_nsec - turn.since.tv_nsec;
    if (!always && passed < SLICE)
        return;
    bool awaited = always || flock(turn.fd[NEXT], LOCK_EX | LOCK_NB);
    if (!awaited)
        flock(turn.fd[NEXT], LOCK_UN);
    turn.held = !awaited;
    turn.since = now;
    if (awaited)
        flock(turn.fd[TURN], LOCK_UN);
}

/* The execution is over, or begins. */
static void put_back(bool last)
{
    if (kernel.used) {
        undo_all();
        memset(kernel.depth, 0, sizeof kernel.depth);
        kernel.fresh_count = kernel.stream_count = kernel.mapped_count = 0;
        kernel.used = false;
    }
    give_turn(last || workers_are_split()); /* who shares out tests waits for others now and then */
}

/* ---- events ---- */

static void begin_use(const void *pc)
{
    if (kernel.used)
        return;
    image_files_back = put_back;
    ahead.wanted = false; /* who is ended from outside leaves files behind */
    if (!workers_are_split() && !workers_have_divided())
        workers_stay_alone();
    if (!take_turn())
        op_unsupported_at(pc, "other processes explore programs that use files, and do not end");
    kernel.used = true;
}

void kernel_enter(const char *name, const void *pc)
{
    if (!op_active())
        return;
    op_needs_replay("the program uses files");
    image_may_open_files = true;
    opaque_note(NULL);
    begin_use(pc);
    if (kernel.depth[op_self()]++ == 0 && op_others_exist())
        hidden_enter_kernel(name, pc);
}

/* May it release a lock that somebody waits for? */
static bool releases(const char *name)
{
    static const char *const names[] = {"close", "dup2", "dup3", "fclose", "unlock"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

void kernel_leave(const char *name, const void *pc)
{
    if (!op_active() || --kernel.depth[op_self()] || !op_others_exist())
        return;
    hidden_leave_kernel(releases(name), pc);
}

void kernel_use_locks(void)
{
    hidden_use_file_locks();
}

uint32_t kernel_lock(const void *pc)
{
    return op_others_exist() ? hidden_acquire_kernel(pc) : 0;
}

void kernel_recall(uint64_t address)
{
    (void)hidden_is_file_lock(address);
    kernel.streams_meet |= hidden_is_stream_note(address);
}

void kernel_await_release(uint32_t seen, const void *pc)
{
    if (!op_others_exist())
        op_violation(VIOLATION_DEADLOCK, pc, "the program waits for a lock on a file that it has");
    hidden_await_kernel(seen, pc);
}

void kernel_enter_stream(const void *pc)
{
    if (!op_active() || !kernel.streams_meet)
        return;
    if (op_others_exist())
        hidden_note_stream(pc);
    kernel_enter("stream", pc);
}

void kernel_leave_stream(const void *pc)
{
    if (op_active() && kernel.streams_meet)
        kernel_leave("", pc);
}

static void meet_streams(void)
{
    if (kernel.streams_meet || !kernel.stream_count || !op_others_exist())
        return;
    kernel.streams_meet = true;
    op_begin_again();
}

/* ---- what can be explored ---- */

static bool is_made_up(long type)
{
    enum { PROC = 0x9fa0, SYSFS = 0x62656572, DEVPTS = 0x1cd1, CGROUP = 0x63677270 };
    return type == PROC || type == SYSFS || type == DEVPTS || type == CGROUP;
}

/* Names the kind of file, if it is refused. */
static const char *refused_kind(const struct stat *status)
{
    if (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode) || S_ISLNK(status->st_mode))
        return NULL;
    unsigned minor_number = minor(status->st_rdev);
    bool is_simple = S_ISCHR(status->st_mode) && major(status->st_rdev) == 1 &&
                     (minor_number == 3 || minor_number == 5 || minor_number == 7);
    return is_simple                   ? NULL
           : S_ISFIFO(status->st_mode) ? "a FIFO"
           : S_ISSOCK(status->st_mode) ? "a socket"
                                       : "a device, which gives something else every time";
}

static void refuse(const char *name, const char *what, const void *pc)
{
    op_unsupported_at(pc, "%s meets %s, which can't be explored", name, what);
}

/* Does PATH, or the folder in which it would be, lie where the kernel makes files up? Numbers of
 * processes are virtual, so that a name with one leads nowhere. */
static bool is_made_up_place(const char *path)
{
    char part[UNDO_PATH];
    struct statfs system;
    if (!path || strlen(path) >= sizeof part)
        return false;
    strcpy(part, path);
    while (statfs(part, &system)) {
        char *end = strrchr(part, '/');
        if (!end || end == part)
            return false;
        *end = 0;
    }
    return is_made_up(system.f_type);
}

static void check_place(const char *name, const char *path, const void *pc)
{
    struct stat status;
    if (is_made_up_place(path))
        refuse(name, "a file whose contents the kernel makes up", pc);
    if (!stat(path, &status) && refused_kind(&status))
        refuse(name, refused_kind(&status), pc);
}

static void check_descriptor(const char *name, int fd, const void *pc)
{
    struct stat status;
    struct statfs system;
    if (fd < 0 || fstat(fd, &status))
        return; /* the call fails */
    if (image_file_was_open(fd))
        refuse(name, "a descriptor that was open before main", pc);
    if (refused_kind(&status))
        refuse(name, refused_kind(&status), pc);
    if (!fstatfs(fd, &system) && is_made_up(system.f_type))
        refuse(name, "a file whose contents the kernel makes up", pc);
}

void kernel_check_descriptor(int fd, const void *pc)
{
    check_descriptor("the program", fd, pc);
}

/* ---- before a call ---- */

typedef struct Prepared {
    const char *name;
    const uint64_t *arguments;
    const void *pc;
} Prepared;

static const char *text_of(const Prepared *call, unsigned i)
{
    return (const char *)(uintptr_t)call->arguments[i];
}

static int number_of(const Prepared *call, unsigned i)
{
    return (int)call->arguments[i];
}

static void must(const Prepared *call, const char *problem)
{
    if (problem)
        refuse(call->name, problem, call->pc);
}

/* The path at argument I, seen from the directory at argument DIR (-1: the working one). With
 * FOLLOWS the file that it leads to. False: the call fails. */
static bool locate(const Prepared *call, int dir, unsigned i, bool follows, char out[UNDO_PATH])
{
    struct stat status;
    char target[UNDO_PATH];
    int from = dir < 0 ? AT_FDCWD : number_of(call, (unsigned)dir);
    if (!undo_locate(from, text_of(call, i), out)) {
        if (is_made_up_place(text_of(call, i)))
            check_place(call->name, text_of(call, i), call->pc);
        return false;
    }
    check_place(call->name, out, call->pc);
    if (!follows || lstat(out, &status) || !S_ISLNK(status.st_mode))
        return true;
    if (!realpath(out, target))
        refuse(call->name, "a link to nothing", call->pc);
    strcpy(out, target);
    return true;
}

static void keep_contents(const Prepared *call, const char *path)
{
    struct stat status;
    must(call, undo_keep_contents(path));
    if (!kernel.mapped_count || stat(path, &status))
        return;
    for (uint32_t i = 0; i < kernel.mapped_count; i++)
        if (kernel.mapped[i].device == status.st_dev && kernel.mapped[i].inode == status.st_ino)
            unseen_call("a write to a file that is mapped", (uintptr_t)call->pc);
}

static void change_name(const Prepared *call, int dir, unsigned i)
{
    char path[UNDO_PATH];
    if (locate(call, dir, i, false, path))
        must(call, undo_keep_name(path));
}

static void change_file(const Prepared *call, int dir, unsigned i, bool follows)
{
    char path[UNDO_PATH];
    if (locate(call, dir, i, follows, path))
        keep_contents(call, path);
}

static void open_file(const Prepared *call, int dir, unsigned i, int flags)
{
    char path[UNDO_PATH];
    struct stat status;
    bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC);
    if ((flags & O_TMPFILE) == O_TMPFILE)
        return;
    if (!locate(call, dir, i, !(flags & O_NOFOLLOW), path))
        return;
    if (lstat(path, &status)) {
        if (flags & O_CREAT)
            must(call, undo_keep_name(path));
        return;
    }
    if (writes && S_ISREG(status.st_mode) && !((flags & O_CREAT) && (flags & O_EXCL)))
        keep_contents(call, path);
}

static void open_stream(const Prepared *call)
{
    const char *mode = text_of(call, 1);
    bool updates = mode && strchr(mode, '+');
    int flags = !mode || mode[0] == 'r' ? updates ? O_RDWR : O_RDONLY
                : mode[0] == 'w'        ? O_WRONLY | O_CREAT | O_TRUNC
                                        : O_WRONLY | O_CREAT;
    if (text_of(call, 0))
        open_file(call, -1, 0, flags);
}

static void change_descriptor(const Prepared *call)
{
    char link[64], path[UNDO_PATH];
    snprintf(link, sizeof link, "/proc/self/fd/%d", number_of(call, 0));
    check_descriptor(call->name, number_of(call, 0), call->pc);
    ssize_t bytes = readlink(link, path, sizeof path - 1);
    if (bytes <= 0 || path[0] != '/')
        return;
    path[bytes] = 0;
    keep_contents(call, path); /* if its name is gone, it goes with the execution */
}

static void move_name(const Prepared *call, int dir_from, unsigned from, int dir_to, unsigned to)
{
    char a[UNDO_PATH], b[UNDO_PATH];
    if (locate(call, dir_from, from, false, a) && locate(call, dir_to, to, false, b))
        must(call, undo_keep_move(a, b));
}

static void replace_descriptor(const Prepared *call, int fd)
{
    if (image_file_was_open(fd))
        refuse(call->name, "a descriptor that was open before main", call->pc);
}

static void look_at(const Prepared *call, int dir, unsigned i)
{
    char path[UNDO_PATH];
    (void)locate(call, dir, i, false, path);
}

/* Each call has a letter for what it does: see prepare(). A capital takes a directory before the
 * path. */
typedef struct Shape {
    const char *name;
    char what;
} Shape;

static const Shape *shape_of(const char *name)
{
    static const Shape shapes[] = {
        {"access", 'l'},     {"chdir", 'C'},      {"chmod", 's'},
        {"chown", 's'},      {"close", 'k'},      {"creat", 'w'},
        {"dup2", '2'},       {"dup3", '2'},       {"eaccess", 'l'},
        {"euidaccess", 'l'}, {"faccessat", 'L'},  {"fchdir", 'c'},
        {"fchmod", 'd'},     {"fchmodat", 'S'},   {"fchown", 'd'},
        {"fchownat", 'S'},   {"fdatasync", 'r'},  {"fdopen", 'r'},
        {"fdopendir", 'r'},  {"fopen", 'f'},      {"freopen", 'f'},
        {"fstat", 'r'},      {"fstatat", 'L'},    {"fstatfs", 'r'},
        {"fsync", 'r'},      {"ftruncate", 'r'},  {"futimens", 'd'},
        {"futimes", 'd'},    {"lchown", 'h'},     {"link", 'b'},
        {"lseek", 'r'},      {"lstat", 'l'},      {"lutimes", 'h'},
        {"mkdir", 'n'},      {"mkdirat", 'N'},    {"mkfifo", 'n'},
        {"mknod", 'n'},      {"newfstatat", 'L'}, {"open", 'o'},
        {"openat", 'O'},     {"opendir", 'l'},    {"posix_fallocate", 'r'},
        {"pread", 'r'},      {"pwrite", 'r'},     {"readlink", 'l'},
        {"readlinkat", 'L'}, {"remove", 'n'},     {"rename", 'm'},
        {"renameat", 'M'},   {"rmdir", 'n'},      {"stat", 'l'},
        {"statfs", 'l'},     {"statvfs", 'l'},    {"symlink", 'b'},
        {"truncate", 's'},   {"umask", 'u'},      {"unlink", 'n'},
        {"unlinkat", 'N'},   {"utime", 's'},      {"utimensat", 'S'},
        {"utimes", 's'},
    };
    size_t length = strlen(name);
    if (length > 2 && !strcmp(name + length - 2, "64"))
        length -= 2;
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        if (!strncmp(shapes[i].name, name, length) && !shapes[i].name[length])
            return &shapes[i];
    return NULL;
}

static void prepare(const Prepared *call, char what)
{
    switch (what) {
    case 'l':
        look_at(call, -1, 0);
        break;
    case 'L':
        look_at(call, 0, 1);
        break;
    case 'o':
        open_file(call, -1, 0, number_of(call, 1));
        break;
    case 'O':
        open_file(call, 0, 1, number_of(call, 2));
        break;
    case 'w':
        open_file(call, -1, 0, O_WRONLY | O_CREAT | O_TRUNC);
        break;
    case 'f':
        open_stream(call);
        break;
    case 'n':
        change_name(call, -1, 0);
        break;
    case 'N':
        change_name(call, 0, 1);
        break;
    case 'b':
        change_name(call, -1, 1);
        break;
    case 'm':
        move_name(call, -1, 0, -1, 1);
        break;
    case 'M':
        move_name(call, 0, 1, 2, 3);
        break;
    case 's':
        change_file(call, -1, 0, true);
        break;
    case 'S':
        change_file(call, 0, 1, true);
        break;
    case 'h':
        change_file(call, -1, 0, false);
        break;
    case 'd':
        change_descriptor(call);
        break;
    case 'r':
        check_descriptor(call->name, number_of(call, 0), call->pc);
        break;
    case 'k':
        replace_descriptor(call, number_of(call, 0));
        break;
    case '2':
        replace_descriptor(call, number_of(call, 1));
        break;
    case 'C':
        look_at(call, -1, 0);
        undo_keep_directory();
        break;
    case 'c':
        undo_keep_directory();
        break;
    case 'u':
        undo_keep_mask();
        break;
    }
}

void kernel_prepare(const char *name, const uint64_t *arguments, const void *pc)
{
    const Shape *shape = shape_of(name);
    Prepared call = {name, arguments, pc};
    int before = errno;
    if (!op_active() || !shape)
        return;
    if (!strchr("fkcCu", shape->what))
        meet_streams();
    prepare(&call, shape->what);
    errno = before;
}

/* ---- after a call ---- */

/* Does the time lie in this run? Then the clock of the machine decided it. */
static void settle_time(struct timespec *time)
{
    if (time->tv_sec > kernel.start.tv_sec ||
        (time->tv_sec == kernel.start.tv_sec && time->tv_nsec >= kernel.start.tv_nsec))
        *time = (struct timespec){.tv_sec = 1600000000};
}

/* A file that was made or changed in this execution: its number and its times are others each
 * time. */
static void settle_status(struct stat *status)
{
    struct timespec changed = status->st_ctim;
    settle_time(&changed);
    if (changed.tv_sec == status->st_ctim.tv_sec)
        return;
    uint32_t i = 0;
    while (i < kernel.fresh_count && kernel.fresh[i] != status->st_ino)
        i++;
    if (i == kernel.fresh_count && i < FRESH)
        kernel.fresh[kernel.fresh_count++] = status->st_ino;
    status->st_ino = 1000000 + i;
    settle_time(&status->st_atim);
    settle_time(&status->st_mtim);
    settle_time(&status->st_ctim);
}

void kernel_note_mapping(int fd, const void *pc)
{
    struct stat status;
    int mode = fcntl(fd, F_GETFL), before = errno;
    if (!op_active() || mode < 0 || fstat(fd, &status))
        return;
    struct timespec changed = status.st_ctim;
    settle_time(&changed);
    begin_use(pc); /* puts back what this notes */
    if ((mode & O_ACCMODE) != O_RDONLY || changed.tv_sec != status.st_ctim.tv_sec ||
        kernel.mapped_count == MAPPED)
        unseen_call("mmap of a file that changes", (uintptr_t)pc);
    else
        kernel.mapped[kernel.mapped_count++] = (FileName){status.st_dev, status.st_ino};
    errno = before;
}

static void note_stream(const char *path)
{
    struct stat status;
    if (!path || stat(path, &status))
        return;
    for (uint32_t i = 0; i < kernel.stream_count; i++)
        if (kernel.streams[i].device == status.st_dev && kernel.streams[i].inode == status.st_ino)
            meet_streams();
    if (kernel.stream_count < STREAMS)
        kernel.streams[kernel.stream_count++] = (FileName){status.st_dev, status.st_ino};
}

void kernel_settle(const char *name, const uint64_t *arguments, const void *pc UNUSED)
{
    const Shape *shape = op_active() ? shape_of(name) : NULL;
    int before = errno;
    if (!shape)
        return;
    if (shape->what == 'f')
        note_stream((const char *)(uintptr_t)arguments[0]);
    if (!strcmp(shape->name, "stat") || !strcmp(shape->name, "lstat") ||
        !strcmp(shape->name, "fstat"))
        settle_status((struct stat *)(uintptr_t)arguments[1]);
    if (!strcmp(shape->name, "fstatat") || !strcmp(shape->name, "newfstatat"))
        settle_status((struct stat *)(uintptr_t)arguments[2]);
    errno = before;
}

static __attribute__((constructor(101))) void kernel_setup(void)
{
    read_clock(CLOCK_REALTIME, &kernel.start);
}
