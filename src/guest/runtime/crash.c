#include "guest/runtime/crash.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <unistd.h>
#include "guest/runtime/arch.h"
#include "guest/runtime/unseen.h"

enum { GUARDS = 256, STACK_BYTES = 128 << 10, NULL_BYTES = 64 << 10 };

bool (*crash_trap)(void *context);
static CrashHandler *handler;
static void (*tick_handler)(void *);
static struct {
    const char *low;
    size_t bytes;
} guards[GUARDS];
static unsigned guard_count;

static void *pc_of(const void *context)
{
    return (void *)arch_context_pc(context);
}

static bool in_guard(const void *address)
{
    for (unsigned i = 0; i < guard_count; i++)
        if ((size_t)((const char *)address - guards[i].low) < guards[i].bytes)
            return true;
    return false;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    void *pc = pc_of(context);
    if (signal == SIGTRAP && crash_trap && crash_trap(context))
        return;
    if (signal == SIGTRAP && unseen_trap(arch_context_trap(context))) {
        arch_context_set_pc(context, arch_context_trap(context));
        return;
    }
    /* Sent by somebody (abort, kill): there is no address. */
    void *address = info->si_code > 0 ? info->si_addr : NULL;
    bool overflow = (signal == SIGSEGV || signal == SIGBUS) && address && in_guard(address);
    if (handler)
        handler(signal, address, pc, overflow);
    struct sigaction plain;
    memset(&plain, 0, sizeof plain);
    plain.sa_handler = SIG_DFL;
    sigaction(signal, &plain, NULL);
    raise(signal);
}

static void on_tick(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    if (tick_handler)
        tick_handler(pc_of(context));
}

/* The handlers run on a stack of their own: the thread's may be what overflowed, and a frame on it
 * would destroy the red zone below a fiber's stack pointer that a checkpoint has yet to save. */
void crash_use_own_stack(void)
{
    stack_t now;
    if (sigaltstack(NULL, &now) == 0 && !(now.ss_flags & SS_DISABLE))
        return;
    stack_t stack = {.ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                     .ss_size = STACK_BYTES};
    if (stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL) != 0)
        die("no stack for signal handlers");
}

void crash_install(CrashHandler *on_crash)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    handler = on_crash;
    crash_use_own_stack();
    for (unsigned i = 0; i < COUNT_OF(signals); i++)
        sigaction(signals[i], &action, NULL);
}

/* Not SIGKILL at once: processes that this one has forked are not told that PARENT has ended, and
 * they may outlive it for good reasons. They are in its group. */
static void on_orphaned(int signal)
{
    (void)signal;
    if (getpgrp() == getpid())
        kill(0, SIGKILL);
    raise(SIGKILL);
}

void crash_end_with(int parent)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_orphaned;
    action.sa_flags = SA_ONSTACK;
    crash_use_own_stack();
    sigaction(SIGRTMAX, &action, NULL);
    prctl(PR_SET_PDEATHSIG, SIGRTMAX);
    if (getppid() != parent) /* it has ended before */
        on_orphaned(SIGRTMAX);
}

void crash_stack_guard(const void *low, size_t bytes)
{
    ASSERT(guard_count < GUARDS);
    guards[guard_count].low = low;
    guards[guard_count].bytes = bytes;
    guard_count++;
}

void crash_describe(int signal, const void *address, bool stack_overflow, char *text, size_t bytes)
{
    if (stack_overflow) {
        snprintf(text, bytes, "the stack overflowed (address %p)", address);
        return;
    }
    switch (signal) {
    case SIGSEGV:
    case SIGBUS:
        if ((uintptr_t)address < NULL_BYTES)
            snprintf(text, bytes, "a null pointer was used (address 0x%lx)",
                     (unsigned long)(uintptr_t)address);
        else
            snprintf(text, bytes, "an address that is not mapped was used (%p)", address);
        break;
    case SIGFPE:
        snprintf(text, bytes, "an integer was divided by zero, or the quotient does not fit");
        break;
    case SIGILL:
        snprintf(text, bytes,
                 "an illegal instruction was executed (__builtin_trap, or a jump into "
                 "data)");
        break;
    case SIGTRAP:
        snprintf(text, bytes, "a trap instruction was executed");
        break;
    case SIGABRT:
        snprintf(text, bytes, "the program aborted");
        break;
    default:
        snprintf(text, bytes, "signal %d", signal);
    }
}

/* Counted in processor time, so that a busy machine does not make a program look hung. */
void crash_watchdog(unsigned period_ms, void (*tick)(void *pc))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_tick;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
    tick_handler = tick;
    crash_use_own_stack();
    sigaction(SIGPROF, &action, NULL);
    struct timeval period = {.tv_sec = period_ms / 1000,
                             .tv_usec = (suseconds_t)(period_ms % 1000) * 1000};
    struct itimerval timer = {.it_interval = period, .it_value = period};
    setitimer(ITIMER_PROF, &timer, NULL);
}
