#include "guest/runtime/fiber.h"
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "guest/runtime/crash.h"
#include "guest/runtime/native.h"
#include "guest/runtime/pages.h"

Fiber fibers[MAX_THREADS];
int fiber_current = -1;
bool fiber_own_storage;

void *fiber_engine_sp;
bool fiber_lives_elsewhere;
static uint64_t engine_pointer; /* the explorer's own thread pointer */
/* The thread-local storage of all objects that were there at the start lies beside the thread
 * pointer, below it (x86-64) or above (AArch64): the program's own variables, the exceptions in
 * flight of libstdc++, errno. */
static int64_t storage_from; /* of the thread pointer */
static size_t storage_bytes;
static char *storage_of(int thread)
{
    return (char *)fibers[thread].thread_pointer + storage_from;
}
static char *storage_copy[MAX_THREADS];
uint64_t fiber_storage_low, fiber_storage_span;

static int find_storage(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    enum { NEAR = 1 << 20 };
    int64_t from = (int64_t)((uintptr_t)info->dlpi_tls_data - arch_thread_pointer()), to = from;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            to = from + (int64_t)info->dlpi_phdr[i].p_memsz;
    if (!info->dlpi_tls_data || from < -NEAR || from > NEAR)
        return 0; /* it was loaded later, elsewhere */
    int64_t end = storage_bytes ? storage_from + (int64_t)storage_bytes : to;
    storage_from = storage_bytes ? MIN(storage_from, from) : from;
    storage_bytes = (size_t)(MAX(end, to) - storage_from);
    if (storage_from < 0) /* up to the thread pointer, as before */
        storage_bytes = (size_t)-storage_from;
    return 0;
}

void fiber_save_storage(void)
{
    uint64_t high = 0;
    dl_iterate_phdr(find_storage, NULL);
    for (int i = 0; i < MAX_THREADS && storage_bytes; i++) {
        if (!fibers[i].thread_pointer)
            continue;
        storage_copy[i] = pages_alloc(storage_bytes);
        memcpy(storage_copy[i], storage_of(i), storage_bytes);
        if (!i)
            continue;
        uint64_t begin = (uintptr_t)storage_of(i), end = begin + storage_bytes;
        fiber_storage_low = high ? MIN(fiber_storage_low, begin) : begin;
        high = MAX(high, end);
        fiber_storage_span = high - fiber_storage_low;
    }
}

int fiber_of_storage(const void *address)
{
    uint64_t at = (uintptr_t)address;
    if (LIKELY(!fiber_near_storage(address)))
        return -1;
    for (int i = 1; i < MAX_THREADS; i++)
        if (at - (uintptr_t)storage_of(i) < storage_bytes)
            return i;
    return -1;
}

char *fiber_storage(int thread, size_t *bytes)
{
    *bytes = storage_bytes;
    return storage_of(thread);
}

void fiber_reset_storage(void)
{
    for (int i = 0; i < MAX_THREADS; i++)
        if (storage_copy[i])
            memcpy(storage_of(i), storage_copy[i], storage_bytes);
}

/* GNU nested functions are called through code on the stack: the linker notes in the executable,
 * which comes first, that it must be executable. */
static int find_stack(struct dl_phdr_info *info, size_t size, void *protection)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_STACK && info->dlpi_phdr[i].p_flags & PF_X)
            *(int *)protection |= PROT_EXEC;
    return 1;
}

/* ---- kernel threads ---- */

enum { ENGINE = MAX_THREADS };
static uint32_t batons[MAX_THREADS + 1]; /* 1: it is this one's turn */
static bool in_kernel_threads;

/* Never returns: when its turn comes, the thread goes on with the stack of the fiber, or of the
 * explorer. Until then it stays parked, perhaps for ever. */
static NORETURN void park(int number)
{
    static uint32_t nobody;
    void *here;
    heddle__baton(&here, number == ENGINE ? &fiber_engine_sp : &fibers[number].sp, &batons[number],
                  &nobody);
    __builtin_unreachable();
}

/* A kernel thread that lends its thread control block: every field of it is valid, by public
 * interfaces alone. */
static void *donate(void *argument)
{
    Fiber *fiber = argument;
    __atomic_store_n(&fiber->thread_pointer, arch_thread_pointer(), __ATOMIC_RELEASE);
    park((int)(fiber - fibers));
}

static void *host_engine(void *unused)
{
    (void)unused;
    prctl(PR_SET_NAME, "heddle");
    park(ENGINE);
}

static void take_donors(int count)
{
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old); /* signals stay with the explorer */
    for (int i = 1; i < count; i++)
        if (!native_thread_start(donate, &fibers[i], 256 << 10))
            die("cannot create a kernel thread for thread-local storage");
    for (int i = 1; i < count; i++)
        while (!__atomic_load_n(&fibers[i].thread_pointer, __ATOMIC_ACQUIRE))
            usleep(20);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

void fiber_setup(size_t stack_bytes, bool own_storage, unsigned kernel_threads)
{
    if (sysconf(_SC_PAGESIZE) != 4096)
        die("the pages of memory have %ld bytes here: heddle knows those of 4096 only",
            sysconf(_SC_PAGESIZE));
    stack_bytes = MIN((stack_bytes + 4095) & ~(size_t)4095, STACK_SLOT - 8192);
    int protection = PROT_READ | PROT_WRITE;
    dl_iterate_phdr(find_stack, &protection);
    char *all = (char *)STACK_BASE;
    pages_reserve_at(STACK_BASE, (size_t)MAX_THREADS * STACK_SLOT, PROT_NONE, "stacks");
    for (int i = 0; i < MAX_THREADS; i++) {
        char *end = all + (size_t)(i + 1) * STACK_SLOT - 4096;
        fibers[i].limit = end - stack_bytes;
        if (mprotect(fibers[i].limit, stack_bytes, protection))
            pages_refused("a stack", stack_bytes);
        fibers[i].base = end - 64 * (size_t)(i % 8 + 1); /* different cache sets */
    }
    engine_pointer = arch_thread_pointer();
    fibers[0].thread_pointer = engine_pointer;
    fiber_own_storage = fiber_lives_elsewhere = own_storage;
    if (own_storage || kernel_threads)
        take_donors(own_storage ? MAX_THREADS : (int)MIN(kernel_threads, (unsigned)MAX_THREADS));
    if (kernel_threads && !native_thread_start(host_engine, NULL, 256 << 10))
        die("cannot create a kernel thread for the explorer");
}

void fiber_use_kernel_threads(void)
{
    in_kernel_threads = fiber_lives_elsewhere = true;
    for (int i = 0; i < MAX_THREADS; i++)
        fiber_restart(i);
    heddle__baton(&fiber_engine_sp, &fibers[0].sp, &batons[0], &batons[ENGINE]);
    /* this is another kernel thread now; the one that called waits to be main */
}

/* The first thing a fiber does in a kernel thread: the parked one had no signals and no name. */
static __attribute__((noinline)) void enter_kernel_thread(int number)
{
    char name[16] = "main";
    sigset_t none;
    if (number)
        snprintf(name, sizeof name, "T%d", number);
    prctl(PR_SET_NAME, name);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    crash_use_own_stack();
}

void (*fiber_end)(void *result);

static void fiber_entry(void *argument)
{
    Fiber *fiber = argument;
    if (in_kernel_threads)
        enter_kernel_thread((int)(fiber - fibers));
    fiber_end(fiber->function(fiber->argument));
}

void fiber_restart(int thread)
{
    fibers[thread].sp = arch_first_frame(fibers[thread].base, fiber_entry, &fibers[thread]);
}

void fiber_set_main(void *(*function)(void *))
{
    fibers[0].function = function;
    fibers[0].argument = NULL;
}

void fiber_resume_elsewhere(int thread)
{
    if (in_kernel_threads) {
        heddle__baton(&fiber_engine_sp, &fiber_engine_sp, &batons[ENGINE], &batons[thread]);
        return;
    }
    arch_set_thread_pointer(fibers[thread].thread_pointer);
    arch_switch(&fiber_engine_sp, fibers[thread].sp);
    arch_set_thread_pointer(engine_pointer);
}

/* Apart, so that fiber_yield keeps the frame that tool/instrument/liveness/liveness.c knows. */
static __attribute__((noinline)) void fiber_pass_baton(void)
{
    int self = fiber_current;
    heddle__baton(&fibers[self].sp, &fibers[self].sp, &batons[self], &batons[ENGINE]);
}

void fiber_yield(void)
{
    if (UNLIKELY(in_kernel_threads))
        fiber_pass_baton();
    else
        heddle__switch(&fibers[fiber_current].sp, fiber_engine_sp);
}

void fiber_abandon(void)
{
    void *nowhere;
    if (in_kernel_threads)
        fiber_yield(); /* woken up only to begin again */
    heddle__switch(&nowhere, fiber_engine_sp);
    __builtin_unreachable();
}
