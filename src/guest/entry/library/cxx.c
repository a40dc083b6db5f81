/* cxx.c: members of std::thread, std::condition_variable and std::_Sp_locker that libstdc++.so
 * contains. Their code is not instrumented and writes to the program's objects (join clears the
 * thread's number): here the same is done in sight, and reports name the program's own line. The
 * layouts are part of libstdc++'s ABI. */
#include "guest/entry/guest.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include "guest/entry/library/hidden.h"
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

/* The standard promises that threads may write to and read from these without order; but not that
 * they may change how it is done: flags and precision, which input and output only look at, are
 * memory like any other. Sizes and places are part of the ABI. */
static const struct {
    const char *name;
    size_t bytes, base; /* base: where the std::ios_base lies in it */
} streams[] = {{"_ZSt4cout", 272, 8},  {"_ZSt4cerr", 272, 8},  {"_ZSt4clog", 272, 8},
               {"_ZSt3cin", 280, 16},  {"_ZSt5wcout", 272, 8}, {"_ZSt5wcerr", 272, 8},
               {"_ZSt5wclog", 272, 8}, {"_ZSt4wcin", 280, 16}};

/* Exempts memory, but for the flags and precisions of STREAMS in it. */
static void exempt(const char *from, const char *to)
{
    static const struct {
        size_t at, bytes;
    } settings[] = {{8, 8}, {24, 4}};
    while (from < to) {
        const char *next = to, *after = to;
        for (size_t i = 0; i < COUNT_OF(streams) * COUNT_OF(settings); i++) {
            size_t number = i / COUNT_OF(settings), which = i % COUNT_OF(settings);
            const char *stream = dlsym(RTLD_DEFAULT, streams[number].name);
            const char *setting = stream + streams[number].base + settings[which].at;
            if (!stream || setting < from || setting >= next)
                continue;
            next = setting;
            after = setting + settings[which].bytes;
        }
        memory_exempt(from, (size_t)(next - from));
        from = after;
    }
}

/* The writable memory of one shared library. */
static int exempt_library(struct dl_phdr_info *info, size_t size, void *number)
{
    (void)size;
    if (!(*(unsigned *)number)++ || !strstr(info->dlpi_name, "/lib")) /* the program comes first */
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        const char *from = (const char *)(info->dlpi_addr + header->p_vaddr);
        if (header->p_type == PT_LOAD && header->p_flags & PF_W &&
            (strstr(info->dlpi_name, "/libstdc++") || strstr(info->dlpi_name, "/libc.")))
            exempt(from, from + header->p_memsz);
    }
    return 0;
}

void guest_exempt_streams(void)
{
    unsigned number = 0;
    if (!native_symbol("_ZSt4cout"))
        return;
    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        const char *address = dlsym(RTLD_DEFAULT, streams[i].name);
        if (address)
            exempt(address, address + streams[i].bytes);
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

/* std::thread::joinable(), where the compiler does not put it in place of its calls: the tool gives
 * these calls this name (tool/instrument/machine/pauses.h) */
GUEST bool heddle__thread_joinable_(const CxxThread *thread);
bool heddle__thread_joinable_(const CxxThread *thread)
{
    guest_will_read(thread, sizeof *thread, GUEST_PC);
    return thread->id != 0;
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

/* std::_Sp_locker locks what std::atomic_load, std::atomic_compare_exchange_weak and their like do
 * with one std::shared_ptr, or with two. The smaller of two locks is taken first, as everywhere. */
typedef struct PointerLocker {
    unsigned char first, second; /* the same if there is one lock */
} PointerLocker;

static void lock_pointers(PointerLocker *locker, const void *one, const void *other, const void *pc)
{
    unsigned char a = hidden_lock_of(one), b = hidden_lock_of(other);
    PointerLocker locks = {MIN(a, b), MAX(a, b)};
    hidden_lock(locks.first, pc);
    if (locks.first != locks.second)
        hidden_lock(locks.second, pc);
    guest_store(locker, &locks, sizeof locks, pc);
}

/* std::_Sp_locker::_Sp_locker(const void *), with two of them, and its destructor */
WRAP(void, _ZNSt10_Sp_lockerC1EPKv, (PointerLocker * locker, const void *pointer))
{
    lock_pointers(locker, pointer, pointer, GUEST_PC);
}

WRAP(void, _ZNSt10_Sp_lockerC1EPKvS1_, (PointerLocker * locker, const void *one, const void *other))
{
    lock_pointers(locker, one, other, GUEST_PC);
}

WRAP(void, _ZNSt10_Sp_lockerD1Ev, (const PointerLocker *locker))
{
    guest_will_read(locker, sizeof *locker, GUEST_PC);
    if (locker->first != locker->second)
        hidden_unlock(locker->second, GUEST_PC);
    hidden_unlock(locker->first, GUEST_PC);
}
