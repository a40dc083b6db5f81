// interp.cc: performs a text of sync.h, as interp.c does, with the locks of C++: std::mutex, std::recursive_mutex,
// std::condition_variable_any, std::shared_mutex, std::counting_semaphore, std::barrier. Texts that ask for what C++ does
// not have (error checking and robust mutexes, a semaphore's value, keys) are not for it; neither is std::call_once, which
// uses thread-local variables: a program that explores itself without the tool has none.
#include "sync.h"
#include <barrier>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <heddle.h>
#include <mutex>
#include <pthread.h>
#include <semaphore>
#include <shared_mutex>
#include <unistd.h>

struct AnyMutex { // plain or recursive, as the text wants it
    std::timed_mutex plain;
    std::recursive_timed_mutex recursive;
    bool is_recursive;
    void lock() { is_recursive ? recursive.lock() : plain.lock(); }
    bool try_lock() { return is_recursive ? recursive.try_lock() : plain.try_lock(); }
    bool try_lock_soon()
    {
        std::chrono::milliseconds soon(1);
        return is_recursive ? recursive.try_lock_for(soon) : plain.try_lock_for(soon);
    }
    void unlock() { is_recursive ? recursive.unlock() : plain.unlock(); }
};

static SyncProgram program;
static int cells[SYNC_CELLS];
static pthread_t handles[SYNC_THREADS];
struct Locks { // on the heap: nothing destroys them at exit
    AnyMutex mutexes[SYNC_MUTEXES];
    std::condition_variable_any conds[SYNC_CONDS];
    std::shared_mutex rwlock;
    std::counting_semaphore<100> semaphore;
    std::barrier<> barrier;
    Locks() : semaphore(program.semaphore), barrier(program.barrier) {}
};
static Locks *locks;
struct Own {
    int registers[SYNC_REGISTERS] = {0};
    bool writes = false; // it holds the read-write lock as a writer
};
static Own main_own, last_own; // last: nobody is left
static pthread_key_t self;     // the thread's own

static void perform(int body, int *result);

static Own *own()
{
    void *mine = pthread_getspecific(self);
    return mine ? static_cast<Own *>(mine) : &last_own;
}

static int on_mutex(const SyncOp *op)
{
    AnyMutex *mutex = &locks->mutexes[op->about];
    switch (op->code) {
    case 'L':
        mutex->lock();
        return SYNC_OK;
    case 'T':
        return mutex->try_lock() ? SYNC_OK : SYNC_BUSY;
    case 'M':
        return mutex->try_lock_soon() ? SYNC_OK : SYNC_TIMED_OUT;
    case 'U':
        mutex->unlock();
        return SYNC_OK;
    default:
        return SYNC_INVALID;
    }
}

static int on_cond(const SyncOp *op)
{
    std::condition_variable_any *cond = &locks->conds[op->about];
    AnyMutex *mutex = &locks->mutexes[op->number % SYNC_MUTEXES];
    switch (op->code) {
    case 'c':
        cond->wait(*mutex);
        return SYNC_OK;
    case 'k':
        return cond->wait_for(*mutex, std::chrono::milliseconds(1)) == std::cv_status::timeout ? SYNC_TIMED_OUT
                                                                                                 : SYNC_OK;
    case 'S':
        cond->notify_one();
        return SYNC_OK;
    default:
        cond->notify_all();
        return SYNC_OK;
    }
}

static int on_rwlock(const SyncOp *op)
{
    bool *writes = &own()->writes;
    switch (op->code) {
    case 'D':
        locks->rwlock.lock_shared();
        return SYNC_OK;
    case 'E':
        locks->rwlock.lock();
        *writes = true;
        return SYNC_OK;
    case 'd':
        return locks->rwlock.try_lock_shared() ? SYNC_OK : SYNC_BUSY;
    case 'e':
        if (!locks->rwlock.try_lock())
            return SYNC_BUSY;
        *writes = true;
        return SYNC_OK;
    default:
        if (*writes) {
            *writes = false;
            locks->rwlock.unlock();
        } else {
            locks->rwlock.unlock_shared();
        }
        return SYNC_OK;
    }
}

static int on_semaphore(const SyncOp *op)
{
    switch (op->code) {
    case 'P':
        locks->semaphore.release();
        return SYNC_OK;
    case 'V':
        locks->semaphore.acquire();
        return SYNC_OK;
    default:
        return locks->semaphore.try_acquire() ? SYNC_OK : SYNC_BUSY;
    }
}

static int on_cell(const SyncOp *op, int before)
{
    int *cell = &cells[op->about % SYNC_CELLS];
    switch (op->code) {
    case 'l':
        return __atomic_load_n(cell, __ATOMIC_SEQ_CST);
    case 's':
        __atomic_store_n(cell, op->number, __ATOMIC_SEQ_CST);
        return before;
    case 'a':
        return __atomic_fetch_add(cell, op->number, __ATOMIC_SEQ_CST);
    case 'W':
        while (__atomic_load_n(cell, __ATOMIC_SEQ_CST) != op->number)
            ;
        return before;
    case 'r':
        return *cell;
    default:
        *cell = op->number;
        return before;
    }
}

static void *run(void *thread)
{
    int result = 0;
    pthread_setspecific(self, thread ? new Own : &main_own);
    perform((int)(long)thread, &result);
    return (void *)(long)result;
}

static pthread_t equal[SYNC_THREADS]; // names of equal threads, main's alone
static void create_equal(int first, int end)
{
    for (int i = first; i < end; i++)
        pthread_create(&equal[i], nullptr, run, (void *)(long)first);
}
static void join_equal(int first, int end)
{
    pthread_t names[SYNC_THREADS];
    for (int i = first; i < end; i++)
        names[i] = equal[i];
    for (int i = first; i < end; i++)
        pthread_join(names[i], nullptr);
}

static int on_thread(const SyncOp *op, int before)
{
    pthread_t handle = 0;
    void *returned = nullptr;
    if (op->code == 'B') {
        pthread_create(&handle, nullptr, run, (void *)(long)op->about);
        __atomic_store_n(&handles[op->about], handle, __ATOMIC_SEQ_CST);
        return before;
    }
    handle = __atomic_load_n(&handles[op->about], __ATOMIC_SEQ_CST);
    if (!handle)
        return before;
    if (op->code == 'y' && pthread_tryjoin_np(handle, &returned))
        return SYNC_BUSY;
    if (op->code == 'J')
        pthread_join(handle, &returned);
    if (op->code == 'F')
        pthread_detach(handle);
    return op->code == 'F' ? before : (int)(long)returned;
}

static void run_function(int function)
{
    int unused;
    perform(SYNC_THREADS + function, &unused);
}
static void at_exit_first()
{
    run_function(SYNC_AT_EXIT);
}
static void at_exit_second()
{
    run_function(SYNC_AT_EXIT + 1);
}
static void on_exit_any(int, void *function)
{
    run_function((int)(long)function);
}

static void on_end(const SyncOp *op)
{
    void (*function)() = op->number == SYNC_AT_EXIT ? at_exit_first : at_exit_second;
    if (op->code == 'X')
        std::atexit(function);
    else if (op->code == 'Q')
        std::at_quick_exit(function);
    else
        on_exit(on_exit_any, (void *)(long)op->number);
}

static void leave(const SyncOp *op)
{
    switch (op->code) {
    case 'p':
        pthread_exit((void *)(long)op->number);
    case 'x':
        std::exit(op->number);
    case 'q':
        std::quick_exit(op->number);
    default:
        _exit(op->number);
    }
}

// Returns what the target register is afterwards.
static int run_one(const SyncOp *op, int *registers)
{
    int before = registers[op->target];
    switch (op->code) {
    case 'L': case 'T': case 'M': case 'U': case 'K':
        return on_mutex(op);
    case 'c': case 'k': case 'S': case 'b':
        return on_cond(op);
    case 'D': case 'E': case 'd': case 'e': case 'u':
        return on_rwlock(op);
    case 'P': case 'V': case 'Y':
        return on_semaphore(op);
    case 'N':
        locks->barrier.arrive_and_wait();
        return before;
    case 'B': case 'J': case 'y': case 'F':
        return on_thread(op, before);
    case 'H':
        create_equal(op->about, op->about + op->number);
        return before;
    case 'h':
        join_equal(op->about, op->about + op->number);
        return before;
    case 'z':
        return pthread_tryjoin_np(equal[op->about], nullptr) ? SYNC_BUSY : SYNC_OK;
    case 'X': case 'O': case 'Q':
        on_end(op);
        return before;
    case 'C':
        return (int)heddle_choose((unsigned)op->number);
    case 'A':
        assert(before != op->number);
        return before;
    default:
        return on_cell(op, before);
    }
}

static void perform(int body, int *result)
{
    int *registers = own()->registers;
    for (int i = 0; i < program.length[body]; i++) {
        const SyncOp *op = &program.op[body][i];
        if (!sync_enabled(op, registers))
            continue;
        if (op->code == 'p' || op->code == 'x' || op->code == 'q' || op->code == 'i')
            leave(op);
        if (op->code == 'R') {
            *result = op->number;
            return;
        }
        registers[op->target] = run_one(op, registers);
    }
}

__attribute__((constructor)) static void read_program()
{
    const char *text = std::getenv("HEDDLE_TWIN_PROGRAM");
    if (!text || !sync_parse(text, &program)) {
        std::fprintf(stderr, "sync: HEDDLE_TWIN_PROGRAM is no program\n");
        _exit(2);
    }
}

int main()
{
    handles[0] = pthread_self();
    pthread_key_create(&self, nullptr);
    locks = new Locks;
    for (int i = 0; i < SYNC_MUTEXES; i++)
        locks->mutexes[i].is_recursive = program.kind[i] == 'r';
    return (int)(long)run(nullptr);
}
