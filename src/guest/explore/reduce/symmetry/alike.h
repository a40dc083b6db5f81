/* alike.h: threads that nothing tells apart, so that one execution stands for all that differ only
 * in which of them did what (copies.c). The statement, and why no outcome is lost:
 * doc/proofs/symmetry.md. */
#ifndef HEDDLE_EXPLORE_SYMMETRY_ALIKE_H
#define HEDDLE_EXPLORE_SYMMETRY_ALIKE_H
#include "guest/explore/search/rules.h"

typedef struct AlikeState {
    /* Does the search that runs leave out copies? */
    bool active;
    /* Has it met threads that are alike, since the graph was empty? */
    bool met;
    /* The threads that have ever been like another one. */
    ThreadSet ever;
    /* How many threads that are alike it has met at most in one execution, in all its searches. */
    uint32_t most;
    /* Set before an exploration whose visitor tells threads apart: then none are alike. */
    bool names_matter;
} AlikeState;
extern AlikeState alikes;

/* Decides at the beginning of each search whether threads may be alike; watches whether they stay
 * so. */
extern const Rule alike_rule, alike_active_rule, alike_met_rule;
void alike_end(void); /* until the next search no threads are alike */
/* Returns the thread that was created directly before T and is like it; 0: there is none. */
static inline int alike_before(int t)
{
    const Event *create = &pool[threads[t].create];
    return create->test ? (int)thread_event(0, create->index - 1)->other : 0;
}
/* Is there another thread like T? */
bool alike_has_others(int thread);
/* Takes all threads for different from now on, and begins again. */
NORETURN void alike_refuse(void);
#endif
