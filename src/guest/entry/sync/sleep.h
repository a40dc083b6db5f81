/* sleep.h: threads that sleep until somebody wakes them, for condition variables and futexes.
 *
 * A set of waiters is a word with a bit for each waiting thread. A waiter enters with one
 * atomic OR; whoever takes its bit out must wake it, and only that one may: so a wake-up goes to a
 * thread that was waiting when it was given, never to one that came later, and no wake-up is lost.
 * Each sleep has a number; it ends when the thread's `woken` reaches it. Numbers only grow, so the
 * sleeper needs no second write to take note. */
#ifndef HEDDLE_ENTRY_SYNC_SLEEP_H
#define HEDDLE_ENTRY_SYNC_SLEEP_H
#include "guest/entry/guest.h"

unsigned guest_set_bytes(void); /* bytes of *WAITERS that are accessed */
uint64_t guest_sleep_enter(uint64_t *waiters, int order, const void *pc); /* the set before */
bool guest_sleep_leave(uint64_t *waiters, int order, const void *pc); /* false: was woken already */
/* Parts of these two, for who changes the set otherwise: a sleep begins, before the thread is in
 * the set; it was left, and FIRST, which is returned, tells that nobody had woken the thread. */
void guest_sleep_begin(void);
bool guest_sleep_left(bool first);
void guest_sleep(const void *pc, const char *object, const char *verb);
/* Sleeps until somebody ends it; false where that can't be waited for: the time is over. */
bool guest_sleep_timed(const void *pc, const char *object, const char *verb);
unsigned guest_wake_all(uint64_t *waiters, int order, const void *pc);
/* Its two halves: all waiters are taken out of the set; those of SET are woken. */
uint64_t guest_take_all(uint64_t *waiters, int order, const void *pc);
unsigned guest_wake_set(uint64_t set, const void *pc);
/* Wakes any one of the threads in *SEEN, the value last read from *WAITERS; false if none is
 * left. */
bool guest_wake_one(uint64_t *waiters, uint64_t *seen, int order, const void *pc);
#endif
