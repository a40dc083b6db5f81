/* clocks.h: happens-before by vector clocks, for machines that perform interleavings. */
#ifndef HEDDLE_TWIN_CLOCKS_H
#define HEDDLE_TWIN_CLOCKS_H
#include "base/common.h"

enum { CLOCK_THREADS = 4 };
typedef struct Clock {
    unsigned char at[CLOCK_THREADS];
} Clock;
typedef struct Place { /* of memory */
    int value, written;
    Clock released;                          /* by the write that is there, and RMWs since */
    unsigned char when[CLOCK_THREADS][2][2]; /* last access by thread: plain?, write? */
} Place;

static inline void clock_join(Clock *to, const Clock *from)
{
    for (int i = 0; i < CLOCK_THREADS; i++)
        to->at[i] = MAX(to->at[i], from->at[i]);
}

/* Notes an access by T, whose clock is NOW; returns whether it races with one of another thread. */
static inline bool place_touch(Place *place, int t, const Clock *now, bool plain, bool write)
{
    bool races = false;
    for (int u = 0; u < CLOCK_THREADS; u++)
        for (int p = 0; u != t && p < 2; p++)
            for (int w = 0; w < 2; w++)
                races |= (p || plain) && (w || write) && place->when[u][p][w] > now->at[u];
    place->when[t][plain][write] = now->at[t];
    return races;
}

/* Performs a seq_cst access by a thread with the clock NOW: reads, writes VALUE (or adds it), or
 * only one of the two. Returns what was there. */
static inline int place_access(Place *place, Clock *now, bool reads, bool writes, int value,
                               bool adds)
{
    int old = place->value;
    if (reads)
        clock_join(now, &place->released);
    if (writes) {
        place->value = adds ? old + value : value;
        place->written = 1;
        if (reads)
            clock_join(&place->released, now);
        else
            place->released = *now;
    }
    return old;
}
#endif
