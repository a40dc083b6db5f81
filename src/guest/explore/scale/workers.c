#include "guest/explore/scale/workers.h"
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "guest/explore/search/explore.h"
#include "guest/explore/search/frames.h"
#include "guest/explore/scale/units.h"
#include "guest/runtime/native.h"
#include "guest/runtime/pages.h"
#include "record/hooks.h"

/* A process that has just begun, or has just given work away, keeps what it has for so long: a fork
 * with its page faults costs about a tenth of it. */
#define KEEP_NS 2000000
WorkersHere workers = {.keep_ns = KEEP_NS, .give = true};
#define WAIT_NS 200000
#define CLAIM_NS                                                                                   \
    UINT64_C(3000000000) /* for so long at most the outcome waits for earlier pieces               \
                          */
/* The first process keeps everything until it has polled so often, about 50 ms: what is over by
 * then runs as with one job. */
#define FIRST_POLLS 2048

/* The state of this process. `all` has no initial value: .data.rel is taken for the program's and
 * put back with its image. */
typedef struct WorkersSelf {
    WorkersShared *all;
    WorkersShared alone; /* one job */
    unsigned most, slot;
    bool is_first;
    void (*on_begin)(unsigned slot);
    void (*on_reset)(void);
    bool split;       /* into shares: nothing is given away, and each begins again for itself */
    bool divided;     /* other processes explore, or have explored, parts of the present pass */
    bool has_claimed; /* the outcome is this process's */
    unsigned polls;
    uint32_t *ended; /* shared with what workers_run_apart forks: it came to its end */
    uint64_t began;  /* when this process began or last gave work away */
} WorkersSelf;
static WorkersSelf self = {.most = 1, .is_first = true};

static uint64_t now_ns(void)
{
    struct timespec now;
    native_clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void wait_a_little(void)
{
    struct timespec time = {.tv_nsec = WAIT_NS};
    native_call(SYS_nanosleep, (long)&time, 0, 0, 0);
}

void workers_setup(WorkersShared *shared, unsigned jobs, void (*begin)(unsigned),
                   void (*reset)(void))
{
    self.all = jobs > 1 ? shared : &self.alone;
    self.most = MIN(jobs, WORKERS_MOST);
    self.on_begin = begin;
    self.on_reset = reset;
    self.slot = 0;
    self.is_first = true;
    self.all->busy = 1;
    if (jobs <= 1)
        return;
    self.all->pid[0] = getpid();
    /* Whoever loses its parent becomes ours; nobody's status is wanted, and with SIGCHLD ignored no
     * zombies pile up, while wait still waits for the last one (POSIX, wait). */
    native_call(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0);
    signal(SIGCHLD, SIG_IGN);
    self.began = now_ns();
}

void workers_lock(void)
{
    while (__atomic_exchange_n(&self.all->lock, 1, __ATOMIC_ACQUIRE))
        wait_a_little();
}

void workers_unlock(void)
{
    __atomic_store_n(&self.all->lock, 0, __ATOMIC_RELEASE);
}

/* A free slot, taken; -1 if all are in use. */
static int take_slot(void)
{
    uint64_t busy = __atomic_load_n(&self.all->busy, __ATOMIC_RELAXED);
    for (;;) {
        if (!~busy || (unsigned)__builtin_ctzll(~busy) >= self.most)
            return -1;
        int free_slot = __builtin_ctzll(~busy);
        if (__atomic_compare_exchange_n(&self.all->busy, &busy, busy | UINT64_C(1) << free_slot,
                                        false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return free_slot;
    }
}

static void leave_slot(unsigned which)
{
    DEBUG_ASSERT(which < WORKERS_MOST);
    __atomic_store_n(&self.all->pid[which], 0, __ATOMIC_RELAXED);
    __atomic_and_fetch(&self.all->busy, ~(UINT64_C(1) << which), __ATOMIC_ACQ_REL);
}

/* A new process in FREE_SLOT. True in the new one; *failed if there is none. */
static bool start_process(int free_slot, bool *failed)
{
    __atomic_add_fetch(&self.all->started, 1, __ATOMIC_RELAXED);
    long pid = native_call(SYS_clone, SIGCHLD, 0, 0, 0);
    *failed = pid < 0;
    if (*failed) {
        __atomic_sub_fetch(&self.all->started, 1, __ATOMIC_RELAXED);
        leave_slot((unsigned)free_slot);
    }
    if (pid)
        return false;
    self.slot = (unsigned)free_slot;
    self.is_first = false;
    self.ended = NULL; /* that is its parent's */
    __atomic_store_n(&self.all->pid[self.slot], getpid(), __ATOMIC_RELAXED);
    return true;
}

bool workers_run_apart(void (*what)(void))
{
    if (!self.ended)
        self.ended = pages_share(sizeof *self.ended);
    *self.ended = 0;
    long pid = native_call(SYS_clone, SIGCHLD, 0, 0, 0);
    if (pid < 0)
        return false;
    if (pid == 0) {
        what();
        __atomic_store_n(self.ended, 1, __ATOMIC_RELEASE);
        _exit(0);
    }
    struct rusage used = {0};
    while (native_call(SYS_wait4, pid, 0, 0, (long)&used) < 0 && errno == EINTR)
        ;
    workers.apart_ns += (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000u +
                        (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000u;
    return __atomic_load_n(self.ended, __ATOMIC_ACQUIRE);
}

void workers_split(unsigned jobs)
{
    bool failed = false;
    self.split = true;
    for (unsigned i = 1; i < MIN(jobs, self.most) && !failed; i++) {
        int free_slot = take_slot();
        if (free_slot >= 0 && start_process(free_slot, &failed)) {
            self.on_begin(self.slot);
            return;
        }
    }
}

bool workers_are_alone(void)
{
    return self.most == 1;
}

void workers_stay_alone(void)
{
    self.most = 1;
}

bool workers_have_divided(void)
{
    return self.divided;
}

bool workers_are_split(void)
{
    return self.split;
}

unsigned workers_slot(void)
{
    return self.slot;
}

void workers_begin_piece(uint64_t number)
{
    __atomic_store_n(&self.all->piece[self.slot], number, __ATOMIC_RELEASE);
}

uint64_t workers_present_piece(void)
{
    return self.all->piece[self.slot];
}

uint64_t workers_failed_piece(void)
{
    return __atomic_load_n(&self.all->failed, __ATOMIC_ACQUIRE);
}

/* Has a piece before that of this process gone wrong? */
static bool is_too_late(void)
{
    uint64_t failed = workers_failed_piece();
    return failed && failed < self.all->piece[self.slot];
}

bool workers_others_are_earlier(void)
{
    uint64_t busy =
        __atomic_load_n(&self.all->busy, __ATOMIC_ACQUIRE) & ~(UINT64_C(1) << self.slot);
    for (; busy; busy &= busy - 1)
        if (__atomic_load_n(&self.all->piece[__builtin_ctzll(busy)], __ATOMIC_ACQUIRE) <
            self.all->piece[self.slot])
            return true;
    return false;
}

static void bury(void);

bool workers_claim_piece(void)
{
    if (!self.split || self.has_claimed)
        return workers_claim_outcome();
    uint64_t own = self.all->piece[self.slot],
             failed = __atomic_load_n(&self.all->failed, __ATOMIC_ACQUIRE);
    while ((!failed || failed > own) &&
           !__atomic_compare_exchange_n(&self.all->failed, &failed, own, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
        ;
    uint64_t begun = now_ns();
    while (!is_too_late() && workers_others_are_earlier() && now_ns() - begun < CLAIM_NS &&
           __atomic_load_n(&self.all->state, __ATOMIC_ACQUIRE) == WORKERS_RUN) {
        wait_a_little();
        bury();
    }
    return !is_too_late() && workers_claim_outcome();
}

void workers_meet(uint64_t number)
{
    workers_begin_piece(number);
    while (self.split && workers_others_are_earlier() &&
           __atomic_load_n(&self.all->state, __ATOMIC_ACQUIRE) == WORKERS_RUN) {
        wait_a_little();
        bury();
    }
}

uint64_t workers_take_piece(void)
{
    return __atomic_fetch_add(&self.all->pieces, 1, __ATOMIC_RELAXED);
}

static void give_away(void)
{
    int given = frames_oldest_open(exploration.floor);
    /* the newest frame stays here: with nothing else to do one would only swap places */
    if (given < 0 || given >= frame_count - 1)
        return;
    int free_slot = take_slot();
    if (free_slot < 0)
        return;
    if (!units_split(given, (unsigned)free_slot)) {
        leave_slot((unsigned)free_slot);
        return;
    }
    bool failed, is_new = start_process(free_slot, &failed);
    if (failed) { /* no process to be had: this one does it all */
        units_unsplit((unsigned)free_slot);
        self.most = 1;
        return;
    }
    self.began = now_ns();
    self.divided = true;
    if (!is_new) {
        exploration.floor = given + 1;
        return;
    }
    frames_drop(given + 1);
    self.on_begin(self.slot);
}

bool workers_are_asked_to_end(void)
{
    return self.most > 1 && !self.has_claimed &&
           __atomic_load_n(&self.all->state, __ATOMIC_RELAXED) != WORKERS_RUN;
}

bool workers_poll(void)
{
    if (LIKELY(self.most == 1) || self.has_claimed)
        return false;
    if (workers_are_asked_to_end())
        return true;
    if (self.split)
        return is_too_late();
    if (!workers.give)
        return false;
    if (self.is_first && ++self.polls < FIRST_POLLS && workers.keep_ns)
        return false;
    uint64_t full = self.most == 64 ? ~UINT64_C(0) : (UINT64_C(1) << self.most) - 1;
    if (__atomic_load_n(&self.all->busy, __ATOMIC_RELAXED) != full &&
        now_ns() - self.began >= workers.keep_ns)
        give_away();
    return false;
}

/* Frees the slots of processes that have died; workers_end says that they did. */
static void bury(void)
{
    for (unsigned i = 0; i < self.most; i++) {
        int32_t pid = __atomic_load_n(&self.all->pid[i], __ATOMIC_RELAXED);
        if (i != self.slot && pid && native_call(SYS_kill, pid, 0, 0, 0) < 0 && errno == ESRCH)
            leave_slot(i);
    }
}

bool workers_restart(void)
{
    if (self.split || self.has_claimed) /* whoever has the outcome may still make it small */
        return self.has_claimed ||
               __atomic_load_n(&self.all->state, __ATOMIC_ACQUIRE) == WORKERS_RUN;
    uint32_t state = WORKERS_RUN;
    if (!__atomic_compare_exchange_n(&self.all->state, &state, WORKERS_RESTART, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return false;
    while (__atomic_load_n(&self.all->busy, __ATOMIC_ACQUIRE) != UINT64_C(1) << self.slot) {
        if (__atomic_load_n(&self.all->state, __ATOMIC_ACQUIRE) == WORKERS_QUIT)
            return false;
        wait_a_little();
        bury();
    }
    self.divided = false;
    if (self.on_reset)
        self.on_reset();
    state = WORKERS_RESTART;
    return __atomic_compare_exchange_n(&self.all->state, &state, WORKERS_RUN, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

bool workers_claim_outcome(void)
{
    self.has_claimed |=
        __atomic_exchange_n(&self.all->state, WORKERS_QUIT, __ATOMIC_ACQ_REL) != WORKERS_QUIT;
    if (UNLIKELY(hooks.die_claimed) && self.has_claimed && !self.is_first)
        native_call(SYS_kill, (long)native_call(SYS_getpid, 0, 0, 0, 0), SIGKILL, 0, 0);
    return self.has_claimed;
}

bool workers_end(bool was_stopped)
{
    if (was_stopped && __atomic_load_n(&self.all->state, __ATOMIC_ACQUIRE) == WORKERS_RUN)
        __atomic_store_n(&self.all->stopped, 1, __ATOMIC_RELAXED);
    if (!self.is_first) {
        __atomic_add_fetch(&self.all->ended, 1, __ATOMIC_RELEASE);
        leave_slot(self.slot);
        _exit(0);
    }
    leave_slot(self.slot);
    if (self.most > 1 || __atomic_load_n(&self.all->started, __ATOMIC_RELAXED))
        while (native_call(SYS_wait4, -1, 0, 0, 0) >= 0 || errno == EINTR)
            ;
    return __atomic_load_n(&self.all->started, __ATOMIC_ACQUIRE) ==
           __atomic_load_n(&self.all->ended, __ATOMIC_ACQUIRE);
}

bool workers_were_stopped(void)
{
    return __atomic_load_n(&self.all->stopped, __ATOMIC_RELAXED) != 0;
}
