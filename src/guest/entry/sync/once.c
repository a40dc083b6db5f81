/* once.c: pthread_once and call_once (std::call_once comes through pthread_once), and the guards of
 * function-local statics in C++. A word goes from FRESH to RUNNING to DONE; only the thread that
 * made it RUNNING writes it then. Who finds it DONE needs a single read.
 *
 * An exception that leaves the initialiser makes the word FRESH again: this file is compiled with
 * -fexceptions, so that the cleanup runs. */
#include "guest/entry/guest.h"
#include <pthread.h>
#include <threads.h>
#include "guest/entry/sync/word.h"

enum { FRESH, RUNNING, DONE };

/* True if the caller is to initialise. */
static bool begin(void *word, const void *pc, const char *object)
{
    for (;;) {
        uint64_t found = FRESH;
        if (word_cas(word, 4, &found, RUNNING, ORDER_ACQUIRE, ORDER_ACQUIRE, pc))
            return true;
        if (found == DONE)
            return false;
        found = word_await(word, 4, AWAIT_NE, RUNNING, RMW_NONE, 0, ORDER_ACQUIRE, pc, object,
                           "wait for its initialisation");
        if (found == DONE)
            return false;
    }
}

typedef struct Running {
    void *word;
    const void *pc;
    bool done;
} Running;

static void finish(Running *running)
{
    word_release(running->word, 4, running->done ? DONE : FRESH, running->pc);
}

static void once(void *word, void (*function)(void), const void *pc)
{
    if (!begin(word, pc, "once"))
        return;
    __attribute__((cleanup(finish))) Running running = {.word = word, .pc = pc};
    function();
    running.done = true;
}

GUEST int pthread_once(pthread_once_t *control, void (*function)(void))
{
    once(control, function, GUEST_PC);
    return 0;
}

GUEST void call_once(once_flag *flag, void (*function)(void))
{
    once(flag, function, GUEST_PC);
}

/* The compiler's own code reads the first byte of the guard (acquire) and calls __cxa_guard_acquire
 * if it is 0; the state is in the second half. */
GUEST int __cxa_guard_acquire(uint64_t *guard);
GUEST void __cxa_guard_release(uint64_t *guard);
GUEST void __cxa_guard_abort(uint64_t *guard);

int __cxa_guard_acquire(uint64_t *guard)
{
    return begin((uint32_t *)guard + 1, GUEST_PC, "static variable");
}

void __cxa_guard_release(uint64_t *guard)
{
    word_release(guard, 1, 1, GUEST_PC);
    word_release((uint32_t *)guard + 1, 4, DONE, GUEST_PC);
}

void __cxa_guard_abort(uint64_t *guard)
{
    word_release((uint32_t *)guard + 1, 4, FRESH, GUEST_PC);
}
