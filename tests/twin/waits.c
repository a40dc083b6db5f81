/* waits.c: an ordinary threaded program that performs a text of accesses and of every kind of loop
 * that waits or retries, for comparing two ways to explore by their outcomes: what each thread
 * returns, and the cells at the end. HEDDLE_TWIN_PROGRAM has one word a thread, separated by
 * blanks; letters with the digit of a cell each: W V Z  store 1, 2, 0 (release; w v z: relaxed) R r
 * load (acquire; relaxed)     A  add 1 F f    spin until the cell is not zero (acquire; relaxed) G
 * spin until it is zero E      spin until it is not zero, and forget what was seen C c    add 1 by
 * compare-exchange: retry with the value found; load again I i    the same at most twice B b read
 * the cell, the other one, the cell again until both reads agree (acquire; relaxed) H      as a
 * Michael-Scott queue: read the cell, the other one, the cell again; help, or link Q q    a seqlock
 * on the cell: read the other cell; write it X x    take and release a spin lock (test, then
 * exchange)       K k  a ticket lock N      read the cell until two reads in a row agree D d  as
 * the dequeuer of that queue, on this cell and the two after it: find it empty, help, or take
 * (acquire; relaxed) S s T  an exchange for 1 that is a
 * load and a compare-exchange, which may write 1 over 1: until it finds 0, as the lock that X takes
 * (acquire; relaxed, then a seq_cst fence); once, of the cell   y  release that lock (a seq_cst
 * fence, then relaxed) U u O o  take and release a reader-writer lock by such an exchange, as a
 * writer; as a reader, who counts itself in, and out again if there is a writer   e h  look at that
 * count; wait until it is not zero j g  count up and return what was there; count up twice and down
 * by two P p    wait at a barrier (0 is for two threads, 1 for three); and return whether it was
 * this call that got PTHREAD_BARRIER_SERIAL_THREAD. There are three cells. */
#define EXAMPLE "C0 C0"
#include "texts.h"

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release

static atomic_int cells[3], spin_locks[2], tickets[2], owners[2], writers[2], readers[2];
static pthread_barrier_t barriers[2];

__attribute__((constructor)) static void make_barriers(void)
{
    pthread_barrier_init(&barriers[0], NULL, 2);
    pthread_barrier_init(&barriers[1], NULL, 3);
}

static int add_by_exchange(atomic_int *cell, int reload, int tries)
{
    int found = load_relaxed(cell);
    while (!atomic_compare_exchange_strong_explicit(cell, &found, found + 1, memory_order_acq_rel,
                                                    ACQUIRE)) {
        if (--tries == 0)
            return 9;
        if (reload)
            found = load_relaxed(cell);
    }
    return found;
}

static int read_until_equal(atomic_int *first, atomic_int *second, int order)
{
    int found, other;
    do {
        found = order == RELAXED ? load_relaxed(first) : atomic_load_explicit(first, ACQUIRE);
        other = atomic_load_explicit(second, ACQUIRE);
    } while (load_relaxed(first) != found);
    return found * 3 + other;
}

static int help_or_link(atomic_int *tail, atomic_int *link)
{
    for (;;) {
        int last = atomic_load_explicit(tail, ACQUIRE);
        int next = atomic_load_explicit(link, ACQUIRE);
        if (last != atomic_load_explicit(tail, ACQUIRE))
            continue;
        if (next) {
            atomic_compare_exchange_strong_explicit(tail, &last, last + 1, RELEASE, RELAXED);
            return last;
        }
        if (atomic_compare_exchange_strong_explicit(link, &next, 2, RELEASE, RELAXED))
            return last + 5;
    }
}

static int take(atomic_int *head, atomic_int *tail, atomic_int *link, int order)
{
    for (;;) {
        int relaxed = order == RELAXED;
        int first = relaxed ? load_relaxed(head) : atomic_load_explicit(head, ACQUIRE);
        int last = relaxed ? load_relaxed(tail) : atomic_load_explicit(tail, ACQUIRE);
        int next = relaxed ? load_relaxed(link) : atomic_load_explicit(link, ACQUIRE);
        if (first != atomic_load_explicit(head, ACQUIRE))
            continue;
        if (!next)
            return 9;
        if (first == last)
            atomic_compare_exchange_strong_explicit(tail, &last, last + 1, RELEASE, RELAXED);
        else if (atomic_compare_exchange_strong_explicit(head, &first, first + 1, RELEASE, RELAXED))
            return first + next;
    }
}

static int seqlock_read(atomic_int *sequence, atomic_int *data)
{
    int before, seen;
    do {
        while ((before = atomic_load_explicit(sequence, ACQUIRE)) & 1) {
        }
        seen = load_relaxed(data);
        atomic_thread_fence(ACQUIRE);
    } while (load_relaxed(sequence) != before);
    return before * 3 + seen;
}

static void seqlock_write(atomic_int *sequence, atomic_int *data)
{
    int before = load_relaxed(sequence);
    do {
        while (before & 1)
            before = load_relaxed(sequence);
    } while (!atomic_compare_exchange_strong_explicit(sequence, &before, before + 1,
                                                      memory_order_acq_rel, RELAXED));
    atomic_thread_fence(RELEASE);
    store_relaxed(data, 2);
    atomic_store_explicit(sequence, before + 2, RELEASE);
}

static int exchange_by_parts(atomic_int *cell, int success)
{
    int found = load_relaxed(cell);
    while (success == ACQUIRE
               ? !atomic_compare_exchange_strong_explicit(cell, &found, 1, ACQUIRE, ACQUIRE)
               : !atomic_compare_exchange_strong_explicit(cell, &found, 1, RELAXED, RELAXED)) {
    }
    return found;
}

static void lock_to_write(int n)
{
    while (exchange_by_parts(&writers[n], RELAXED)) {
    }
    atomic_thread_fence(memory_order_seq_cst);
    while (load_relaxed(&readers[n])) {
    }
    atomic_thread_fence(ACQUIRE);
}

static void lock_to_read(int n)
{
    for (;;) {
        while (load_relaxed(&writers[n])) {
        }
        atomic_fetch_add_explicit(&readers[n], 1, RELAXED);
        atomic_thread_fence(memory_order_seq_cst);
        if (!load_relaxed(&writers[n]))
            break;
        atomic_fetch_sub_explicit(&readers[n], 1, RELAXED);
    }
    atomic_thread_fence(ACQUIRE);
}

static int step(char what, int n)
{
    atomic_int *cell = &cells[n], *other = &cells[(n + 1) % 3];
    int a, b;
    switch (what) {
    case 'W':
        atomic_store_explicit(cell, 1, RELEASE);
        return 0;
    case 'V':
        atomic_store_explicit(cell, 2, RELEASE);
        return 0;
    case 'Z':
        atomic_store_explicit(cell, 0, RELEASE);
        return 0;
    case 'w':
        store_relaxed(cell, 1);
        return 0;
    case 'v':
        store_relaxed(cell, 2);
        return 0;
    case 'z':
        store_relaxed(cell, 0);
        return 0;
    case 'R':
        return atomic_load_explicit(cell, ACQUIRE);
    case 'r':
        return load_relaxed(cell);
    case 'A':
        return atomic_fetch_add_explicit(cell, 1, memory_order_acq_rel);
    case 'F':
        while (!(a = atomic_load_explicit(cell, ACQUIRE))) {
        }
        return a;
    case 'f':
        while (!(a = load_relaxed(cell))) {
        }
        return a;
    case 'G':
        while (atomic_load_explicit(cell, ACQUIRE)) {
        }
        return 0;
    case 'E':
        while (!atomic_load_explicit(cell, ACQUIRE)) {
        }
        return 0;
    case 'C':
        return add_by_exchange(cell, 0, -1);
    case 'c':
        return add_by_exchange(cell, 1, -1);
    case 'I':
        return add_by_exchange(cell, 0, 2);
    case 'i':
        return add_by_exchange(cell, 1, 2);
    case 'B':
        return read_until_equal(cell, other, ACQUIRE);
    case 'b':
        return read_until_equal(cell, other, RELAXED);
    case 'H':
        return help_or_link(cell, other);
    case 'Q':
        return seqlock_read(cell, other);
    case 'q':
        seqlock_write(cell, other);
        return 0;
    case 'D':
    case 'd':
        return take(cell, other, &cells[(n + 2) % 3], what == 'D' ? ACQUIRE : RELAXED);
    case 'N':
        do {
            a = atomic_load_explicit(cell, ACQUIRE);
            b = atomic_load_explicit(cell, ACQUIRE);
        } while (a != b);
        return a;
    case 'X':
        do
            while (load_relaxed(&spin_locks[n])) {
            }
        while (atomic_exchange_explicit(&spin_locks[n], 1, ACQUIRE));
        return 0;
    case 'x':
        atomic_store_explicit(&spin_locks[n], 0, RELEASE);
        return 0;
    case 'y':
        atomic_thread_fence(memory_order_seq_cst);
        store_relaxed(&spin_locks[n], 0);
        return 0;
    case 'S':
        while (exchange_by_parts(&spin_locks[n], ACQUIRE)) {
        }
        return 0;
    case 's':
        while (exchange_by_parts(&spin_locks[n], RELAXED)) {
        }
        atomic_thread_fence(memory_order_seq_cst);
        return 0;
    case 'T':
        return exchange_by_parts(cell, ACQUIRE);
    case 'U':
        lock_to_write(n);
        return 0;
    case 'u':
        atomic_thread_fence(RELEASE);
        store_relaxed(&writers[n], 0);
        return 0;
    case 'O':
        lock_to_read(n);
        return 0;
    case 'o':
        atomic_fetch_sub_explicit(&readers[n], 1, RELEASE);
        return 0;
    case 'e':
        return load_relaxed(&readers[n]);
    case 'h':
        while (!(a = load_relaxed(&readers[n]))) {
        }
        return a;
    case 'j':
        return atomic_fetch_add_explicit(&readers[n], 1, ACQUIRE);
    case 'g':
        atomic_fetch_add_explicit(&readers[n], 1, RELAXED);
        atomic_fetch_add_explicit(&readers[n], 1, RELAXED);
        atomic_fetch_sub_explicit(&readers[n], 2, RELAXED);
        return 0;
    case 'K':
        a = atomic_fetch_add_explicit(&tickets[n], 1, RELAXED);
        while (atomic_load_explicit(&owners[n], ACQUIRE) != a) {
        }
        return a;
    case 'k':
        atomic_fetch_add_explicit(&owners[n], 1, RELEASE);
        return 0;
    case 'P':
        pthread_barrier_wait(&barriers[n]);
        return 0;
    case 'p':
        return pthread_barrier_wait(&barriers[n]) == PTHREAD_BARRIER_SERIAL_THREAD;
    default:
        abort();
    }
}

static long perform(const char *word)
{
    long seen = 1;
    for (const char *at = word; *at && *at != ' '; at += 2)
        seen = seen * 31 + step(at[0], at[1] - '0');
    return seen;
}
