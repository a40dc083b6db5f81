/* polls.c: an ordinary threaded program that performs a text of loops that take a lock only to
 * look, for comparing two ways to explore by their outcomes. HEDDLE_TWIN_PROGRAM has one word a
 * thread, separated by blanks; letters with the digit of a lock or cell each:
 * M m  look under mutex until its flag is set; set it     n    take it back, under the mutex
 * T t  look by trylock until it is set; try once, and return whether the mutex was free
 * P    look at the atomic cell, else by trylock, until one of them is set
 * D e  look under a read lock; set its flag under the write lock  d    try once to read lock
 * S s  look under a spin lock; set its flag               A    look at an atomic cell under a mutex
 * X x  look under a lock made by exchanges; set its flag  y    try it once
 * C c  the same by loads and compare-exchanges, with fences  z  set its flag, but wait by loads
 * after a failed try E f  count itself in, look, unless there is a writer, and count itself out;
 * set the flag as the writer, who waits until nobody is in   G    the same as E, after a pause as
 * long as there are others in   B    look at an atomic cell under the
 * lock made by exchanges N    look at flag n under mutexes n and the other one   W R  store 1 to a
 * cell; load it The search that does not know sections (plain-search) looks LIMIT times, then the
 * thread gives up, and the execution has no outcome: main says whether its wait would have ended
 * (dead1) or not (dead2: threads are stuck). LIMIT rounds are enough: of those that find nothing
 * only as many matter as other threads have tried the lock meanwhile. */
#define EXAMPLE "M0 m0"
#define CONCLUDES
#include "texts.h"

#define LIMIT 3

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rwlocks[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static pthread_spinlock_t spins[2];
static int flags[2], read_flags[2], spin_flags[2];
static atomic_int cells[2], ended, exchanged[2], compared[2];
static atomic_int writers[2], readers[2];
static int exchange_flags[2], compare_flags[2], counted_flags[2];
static int is_limited;
/* By thread: the letter and digit at which it did, or 0. Equal threads may share one. */
static atomic_char gave_up[8], number_of[8];

__attribute__((constructor)) static void prepare(void)
{
    const char *how = getenv("HEDDLE_DEBUG");
    is_limited = how && strstr(how, "plain-search");
    pthread_spin_init(&spins[0], 0);
    pthread_spin_init(&spins[1], 0);
}

static void exchange_lock(int n)
{
    while (atomic_exchange_explicit(&exchanged[n], 1, memory_order_acquire)) {
    }
}

static void exchange_unlock(int n)
{
    atomic_store_explicit(&exchanged[n], 0, memory_order_release);
}

static void compare_lock(int n)
{
    int free;
    do {
        while (atomic_load_explicit(&compared[n], memory_order_relaxed)) {
        }
        free = 0;
    } while (!atomic_compare_exchange_strong_explicit(&compared[n], &free, 1, memory_order_relaxed,
                                                      memory_order_relaxed));
    atomic_thread_fence(memory_order_acquire);
}

static void compare_unlock(int n)
{
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&compared[n], 0, memory_order_relaxed);
}

/* An attempt first, then loads. */
static void eager_lock(int n)
{
    while (atomic_exchange_explicit(&compared[n], 1, memory_order_acquire))
        while (atomic_load_explicit(&compared[n], memory_order_relaxed)) {
        }
}

static int look(char what, int n)
{
    int found = 0;
    switch (what) {
    case 'M':
        pthread_mutex_lock(&mutexes[n]);
        found = flags[n];
        pthread_mutex_unlock(&mutexes[n]);
        break;
    case 'T':
        if (pthread_mutex_trylock(&mutexes[n]) == 0) {
            found = flags[n];
            pthread_mutex_unlock(&mutexes[n]);
        }
        break;
    case 'P':
        found = atomic_load_explicit(&cells[n], memory_order_acquire);
        if (!found && pthread_mutex_trylock(&mutexes[n]) == 0) {
            found = flags[n];
            pthread_mutex_unlock(&mutexes[n]);
        }
        break;
    case 'D':
        pthread_rwlock_rdlock(&rwlocks[n]);
        found = read_flags[n];
        pthread_rwlock_unlock(&rwlocks[n]);
        break;
    case 'S':
        pthread_spin_lock(&spins[n]);
        found = spin_flags[n];
        pthread_spin_unlock(&spins[n]);
        break;
    case 'A':
        pthread_mutex_lock(&mutexes[n]);
        found = atomic_load_explicit(&cells[n], memory_order_relaxed);
        pthread_mutex_unlock(&mutexes[n]);
        break;
    case 'X':
        exchange_lock(n);
        found = exchange_flags[n];
        exchange_unlock(n);
        break;
    case 'B':
        exchange_lock(n);
        found = atomic_load_explicit(&cells[n], memory_order_relaxed);
        exchange_unlock(n);
        break;
    case 'C':
        compare_lock(n);
        found = compare_flags[n];
        compare_unlock(n);
        break;
    case 'G':
        for (volatile int i = atomic_load_explicit(&readers[n], memory_order_relaxed); i > 0; i--) {
        }
        /* fallthrough */
    case 'E':
        atomic_fetch_add(&readers[n], 1);
        found = !atomic_load(&writers[n]) && counted_flags[n];
        atomic_fetch_sub(&readers[n], 1);
        break;
    default: /* in one order, so that nobody is stuck for that */
        pthread_mutex_lock(&mutexes[0]);
        pthread_mutex_lock(&mutexes[1]);
        found = flags[n];
        pthread_mutex_unlock(&mutexes[1]);
        pthread_mutex_unlock(&mutexes[0]);
    }
    return found;
}

/* Returns 1, or 0 if it gives up. */
static int wait_for(char what, int n)
{
    if (!is_limited) {
        while (!look(what, n)) {
        }
        return 1;
    }
    for (int i = 0; i < LIMIT; i++)
        if (look(what, n))
            return 1;
    return 0;
}

static int try_once(pthread_mutex_t *mutex)
{
    if (pthread_mutex_trylock(mutex))
        return 0;
    pthread_mutex_unlock(mutex);
    return 1;
}

static int try_to_read(pthread_rwlock_t *lock)
{
    if (pthread_rwlock_tryrdlock(lock))
        return 0;
    pthread_rwlock_unlock(lock);
    return 1;
}

static int try_exchange(int n)
{
    if (atomic_exchange_explicit(&exchanged[n], 1, memory_order_acquire))
        return 0;
    exchange_unlock(n);
    return 1;
}

static void set(char what, int n)
{
    if (what == 'm' || what == 'n') {
        pthread_mutex_lock(&mutexes[n]);
        flags[n] = what == 'm';
        pthread_mutex_unlock(&mutexes[n]);
    } else if (what == 'e') {
        pthread_rwlock_wrlock(&rwlocks[n]);
        read_flags[n] = 1;
        pthread_rwlock_unlock(&rwlocks[n]);
    } else if (what == 'x') {
        exchange_lock(n);
        exchange_flags[n] = 1;
        exchange_unlock(n);
    } else if (what == 'f') {
        while (atomic_exchange(&writers[n], 1)) {
        }
        while (atomic_load(&readers[n])) {
        }
        counted_flags[n] = 1;
        atomic_store(&writers[n], 0);
    } else if (what == 'c' || what == 'z') {
        if (what == 'c')
            compare_lock(n);
        else
            eager_lock(n);
        compare_flags[n] = 1;
        compare_unlock(n);
    } else {
        pthread_spin_lock(&spins[n]);
        spin_flags[n] = 1;
        pthread_spin_unlock(&spins[n]);
    }
}

/* Notes that the present thread gives up at this letter; main is told by the end of the thread. */
static void give_up(const char *at)
{
    int word = 0;
    for (const char *c = text; c < at; c++)
        word += *c == ' ';
    atomic_store_explicit(&gave_up[word], at[0], memory_order_relaxed);
    atomic_store_explicit(&number_of[word], at[1], memory_order_relaxed);
}

static long perform(const char *word)
{
    long seen = 1;
    for (const char *at = word; *at && *at != ' '; at += 2) {
        int n = at[1] - '0', found = 0;
        switch (at[0]) {
        case 'm':
        case 'n':
        case 'e':
        case 's':
        case 'x':
        case 'c':
        case 'z':
        case 'f':
            set(at[0], n);
            break;
        case 'y':
            found = try_exchange(n);
            break;
        case 't':
            found = try_once(&mutexes[n]);
            break;
        case 'd':
            found = try_to_read(&rwlocks[n]);
            break;
        case 'W':
            atomic_store_explicit(&cells[n], 1, memory_order_release);
            break;
        case 'R':
            found = atomic_load_explicit(&cells[n], memory_order_acquire);
            break;
        default:
            if (!wait_for(at[0], n)) {
                give_up(at);
                return 0;
            }
        }
        seen = seen * 31 + found;
    }
    return seen;
}

/* After all threads have ended. */
static void conclude(void)
{
    int any = 0, in_vain = 1;
    for (int i = 0; i < 8; i++)
        if (gave_up[i]) { /* all threads are joined */
            any = 1;
            in_vain &= !look(gave_up[i], number_of[i] - '0');
        }
    if (any)
        atomic_store_explicit(&ended, in_vain ? 0xdead2 : 0xdead1, memory_order_relaxed);
}
