/* process.c: how a program ends, and what would leave the process. */
#include "guest/entry/guest.h"
#include <signal.h>
#include <stdarg.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "guest/entry/kernel/kernel.h"
#include "guest/entry/library/constructors.h"
#include "guest/runtime/native.h"
#include "guest/entry/sync/word.h"

enum { AT_EXIT = 1024, PROCESS_NUMBER = 1000 };

typedef struct ExitCall {
    GuestCall call;
    uint32_t with_status; /* on_exit: the function is one of (int status, void *argument) */
} ExitCall;

/* Functions to run at exit, from the start of the process on. `lock` is an atomic location, which
 * whoever uses the list holds: the order in which threads register is explored, since the calls run
 * in the opposite order, and a thread may register while another one runs them. */
typedef struct ExitList {
    uint32_t lock, count;
    ExitCall calls[AT_EXIT];
} ExitList;
typedef struct AtExit {
    uint32_t trace; /* atomic location that nobody writes: see process_ends_later */
    ExitList normal, quick;
} AtExit;
static AtExit *at_exit;

NORETURN void __wrap_exit(int status);
NORETURN void __wrap__exit(int status);
NORETURN void __wrap__Exit(int status);
NORETURN void __wrap_quick_exit(int status);
int __wrap_at_quick_exit(void (*function)(void));
int __wrap_on_exit(void (*function)(int, void *), void *argument);
int __wrap_raise(int signal);
int __wrap_kill(pid_t process, int signal);
pid_t __wrap_getpid(void);
pid_t __wrap_getppid(void);
pid_t __wrap_gettid(void);
int __wrap_pthread_kill(unsigned long thread, int signal);
NORETURN void __wrap___assert(const char *expression, const char *file, int line);
NORETURN void __wrap___stack_chk_fail(void);

/* Something that only an exploration can follow happens outside one. */
static NORETURN PRINTF_LIKE(1, 2) void before_main(const char *format, ...)
{
    char text[512];
    va_list arguments;
    constructors_explore();
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    die("before main: %s", text);
}

/* Its address is the same in a replay, since entry_setup calls this. */
static AtExit *exit_table(void)
{
    if (!at_exit)
        at_exit = op_permanent(sizeof *at_exit);
    return at_exit;
}

void process_setup(void)
{
    exit_table();
}

extern void *__dso_handle __attribute__((visibility("hidden")));

static void call_plain(void *function)
{
    void (*call)(void);
    memcpy(&call, &function, sizeof call);
    call();
}

/* Some function was ever registered to run at exit; nothing takes this back. */
static bool exit_calls_known;

static void lock_list(ExitList *list, const void *pc)
{
    word_await(&list->lock, 4, AWAIT_EQ, 0, RMW_EXCHANGE, 1, ORDER_ACQUIRE, pc, "exit list",
               "lock");
}

static int push(ExitList *list, ExitCall call, const void *pc)
{
    if (!exit_calls_known) {
        exit_calls_known = true;
        if (op_active())
            op_begin_again();
    }
    lock_list(list, pc);
    if (list->count >= AT_EXIT)
        op_unsupported_at(pc, "more than %d functions are to run at exit", AT_EXIT);
    guest_put(&list->calls[list->count], &call, sizeof call);
    guest_set(list->count, list->count + 1);
    word_release(&list->lock, 4, 0, pc);
    return 0;
}

/* Destructors of static objects and atexit. Those of shared libraries are none of the program's. */
GUEST int __cxa_atexit(void (*function)(void *), void *argument, void *library);
int __cxa_atexit(void (*function)(void *), void *argument, void *library)
{
    if (library != (void *)&__dso_handle && library != __dso_handle)
        return native_cxa_atexit(function, argument, library);
    ExitCall call = {.call = {function, argument}};
    return push(&exit_table()->normal, call, GUEST_PC);
}

GUEST int __wrap_at_quick_exit(void (*function)(void))
{
    ExitCall call = {.call = {.function = call_plain}};
    memcpy(&call.call.argument, &function, sizeof function);
    return push(&exit_table()->quick, call, GUEST_PC);
}

GUEST int __wrap_on_exit(void (*function)(int, void *), void *argument)
{
    ExitCall call = {.call = {.argument = argument}, .with_status = 1};
    memcpy(&call.call.function, &function, sizeof function);
    return push(&exit_table()->normal, call, GUEST_PC);
}

/* Takes the last call off the list; false if there is none. */
static bool pop(ExitList *list, ExitCall *call, const void *pc)
{
    DEBUG_ASSERT(list->count <= COUNT_OF(list->calls));
    lock_list(list, pc);
    bool any = list->count > 0;
    if (any) {
        guest_set(list->count, list->count - 1);
        *call = list->calls[list->count];
    }
    word_release(&list->lock, 4, 0, pc);
    return any;
}

/* Each call is taken off the list before it runs; one that registers another makes that the
 * next. */
static void run_calls(ExitList *list, int status, const void *pc)
{
    for (ExitCall exit_call; pop(list, &exit_call, pc);) {
        GuestCall call = exit_call.call;
        if (exit_call.with_status) {
            void (*function)(int, void *);
            memcpy(&function, &call.function, sizeof function);
            function(status, call.argument);
        } else {
            call.function(call.argument);
        }
    }
}

/* Functions with the attribute `destructor', last one first. The very first belongs to the
 * compiler's startup files and has nothing to do in an executable. */
typedef void (*Destructor)(void);
extern Destructor __fini_array_start[] __attribute__((weak, visibility("hidden")));
extern Destructor __fini_array_end[] __attribute__((weak, visibility("hidden")));

static void run_destructors(void)
{
    for (Destructor *at = __fini_array_end; at-- > __fini_array_start + 1;)
        (*at)();
}

bool process_calls_at_exit(void)
{
    return exit_calls_known || __fini_array_end - __fini_array_start > 1;
}

void process_recall(uint64_t address)
{
    kernel_recall(address);
    exit_calls_known |= address - (uintptr_t)exit_table() < sizeof *at_exit;
}

bool process_ends_later(void)
{
    if (exit_calls_known)
        word_load(&exit_table()->trace, 4, ORDER_RELAXED, NULL);
    return process_calls_at_exit();
}

/* PC is NULL where a driver ends the program. */
static void leave(const void *pc)
{
    if (pc && thread_leaves)
        thread_leaves(true);
}

void process_exit(int status, const void *pc)
{
    leave(pc);
    bool quiet = !pc && !process_calls_at_exit() && !guest_current()->destructor_count;
    thread_destroy_locals(); /* values of keys are left alone */
    if (exit_calls_known)    /* most programs have none: no event at every end */
        run_calls(&exit_table()->normal, status, pc);
    run_destructors();
    op_program_exit(status, quiet, pc);
}

GUEST void __wrap_exit(int status)
{
    if (!op_active())
        exit(status);
    process_exit(status, GUEST_PC);
}

GUEST void __wrap__exit(int status)
{
    if (!op_active())
        _exit(status);
    leave(GUEST_PC);
    op_program_exit(status, false, GUEST_PC);
}

GUEST void __wrap__Exit(int status)
{
    if (!op_active())
        _exit(status);
    leave(GUEST_PC);
    op_program_exit(status, false, GUEST_PC);
}

GUEST void __wrap_quick_exit(int status)
{
    if (!op_active())
        _exit(status);
    leave(GUEST_PC);
    if (exit_calls_known)
        run_calls(&exit_table()->quick, status, GUEST_PC);
    op_program_exit(status, false, GUEST_PC);
}

/* -- failures
 * -------------------------------------------------------------------------------------- */

GUEST NORETURN void abort(void)
{
    if (!op_active()) {
        constructors_explore();
        native_abort();
    }
    op_violation(VIOLATION_ASSERTION, GUEST_PC, "the program called abort");
}

GUEST NORETURN void __assert_fail(const char *expression, const char *file, unsigned line,
                                  const char *function);
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    if (!op_active())
        before_main("assertion failed: %s (%s:%u, %s)", expression, file, line,
                    function ? function : "?");
    op_violation(VIOLATION_ASSERTION, GUEST_PC, "assertion failed: %s (%s:%u%s%s)", expression,
                 file, line, function ? ", " : "", function ? function : "");
}

GUEST void __wrap___assert(const char *expression, const char *file, int line)
{
    if (!op_active())
        before_main("assertion failed: %s (%s:%d)", expression, file, line);
    op_violation(VIOLATION_ASSERTION, GUEST_PC, "assertion failed: %s (%s:%d)", expression, file,
                 line);
}

GUEST NORETURN void __assert_perror_fail(int error, const char *file, unsigned line,
                                         const char *function);
void __assert_perror_fail(int error, const char *file, unsigned line, const char *function)
{
    if (!op_active())
        before_main("unexpected error: %s (%s:%u)", strerror(error), file, line);
    op_violation(VIOLATION_ASSERTION, GUEST_PC, "unexpected error: %s (%s:%u%s%s)", strerror(error),
                 file, line, function ? ", " : "", function ? function : "");
}

/* std::__glibcxx_assert_fail: the checks of _GLIBCXX_ASSERTIONS in libstdc++ 13 and later. */
GUEST NORETURN void _ZSt21__glibcxx_assert_failPKciS0_S0_(const char *file, int line,
                                                          const char *function,
                                                          const char *condition);
void _ZSt21__glibcxx_assert_failPKciS0_S0_(const char *file, int line, const char *function,
                                           const char *condition)
{
    if (!op_active())
        before_main("a check of the C++ library failed: %s (%s:%d)", condition, file, line);
    op_violation(VIOLATION_ASSERTION, GUEST_PC, "a check of the C++ library failed: %s (%s:%d, %s)",
                 condition, file, line, function ? function : "?");
}

GUEST void __wrap___stack_chk_fail(void)
{
    if (!op_active())
        before_main("a buffer on the stack overflowed");
    op_violation(VIOLATION_CRASH, GUEST_PC, "a buffer on the stack overflowed");
}

GUEST NORETURN void __cxa_pure_virtual(void);
void __cxa_pure_virtual(void)
{
    if (!op_active())
        before_main("a pure virtual function was called");
    op_violation(VIOLATION_CRASH, GUEST_PC, "a pure virtual function was called");
}

static void signalled(int signal, const void *pc)
{
    if (signal == SIGABRT)
        op_violation(VIOLATION_ASSERTION, pc, "the program raised SIGABRT");
    if (signal)
        op_unsupported_at(pc, "the program sends itself signal %d", signal);
}

GUEST int __wrap_raise(int signal)
{
    if (!op_active())
        return raise(signal);
    signalled(signal, GUEST_PC);
    return 0;
}

/* A process of another number would take other steps where threads compare numbers, and one that
 * repeats a record has another. Threads are told apart, though all run in one. */
GUEST pid_t __wrap_getpid(void)
{
    return op_active() ? PROCESS_NUMBER : getpid();
}

GUEST pid_t __wrap_getppid(void)
{
    return op_active() ? PROCESS_NUMBER - 1 : getppid();
}

GUEST pid_t __wrap_gettid(void)
{
    op_note_identity();
    return op_active() ? PROCESS_NUMBER + (pid_t)op_self() : gettid();
}

GUEST int __wrap_kill(pid_t process, int signal)
{
    if (!op_active())
        return kill(process, signal);
    if (process != PROCESS_NUMBER && process != getpid())
        op_unsupported_at(GUEST_PC, "the program sends a signal to another process");
    signalled(signal, GUEST_PC);
    return 0;
}

GUEST int __wrap_pthread_kill(unsigned long thread, int signal)
{
    (void)thread;
    if (!op_active())
        return 0;
    signalled(signal, GUEST_PC);
    return 0;
}

/* -- what can't be explored
 * ------------------------------------------------------------------------ */

/* REFUSE(what it returns, name, parameters, in words): nothing before main calls these either. */
#define REFUSE(type, name, parameters, words)                                                      \
    type __wrap_##name parameters;                                                                 \
    GUEST type __wrap_##name parameters                                                            \
    {                                                                                              \
        if (!op_active())                                                                          \
            before_main("the program %s", words);                                                  \
        op_unsupported_at(GUEST_PC, "the program %s", words);                                      \
    }
REFUSE(pid_t, fork, (void), "calls fork")
REFUSE(pid_t, vfork, (void), "calls vfork")
REFUSE(int, execv, (void), "calls execv")
REFUSE(int, execve, (void), "calls execve")
REFUSE(int, execvp, (void), "calls execvp")
REFUSE(int, execvpe, (void), "calls execvpe")
REFUSE(int, execl, (void), "calls execl")
REFUSE(int, execlp, (void), "calls execlp")
REFUSE(int, execle, (void), "calls execle")
REFUSE(int, fexecve, (void), "calls fexecve")
REFUSE(int, system, (void), "runs a command (system)")
REFUSE(FILE *, popen, (void), "runs a command (popen)")
REFUSE(int, posix_spawn, (void), "starts a process (posix_spawn)")
REFUSE(int, posix_spawnp, (void), "starts a process (posix_spawnp)")
REFUSE(int, clone, (void), "calls clone")
REFUSE(int, pause, (void), "waits for a signal (pause)")
REFUSE(int, sigwait, (void), "waits for a signal (sigwait)")
REFUSE(int, sigwaitinfo, (void), "waits for a signal (sigwaitinfo)")
REFUSE(int, sigtimedwait, (void), "waits for a signal (sigtimedwait)")
REFUSE(int, sigsuspend, (void), "waits for a signal (sigsuspend)")
REFUSE(int, sigqueue, (void), "sends a signal (sigqueue)")
REFUSE(int, pthread_sigqueue, (void), "sends a signal (pthread_sigqueue)")
REFUSE(unsigned, alarm, (void), "sets an alarm")
REFUSE(int, setitimer, (void), "sets a timer (setitimer)")
REFUSE(int, timer_create, (void), "sets a timer (timer_create)")
REFUSE(int, getcontext, (void), "switches stacks itself (getcontext)")
REFUSE(void, makecontext, (void), "switches stacks itself (makecontext)")
REFUSE(int, swapcontext, (void), "switches stacks itself (swapcontext)")
REFUSE(int, setcontext, (void), "switches stacks itself (setcontext)")
REFUSE(void *, dlopen, (void), "loads a library (dlopen)")
REFUSE(pid_t, wait, (void), "waits for a process (wait)")
REFUSE(pid_t, waitpid, (void), "waits for a process (waitpid)")
REFUSE(int, pipe, (void), "talks to the outside world (pipe)")
REFUSE(int, pipe2, (void), "talks to the outside world (pipe2)")
REFUSE(int, socket, (void), "talks to the outside world (socket)")
REFUSE(int, socketpair, (void), "talks to the outside world (socketpair)")
REFUSE(int, epoll_create, (void), "talks to the outside world (epoll_create)")
REFUSE(int, epoll_create1, (void), "talks to the outside world (epoll_create1)")
REFUSE(int, eventfd, (void), "talks to the outside world (eventfd)")
REFUSE(int, signalfd, (void), "talks to the outside world (signalfd)")
REFUSE(int, timerfd_create, (void), "talks to the outside world (timerfd_create)")
REFUSE(int, shm_open, (void), "talks to the outside world (shm_open)")
REFUSE(int, shmget, (void), "talks to the outside world (shmget)")
REFUSE(int, semget, (void), "talks to the outside world (semget)")
REFUSE(int, msgget, (void), "talks to the outside world (msgget)")
REFUSE(int, mq_open, (void), "talks to the outside world (mq_open)")
REFUSE(int, inotify_init, (void), "talks to the outside world (inotify_init)")
REFUSE(int, inotify_init1, (void), "talks to the outside world (inotify_init1)")
REFUSE(int, ptrace, (void), "talks to the outside world (ptrace)")
/* OpenMP: libgomp and libomp start their threads themselves. */
#define REFUSE_OPENMP(name)                                                                        \
    REFUSE(void, name, (void),                                                                     \
           "uses OpenMP (" #name                                                                   \
           "), whose library starts threads of its own, which heddle does not see")
REFUSE_OPENMP(GOMP_parallel)
REFUSE_OPENMP(GOMP_parallel_loop_dynamic)
REFUSE_OPENMP(GOMP_parallel_loop_guided)
REFUSE_OPENMP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
REFUSE_OPENMP(GOMP_parallel_loop_nonmonotonic_dynamic)
REFUSE_OPENMP(GOMP_parallel_loop_nonmonotonic_guided)
REFUSE_OPENMP(GOMP_parallel_loop_nonmonotonic_runtime)
REFUSE_OPENMP(GOMP_parallel_loop_runtime)
REFUSE_OPENMP(GOMP_parallel_loop_static)
REFUSE_OPENMP(GOMP_parallel_reductions)
REFUSE_OPENMP(GOMP_parallel_sections)
REFUSE_OPENMP(GOMP_parallel_start)
REFUSE_OPENMP(GOMP_task)
REFUSE_OPENMP(GOMP_taskloop)
REFUSE_OPENMP(GOMP_teams_reg)
REFUSE_OPENMP(GOMP_target_ext)
REFUSE_OPENMP(__kmpc_fork_call)
REFUSE_OPENMP(__kmpc_fork_teams)
REFUSE_OPENMP(__kmpc_global_thread_num)
REFUSE_OPENMP(__kmpc_omp_task)
