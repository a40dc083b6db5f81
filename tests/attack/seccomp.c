/* seccomp.c: runs a command under a filter of system calls.
 * usage: seccomp docker|strict COMMAND...
 * docker: what Docker's default profile refuses of what programs like ours could want: personality
 *   with other than its five values, and the calls that need privileges.
 * strict: as sandboxes that implement few calls: personality, ptrace, perf_event_open, pidfd_open,
 *   userfaultfd, close_range, process_vm_*, and O_TMPFILE's linkat by /proc do not exist. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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

int main(int argc, char **argv)
{
    static const unsigned privileged[] = {
        SYS_perf_event_open, SYS_userfaultfd, SYS_bpf, SYS_keyctl, SYS_mount, SYS_unshare, SYS_setns,
        SYS_open_by_handle_at, SYS_ptrace, SYS_process_vm_readv, SYS_kcmp, SYS_reboot};
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
    } else {
        for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
            refuse(missing[i], ENOSYS);
    }
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    struct sock_fprog program = {count, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &program)) {
        perror("seccomp");
        return 77;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 2;
}
