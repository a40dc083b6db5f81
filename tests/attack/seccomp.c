/* seccomp.c: runs a command under a filter of system calls.
 * usage: seccomp docker|strict|overcommit|maps:N COMMAND...
 * docker: what Docker's default profile refuses of what programs like ours could want: personality
 *   with other than its five values, and the calls that need privileges.
 * strict: as sandboxes that implement few calls: personality, ptrace, perf_event_open, pidfd_open,
 *   userfaultfd, close_range, process_vm_*, and O_TMPFILE's linkat by /proc do not exist.
 * overcommit: as with vm.overcommit_memory=2 and little memory to promise: a private or shared
 * mapping that can be written is refused above 256 MB, be it mapped so or made so later;
 * MAP_NORESERVE does not help. maps:N: as with a low vm.max_map_count: from the Nth on, a call of
 * mmap or mprotect of a program that the tool has built fails. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sock_filter filter[256];
static unsigned short count;

static void add(unsigned short code, unsigned k, unsigned char yes, unsigned char no)
{
    filter[count++] = (struct sock_filter){code, yes, no, k};
}

static void refuse(unsigned number, unsigned how)
{
    add(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | how, 0, 0);
}

/* Refuses CALL if its length (argument 1) is above 256 MB and PROT_WRITE is in argument 2. */
static void refuse_large(unsigned call)
{
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 8);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2]), 0, 0);
    add(BPF_JMP | BPF_JSET | BPF_K, 2, 0, 5);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]) + 4, 0, 0);
    add(BPF_JMP | BPF_JGT | BPF_K, 0, 2, 0);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]), 0, 0);
    add(BPF_JMP | BPF_JGT | BPF_K, 256u << 20, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM, 0, 0);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
}

/* Is the process one that a tool has built, in a folder of its own? */
static bool is_program(unsigned pid)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/%u/exe", pid);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = 0;
    return strstr(path, "/heddle-") != NULL;
}

/* Answers for the kernel, for ever: calls of programs fail from the Nth of each process on. */
static void supervise(int listener, long most)
{
    static struct {
        unsigned pid;
        long calls;
    } seen[256];
    struct seccomp_notif request;
    for (unsigned next = 0;;) {
        struct pollfd wait = {.fd = listener, .events = POLLIN};
        if (poll(&wait, 1, -1) < 0 || !(wait.revents & POLLIN))
            _exit(0); /* nobody is left */
        memset(&request, 0, sizeof request);
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request))
            continue;
        struct seccomp_notif_resp answer = {.id = request.id,
                                            .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
        if (is_program(request.pid)) {
            unsigned i = 0;
            while (i < 256 && seen[i].pid != request.pid)
                i++;
            if (i == 256)
                seen[i = next++ % 256].pid = request.pid, seen[i].calls = 0;
            if (++seen[i].calls >= most)
                answer.flags = 0, answer.error = -ENOMEM;
        }
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
}

/* The filter with a listener, which a child process serves until the last filtered process is gone.
 */
static bool begin_supervised(struct sock_fprog *program, long most)
{
    int pair[2];
    char byte = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return false;
    struct iovec data = {&byte, 1};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    if (fork() == 0) {
        close(pair[0]);
        if (fork())
            _exit(0);
        if (recvmsg(pair[1], &message, 0) != 1 || !CMSG_FIRSTHDR(&message))
            _exit(1);
        int listener;
        memcpy(&listener, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof listener);
        for (int fd = 0; fd < 3; fd++)
            close(fd);
        supervise(listener, most);
    }
    wait(NULL);
    close(pair[1]);
    int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
                                SECCOMP_FILTER_FLAG_NEW_LISTENER, program);
    if (listener < 0)
        return false;
    control.head = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof listener), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(&control.head), &listener, sizeof listener);
    bool sent = sendmsg(pair[0], &message, 0) == 1;
    close(listener);
    close(pair[0]);
    return sent;
}

int main(int argc, char **argv)
{
    static const unsigned privileged[] = {
        SYS_perf_event_open, SYS_userfaultfd,      SYS_bpf,   SYS_keyctl,
        SYS_mount,           SYS_unshare,          SYS_setns, SYS_open_by_handle_at,
        SYS_ptrace,          SYS_process_vm_readv, SYS_kcmp,  SYS_reboot};
    static const unsigned missing[] = {SYS_personality, SYS_pidfd_open, SYS_close_range,
                                       SYS_ptrace,      SYS_linkat,     SYS_perf_event_open,
                                       SYS_userfaultfd, SYS_membarrier, SYS_rseq};
    static const unsigned personas[] = {0, 8, 0x20000, 0x20008, 0xffffffff};
    if (argc < 3)
        return 2;
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    if (!strcmp(argv[1], "docker")) {
        for (size_t i = 0; i < sizeof privileged / sizeof *privileged; i++)
            refuse(privileged[i], EPERM);
        size_t values = sizeof personas / sizeof *personas;
        add(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, (unsigned char)(values + 2));
        add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]), 0, 0);
        for (size_t i = 0; i < values; i++)
            add(BPF_JMP | BPF_JEQ | BPF_K, personas[i], (unsigned char)(values - i), 0);
        add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
    } else if (!strcmp(argv[1], "overcommit")) {
        refuse_large(SYS_mmap);
        refuse_large(SYS_mprotect);
    } else if (!strncmp(argv[1], "maps:", 5)) {
        add(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0);
        add(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 1);
        add(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF, 0, 0);
    } else {
        for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
            refuse(missing[i], ENOSYS);
    }
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    struct sock_fprog program = {count, filter};
    bool supervised = !strncmp(argv[1], "maps:", 5);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        (supervised ? !begin_supervised(&program, atol(argv[1] + 5))
                    : prctl(PR_SET_SECCOMP, 2, &program))) {
        perror("seccomp");
        return 77;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 2;
}
