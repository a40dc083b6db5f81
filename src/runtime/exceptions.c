/* exceptions.c: C++ exceptions. They are thrown and caught by libstdc++ itself on the thread's own
 * stack; but their objects and lists are written by code that we can't log, so an exploration with
 * checkpoints starts again without. An exception that nobody catches is a finding. */
#include "runtime/guest.h"
#include <dlfcn.h>
#include <stdlib.h>
#include "runtime/native.h"

GUEST NORETURN void __cxa_throw(void *object, void *type, void (*destructor)(void *));
GUEST NORETURN void __cxa_rethrow(void);
GUEST void *__cxa_begin_catch(void *exception);
GUEST void *__cxa_allocate_exception(size_t bytes);
GUEST NORETURN void _ZN9__gnu_cxx27__verbose_terminate_handlerEv(void);

static void needs_replay(void)
{
    if (op_active())
        op_needs_replay("an exception was thrown");
}

static void *real(const char *name)
{
    void *found = native_symbol(name);
    if (!found)
        die("the program throws an exception but has no %s", name);
    return found;
}

void *__cxa_allocate_exception(size_t bytes)
{
    static void *(*allocate)(size_t);
    needs_replay();
    if (!allocate)
        *(void **)&allocate = real("__cxa_allocate_exception");
    return allocate(bytes);
}

void __cxa_throw(void *object, void *type, void (*destructor)(void *))
{
    void (*throw)(void *, void *, void (*)(void *));
    needs_replay();
    *(void **)&throw = real("__cxa_throw");
    throw(object, type, destructor);
    abort();
}

void __cxa_rethrow(void)
{
    void (*rethrow)(void);
    needs_replay();
    *(void **)&rethrow = real("__cxa_rethrow");
    rethrow();
    abort();
}

/* Forced unwinding (pthread_exit) comes here without a throw. */
void *__cxa_begin_catch(void *exception)
{
    void *(*begin)(void *);
    needs_replay();
    *(void **)&begin = real("__cxa_begin_catch");
    return begin(exception);
}

/* std::terminate's own handler in libstdc++ prints and aborts, other threads running meanwhile.
 * This one takes its place, since libstdc++.so refers to it by name. */
void _ZN9__gnu_cxx27__verbose_terminate_handlerEv(void)
{
    void *(*current)(void);
    char *(*demangle)(const char *, char *, size_t *, int *);
    *(void **)&current = dlsym(RTLD_DEFAULT, "__cxa_current_exception_type");
    *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *type = current ? current() : NULL;
    if (!op_active())
        native_abort();
    if (!type)
        op_violation(VIOLATION_ASSERTION, GUEST_PC,
                     "std::terminate was called without an exception");
    const char *name = ((const char **)type)[1]; /* std::type_info: table, name */
    if (*name == '*')
        name++;
    char *readable = demangle ? demangle(name, NULL, NULL, NULL) : NULL;
    op_violation(VIOLATION_ASSERTION, GUEST_PC, "nobody catches an exception of type %s",
                 readable ? readable : name);
}
