/* threads.c: pthread_create to pthread_exit and their C11 twins. std::thread comes through
 * pthread_create as well, since libstdc++.so binds to the definition in the program.
 *
 * A pthread_t is the thread's number plus one (libstdc++ takes 0 for "no thread"). What a thread is
 * to do waits in a slot of its creator, which exists before the thread does. Whether a thread was
 * joined or detached is a plain word: each thread may be claimed once, by one thread, so a second
 * claim is an error in whatever order the two come. */
#include "guest/entry/sync/threads.h"
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <threads.h>
#include <unwind.h>
#include "guest/entry/sync/attributes.h"
#include "guest/runtime/fiber.h"
#include "guest/entry/guest.h"
#include "guest/entry/library/constructors.h"
#include "guest/entry/sync/mutex.h"
#include "guest/entry/sync/word.h"

_Static_assert(sizeof(struct _Unwind_Exception) <= sizeof(((GuestThread *)0)->unwinding),
               "no room for the unwinder's object");

static unsigned thread_number(pthread_t thread)
{
    return (unsigned)(thread - 1);
}

static void *thread_main(void *argument)
{
    DEBUG_ASSERT(op_active() && guest_self() > 0);
    GuestThread *self = guest_current();
    const GuestStart *start = argument;
    guest_set(self->random, start->random);
    if (self->clock != start->clock) /* every write costs, here and when it is undone */
        guest_set(self->clock, start->clock);
    if (start->signal_mask)
        guest_set(self->signal_mask, start->signal_mask);
    void *result;
    if (start->c11) {
        thrd_start_t function;
        memcpy(&function, &start->function, sizeof function);
        result = (void *)(intptr_t)function(start->argument);
    } else {
        result = start->function(start->argument);
    }
    thread_finish(result);
}

uint64_t guest_start_function(unsigned thread)
{
    DEBUG_ASSERT(thread < GUEST_THREADS);
    if (thread >= MAX_THREADS || fibers[thread].function != thread_main)
        return 0;
    const GuestStart *start = fibers[thread].argument;
    return (uintptr_t)start->function;
}

/* Does START, of the next thread of SELF, say the same as that of its last one? */
static bool is_like_last(const GuestThread *self, const GuestStart *start)
{
    DEBUG_ASSERT(self == guest_current() && start->function);
    if (self->created < 2)
        return false;
    const GuestStart *last = &self->starts[self->created - 2];
    return last->function == start->function && last->argument == start->argument &&
           last->clock == start->clock && last->signal_mask == start->signal_mask &&
           last->detached == start->detached && last->c11 == start->c11;
}

static int thread_create(pthread_t *thread, bool detached, bool c11, void *(*function)(void *),
                         void *argument, const void *pc)
{
    if (!op_active()) {
        constructors_explore();
        die("the program creates a thread outside main: that can't be explored");
    }
    GuestThread *self = guest_current();
    if (self->created >= GUEST_THREADS)
        op_unsupported_at(pc, "more than %d threads", GUEST_THREADS);
    GuestStart *slot = &self->starts[self->created];
    GuestStart start = {.function = function,
                        .argument = argument,
                        .random = random_child(),
                        .clock = self->clock,
                        .signal_mask = self->signal_mask,
                        .detached = detached,
                        .c11 = c11};
    guest_put(slot, &start, sizeof start);
    guest_set(self->created, self->created + 1);
    unsigned number = op_create_alike(thread_main, slot, is_like_last(self, &start), thread, pc);
    GuestThread *child = guest_thread(number); /* complains if there are too many */
    if (detached)
        guest_set(child->claim, GUEST_DETACHED);
    if (UNLIKELY(process_calls_at_exit()))
        guest_set(slot->number, number);
    /* After the creation: POSIX does not promise the new thread to find its own number there. */
    pthread_t name = (pthread_t)number + 1;
    guest_store(thread, &name, sizeof name, pc);
    return 0;
}

GUEST int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                         void *(*function)(void *), void *restrict argument)
{
    bool detached = attributes && attributes_detached(attributes);
    return thread_create(thread, detached, false, function, argument, GUEST_PC);
}

GUEST int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    void *(*start)(void *);
    memcpy(&start, &function, sizeof start);
    thread_create(thread, false, true, start, argument, GUEST_PC);
    return thrd_success;
}

/* One thread answers for THREAD from now on, by joining or by detaching it. */
static GuestThread *claim(pthread_t thread, unsigned how, const char *verb, const void *pc)
{
    DEBUG_ASSERT(verb && (how == GUEST_JOINED || how == GUEST_DETACHED));
    unsigned number = thread_number(thread);
    if (!op_active())
        die("the program %ss a thread outside main", verb);
    if (number >= GUEST_THREADS || !op_thread_exists(number))
        op_violation(VIOLATION_MISUSE, pc, "%s of something that is no thread", verb);
    GuestThread *target = guest_thread(number);
    if (op_self())
        op_note_claim();
    if (how == GUEST_JOINED && number == op_self())
        op_violation(VIOLATION_MISUSE, pc, "thread %u joins itself", number);
    if (target->claim == GUEST_DETACHED)
        op_violation(VIOLATION_MISUSE, pc, "%s of thread %u, which was detached", verb, number);
    if (target->claim == GUEST_JOINED)
        op_violation(VIOLATION_MISUSE, pc, "%s of thread %u, which was joined before", verb,
                     number);
    guest_set(target->claim, how);
    return target;
}

void threads_join(pthread_t thread, void **result, const void *pc)
{
    claim(thread, GUEST_JOINED, "join", pc);
    void *value = op_join(thread_number(thread), result != NULL, pc);
    if (result)
        guest_store(result, &value, sizeof value, pc);
}

GUEST int pthread_join(pthread_t thread, void **result)
{
    threads_join(thread, result, GUEST_PC);
    return 0;
}

GUEST int thrd_join(thrd_t thread, int *result)
{
    const void *pc = GUEST_PC;
    void *value;
    claim(thread, GUEST_JOINED, "join", pc);
    value = op_join(thread_number(thread), result != NULL, pc);
    int number = (int)(intptr_t)value;
    if (result)
        guest_store(result, &number, sizeof number, pc);
    return thrd_success;
}

/* Some call asks whether a thread has ended: then threads say so before they do. */
static bool ends_are_told;

static bool has_ended(pthread_t thread, const void *pc)
{
    unsigned number = thread_number(thread);
    if (!op_active() || number >= GUEST_THREADS || !op_thread_exists(number))
        return true; /* the join complains */
    if (!ends_are_told) {
        ends_are_told = true;
        op_begin_again();
    }
    op_note_apart(number);
    return word_load(&guest_thread(number)->gone, 4, ORDER_RELAXED, pc) != 0;
}

void threads_recall(uint64_t address)
{
    uint64_t offset = address - (uintptr_t)guest_thread(0);
    ends_are_told |= offset < sizeof(GuestThread) * GUEST_THREADS &&
                     offset % sizeof(GuestThread) == offsetof(GuestThread, gone);
}

GUEST int pthread_tryjoin_np(pthread_t thread, void **result)
{
    const void *pc = GUEST_PC;
    if (!has_ended(thread, pc))
        return EBUSY;
    threads_join(thread, result, pc);
    return 0;
}

/* To wait and then join it is the same execution as to try later (see mutex.c). */
static int timed_join(pthread_t thread, void **result, const struct timespec *until, const void *pc)
{
    if (until && !has_ended(thread, pc)) {
        time_pass_until(until);
        return ETIMEDOUT;
    }
    threads_join(thread, result, pc);
    return 0;
}

GUEST int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
    return timed_join(thread, result, until, GUEST_PC);
}

GUEST int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                               const struct timespec *until)
{
    (void)clock;
    return timed_join(thread, result, until, GUEST_PC);
}

void threads_detach(pthread_t thread, const void *pc)
{
    claim(thread, GUEST_DETACHED, "detach", pc);
}

GUEST int pthread_detach(pthread_t thread)
{
    threads_detach(thread, GUEST_PC);
    return 0;
}

GUEST int thrd_detach(thrd_t thread)
{
    claim(thread, GUEST_DETACHED, "detach", GUEST_PC);
    return thrd_success;
}

GUEST pthread_t pthread_self(void)
{
    op_note_identity();
    return (pthread_t)guest_self() + 1;
}

GUEST thrd_t thrd_current(void)
{
    op_note_identity();
    return (thrd_t)guest_self() + 1;
}

/* The headers define these two inline as well: only their symbols are ours. */
GUEST int threads_equal(pthread_t left, pthread_t right) __asm__("pthread_equal");
GUEST int threads_equal_c11(thrd_t left, thrd_t right) __asm__("thrd_equal");

int threads_equal(pthread_t left, pthread_t right)
{
    return left == right;
}

int threads_equal_c11(thrd_t left, thrd_t right)
{
    return left == right;
}

/* Yielding and sleeping promise nothing about who runs next: no effect. */
GUEST int sched_yield(void)
{
    return 0;
}

GUEST void thrd_yield(void)
{
}

/* ---- the end of a thread ---- */

void (*thread_leaves)(bool process);

static void end_life(void)
{
    GuestThread *self = guest_current();
    if (UNLIKELY(self->destructor_count | self->specific_count))
        thread_run_destructors();
    if (UNLIKELY(self->held_count))
        mutex_owner_ends();
    if (UNLIKELY(ends_are_told))
        word_store(&self->gone, 4, 1, ORDER_RELAXED, NULL);
}

void thread_finish(void *result)
{
    end_life();
    op_exit(result);
}

/* A thread of ours: main has ended by pthread_exit, and the program ends as by exit(0) when all
 * others have. Who has been joined has created all of its threads, so that these are joined in an
 * order that does not depend on the explorer's. */
static void *end_program(void *unused)
{
    unsigned threads[GUEST_THREADS] = {0}, count = 1;
    (void)unused;
    for (unsigned i = 0; i < count; i++) {
        op_join(threads[i], false, NULL);
        const GuestThread *ended = guest_thread(threads[i]);
        for (unsigned child = 0; child < ended->created; child++)
            threads[count++] = ended->starts[child].number;
    }
    process_exit(0, NULL);
}

/* The end of a thread that called pthread_exit. */
NORETURN static void finish_early(void)
{
    end_life();
    if (op_self() == 0 && process_ends_later())
        op_create(end_program, NULL, NULL);
    op_exit(guest_current()->result);
}

/* pthread_exit unwinds the stack, so that C++ destructors and C cleanup handlers run, and ends the
 * thread where the stack ends. The handlers of pthread_cleanup_push in C code without exceptions
 * are a chain of jump buffers in the frames; each is entered when its frame is reached, and comes
 * back with __pthread_unwind_next. */
static _Unwind_Reason_Code exit_step(int version, _Unwind_Action actions,
                                     _Unwind_Exception_Class class,
                                     struct _Unwind_Exception *exception,
                                     struct _Unwind_Context *context, void *unused)
{
    (void)version, (void)class, (void)exception, (void)unused;
    GuestThread *self = guest_current();
    __pthread_unwind_buf_t *handler = self->cleanup;
    bool end = (actions & _UA_END_OF_STACK) != 0;
    if (handler && (end || _Unwind_GetCFA(context) >= (uintptr_t)handler->__pad[1])) {
        guest_set(self->cleanup, handler->__pad[0]);
        /* A jmp_buf without its signal mask: longjmp does not look for it, the compiler does. */
        struct __jmp_buf_tag *buffer = (struct __jmp_buf_tag *)handler->__cancel_jmp_buf;
        __asm__("" : "+r"(buffer));
        longjmp(buffer, 1);
    }
    if (end)
        finish_early();
    return _URC_NO_REASON;
}

/* The exception object outlives the frame of pthread_exit: a handler that catches and throws again
 * runs where that frame was. What the unwinder writes into it is the same for every exit. */
NORETURN static void unwind_and_exit(void)
{
    GuestThread *self = guest_current();
    _Unwind_ForcedUnwind((struct _Unwind_Exception *)self->unwinding, exit_step, NULL);
    /* Comes back only if a frame can't be unwound: code without unwind tables. */
    finish_early();
}

NORETURN GUEST void pthread_exit(void *result)
{
    if (!op_active())
        die("the program calls pthread_exit outside main");
    if (thread_leaves)
        thread_leaves(false);
    GuestThread *self = guest_current();
    guest_set(self->result, result);
    unwind_and_exit();
}

NORETURN GUEST void thrd_exit(int result)
{
    if (!op_active())
        die("the program calls thrd_exit outside main");
    if (thread_leaves)
        thread_leaves(false);
    GuestThread *self = guest_current();
    guest_set(self->result, (void *)(intptr_t)result);
    unwind_and_exit();
}

/* The buffer lies in the frame of the caller, so the stack's copy keeps it. */
GUEST void __pthread_register_cancel(__pthread_unwind_buf_t *handler)
{
    GuestThread *self = guest_current();
    handler->__pad[0] = self->cleanup;
    handler->__pad[1] = __builtin_dwarf_cfa();
    guest_set(self->cleanup, (void *)handler);
}

GUEST void __pthread_unregister_cancel(__pthread_unwind_buf_t *handler)
{
    guest_set(guest_current()->cleanup, handler->__pad[0]);
}

GUEST void __pthread_register_cancel_defer(__pthread_unwind_buf_t *handler)
{
    GuestThread *self = guest_current();
    handler->__pad[0] = self->cleanup;
    handler->__pad[1] = __builtin_dwarf_cfa();
    guest_set(self->cleanup, (void *)handler);
}

GUEST void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *handler)
{
    guest_set(guest_current()->cleanup, handler->__pad[0]);
}

NORETURN GUEST void __pthread_unwind_next(__pthread_unwind_buf_t *handler)
{
    (void)handler;
    unwind_and_exit();
}

/* ---- cancellation: refused, but its switches have their effect on nothing ---- */

GUEST int pthread_cancel(pthread_t thread)
{
    (void)thread;
    if (op_active())
        op_unsupported_at(GUEST_PC, "the program calls pthread_cancel");
    return 0;
}

GUEST int pthread_setcancelstate(int state, int *old)
{
    int enabled = PTHREAD_CANCEL_ENABLE;
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    if (old)
        guest_store(old, &enabled, sizeof enabled, GUEST_PC);
    return 0;
}

GUEST int pthread_setcanceltype(int type, int *old)
{
    int deferred = PTHREAD_CANCEL_DEFERRED;
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    if (old)
        guest_store(old, &deferred, sizeof deferred, GUEST_PC);
    return 0;
}

GUEST void pthread_testcancel(void)
{
}
