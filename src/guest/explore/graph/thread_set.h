/* thread_set.h: sets of threads, as bits of a word; how many threads there are at most. */
#ifndef HEDDLE_EXPLORE_THREAD_SET_H
#define HEDDLE_EXPLORE_THREAD_SET_H
#include "record/layout.h"

typedef uint64_t ThreadSet;
_Static_assert(MAX_THREADS <= 64, "a set of threads is a word of 64 bits");

#define thread_bit(thread) ((ThreadSet)1 << (thread))

/* Returns the thread with the lowest number; SET is not empty. */
static inline int thread_first(ThreadSet set)
{
    return __builtin_ctzll(set);
}

/* Programs with few threads pay nothing for those with many: they use the first half of clocks.
 * When a program creates its 32nd thread, exploration begins again with whole clocks, and does so
 * from then on (FACT_many_threads). */
#define FEW_THREADS 32
/* Clocks are 0 from here on as long as only threads with smaller numbers have had events, and
 * nothing of them is copied or compared there. */
#define SOME_THREADS 8
#endif
