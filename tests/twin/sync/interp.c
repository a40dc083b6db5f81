/* interp.c: an ordinary threaded program that performs a text of sync.h, which it finds in
 * HEDDLE_TWIN_PROGRAM. Explored by Heddle it must get the verdict that machine.c derives. With
 * -DTHREADS_H, threads, plain and recursive mutexes, condition variables, the key and once are
 * those of C11. */
#define _GNU_SOURCE
#include "sync.h"
#include <assert.h>
#include <errno.h>
#include <heddle.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#ifdef THREADS_H
#define C11 1
#else
#define C11 0
#endif

static SyncProgram program; /* read only once main runs */
static int cells[SYNC_CELLS];
static unsigned long handles[SYNC_THREADS]; /* accessed atomically; 0: not known yet */
static pthread_mutex_t mutexes[SYNC_MUTEXES];
static mtx_t c11_mutexes[SYNC_MUTEXES];
static pthread_cond_t conds[SYNC_CONDS] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static cnd_t c11_conds[SYNC_CONDS];
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag c11_once = ONCE_FLAG_INIT;
static pthread_key_t key;
static tss_t c11_key;
static pthread_key_t
    self; /* a thread's registers: those that explore themselves have no __thread */
static int main_registers[SYNC_REGISTERS],
    last_registers[SYNC_REGISTERS];       /* last: nobody is left */
static unsigned long equal[SYNC_THREADS]; /* names of equal threads, main's alone */

static const struct timespec past = {1, 0};
static void perform(int body, int *result);

static int result_of(int error)
{
    switch (error) {
    case 0:
        return SYNC_OK;
    case EBUSY:
    case EAGAIN:
        return SYNC_BUSY;
    case EDEADLK:
        return SYNC_DEADLOCK;
    case EOWNERDEAD:
        return SYNC_OWNER_DEAD;
    case ENOTRECOVERABLE:
        return SYNC_LOST;
    case EPERM:
        return SYNC_NOT_OWNER;
    case ETIMEDOUT:
        return SYNC_TIMED_OUT;
    default:
        return SYNC_INVALID;
    }
}
static int c11_result_of(int result)
{
    return result == thrd_success    ? SYNC_OK
           : result == thrd_busy     ? SYNC_BUSY
           : result == thrd_timedout ? SYNC_TIMED_OUT
                                     : SYNC_INVALID;
}

/* C11 has no other kinds. */
static int uses_c11(void)
{
    int uses = C11;
    for (int i = 0; i < SYNC_MUTEXES; i++)
        uses &= program.kind[i] == 'n' || program.kind[i] == 'r';
    return uses;
}

static int on_mutex(const SyncOp *op)
{
    pthread_mutex_t *mutex = &mutexes[op->about];
    mtx_t *c11 = &c11_mutexes[op->about];
    int is_c11 = uses_c11();
    switch (op->code) {
    case 'L':
        return is_c11 ? c11_result_of(mtx_lock(c11)) : result_of(pthread_mutex_lock(mutex));
    case 'T':
        return is_c11 ? c11_result_of(mtx_trylock(c11)) : result_of(pthread_mutex_trylock(mutex));
    case 'M':
        return is_c11 ? c11_result_of(mtx_timedlock(c11, &past))
                      : result_of(pthread_mutex_timedlock(mutex, &past));
    case 'U':
        return is_c11 ? c11_result_of(mtx_unlock(c11)) : result_of(pthread_mutex_unlock(mutex));
    default:
        return is_c11 ? SYNC_INVALID : result_of(pthread_mutex_consistent(mutex));
    }
}

static int on_cond(const SyncOp *op)
{
    pthread_cond_t *cond = &conds[op->about];
    pthread_mutex_t *mutex = &mutexes[op->number % SYNC_MUTEXES];
    cnd_t *c11 = &c11_conds[op->about];
    mtx_t *c11_mutex = &c11_mutexes[op->number % SYNC_MUTEXES];
    int is_c11 = uses_c11();
    switch (op->code) {
    case 'c':
        return is_c11 ? c11_result_of(cnd_wait(c11, c11_mutex))
                      : result_of(pthread_cond_wait(cond, mutex));
    case 'k':
        return is_c11 ? c11_result_of(cnd_timedwait(c11, c11_mutex, &past))
                      : result_of(pthread_cond_timedwait(cond, mutex, &past));
    case 'S':
        return is_c11 ? c11_result_of(cnd_signal(c11)) : result_of(pthread_cond_signal(cond));
    default:
        return is_c11 ? c11_result_of(cnd_broadcast(c11)) : result_of(pthread_cond_broadcast(cond));
    }
}

static int on_rwlock(const SyncOp *op)
{
    switch (op->code) {
    case 'D':
        return result_of(pthread_rwlock_rdlock(&rwlock));
    case 'E':
        return result_of(pthread_rwlock_wrlock(&rwlock));
    case 'd':
        return result_of(pthread_rwlock_tryrdlock(&rwlock));
    case 'e':
        return result_of(pthread_rwlock_trywrlock(&rwlock));
    default:
        return result_of(pthread_rwlock_unlock(&rwlock));
    }
}

static int on_semaphore(const SyncOp *op)
{
    int value = 0;
    switch (op->code) {
    case 'P':
        return sem_post(&semaphore) ? result_of(errno) : SYNC_OK;
    case 'V':
        return sem_wait(&semaphore) ? result_of(errno) : SYNC_OK;
    case 'Y':
        return sem_trywait(&semaphore) ? result_of(errno) : SYNC_OK;
    default:
        sem_getvalue(&semaphore, &value);
        return value;
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

static void run_function(int function)
{
    int unused;
    perform(SYNC_THREADS + function, &unused);
}
static void run_once(void)
{
    run_function(SYNC_ONCE);
}
static void destroy_value(void *value)
{
    (void)value;
    run_function(SYNC_DESTRUCTOR);
}
static void at_exit_first(void)
{
    run_function(SYNC_AT_EXIT);
}
static void at_exit_second(void)
{
    run_function(SYNC_AT_EXIT + 1);
}
static void on_exit_any(int status, void *function)
{
    (void)status;
    run_function((int)(long)function);
}

static void *run(void *thread)
{
    int result = 0; /* destructors use the registers when this function has returned */
    pthread_setspecific(self, thread ? calloc(SYNC_REGISTERS, sizeof(int)) : main_registers);
    perform((int)(long)thread, &result);
    return (void *)(long)result;
}
static int run_c11(void *thread)
{
    return (int)(long)run(thread);
}

/* Between the creations, and between the joins, nothing but the stack is touched. */
static void create_equal(int first, int end)
{
    for (int i = first; i < end; i++)
        if (C11)
            thrd_create(&equal[i], run_c11, (void *)(long)first);
        else
            pthread_create(&equal[i], NULL, run, (void *)(long)first);
}
static void join_equal(int first, int end)
{
    unsigned long names[SYNC_THREADS];
    for (int i = first; i < end; i++)
        names[i] = equal[i];
    for (int i = first; i < end; i++)
        if (C11)
            thrd_join(names[i], NULL);
        else
            pthread_join(names[i], NULL);
}

static int on_thread(const SyncOp *op, int before)
{
    unsigned long handle = 0;
    if (op->code == 'B') {
        if (C11)
            thrd_create(&handle, run_c11, (void *)(long)op->about);
        else
            pthread_create(&handle, NULL, run, (void *)(long)op->about);
        __atomic_store_n(&handles[op->about], handle, __ATOMIC_SEQ_CST);
        return before;
    }
    handle = __atomic_load_n(&handles[op->about], __ATOMIC_SEQ_CST);
    if (!handle)
        return before;
    int value = 0;
    void *returned = NULL;
    if (op->code == 'F' && C11)
        thrd_detach(handle);
    else if (op->code == 'F')
        pthread_detach(handle);
    else if (op->code == 'y' && pthread_tryjoin_np(handle, &returned))
        return SYNC_BUSY;
    else if (op->code == 'y')
        return (int)(long)returned;
    else if (C11)
        thrd_join(handle, &value);
    else
        pthread_join(handle, &returned);
    return op->code == 'F' ? before : C11 ? value : (int)(long)returned;
}

static void leave(const SyncOp *op)
{
    switch (op->code) {
    case 'p':
        if (C11)
            thrd_exit(op->number);
        else
            pthread_exit((void *)(long)op->number);
    case 'x':
        exit(op->number);
    case 'q':
        quick_exit(op->number);
    default:
        _exit(op->number);
    }
}

static void on_end(const SyncOp *op)
{
    void (*function)(void) = op->number == SYNC_AT_EXIT ? at_exit_first : at_exit_second;
    if (op->code == 'X')
        atexit(function);
    else if (op->code == 'Q')
        at_quick_exit(function);
    else
        on_exit(on_exit_any, (void *)(long)op->number);
}

static int on_key(const SyncOp *op, int before)
{
    void *value = (void *)(long)op->number;
    if (op->code == 'g')
        return (int)(long)(C11 ? tss_get(c11_key) : pthread_getspecific(key));
    if (C11)
        tss_set(c11_key, value);
    else
        pthread_setspecific(key, value);
    return before;
}

/* Returns what the target register is afterwards. */
static int run_one(const SyncOp *op, int before)
{
    switch (op->code) {
    case 'L':
    case 'T':
    case 'M':
    case 'U':
    case 'K':
        return on_mutex(op);
    case 'c':
    case 'k':
    case 'S':
    case 'b':
        return on_cond(op);
    case 'D':
    case 'E':
    case 'd':
    case 'e':
    case 'u':
        return on_rwlock(op);
    case 'P':
    case 'V':
    case 'Y':
    case 'G':
        return on_semaphore(op);
    case 'N':
        return pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    case 'o':
        if (C11)
            call_once(&c11_once, run_once);
        else
            pthread_once(&once, run_once);
        return ((int *)pthread_getspecific(self))[op->target]; /* it may have changed it */
    case 'v':
    case 'g':
        return on_key(op, before);
    case 'B':
    case 'J':
    case 'y':
    case 'F':
        return on_thread(op, before);
    case 'H':
        create_equal(op->about, op->about + op->number);
        return before;
    case 'h':
        join_equal(op->about, op->about + op->number);
        return before;
    case 'z':
        return result_of(pthread_tryjoin_np(equal[op->about], NULL));
    case 'X':
    case 'O':
    case 'Q':
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

/* RESULT is what the body returns, if it says so. */
static void perform(int body, int *result)
{
    int *registers = pthread_getspecific(self);
    if (!registers)
        registers = last_registers;
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
        registers[op->target] = run_one(op, registers[op->target]);
    }
}

/* Before main, so that reading the text is no part of what is explored. */
__attribute__((constructor)) static void read_program(void)
{
    const char *text = getenv("HEDDLE_TWIN_PROGRAM");
    if (!text || !sync_parse(text, &program)) {
        fprintf(stderr, "sync: HEDDLE_TWIN_PROGRAM is no program\n");
        _Exit(2);
    }
}

static void make_mutex(int i)
{
    static const int types[] = {['n'] = PTHREAD_MUTEX_NORMAL,
                                ['r'] = PTHREAD_MUTEX_RECURSIVE,
                                ['e'] = PTHREAD_MUTEX_ERRORCHECK,
                                ['b'] = PTHREAD_MUTEX_NORMAL};
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, types[(int)program.kind[i]]);
    if (program.kind[i] == 'b')
        pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutexes[i], &attributes);
    mtx_init(&c11_mutexes[i], program.kind[i] == 'r' ? mtx_timed | mtx_recursive : mtx_timed);
    cnd_init(&c11_conds[i]);
}

int main(void)
{
    __atomic_store_n(&handles[0], C11 ? thrd_current() : pthread_self(), __ATOMIC_SEQ_CST);
    for (int i = 0; i < SYNC_MUTEXES; i++)
        make_mutex(i);
    pthread_key_create(&self, NULL);
    sem_init(&semaphore, 0, (unsigned)program.semaphore);
    pthread_barrier_init(&barrier, NULL, (unsigned)program.barrier);
    if (C11)
        tss_create(&c11_key, destroy_value);
    else
        pthread_key_create(&key, destroy_value);
    return (int)(long)run((void *)0);
}
