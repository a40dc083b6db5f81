#include "runtime/fiber.h"
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "runtime/native.h"
#include "runtime/ops.h"
#include "runtime/pages.h"

Fiber fibers[MAX_THREADS];
int fiber_current = -1;
bool fiber_own_storage;

static void *engine_sp;
static uint64_t engine_pointer; /* the explorer's own thread pointer */
/* The thread-local storage of all objects that were there at the start lies below the thread pointer:
 * the program's own variables, the exceptions in flight of libstdc++, errno. */
static size_t storage_bytes;
static char *storage_copy[MAX_THREADS];

static int find_storage(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    size_t below = (size_t)(arch_thread_pointer() - (uintptr_t)info->dlpi_tls_data);
    if (info->dlpi_tls_data && below < 1u << 20) /* else it was loaded later, elsewhere */
        storage_bytes = MAX(storage_bytes, below);
    return 0;
}

void fiber_save_storage(void)
{
    dl_iterate_phdr(find_storage, NULL);
    for (int i = 0; i < MAX_THREADS && storage_bytes; i++) {
        if (!fibers[i].thread_pointer)
            continue;
        storage_copy[i] = pages_alloc(storage_bytes);
        memcpy(storage_copy[i], (char *)fibers[i].thread_pointer - storage_bytes, storage_bytes);
    }
}

void fiber_reset_storage(void)
{
    for (int i = 0; i < MAX_THREADS; i++)
        if (storage_copy[i])
            memcpy((char *)fibers[i].thread_pointer - storage_bytes, storage_copy[i], storage_bytes);
}

/* A kernel thread that only lends its thread control block: every field of it is valid, by public
 * interfaces alone. It stays parked for ever. */
static void *donate(void *argument)
{
    uint64_t *pointer = argument;
    __atomic_store_n(pointer, arch_thread_pointer(), __ATOMIC_RELEASE);
    for (;;)
        pause();
    return NULL;
}

static void take_donors(void)
{
    sigset_t all, old;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &old); /* signals stay with the explorer */
    for (int i = 1; i < MAX_THREADS; i++)
        if (!native_thread_start(donate, &fibers[i].thread_pointer, 64 << 10))
            die("cannot create a kernel thread for thread-local storage");
    for (int i = 1; i < MAX_THREADS; i++)
        while (!__atomic_load_n(&fibers[i].thread_pointer, __ATOMIC_ACQUIRE))
            usleep(20);
    sigprocmask(SIG_SETMASK, &old, NULL);
}

void fiber_setup(size_t stack_bytes, bool own_storage)
{
    stack_bytes = MIN((stack_bytes + 4095) & ~(size_t)4095, STACK_SLOT - 8192);
    char *all = mmap((void *)STACK_BASE, (size_t)MAX_THREADS * STACK_SLOT, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (all != (char *)STACK_BASE)
        die("cannot map the stacks at their fixed address");
    for (int i = 0; i < MAX_THREADS; i++) {
        char *end = all + (size_t)(i + 1) * STACK_SLOT - 4096;
        fibers[i].limit = end - stack_bytes;
        if (mprotect(fibers[i].limit, stack_bytes, PROT_READ | PROT_WRITE))
            die("cannot map a stack");
        fibers[i].base = end - 64 * (size_t)(i % 8 + 1); /* different cache sets */
    }
    engine_pointer = arch_thread_pointer();
    fibers[0].thread_pointer = engine_pointer;
    fiber_own_storage = own_storage;
    if (own_storage)
        take_donors();
}

static void fiber_entry(void *argument)
{
    Fiber *fiber = argument;
    op_exit(fiber->function(fiber->argument));
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

void fiber_resume(int thread)
{
    fiber_current = thread;
    if (fiber_own_storage)
        arch_set_thread_pointer(fibers[thread].thread_pointer);
    heddle__switch(&engine_sp, fibers[thread].sp);
    if (fiber_own_storage)
        arch_set_thread_pointer(engine_pointer);
    fiber_current = -1;
}

void fiber_yield(void)
{
    heddle__switch(&fibers[fiber_current].sp, engine_sp);
}

void fiber_abandon(void)
{
    void *nowhere;
    heddle__switch(&nowhere, engine_sp);
    __builtin_unreachable();
}
