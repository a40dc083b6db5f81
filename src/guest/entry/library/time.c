/* time.c: virtual clocks and sleeping.
 *
 * The order of threads is explored, their speed is not: sleeping has no effect but to move the
 * sleeper's clock. Each thread has a clock of its own, which starts where its creator's stood. Each
 * reading moves it on: the first one at a place in the program by a microsecond, each later one
 * there by sixteen times as much as the one before. So a loop that waits for a deadline ends after
 * few rounds. When a timed wait gives up, the clock moves to its deadline. This is one of the
 * possible timings; a remark says so.
 *
 * A loop that reads the clock in each round, without looking at what it reads, would be in another
 * state each time. So the clock stops, a century later, when it was read MOST_LOOKS times at one
 * place: from then on rounds for nothing are the same and are seen to wait. A thread that would end
 * such a loop if time went on is not stuck: an execution that ends so is given up, by name.
 *
 * With --clock=choose there is one clock. A reading is a step on it, in all orders with those of
 * other threads, and gives the latest time that anybody has read, or a later one: both are
 * explored.
 *
 * A program that never reads a clock can't tell how long it slept. So until one is read, sleeping
 * changes nothing at all: a thread that sleeps in a loop until something has changed is in the same
 * state in every round, and is seen to wait (guest/explore/reduce/waiting/waiting.h). Exploration
 * begins again when the first clock is read. */
#include "guest/entry/guest.h"
#include <poll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include "guest/entry/library/hidden.h"
#include "guest/runtime/native.h"

#define SECOND UINT64_C(1000000000)
/* Where every clock starts: some day in 2020, and an hour of uptime. */
#define REALTIME_START (UINT64_C(1580000000) * SECOND)
#define MONOTONIC_START (UINT64_C(3600) * SECOND)
#define END_OF_TIME (UINT64_C(100) * 365 * 86400 * SECOND)
#define FIRST_STEP UINT64_C(1000)
#define LONGEST (time_t)(END_OF_TIME / SECOND)
enum { MOST_LOOKS = 8 };

int __wrap_gettimeofday(struct timeval *restrict now, void *restrict zone);
time_t __wrap_time(time_t *now);
clock_t __wrap_clock(void);
int __wrap_timespec_get(struct timespec *now, int base);
unsigned __wrap_sleep(unsigned seconds);
int __wrap_usleep(useconds_t microseconds);
clock_t __wrap_times(struct tms *buffer);
int __wrap_sched_getcpu(void);

/* Learnt once, kept when exploration begins again. */
static bool clock_is_read, sleep_left_out;

/* How often the thread has read the clock at PLACE before, up to MOST_LOOKS; counts this time. */
static unsigned count_look(GuestThread *self, uint64_t place)
{
    DEBUG_ASSERT(self == guest_current());
    unsigned i = 0;
    while (i < GUEST_LOOKS && self->looks[i].place != place)
        i++;
    if (i == GUEST_LOOKS) {
        i = self->last_look % GUEST_LOOKS;
        guest_set(self->last_look, i + 1);
        guest_set(self->looks[i].place, place);
        guest_set(self->looks[i].count, 0);
    }
    unsigned count = (unsigned)self->looks[i].count;
    if (count < MOST_LOOKS)
        guest_set(self->looks[i].count, count + 1);
    return count;
}

static void move_to(GuestThread *self, uint64_t time)
{
    if (self->clock < MIN(time, END_OF_TIME))
        guest_set(self->clock, MIN(time, END_OF_TIME));
}

/* Does the clock stand still since it was last read? */
static bool stands_still(GuestThread *self, const void *pc)
{
    unsigned most = guest_options.clock_equals;
    if (most)
        op_warning("readings of the clock come in any order; one equals the last one at most %u "
                   "times a thread",
                   most);
    else
        op_warning("readings of the clock come in any order, each later than all before it, or "
                   "equal to the last one");
    if ((most && self->clock_equals >= most) || !op_choose(2, pc))
        return false;
    if (most)
        guest_set(self->clock_equals, self->clock_equals + 1);
    return true;
}

/* Takes the one clock to where the thread's is, if that is later, and STEP on; and the thread's to
 * it. [switch] */
static void move_common(GuestThread *self, uint64_t step, const void *pc)
{
    hidden_enter('D', 'o', pc);
    uint64_t *common = hidden_cell('D');
    uint64_t now = MIN(MAX(*common, self->clock) + step, END_OF_TIME);
    if (now != *common)
        guest_set(*common, now);
    move_to(self, now);
    hidden_leave('D', 'o', pc);
}

/* Places are told apart by the caller and its frame, since the C++ library reads the clock for many
 * of them. */
static uint64_t clock_read(const void *pc, const void *frame)
{
    GuestThread *self = guest_current();
    clock_is_read = true;
    if (op_active()) {
        if (sleep_left_out) {
            sleep_left_out = false;
            op_begin_again();
        }
        op_warning("the program reads the clock; the times it sees are made up");
    }
    bool chosen = guest_options.clock_chosen && op_active();
    if (self->clock == END_OF_TIME) {
        op_note_time_over(pc);
        return END_OF_TIME;
    }
    unsigned looks = count_look(self, (uintptr_t)pc ^ (uintptr_t)frame << 32);
    uint64_t step = looks < MOST_LOOKS ? FIRST_STEP << 4 * looks : END_OF_TIME;
    if (chosen)
        move_common(self, looks < MOST_LOOKS && stands_still(self, pc) ? 0 : step, pc);
    else
        move_to(self, self->clock + step);
    return self->clock;
}

static uint64_t start_of(clockid_t clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
        return REALTIME_START;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        return 0;
    default:
        return MONOTONIC_START;
    }
}

uint64_t time_cycles(void)
{
    return clock_read(__builtin_return_address(0), __builtin_frame_address(0)) + MONOTONIC_START;
}

void time_pass(const struct timespec *duration)
{
    GuestThread *self = guest_current();
    if (!duration || duration->tv_sec < 0)
        return;
    if (!clock_is_read)
        sleep_left_out = true;
    else
        move_to(self, self->clock + (uint64_t)MIN(duration->tv_sec, LONGEST) * SECOND +
                          (uint64_t)duration->tv_nsec);
}

/* The thread has slept: nobody reads an earlier time after it has gone on. */
static void wake(const void *pc)
{
    if (guest_options.clock_chosen && clock_is_read && op_active())
        move_common(guest_current(), 0, pc);
}

/* Which clock a deadline belongs to follows from its size: they start decades apart. */
void time_pass_until(const struct timespec *when)
{
    GuestThread *self = guest_current();
    if (!when || when->tv_sec < 0)
        return;
    uint64_t deadline = (uint64_t)when->tv_sec * SECOND + (uint64_t)when->tv_nsec;
    uint64_t start = deadline >= REALTIME_START ? REALTIME_START : MONOTONIC_START;
    if (deadline > start)
        move_to(self, deadline - start);
}

/* Becomes clock_gettime when the runtime is linked: what the runtime itself calls by that name is
 * the system's (see the Makefile). */
GUEST int heddle_user_clock_gettime(clockid_t clock, struct timespec *now);
int heddle_user_clock_gettime(clockid_t clock, struct timespec *now)
{
    const void *pc = GUEST_PC;
    if (!op_active())
        return native_clock_gettime(clock, now);
    uint64_t time = clock_read(GUEST_PC, __builtin_frame_address(0)) + start_of(clock);
    struct timespec value = {.tv_sec = (time_t)(time / SECOND), .tv_nsec = (long)(time % SECOND)};
    guest_store(now, &value, sizeof value, pc);
    return 0;
}

GUEST int __wrap_timespec_get(struct timespec *now, int base)
{
    return base == TIME_UTC && heddle_user_clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
}

GUEST int __wrap_gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    const void *pc = GUEST_PC;
    if (!op_active())
        return gettimeofday(now, zone);
    uint64_t time = clock_read(GUEST_PC, __builtin_frame_address(0)) + REALTIME_START;
    struct timeval value = {.tv_sec = (time_t)(time / SECOND),
                            .tv_usec = (suseconds_t)(time % SECOND / 1000)};
    guest_store(now, &value, sizeof value, pc);
    return 0;
}

GUEST time_t __wrap_time(time_t *now)
{
    const void *pc = GUEST_PC;
    if (!op_active())
        return time(now);
    time_t value =
        (time_t)((clock_read(GUEST_PC, __builtin_frame_address(0)) + REALTIME_START) / SECOND);
    if (now)
        guest_store(now, &value, sizeof value, pc);
    return value;
}

GUEST clock_t __wrap_clock(void)
{
    return op_active() ? (clock_t)(clock_read(GUEST_PC, __builtin_frame_address(0)) / 1000)
                       : clock();
}

GUEST clock_t __wrap_times(struct tms *buffer)
{
    const void *pc = GUEST_PC;
    if (!op_active())
        return times(buffer);
    clock_t ticks = (clock_t)(clock_read(GUEST_PC, __builtin_frame_address(0)) / (SECOND / 100));
    struct tms value = {.tms_utime = ticks};
    guest_store(buffer, &value, sizeof value, pc);
    return ticks;
}

/* ---- sleeping ---- */

static void slept(const struct timespec *duration, struct timespec *left, const void *pc)
{
    struct timespec zero = {0};
    guest_will_read(duration, sizeof *duration, pc);
    time_pass(duration);
    wake(pc);
    if (left)
        guest_store(left, &zero, sizeof zero, pc);
}

GUEST int nanosleep(const struct timespec *duration, struct timespec *left)
{
    slept(duration, left, GUEST_PC);
    return 0;
}

GUEST int clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration,
                          struct timespec *left)
{
    (void)clock;
    if (flags & TIMER_ABSTIME) {
        guest_will_read(duration, sizeof *duration, GUEST_PC);
        time_pass_until(duration);
        wake(GUEST_PC);
        return 0;
    }
    slept(duration, left, GUEST_PC);
    return 0;
}

GUEST int thrd_sleep(const struct timespec *duration, struct timespec *left)
{
    slept(duration, left, GUEST_PC);
    return 0;
}

GUEST unsigned __wrap_sleep(unsigned seconds)
{
    time_pass(&(struct timespec){.tv_sec = (time_t)seconds});
    wake(GUEST_PC);
    return 0;
}

GUEST int __wrap_usleep(useconds_t microseconds)
{
    time_pass(&(struct timespec){.tv_sec = microseconds / 1000000,
                                 .tv_nsec = (long)(microseconds % 1000000) * 1000});
    wake(GUEST_PC);
    return 0;
}

/* Waiting for nothing but time is sleeping, too: poll(NULL, 0, 10). */

/* The program gave the duration as BYTES at GIVEN, or by value if these are NULL. */
static int only_slept(bool only, const struct timespec *duration, const char *name,
                      const void *given, size_t bytes, const void *pc)
{
    if (!only)
        op_unsupported_at(pc, "the program talks to the outside world (%s)", name);
    if (given)
        guest_will_read(given, bytes, pc);
    time_pass(duration);
    return 0;
}

GUEST int poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    (void)files;
    struct timespec duration = {.tv_sec = milliseconds / 1000,
                                .tv_nsec = (long)(milliseconds % 1000) * 1000000};
    return only_slept(!count && milliseconds >= 0, &duration, "poll", NULL, 0, GUEST_PC);
}

GUEST int ppoll(struct pollfd *files, nfds_t count, const struct timespec *duration,
                const sigset_t *mask)
{
    (void)files;
    return only_slept(!count && duration && !mask, duration, "ppoll", duration, sizeof *duration,
                      GUEST_PC);
}

GUEST int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict urgent,
                 struct timeval *restrict time)
{
    (void)count;
    struct timespec duration = {.tv_sec = time ? time->tv_sec : 0,
                                .tv_nsec = time ? time->tv_usec * 1000 : 0};
    return only_slept(!in && !out && !urgent && time, &duration, "select", time, sizeof *time,
                      GUEST_PC);
}

GUEST int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict urgent,
                  const struct timespec *restrict duration, const sigset_t *restrict mask)
{
    (void)count;
    return only_slept(!in && !out && !urgent && duration && !mask, duration, "pselect", duration,
                      sizeof *duration, GUEST_PC);
}

/* There are as many processors as threads, and each thread stays on its own. */
GUEST int __wrap_sched_getcpu(void)
{
    op_note_identity();
    return (int)guest_self();
}
