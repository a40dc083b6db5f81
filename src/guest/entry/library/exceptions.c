/* exceptions.c: C++ exceptions. They are thrown and caught by libstdc++ itself on the thread's own
 * stack; but their objects and lists are written by code that we can't log, so an exploration with
 * checkpoints starts again without. An exception that nobody catches is a finding.
 *
 * std::exception_ptr lets several threads own one exception: whoever lets it go last destroys and
 * frees it. libstdc++.so counts the owners where we can't see it; but who is the last one, and that
 * all that the others did comes before, is due to this count, an atomic. So owners are counted
 * here, too, in a location of the explorer's beside libstdc++'s count. That one is only allowed to
 * grow: other threads may run between a step of ours and what libstdc++ does then, so it would fall
 * in the order in which threads happen to run. As it grows by the same calls as ours, the two must
 * agree in the end; else there are owners that we did not see, and the answer is inconclusive. */
#include "guest/entry/copied.h"
#include "guest/entry/guest.h"
#include "guest/explore/memory/deferred.h"
#include <dlfcn.h>
#include <stdlib.h>
#include "guest/entry/library/frameworks.h"
#include "guest/runtime/native.h"
#include "guest/entry/sync/word.h"

GUEST NORETURN void __cxa_throw(void *object, void *type, void (*destructor)(void *));
GUEST NORETURN void __cxa_rethrow(void);
GUEST void *__cxa_begin_catch(void *exception);
GUEST void __cxa_end_catch(void);
GUEST void *__cxa_allocate_exception(size_t bytes);
GUEST void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void **pointer);
GUEST void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **pointer);
GUEST NORETURN void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void **pointer);
GUEST NORETURN void _ZN9__gnu_cxx27__verbose_terminate_handlerEv(void);

static void needs_replay(void)
{
    if (!op_active())
        return;
    op_needs_replay("an exception was thrown");
    const char *name = copied_name(__builtin_frame_address(0));
    if (name)
        op_unsupported("an exception is thrown while %s runs, which is watched: it could not be "
                       "passed on through it",
                       name);
}

static void *real(const char *name)
{
    void *found = native_symbol(name);
    if (!found)
        die("the program throws an exception but has no %s", name);
    return found;
}

/* -- owners -- */

/* The header before a thrown object, by the Itanium C++ ABI and libstdc++'s additions to it. Its
 * padding there is ours here. */
typedef struct CxxException {
    void *primary; /* of a dependent exception: the object that std::rethrow_exception was given */
    void *others[4];
    int handlers; /* that are running; negative if one of them throws it again */
    int selector;
    void *caches[4];
    uint64_t class; /* begins the unwinder's own part */
    void *unwinder[3];
} CxxException;
typedef struct CxxOwned {
    uint32_t ever;   /* libstdc++'s count, which only grows */
    uint32_t seen;   /* how many of these we saw */
    uint32_t owners; /* an atomic location */
    uint32_t unused;
    CxxException exception;
} CxxOwned;
_Static_assert(sizeof(CxxOwned) == 128, "as libstdc++ lays it out");
#define CLASS_PRIMARY 0x474e5543432b2b00 /* "GNUCC++" */
#define CLASS_DEPENDENT (CLASS_PRIMARY + 1)

static CxxOwned *owned(void *object)
{
    return (CxxOwned *)object - 1;
}

/* libstdc++ counts one more as well, before or after. */
static void owner_comes(void *object, const void *pc)
{
    owned(object)->seen++;
    word_rmw(&owned(object)->owners, sizeof(uint32_t), RMW_ADD, 1, ORDER_RELAXED, pc);
}

/* libstdc++ has not counted one less, and will not, unless it is the last. */
static void owner_goes(void *object, const void *pc)
{
    void (*release)(void **);
    *(void **)&release = real("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
    CxxOwned *header = owned(object);
    if (word_rmw(&header->owners, sizeof(uint32_t), RMW_SUB, 1, ORDER_ACQ_REL, pc) != 1)
        return; /* it may be gone already */
    if (header->ever != header->seen && op_active())
        op_unsupported("the C++ library shares an exception in a way that heddle does not know");
    header->ever = 1;
    release(&object);
}

void *__cxa_allocate_exception(size_t bytes)
{
    static void *(*allocate)(size_t);
    needs_replay();
    if (!allocate)
        *(void **)&allocate = real("__cxa_allocate_exception");
    void *object = allocate(bytes);
    guest_store(&owned(object)->owners, &(uint32_t){0}, sizeof(uint32_t), GUEST_PC);
    return object;
}

/* exception_ptr::_M_addref() and _M_release(): all its other members use these. */
void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void **pointer)
{
    void (*add)(void **);
    *(void **)&add = real("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv");
    if (*pointer)
        owner_comes(*pointer, GUEST_PC);
    add(pointer);
}

void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **pointer)
{
    if (*pointer)
        owner_goes(*pointer, GUEST_PC);
}

/* The dependent exception that is thrown is one more owner. */
void _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE(void **pointer)
{
    void (*rethrow)(void **);
    needs_replay();
    *(void **)&rethrow = real("_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE");
    owner_comes(*pointer, GUEST_PC);
    rethrow(pointer);
    abort();
}

/* The last handler that ends lets the exception go, or the one that a dependent exception stands
 * for; libstdc++ is prevented from it by one owner more. */
void __cxa_end_catch(void)
{
    CxxException **(*globals)(void);
    void (*end)(void);
    *(void **)&globals = real("__cxa_get_globals");
    *(void **)&end = real("__cxa_end_catch");
    CxxException *caught = *globals(); /* the newest first */
    void *object = NULL;
    if (caught && caught->handlers == 1)
        object = caught->class == CLASS_PRIMARY     ? caught + 1
                 : caught->class == CLASS_DEPENDENT ? caught->primary
                                                    : NULL;
    if (object)
        owned(object)->ever++;
    end();
    if (object)
        owner_goes(object, GUEST_PC);
}

/* -- throwing and catching -- */

void __cxa_throw(void *object, void *type, void (*destructor)(void *))
{
    void (*throw)(void *, void *, void (*)(void *));
    if (op_active())
        framework_look_at_throw(type, GUEST_PC);
    needs_replay();
    *(void **)&throw = real("__cxa_throw");
    owner_comes(object, GUEST_PC);
    throw(object, type, destructor);
    abort();
}

void __cxa_rethrow(void)
{
    void (*rethrow)(void);
    needs_replay();
    *(void **)&rethrow = real("__cxa_rethrow");
    if (op_active())
        deferred_settle();
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
