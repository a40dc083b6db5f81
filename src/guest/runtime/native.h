/* native.h: the system's own versions of functions that the runtime defines directly (those that it
 * wraps need nothing: it calls them by their name). Resolved once, by native_init. */
#ifndef HEDDLE_RUNTIME_NATIVE_H
#define HEDDLE_RUNTIME_NATIVE_H
#include <pthread.h>
#include <time.h>
#include "base/common.h"

void native_init(void);
int native_clock_gettime(clockid_t clock, struct timespec *now);
/* A kernel thread with a stack of that size. pthread_attr_t has the runtime's layout here, not the
 * system's, and the runtime's semaphores wake nobody in the kernel: use neither with it. */
bool native_thread_start(void *(*function)(void *), void *argument, size_t stack_bytes);
NORETURN void native_abort(void);
int native_cxa_atexit(void (*function)(void *), void *argument, void *library);
long native_syscall(long number, const long arguments[6]); /* as syscall(2): -1 and errno */
/* Calls the system with up to four arguments. The runtime forks and waits by it: the C library's
 * fork would clear the control blocks of the threads that lend us thread-local storage. */
static inline long native_call(long number, long a, long b, long c, long d)
{
    const long arguments[6] = {a, b, c, d, 0, 0};
    return native_syscall(number, arguments);
}
/* The next definition of NAME after the program's own; NULL if there is none. */
void *native_symbol(const char *name);
#endif
