#!/bin/bash
# Makes man/heddle-system-calls.7: what each system call that the C library's headers offer is for an exploration, taken
# from the tables that the runtime uses: record/effects.inc, record/known.inc, and the functions that it defines itself.
set -eu
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
calls="accept accept4 access acct adjtimex alarm arch_prctl bind brk capget capset chdir chmod chown chroot clock_adjtime
clock_getres clock_gettime clock_nanosleep clock_settime clone close close_range connect copy_file_range creat
delete_module dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd execve
execveat exit faccessat fallocate fanotify_init fanotify_mark fchdir fchmod fchmodat fchown fchownat fcntl fdatasync
fgetxattr flistxattr flock fork fremovexattr fsconfig fsetxattr fsmount fsopen fspick fstat fstatat fstatfs fsync
ftruncate futimens futimes futimesat getcpu getcwd getdents64 getegid getentropy geteuid getgid getgroups getitimer
getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid
getsockname getsockopt gettid gettimeofday getuid getxattr init_module inotify_add_watch inotify_init inotify_init1
inotify_rm_watch ioctl ioperm iopl kill lchown lgetxattr link linkat listen listxattr llistxattr lockf lremovexattr
lseek lsetxattr lstat madvise memfd_create mincore mkdir mkdirat mkfifo mknod mknodat mlock mlock2 mlockall mmap
modify_ldt mount mount_setattr move_mount mprotect mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink mremap
msgctl msgget msgrcv msgsnd msync munlock munlockall munmap name_to_handle_at nanosleep nice open open_by_handle_at
open_tree openat pause perf_event_open personality pidfd_getfd pidfd_open pidfd_send_signal pipe pipe2 pivot_root
pkey_alloc pkey_free pkey_mprotect poll posix_fadvise posix_fallocate ppoll prctl pread preadv preadv2 prlimit
process_madvise process_mrelease process_vm_readv process_vm_writev pselect ptrace pwrite pwritev pwritev2 quotactl
read readahead readlink readlinkat readv reboot recv recvfrom recvmmsg recvmsg remap_file_pages removexattr rename
renameat renameat2 rmdir sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getcpu sched_getparam
sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setparam sched_setscheduler sched_yield select semctl
semget semop semtimedop send sendfile sendmmsg sendmsg sendto setdomainname setegid seteuid setfsgid setfsuid setgid
setgroups sethostname setitimer setns setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid
setsockopt settimeofday setuid setxattr shmat shmctl shmdt shmget shutdown sigaction sigaltstack signalfd sigpending
sigprocmask sigqueue sigsuspend sigtimedwait socket socketpair splice stat statfs statx stime swapoff swapon symlink
symlinkat sync sync_file_range syncfs sysinfo syslog tee tgkill time timer_create timer_delete timer_getoverrun
timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime times truncate umask umount umount2 uname
unlink unlinkat unshare userfaultfd utime utimensat utimes vfork vhangup vmsplice wait wait4 waitid waitpid write
writev"

wrapped() { # files of the runtime
    grep -hoE '__wrap_[a-z0-9_]+|WRAP\([^,]*, [a-z0-9_]+' "$@" | sed 's/.*[_ ,]__wrap_//; s/^__wrap_//; s/WRAP([^,]*, //' | sort -u
}
refused=$(sed -n 's/^REFUSE([^,]*, \([a-z0-9_]*\),.*/\1/p' src/guest/entry/library/*.c src/guest/entry/kernel/*.c
    grep -oE 'X\([a-z0-9_]+, REFUSE\)' src/record/known.inc | sed 's/X(\(.*\), REFUSE)/\1/')
kernel=$(wrapped src/guest/entry/kernel/calls.c; echo read; echo write
    sed -n 's/^E(\([a-z0-9_]*\), "\(.* \)\{0,1\}k")$/\1/p' src/record/effects.inc)
defined() { # files of the runtime: functions that it defines in the place of the library's
    wrapped "$@"
    sed -n 's/^GUEST [a-z_ *]*[ *]\(heddle_user_\)\{0,1\}\([a-z0-9_]*\)(.*/\2/p' "$@"
}
virtual=$(defined src/guest/entry/library/time.c src/guest/entry/library/process.c src/guest/entry/library/signals.c src/guest/entry/sync/attributes.c)
choice=$(wrapped src/guest/entry/library/random.c)
memory=$(wrapped src/guest/entry/library/mapping.c)
local=$(sed -n 's/^E(\([a-z0-9_]*\), .*/\1/p' src/record/effects.inc)
known=$(grep -oE 'X\([a-z0-9_]+, SAFE\)' src/record/known.inc | sed 's/X(\(.*\), SAFE)/\1/')

# What the numbers of the kernel's calls and the functions that programs can link to have in common, and is not above.
# (pread64 and its like are pread in the headers.)
if [ "${1:-}" = --missing ]; then
    headers=$(echo '#include <sys/syscall.h>' | ${CC:-cc} -E -dM - | sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/\1/p' | sort -u)
    library=$(nm -D --defined-only "$(${CC:-cc} -print-file-name=libc.so.6)" | sed -n 's/^[0-9a-f]* [TWi] \([a-z0-9_]*\)@@.*/\1/p' | sort -u)
    comm -12 <(echo "$headers") <(echo "$library") | grep -vxE 'pread64|pwrite64|prlimit64|syscall' |
        comm -23 - <(tr ' ' '\n' <<<"$calls" | sort -u)
    exit
fi

has() { grep -qx "$2" <<<"$1"; }
cat <<'MAN'
.\" Made by tools/system_calls.sh.
.TH HEDDLE-SYSTEM-CALLS 7 "" "heddle" "Heddle manual"
.SH NAME
heddle-system-calls \- what system calls are for an exploration
.SH DESCRIPTION
Threads share more than memory: descriptors, open files, directories, locks of files, the working directory. This is what
.B heddle run
and
.B heddle check
make of each system call that the headers of the C library offer.
.TP
.B explored
The call is an event on one object that stands for all of the kernel: all orders of such calls of different threads are
explored. It is made by the system, on the real files; what it changes is kept before and taken back when the execution
ends, so that every execution finds the files as they were, and so do you. (If the program is killed from outside
meanwhile, they stay as they are then.) The processes of one exploration take turns. Files and directories,
.IR /dev/null ,
.I /dev/zero
and
.I /dev/full
can be explored. Refused, with the line of the call, are other devices, FIFOs and sockets,
.I /proc
and
.IR /sys ,
descriptors that were open before main, and changes to files with several names or more than 64 megabytes. Times and
numbers of files that the execution has made are the same each time. A lock of a file synchronises those that hold it
one after the other; a read and a write of a file do not. Calls that main makes before it creates a thread are no events.
.TP
.B virtual
The runtime answers by itself, the same in every execution: clocks, sleeping
.RB ( poll
and
.B select
without descriptors are that; with some they are refused), process numbers, what signals do (handlers do not run; calls
that set and ask are explored in all orders), priorities and processors of threads (hints without effect: a program that
sets them and asks for them is unseen).
.TP
.B choice
Random numbers are one fixed sequence, or all of a range with
.BR \-\-rand .
.TP
.B memory
Mappings: the call's effect on memory is followed. A file that is mapped and changes is named as unseen.
.TP
.B local
The call runs as it is: it changes nothing that threads share but memory, and that is announced.
.TP
.B refused
The answer is inconclusive where the program makes the call, and names its line. So it is where the program makes a call by its number
.RB ( syscall ),
but for futexes and the numbers of process, thread and user.
.TP
.B unseen
What the call does is not known: the answer is inconclusive and names the call and its line, unless something else was
found.
.SH TABLE
.TS
l l.
MAN
for call in $calls; do
    how=unseen
    ! has "$known" "$call" || how=local
    ! has "$local" "$call" || how=local
    ! has "$memory" "$call" || how=memory
    ! has "$virtual" "$call" || how=virtual
    ! has "$choice" "$call" || how=choice
    ! has "$kernel" "$call" || how=explored
    ! has "$refused" "$call" || how=refused
    printf '%s\t%s\n' "$call" "$how"
done
cat <<'MAN'
.TE
.SH SEE ALSO
.BR heddle-run (1),
.BR heddle-check (1),
.BR heddle-library (7)
MAN
