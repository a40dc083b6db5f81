/* machine.c: performs every interleaving of a program of sync.h, step by step, by the text of POSIX
 * (and glibc's where POSIX leaves a choice that Heddle documents). States are kept by their hash.
 *
 * Why interleavings are enough for every model: all atomic accesses are sequentially consistent and
 * locks order whoever holds them, so without a data race every execution is an interleaving. Races
 * are found by vector clocks. Some calls show the state of a lock and order nothing: a try that
 * fails, a semaphore's value, a signal that nobody waits for. Under rc11 these may show an older
 * state (`weak').
 *
 * What POSIX leaves undefined and Heddle does not call misuse is not judged: a second call of exit
 * while functions run at exit, a wait with a recursive mutex that is held twice, waits on one
 * condition variable with two mutexes; of C++, a barrier for fewer threads than use it (libstdc++'s
 * own accesses race then).
 *
 * A path ends at its first violation but for races, as an execution does. */
#include "machine.h"
#include <string.h>
#include "base/hash.h"
#include "../clocks.h"

enum { FRAMES = 4, ROUNDS = 4, AT_EXIT = 12, MOST_STEPS = 300000 };
enum { MUTEX_FREE, MUTEX_DIED = 8, MUTEX_LOST }; /* else the holder + 1 */
enum { CLAIM_NONE, CLAIM_JOINED, CLAIM_DETACHED };
typedef enum Phase { /* what a thread does when no function of it runs */
                     PHASE_BODY,
                     PHASE_END,
                     PHASE_EXIT,
                     PHASE_QUICK_EXIT,
                     PHASE_GONE
} Phase;
/* Where an operation of several steps stands; 0: at its beginning. */
enum { WAITS = 1, SIGNALLED, TIMED_OUT }; /* on a condition variable */
enum { NAME_KNOWN = 1, CLAIMED };         /* join, detach */
enum { CREATED = 1 };                     /* create */
enum { ARRIVED = 1 };                     /* barrier */

_Static_assert((int)SYNC_THREADS <= (int)CLOCK_THREADS, "a clock has no room for all threads");

typedef struct Frame {
    int body, next;
} Frame;
typedef struct Thread {
    Frame frame[FRAMES];
    int depth; /* of frames; frame[0] is the body */
    Phase phase;
    int created, claim, result, status;
    int midway, looked, round;
    int registers[SYNC_REGISTERS];
    int value, rounds; /* of the key; of its destructor */
    int reads;         /* how often it holds the read-write lock */
    Clock clock;
} Thread;
typedef struct Mutex {
    int state, count, inconsistent;
    Clock released;
} Mutex;
typedef struct Calls {
    int function[AT_EXIT], count, registered;
    Clock released;
} Calls;
typedef struct Machine {
    Thread thread[SYNC_THREADS];
    Place cell[SYNC_CELLS], handle[SYNC_THREADS];
    Mutex mutex[SYNC_MUTEXES];
    int readers, writer; /* writer: thread + 1 */
    Clock readers_released, writer_released;
    int semaphore, arrived;
    unsigned arrivers; /* threads at the barrier so far */
    Clock posted, arrivals[3];
    int once; /* 0 fresh, 1 running, 2 done */
    Clock once_done;
    Calls at_exit, at_quick_exit;
} Machine;

static const SyncProgram *program;
static bool cxx; /* a barrier tells nobody that it was the last, and a writer may not come again */
static Judged judged;
static HashMap seen;
static long steps_left;

static bool goes_wrong(Wrong wrong) /* the path ends */
{
    judged.wrongs |= 1u << wrong;
    return false;
}

static void touch(const Machine *m, int t, Place *place, bool plain, bool write)
{
    if (place_touch(place, t, &m->thread[t].clock, plain, write))
        judged.wrongs |= 1u << WRONG_RACE;
}

/* ---- locks; each step returns false if the path ends ---- */

/* Takes a mutex that is free in some way. */
static int take(Machine *m, int t, Mutex *mutex)
{
    clock_join(&m->thread[t].clock, &mutex->released);
    if (mutex->state == MUTEX_LOST)
        return SYNC_LOST;
    bool died = mutex->state == MUTEX_DIED;
    mutex->state = t + 1;
    mutex->count = 0;
    mutex->inconsistent = died;
    return died ? SYNC_OWNER_DEAD : SYNC_OK;
}

static bool is_held(const Mutex *mutex)
{
    return mutex->state != MUTEX_FREE && mutex->state != MUTEX_DIED && mutex->state != MUTEX_LOST;
}

static void give_back(const Machine *m, int t, Mutex *mutex)
{
    mutex->state = mutex->inconsistent ? MUTEX_LOST : MUTEX_FREE;
    mutex->inconsistent = 0;
    mutex->released = m->thread[t].clock;
}

/* Lock, try, lock with a time limit, which is a try: it may take any time. */
static int lock_mutex(Machine *m, int t, const SyncOp *op)
{
    Mutex *mutex = &m->mutex[op->about];
    char kind = program->kind[op->about];
    if (!is_held(mutex))
        return take(m, t, mutex);
    if (mutex->state == t + 1 && kind == 'r') {
        mutex->count++;
        return SYNC_OK;
    }
    if (mutex->state == t + 1 && kind == 'e' && op->code != 'T')
        return SYNC_DEADLOCK;
    judged.weak |= mutex->state != t + 1;
    return op->code == 'T' ? SYNC_BUSY : SYNC_TIMED_OUT;
}

static bool step_mutex(Machine *m, int t, const SyncOp *op)
{
    Mutex *mutex = &m->mutex[op->about];
    char kind = program->kind[op->about];
    int *result = &m->thread[t].registers[op->target];
    bool mine = mutex->state == t + 1;
    if (op->code == 'K') {
        bool good = kind == 'b' && mine && mutex->inconsistent;
        *result = good ? SYNC_OK : SYNC_INVALID;
        if (good)
            mutex->inconsistent = 0;
    } else if (op->code != 'U') {
        *result = lock_mutex(m, t, op);
    } else if (!mine && kind != 'e') {
        return goes_wrong(WRONG_MISUSE);
    } else {
        *result = mine ? SYNC_OK : SYNC_NOT_OWNER;
        if (mine && mutex->count)
            mutex->count--;
        else if (mine)
            give_back(m, t, mutex);
    }
    return true;
}

static const SyncOp *op_of(const Machine *m, int t)
{
    const Thread *thread = &m->thread[t];
    const Frame *frame = &thread->frame[thread->depth - 1];
    return &program->op[frame->body][frame->next];
}

static bool is_asleep(const Machine *m, int t, int cond)
{
    const Thread *thread = &m->thread[t];
    return thread->depth && thread->midway == WAITS && strchr("ck", op_of(m, t)->code) &&
           op_of(m, t)->about == cond;
}

/* A wait begins: the mutex is given back. */
static bool begin_wait(Machine *m, int t, const SyncOp *op)
{
    Mutex *mutex = &m->mutex[op->number % SYNC_MUTEXES];
    if (mutex->state != t + 1)
        return goes_wrong(WRONG_MISUSE);
    judged.undefined |= mutex->count != 0;
    for (int u = 0; u < program->threads; u++)
        judged.undefined |= is_asleep(m, u, op->about) &&
                            op_of(m, u)->number % SYNC_MUTEXES != op->number % SYNC_MUTEXES;
    give_back(m, t, mutex);
    m->thread[t].midway = WAITS;
    return true;
}

static void wake(Machine *m, int t, int sleeper)
{
    m->thread[sleeper].midway = SIGNALLED;
    clock_join(&m->thread[sleeper].clock, &m->thread[t].clock);
}

/* CHOICE: who is woken, or whether a time limit is over. Returns whether the operation is done. */
static bool step_cond(Machine *m, int t, const SyncOp *op, int choice, bool *good)
{
    Thread *self = &m->thread[t];
    bool any = false;
    if (op->code == 'S' || op->code == 'b') {
        for (int u = 0; u < program->threads; u++)
            if (is_asleep(m, u, op->about) && (op->code == 'b' || u == choice)) {
                wake(m, t, u);
                any = true;
            }
        judged.weak |= !any;
        self->registers[op->target] = SYNC_OK;
        return true;
    }
    if (self->midway == 0) {
        *good = begin_wait(m, t, op);
        return false;
    }
    if (self->midway == WAITS) {
        self->midway = TIMED_OUT;
        return false;
    }
    int taken = take(m, t, &m->mutex[op->number % SYNC_MUTEXES]);
    self->registers[op->target] = taken                       ? taken
                                  : self->midway == TIMED_OUT ? SYNC_TIMED_OUT
                                                              : SYNC_OK;
    return true;
}

static bool step_rwlock(Machine *m, int t, const SyncOp *op)
{
    Thread *self = &m->thread[t];
    int *result = &self->registers[op->target];
    bool writes = op->code == 'E' || op->code == 'e', tries = op->code == 'd' || op->code == 'e';
    if (op->code == 'u') {
        *result = SYNC_OK;
        if (m->writer == t + 1) {
            m->writer = 0;
            m->writer_released = self->clock;
        } else if (self->reads) {
            self->reads--;
            m->readers--;
            clock_join(&m->readers_released, &self->clock);
        } else {
            return goes_wrong(WRONG_MISUSE);
        }
        return true;
    }
    if (m->writer || (writes && m->readers)) {
        judged.weak |= m->writer != t + 1;
        judged.undefined |= cxx && !tries;
        *result = tries ? SYNC_BUSY : SYNC_DEADLOCK; /* one that waits is its own writer */
        return true;
    }
    clock_join(&self->clock, &m->writer_released);
    if (writes) {
        clock_join(&self->clock, &m->readers_released);
        m->writer = t + 1;
    } else {
        self->reads++;
        m->readers++;
    }
    *result = SYNC_OK;
    return true;
}

static void step_semaphore(Machine *m, int t, const SyncOp *op)
{
    Thread *self = &m->thread[t];
    int *result = &self->registers[op->target];
    *result = SYNC_OK;
    if (op->code == 'P') {
        m->semaphore++;
        clock_join(&m->posted, &self->clock);
    } else if (op->code == 'G') {
        *result = m->semaphore;
        judged.weak = true;
    } else if (m->semaphore) {
        m->semaphore--;
        clock_join(&self->clock, &m->posted);
    } else {
        *result = SYNC_BUSY;
        judged.weak = true;
    }
}

/* Returns whether the operation is done: a thread that is not the last one goes on later. */
static bool step_barrier(Machine *m, int t, const SyncOp *op)
{
    Thread *self = &m->thread[t];
    if (self->midway == ARRIVED) {
        clock_join(&self->clock, &m->arrivals[self->round % 3]);
        if (!cxx)
            self->registers[op->target] = 0;
        return true;
    }
    m->arrivers |= 1u << t;
    judged.undefined |= cxx && __builtin_popcount(m->arrivers) > program->barrier;
    self->round = m->arrived / program->barrier;
    clock_join(&m->arrivals[self->round % 3], &self->clock);
    if (++m->arrived % program->barrier == 0) {
        clock_join(&self->clock, &m->arrivals[self->round % 3]);
        if (!cxx)
            self->registers[op->target] = 1;
        return true;
    }
    self->midway = ARRIVED;
    return false;
}

static void step_cell(Machine *m, int t, const SyncOp *op)
{
    Thread *self = &m->thread[t];
    Place *cell = &m->cell[op->about % SYNC_CELLS];
    int *result = &self->registers[op->target];
    bool plain = op->code == 'r' || op->code == 'w', writes = strchr("saw", op->code) != NULL;
    if (!plain) { /* its own acquire counts before it is compared */
        int old =
            place_access(cell, &self->clock, op->code != 's', writes, op->number, op->code == 'a');
        if (op->code == 'l' || op->code == 'a')
            *result = old;
        touch(m, t, cell, false, writes);
        return;
    }
    touch(m, t, cell, true, writes);
    if (op->code == 'r') {
        *result = cell->value;
    } else {
        cell->value = op->number;
        cell->released = (Clock){{0}};
    }
}

/* ---- lives of threads ---- */

static bool is_leaving(const Machine *m, Phase phase)
{
    for (int u = 0; u < program->threads; u++)
        if (m->thread[u].phase == phase)
            return true;
    return false;
}

static void enter_phase(const Machine *m, Thread *self, Phase phase, int status)
{
    if (phase == PHASE_EXIT || phase == PHASE_QUICK_EXIT)
        judged.undefined |= is_leaving(m, PHASE_EXIT) || is_leaving(m, PHASE_QUICK_EXIT);
    self->phase = phase;
    self->status = status;
    self->depth = 0;
    self->midway = 0;
}

static void call(Thread *self, int function)
{
    ASSERT(self->depth < FRAMES);
    self->frame[self->depth++] = (Frame){SYNC_THREADS + function, 0};
}

/* Creates, joins, detaches; returns whether the operation is done. */
static bool step_thread(Machine *m, int t, const SyncOp *op, bool *good)
{
    Thread *self = &m->thread[t], *other = &m->thread[op->about];
    Place *handle = &m->handle[op->about];
    if (op->code == 'B' && self->midway == 0) {
        other->created = 1;
        clock_join(&other->clock, &self->clock);
        self->midway = CREATED;
        return false;
    }
    if (op->code == 'B') {
        place_access(handle, &self->clock, false, true, 1, false);
        return true;
    }
    if (self->midway == 0) {
        if (!place_access(handle, &self->clock, true, false, 0, false))
            return true;
        self->midway = NAME_KNOWN;
        return false;
    }
    if (op->code == 'y' && other->phase != PHASE_GONE) {
        self->registers[op->target] = SYNC_BUSY;
        judged.weak = true;
        return true;
    }
    if (self->midway == NAME_KNOWN) {
        if (other->claim || (op->code == 'J' && op->about == t)) {
            *good = goes_wrong(WRONG_MISUSE);
            return false;
        }
        other->claim = op->code == 'F' ? CLAIM_DETACHED : CLAIM_JOINED;
        self->midway = CLAIMED;
        return op->code == 'F';
    }
    clock_join(&self->clock, &other->clock);
    self->registers[op->target] = other->result;
    return true;
}

/* Creates or joins equal threads, in one step: their creator does nothing else meanwhile. */
static void step_equal_threads(Machine *m, int t, const SyncOp *op)
{
    Thread *self = &m->thread[t];
    if (op->code == 'z') {
        bool ended = m->thread[op->about].phase == PHASE_GONE;
        self->registers[op->target] = ended ? SYNC_OK : SYNC_BUSY;
        judged.weak |= !ended;
        if (ended)
            clock_join(&self->clock, &m->thread[op->about].clock);
        return;
    }
    for (int u = op->about; u < op->about + op->number; u++)
        if (op->code == 'H') {
            m->thread[u].created = 1;
            clock_join(&m->thread[u].clock, &self->clock);
        } else {
            clock_join(&self->clock, &m->thread[u].clock);
        }
}

/* The thread leaves its function, or the program. */
static bool step_leave(Machine *m, int t, const SyncOp *op)
{
    Thread *self = &m->thread[t];
    if (op->code == 'i')
        return op->number && goes_wrong(WRONG_STATUS);
    if (op->code == 'R' && self->depth > 1) {
        self->frame[self->depth - 1].next = SYNC_LENGTH; /* its end */
        return true;
    }
    self->result = op->number;
    enter_phase(m, self,
                op->code == 'p' || (op->code == 'R' && t) ? PHASE_END
                : op->code == 'q'                         ? PHASE_QUICK_EXIT
                                                          : PHASE_EXIT,
                op->number);
    return true;
}

/* A function that registers itself again and again is not judged. */
static bool register_call(Calls *calls, Clock *clock, int function)
{
    if (++calls->registered > AT_EXIT) {
        judged.undefined = true;
        return false;
    }
    calls->function[calls->count++] = function;
    clock_join(&calls->released, clock);
    *clock = calls->released;
    return true;
}

/* The thread is at the end of all its functions. Returns false if the program ends. */
static bool step_phase(Machine *m, int t)
{
    Thread *self = &m->thread[t];
    if (self->phase == PHASE_END) {
        if (self->value && self->rounds < ROUNDS) {
            self->value = 0;
            self->rounds++;
            call(self, SYNC_DESTRUCTOR);
            return true;
        }
        for (int i = 0; i < SYNC_MUTEXES; i++)
            if (program->kind[i] == 'b' && m->mutex[i].state == t + 1) {
                m->mutex[i].state = MUTEX_DIED;
                m->mutex[i].released = self->clock;
            }
        self->phase = PHASE_GONE;
        for (int u = 0; u < program->threads; u++)
            if (m->thread[u].created && m->thread[u].phase != PHASE_GONE)
                return true;
        /* the last one: as if it called exit(0), and all others happen before that */
        for (int u = 0; u < program->threads; u++)
            clock_join(&self->clock, &m->thread[u].clock);
        enter_phase(m, self, PHASE_EXIT, 0);
        memset(self->registers, 0, sizeof self->registers);
        return true;
    }
    Calls *calls = self->phase == PHASE_EXIT ? &m->at_exit : &m->at_quick_exit;
    if (!calls->count)
        return self->status && goes_wrong(WRONG_STATUS);
    clock_join(&self->clock, &calls->released);
    calls->released = self->clock;
    call(self, calls->function[--calls->count]);
    calls->function[calls->count] = 0;
    return true;
}

/* A function has come to its end. */
static void step_return(Machine *m, int t)
{
    Thread *self = &m->thread[t];
    if (self->depth == 1 && self->phase == PHASE_BODY) {
        enter_phase(m, self, t ? PHASE_END : PHASE_EXIT, 0);
        return;
    }
    if (self->frame[self->depth - 1].body == SYNC_THREADS + SYNC_ONCE) {
        m->once = 2;
        m->once_done = self->clock;
    }
    self->depth--;
}

static bool step_op(Machine *m, int t, const SyncOp *op, int choice, bool *done)
{
    Thread *self = &m->thread[t];
    bool good = true;
    *done = true;
    if (strchr("LTMUK", op->code))
        good = step_mutex(m, t, op);
    else if (strchr("ckSb", op->code))
        *done = step_cond(m, t, op, choice, &good);
    else if (strchr("DEdeu", op->code))
        good = step_rwlock(m, t, op);
    else if (strchr("PVYG", op->code))
        step_semaphore(m, t, op);
    else if (op->code == 'N')
        *done = step_barrier(m, t, op);
    else if (strchr("BJyF", op->code))
        *done = step_thread(m, t, op, &good);
    else if (strchr("Hhz", op->code))
        step_equal_threads(m, t, op);
    else if (op->code == 'X' || op->code == 'O')
        good = register_call(&m->at_exit, &self->clock, op->number);
    else if (op->code == 'Q')
        good = register_call(&m->at_quick_exit, &self->clock, op->number);
    else if (op->code == 'v')
        self->value = op->number;
    else if (op->code == 'g')
        self->registers[op->target] = self->value;
    else if (op->code == 'C')
        self->registers[op->target] = choice;
    else if (op->code == 'A')
        good = self->registers[op->target] != op->number || goes_wrong(WRONG_ASSERTION);
    else if (op->code == 'o' && m->once == 2)
        clock_join(&self->clock, &m->once_done);
    else if (op->code != 'o')
        step_cell(m, t, op);
    return good;
}

/* Performs the next step of T, with this choice; false if the path ends. */
static bool step(Machine *m, int t, int choice)
{
    Thread *self = &m->thread[t];
    bool done;
    self->clock.at[t]++;
    if (!self->depth)
        return step_phase(m, t);
    Frame *frame = &self->frame[self->depth - 1];
    if (frame->next >= program->length[frame->body]) {
        step_return(m, t);
        return true;
    }
    const SyncOp *op = op_of(m, t);
    if (strchr("pRxqi", op->code))
        return step_leave(m, t, op);
    if (op->code == 'o' && m->once == 0) {
        m->once = 1;
        frame->next++;
        call(self, SYNC_ONCE);
        return true;
    }
    bool good = step_op(m, t, op, choice, &done);
    if (done) {
        frame->next++;
        self->midway = self->looked = 0;
    }
    return good;
}

/* ---- the search ---- */

/* Skips what guards leave out; returns whether T is at an operation. */
static bool find_next(Machine *m, int t)
{
    Thread *self = &m->thread[t];
    if (!self->depth)
        return false;
    Frame *frame = &self->frame[self->depth - 1];
    while (!self->midway && frame->next < program->length[frame->body] &&
           !sync_enabled(op_of(m, t), self->registers))
        frame->next++;
    return frame->next < program->length[frame->body];
}

/* Can T go on with the operation that it stands at? */
static bool can_perform(const Machine *m, int t)
{
    const Thread *self = &m->thread[t];
    const SyncOp *op = op_of(m, t);
    switch (op->code) {
    case 'L':
        return !is_held(&m->mutex[op->about]) ||
               (m->mutex[op->about].state == t + 1 && strchr("re", program->kind[op->about]));
    case 'c':
    case 'k':
        if (self->midway == WAITS)
            return op->code == 'k';
        return self->midway == 0 || !is_held(&m->mutex[op->number % SYNC_MUTEXES]);
    case 'D':
        return !m->writer || m->writer == t + 1;
    case 'E':
        return m->writer == t + 1 || (!m->writer && !m->readers);
    case 'V':
        return m->semaphore > 0;
    case 'N':
        return self->midway != ARRIVED || m->arrived / program->barrier > self->round;
    case 'J':
        return self->midway != CLAIMED || m->thread[op->about].phase == PHASE_GONE;
    case 'h':
        for (int u = op->about; u < op->about + op->number; u++)
            if (m->thread[u].phase != PHASE_GONE)
                return false;
        return true;
    case 'o':
        return m->once != 1;
    case 'W':
        return m->cell[op->about % SYNC_CELLS].value == op->number;
    default:
        return true;
    }
}

static int choices(const Machine *m, int t)
{
    const SyncOp *op = op_of(m, t);
    return op->code == 'C' ? op->number : op->code == 'S' ? SYNC_THREADS : 1;
}

/* A signal wakes one of those who wait, if there is any. */
static bool can_choose(const Machine *m, int t, int choice)
{
    const SyncOp *op = op_of(m, t);
    if (op->code != 'S' || is_asleep(m, choice, op->about))
        return true;
    for (int u = 0; u < program->threads; u++)
        if (is_asleep(m, u, op->about))
            return false;
    return choice == 0;
}

static void search(const Machine *before);

static void search_thread(Machine *probe, int t, bool *any, bool *loops)
{
    Thread *self = &probe->thread[t];
    if (!self->created || self->phase == PHASE_GONE)
        return;
    bool at_operation = find_next(probe, t);
    if (at_operation && !can_perform(probe, t)) {
        if (op_of(probe, t)->code != 'W')
            return;
        *loops = true;
        if (!self->looked) { /* that read may race; once a loop is enough */
            self->looked = 1;
            self->clock.at[t]++;
            step_cell(probe, t, op_of(probe, t));
            search(probe);
        }
        return;
    }
    *any = true;
    for (int choice = 0; choice < (at_operation ? choices(probe, t) : 1); choice++) {
        Machine after = *probe;
        if (at_operation && !can_choose(probe, t, choice))
            continue;
        if (step(&after, t, choice))
            search(&after);
    }
}

static void search(const Machine *before)
{
    bool any = false, loops = false, absent;
    if (steps_left-- <= 0)
        return;
    hashmap_put(&seen, hash_bytes(before, sizeof *before, 5), &absent);
    if (!absent)
        return;
    for (int t = 0; t < program->threads; t++) {
        Machine probe = *before;
        search_thread(&probe, t, &any, &loops);
    }
    if (!any) /* a program that has ended has no successor, and does not come here */
        goes_wrong(loops ? WRONG_LIVELOCK : WRONG_DEADLOCK);
}

Judged machine_judge(const SyncProgram *what, bool is_cxx)
{
    Machine start;
    memset(&start, 0, sizeof start); /* padding is hashed */
    for (int t = 0; t < SYNC_THREADS; t++) {
        start.thread[t].clock.at[t] = 1;
        start.thread[t].frame[0].body = t;
        start.thread[t].depth = 1;
    }
    start.thread[0].created = 1;
    start.handle[0].value = 1;
    start.semaphore = what->semaphore;
    program = what;
    cxx = is_cxx;
    judged = (Judged){0};
    steps_left = MOST_STEPS;
    hashmap_clear(&seen);
    search(&start);
    judged.too_large = steps_left <= 0;
    return judged;
}
