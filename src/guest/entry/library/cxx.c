/* cxx.c: members of std::thread and std::condition_variable that libstdc++.so contains. Their code
 * is not instrumented and writes to the program's objects (join clears the thread's number): here
 * the same is done in sight, and reports name the program's own line. The layouts are part of
 * libstdc++'s ABI. */
#include "guest/entry/guest.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include "guest/entry/sync/cond.h"
#include "guest/explore/memory/memory.h"
#include "guest/runtime/native.h"
#include "guest/entry/sync/threads.h"

/* std::__detail::__waiter_pool_base::_S_for(const void *)::__w */
extern const char wait_table[] __asm__("_ZZNSt8__detail18__waiter_pool_base6_S_forEPKvE3__w")
    __attribute__((weak, visibility("default")));
const char *guest_wait_table;

void guest_find_wait_table(void)
{
    guest_wait_table = wait_table;
}

/* The writable memory of one shared library. */
static int exempt_library(struct dl_phdr_info *info, size_t size, void *number)
{
    (void)size;
    if (!(*(unsigned *)number)++ || !strstr(info->dlpi_name, "/lib")) /* the program comes first */
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && header->p_flags & PF_W &&
            (strstr(info->dlpi_name, "/libstdc++") || strstr(info->dlpi_name, "/libc.")))
            memory_exempt((const void *)(info->dlpi_addr + header->p_vaddr), header->p_memsz);
    }
    return 0;
}

void guest_exempt_streams(void)
{
    /* the standard promises that threads may use these without order; the objects' sizes are part
     * of the ABI */
    static const struct {
        const char *name;
        size_t bytes;
    } streams[] = {{"_ZSt4cout", 272},  {"_ZSt4cerr", 272},  {"_ZSt4clog", 272},
                   {"_ZSt3cin", 280},   {"_ZSt5wcout", 272}, {"_ZSt5wcerr", 272},
                   {"_ZSt5wclog", 272}, {"_ZSt4wcin", 280}};
    unsigned number = 0;
    if (!native_symbol("_ZSt4cout"))
        return;
    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        const void *address = dlsym(RTLD_DEFAULT, streams[i].name);
        if (address)
            memory_exempt(address, streams[i].bytes);
    }
    dl_iterate_phdr(exempt_library, &number);
}

typedef struct CxxThread {
    pthread_t id; /* 0: no thread */
} CxxThread;
typedef struct CxxUniqueLock {
    pthread_mutex_t *mutex; /* std::mutex is a pthread_mutex_t */
    bool owns;
} CxxUniqueLock;

#define WRAP(type, name, parameters)                                                               \
    GUEST type __wrap_##name parameters;                                                           \
    type __wrap_##name parameters

/* std::system_error, as libstdc++ throws it. */
NORETURN static void throw_system_error(int error)
{
    void (*throw)(int);
    *(void **)&throw = native_symbol("_ZSt20__throw_system_errori");
    if (throw)
        throw(error);
    abort();
}

static void leave(CxxThread *thread, bool join, const void *pc)
{
    guest_will_read(thread, sizeof *thread, pc);
    pthread_t id = thread->id;
    if (!id)
        throw_system_error(EINVAL);
    if (join && id == (pthread_t)guest_self() + 1)
        throw_system_error(EDEADLK);
    if (join)
        threads_join(id, NULL, pc);
    else
        threads_detach(id, pc);
    id = 0;
    guest_store(thread, &id, sizeof id, pc);
}

/* std::thread::join() */
WRAP(void, _ZNSt6thread4joinEv, (CxxThread * thread))
{
    leave(thread, true, GUEST_PC);
}

/* std::thread::detach() */
WRAP(void, _ZNSt6thread6detachEv, (CxxThread * thread))
{
    leave(thread, false, GUEST_PC);
}

/* std::condition_variable::condition_variable(), in both forms that the ABI has */
WRAP(void, _ZNSt18condition_variableC1Ev, (pthread_cond_t * cond))
{
    cond_init(cond, 0, GUEST_PC);
}

WRAP(void, _ZNSt18condition_variableC2Ev, (pthread_cond_t * cond))
{
    cond_init(cond, 0, GUEST_PC);
}

/* std::condition_variable::~condition_variable(): threads may still be on their way out of
 * wait(). */
WRAP(void, _ZNSt18condition_variableD1Ev, (pthread_cond_t * cond))
{
    cond_destroy(cond, GUEST_PC);
}

WRAP(void, _ZNSt18condition_variableD2Ev, (pthread_cond_t * cond))
{
    cond_destroy(cond, GUEST_PC);
}

/* std::condition_variable::wait(std::unique_lock<std::mutex> &) */
WRAP(void, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE,
     (pthread_cond_t * cond, CxxUniqueLock *lock))
{
    guest_will_read(lock, sizeof lock->mutex, GUEST_PC);
    cond_wait(cond, lock->mutex, GUEST_PC);
}

/* std::condition_variable::notify_one() and notify_all() */
WRAP(void, _ZNSt18condition_variable10notify_oneEv, (pthread_cond_t * cond))
{
    cond_signal(cond, GUEST_PC);
}

WRAP(void, _ZNSt18condition_variable10notify_allEv, (pthread_cond_t * cond))
{
    cond_broadcast(cond, GUEST_PC);
}
