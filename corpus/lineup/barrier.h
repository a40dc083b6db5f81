/* barrier.h: participants wait until all have arrived; then the next phase begins. Arrival is a
 * compare-and-swap on one word that holds how many take part, how many have arrived, the phase and
 * whether it is cancelled; the last one wakes the others. Not linearizable, as no barrier is: two that meet have each waited for the
 * other, which no serial run shows (L). */
#ifndef BARRIER_H
#define BARRIER_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define BARRIER_ARRIVED(word) ((word)&0xff)
#define BARRIER_TOTAL(word) ((word) >> 8 & 0xff)
#define BARRIER_PHASE(word) ((word) >> 16 & 0x7fff)
#define BARRIER_CANCEL 0x80000000u
#define BARRIER_WORD(phase, total, arrived) ((phase) << 16 | (total) << 8 | (arrived))

struct barrier {
    atomic_uint word;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

enum barrier_answer { BARRIER_PASSED, BARRIER_CANCELLED, BARRIER_ERROR };

static inline void barrier_init(struct barrier *b, unsigned participants)
{
    atomic_init(&b->word, BARRIER_WORD(0u, participants, 0u));
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
}

static inline void barrier_wake(struct barrier *b)
{
    pthread_mutex_lock(&b->lock);
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

/* The word when ARRIVED of TOTAL have arrived: the next phase if these are all. */
static inline unsigned barrier_next(unsigned phase, unsigned total, unsigned arrived)
{
    return arrived == total && total ? BARRIER_WORD(phase + 1, total, 0u)
                                     : BARRIER_WORD(phase, total, arrived);
}

static inline enum barrier_answer barrier_signal_and_wait(struct barrier *b)
{
    unsigned seen = atomic_load(&b->word), next, phase;
    do {
        phase = BARRIER_PHASE(seen);
        if (seen & BARRIER_CANCEL)
            return BARRIER_CANCELLED;
        if (!BARRIER_TOTAL(seen))
            return BARRIER_ERROR;
        next = barrier_next(phase, BARRIER_TOTAL(seen), BARRIER_ARRIVED(seen) + 1);
    } while (!atomic_compare_exchange_strong(&b->word, &seen, next));
    if (BARRIER_PHASE(next) != phase) {
        barrier_wake(b);
        return BARRIER_PASSED;
    }
    pthread_mutex_lock(&b->lock);
    while (seen = atomic_load(&b->word), BARRIER_PHASE(seen) == phase && !(seen & BARRIER_CANCEL))
        pthread_cond_wait(&b->changed, &b->lock);
    pthread_mutex_unlock(&b->lock);
    while (BARRIER_PHASE(seen) == phase) /* cancelled: it has not arrived after all */
        if (atomic_compare_exchange_strong(&b->word, &seen, seen - 1))
            return BARRIER_CANCELLED;
    return BARRIER_PASSED;
}

/* The phase in which it takes part. */
static inline unsigned barrier_add_participant(struct barrier *b)
{
    unsigned seen = atomic_load(&b->word);
    while (!atomic_compare_exchange_strong(&b->word, &seen, seen + BARRIER_WORD(0u, 1u, 0u)))
        ;
    return BARRIER_PHASE(seen);
}

/* False if there is none that has not arrived. */
static inline bool barrier_remove_participant(struct barrier *b)
{
    unsigned seen = atomic_load(&b->word), next;
    do {
        if (BARRIER_ARRIVED(seen) == BARRIER_TOTAL(seen))
            return false;
        next = barrier_next(BARRIER_PHASE(seen), BARRIER_TOTAL(seen) - 1, BARRIER_ARRIVED(seen)) |
               (seen & BARRIER_CANCEL);
    } while (!atomic_compare_exchange_strong(&b->word, &seen, next));
    if (BARRIER_PHASE(next) != BARRIER_PHASE(seen))
        barrier_wake(b);
    return true;
}

static inline void barrier_cancel(struct barrier *b)
{
    atomic_fetch_or(&b->word, BARRIER_CANCEL);
    barrier_wake(b);
}

static inline unsigned barrier_phase(struct barrier *b)
{
    return BARRIER_PHASE(atomic_load(&b->word));
}

static inline unsigned barrier_participants(struct barrier *b)
{
    return BARRIER_TOTAL(atomic_load(&b->word));
}

static inline unsigned barrier_remaining(struct barrier *b)
{
    unsigned word = atomic_load(&b->word);
    return BARRIER_TOTAL(word) - BARRIER_ARRIVED(word);
}
#endif
