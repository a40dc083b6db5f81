/* Left-right (P. Ramalhete and A. Correia, Left-Right: A Concurrency Control Technique with Wait-Free Population Oblivious
 * Reads, 2013): there are two copies. Readers count themselves in on one of two counters, and read the copy that
 * `side' names. A writer changes the other copy, names that one, waits until nobody can read the first one any more (for
 * readers of both counters, one after the other, so that new ones can't hold it up), and repeats its change there.
 *
 * -DARRIVE_ORDER=memory_order_acq_rel  a reader may see the old side although the writer has not seen the reader
 * -DDEPART_ORDER=memory_order_relaxed  the writer does not wait for the reads of those who have left
 * -DNO_WAIT                            the writer does not wait for those who came before it turned the counters
 * -DWRONG_SIDE                         the writer begins with the copy that readers read */
#include <pthread.h>
#include <stdatomic.h>
#ifndef ARRIVE_ORDER
#define ARRIVE_ORDER memory_order_seq_cst
#define SIDE_ORDER memory_order_seq_cst
#else
#define SIDE_ORDER memory_order_acquire
#endif
#ifndef DEPART_ORDER
#define DEPART_ORDER memory_order_release
#endif

struct left_right {
    struct {
        int first, second;
    } copy[2];
    atomic_int side, version;
    atomic_int readers[2];
    pthread_mutex_t writers;
};
#define LEFT_RIGHT_INITIALIZER {.writers = PTHREAD_MUTEX_INITIALIZER}

static void left_right_read(struct left_right *l, int *first, int *second)
{
    int version = atomic_load(&l->version);
    atomic_fetch_add_explicit(&l->readers[version], 1, ARRIVE_ORDER);
    int side = atomic_load_explicit(&l->side, SIDE_ORDER);
    *first = l->copy[side].first;
    *second = l->copy[side].second;
    atomic_fetch_sub_explicit(&l->readers[version], 1, DEPART_ORDER);
}

static void left_right_add(struct left_right *l, int value)
{
    pthread_mutex_lock(&l->writers);
    int side = atomic_load_explicit(&l->side, memory_order_relaxed);
    int version = atomic_load_explicit(&l->version, memory_order_relaxed);
#ifdef WRONG_SIDE
    side = !side;
#endif
    l->copy[!side].first += value;
    l->copy[!side].second += value;
    atomic_store(&l->side, !side);
    while (atomic_load(&l->readers[!version]))
        ;
    atomic_store(&l->version, !version);
#ifndef NO_WAIT
    while (atomic_load(&l->readers[version]))
        ;
#endif
    l->copy[side].first += value;
    l->copy[side].second += value;
    pthread_mutex_unlock(&l->writers);
}
