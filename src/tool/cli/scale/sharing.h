/* sharing.h: who is asked for work when others have none. It knows nothing of messages, so that
 * rank 0 of a job (master.c) and the simulation of large ones (bench/scale/simulate.c) decide
 * alike. Times are seconds of one clock. */
#ifndef HEDDLE_CLI_SCALE_SHARING_H
#define HEDDLE_CLI_SCALE_SHARING_H
#include <stdbool.h>

#define SHARING_KEEP_SECONDS 0.002    /* new work is kept for so long */
#define SHARING_PATIENCE_SECONDS 0.02 /* who has not answered by then has nothing to give now */

typedef struct SharingParty { /* who can be asked: a rank, or a group of ranks */
    bool busy;
    double asked; /* when it was last asked for work and has not answered, or 0 */
    double since; /* when it got work or gave some away */
} SharingParty;

/* Who is to be asked when IDLE of COUNT parties have nothing to do: the busy one that has kept its
 * work longest, since its oldest open choice is likely to be the largest. -1: nobody, because as
 * many as are idle have been asked already, or the rest began a moment ago. */
int sharing_victim(const SharingParty *parties, int count, int idle, double now);
#endif
