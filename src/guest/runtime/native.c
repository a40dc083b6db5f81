#include "guest/runtime/native.h"
#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    int (*attributes)(pthread_attr_t *);
    int (*stack)(pthread_attr_t *, size_t);
    int (*at_exit)(void (*)(void *), void *, void *);
    long (*call)(long, ...);
    int (*clock)(clockid_t, struct timespec *);
} native;

void *native_symbol(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* ISO C knows no conversion from object to function pointer; POSIX does. */
#define RESOLVE(field, name)                                                                       \
    do {                                                                                           \
        void *symbol = native_symbol(name);                                                        \
        if (!symbol)                                                                               \
            die("the C library has no %s", name);                                                  \
        *(void **)&native.field = symbol;                                                          \
    } while (0)

void native_init(void)
{
    if (native.create)
        return;
    RESOLVE(attributes, "pthread_attr_init");
    RESOLVE(stack, "pthread_attr_setstacksize");
    RESOLVE(at_exit, "__cxa_atexit");
    RESOLVE(call, "syscall");
    RESOLVE(clock, "clock_gettime");
    RESOLVE(create, "pthread_create");
}

bool native_thread_start(void *(*function)(void *), void *argument, size_t stack_bytes)
{
    pthread_t thread;
    pthread_attr_t attributes;
    native_init();
    return native.attributes(&attributes) == 0 && native.stack(&attributes, stack_bytes) == 0 &&
           native.create(&thread, &attributes, function, argument) == 0;
}

int native_cxa_atexit(void (*function)(void *), void *argument, void *library)
{
    native_init();
    return native.at_exit(function, argument, library);
}

long native_syscall(long number, const long arguments[6])
{
    native_init();
    return native.call(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                       arguments[5]);
}

int native_clock_gettime(clockid_t clock, struct timespec *now)
{
    native_init();
    return native.clock(clock, now);
}

void native_abort(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGABRT);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    signal(SIGABRT, SIG_DFL);
    const long arguments[6] = {getpid(), gettid(), SIGABRT};
    native_syscall(SYS_tgkill, arguments);
    _exit(134);
}
