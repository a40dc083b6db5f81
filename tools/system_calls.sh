#!/bin/bash
# Makes man/heddle-system-calls.7: what each system call that the C library's headers offer is for an exploration, taken
# from the tables that the runtime uses: record/effects.inc, record/known.inc, and the functions that it defines itself.
set -eu
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
calls="accept access acct adjtimex alarm bind brk chdir chmod chown chroot clock_getres clock_gettime clock_nanosleep
clock_settime clone close connect copy_file_range creat dup dup2 dup3 epoll_create epoll_ctl epoll_wait eventfd execve
exit faccessat fallocate fanotify_init fchdir fchmod fchmodat fchown fchownat fcntl fdatasync flock fork fstat fstatat
fstatfs fsync ftruncate futimens futimes getcwd getdents64 getegid getentropy geteuid getgid getgroups getitimer getpgid
getpgrp getpid getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid
gettimeofday getuid getxattr inotify_init ioctl ioperm kill lchown link linkat listen listxattr lockf lseek lstat madvise
mincore mkdir mkdirat mkfifo mknod mknodat mlock mlockall mmap mount mprotect mq_open mremap msgget msync munlock
munlockall munmap nanosleep nice open openat pause perf_event_open personality pidfd_open pipe pipe2 poll posix_fadvise
posix_fallocate ppoll prctl pread preadv prlimit process_vm_readv process_vm_writev pselect ptrace pwrite pwritev quotactl
read readahead readlink readlinkat readv reboot recv recvfrom recvmsg remap_file_pages removexattr rename renameat
renameat2 rmdir sched_getaffinity sched_getcpu sched_getparam sched_rr_get_interval sched_setaffinity sched_setscheduler
sched_yield select semget semop send sendfile sendmsg sendto setegid seteuid setgid setgroups sethostname setitimer setns
setpgid setpriority setregid setresuid setreuid setrlimit setsid setsockopt settimeofday setuid setxattr shmat shmget
shutdown sigaction sigaltstack signalfd sigpending sigprocmask sigqueue sigsuspend sigtimedwait socket socketpair splice
stat statfs statx stime swapoff swapon symlink symlinkat sync sync_file_range syncfs syscall sysinfo tee tgkill time
timer_create timerfd_create times truncate umask umount uname unlink unlinkat unshare userfaultfd utime utimensat utimes
vfork vhangup vmsplice wait wait4 waitid waitpid write writev"

wrapped() { # files of the runtime
    grep -hoE '__wrap_[a-z0-9_]+|WRAP\([^,]*, [a-z0-9_]+' "$@" | sed 's/.*[_ ,]__wrap_//; s/^__wrap_//; s/WRAP([^,]*, //' | sort -u
}
refused=$(sed -n 's/^REFUSE([^,]*, \([a-z0-9_]*\),.*/\1/p' src/guest/entry/library/*.c src/guest/entry/kernel/*.c
    grep -oE 'X\([a-z0-9_]+, REFUSE\)' src/record/known.inc | sed 's/X(\(.*\), REFUSE)/\1/')
kernel=$(wrapped src/guest/entry/kernel/calls.c; echo read; echo write
    sed -n 's/^E(\([a-z0-9_]*\), "\(.* \)\{0,1\}k")$/\1/p' src/record/effects.inc)
virtual=$(wrapped src/guest/entry/library/time.c src/guest/entry/library/process.c)
choice=$(wrapped src/guest/entry/library/random.c)
memory=$(wrapped src/guest/entry/library/mapping.c)
local=$(sed -n 's/^E(\([a-z0-9_]*\), .*/\1/p' src/record/effects.inc)
known=$(grep -oE 'X\([a-z0-9_]+, SAFE\)' src/record/known.inc | sed 's/X(\(.*\), SAFE)/\1/')

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
meanwhile, they stay as they are then.) Explorations that use files take turns with each other, as processes: one lock a
user, in the folder for temporary files. Files and directories,
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
The runtime answers by itself, the same in every execution: clocks, process numbers, signals.
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
The answer is inconclusive where the program makes the call, and names its line.
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
