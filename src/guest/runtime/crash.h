/* crash.h: what stops a program from outside: signals of the processor, and a clock for loops in
 * which nothing visible happens. Works on one kernel thread; install on that thread. */
#ifndef HEDDLE_RUNTIME_CRASH_H
#define HEDDLE_RUNTIME_CRASH_H
#include "base/common.h"

/* SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and SIGTRAP call ON_CRASH on a stack of their own, with
 * the thread pointer (TLS) of whatever ran. ADDRESS is the one that was accessed, or that of the
 * instruction. The handler may jump out (siglongjmp, switch of stacks): the signals are not blocked
 * meanwhile. If it returns, the process dies of the signal. */
typedef void CrashHandler(int signal, void *address, void *pc, bool stack_overflow);
void crash_install(CrashHandler *on_crash);
/* Gives the calling kernel thread a stack for the handlers; crash_install does that for its own. */
void crash_use_own_stack(void);
/* An access to these bytes is a stack overflow (the guard page below a fiber's stack). */
void crash_stack_guard(const void *low, size_t bytes);
/* One line for a person: "a null pointer was dereferenced (address 0x8)". */
void crash_describe(int signal, const void *address, bool stack_overflow, char *text, size_t bytes);

/* The process and the group that it leads are killed when PARENT, which has started it, ends: also
 * when that is killed, together with all that would have cleaned up. */
void crash_end_with(int parent);

/* Calls TICK every PERIOD_MS of processor time (0: never again), from a signal handler, with the
 * address where the program was. It may jump out, too. */
void crash_watchdog(unsigned period_ms, void (*tick)(void *pc));
/* Asked first about SIGTRAP, if set: may change CONTEXT (a ucontext_t), so that the thread goes on
 * elsewhere; false: it is not meant. */
extern bool (*crash_trap)(void *context);
#endif
