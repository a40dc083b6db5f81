/* sharing.h: who is asked for work when others have none. It knows nothing of messages, so that
 * rank 0 of a job (master.c) and the simulation of large ones (bench/scale/simulate.c) decide
 * alike. Times are seconds of one clock. */
#ifndef HEDDLE_CLI_SCALE_SHARING_H
#define HEDDLE_CLI_SCALE_SHARING_H
#include <stdbool.h>

#define SHARING_KEEP_SECONDS 0.002    /* new work is kept for so long */
#define SHARING_PATIENCE_SECONDS 0.02 /* who has not answered by then has nothing to give now */
#define SHARING_TICK_SECONDS 0.001    /* between two looks, while work moves */
#define SHARING_MOST_SECONDS 0.008    /* between two looks, when none has moved for long */
#define SHARING_TICK_SHARE 1000       /* looks come late by one part in so many of the quiet time */

typedef struct SharingParty { /* who can be asked: a rank, or a group of ranks */
    bool busy;
    double asked; /* when it was last asked for work and has not answered, or 0 */
    double since; /* when it got work or gave some away */
} SharingParty;

/* Who is to be asked when IDLE of COUNT parties have nothing to do: the busy one that has kept its
 * work longest, since its oldest open choice is likely to be the largest. -1: nobody, because as
 * many as are idle have been asked already, or the rest began a moment ago. */
int sharing_victim(const SharingParty *parties, int count, int idle, double now);
/* For how long a rank whose program is busy looks away, if no work has come to it or left it for
 * QUIET seconds; rank 0: if none has moved anywhere. A look takes the processor from the program
 * for a moment, so looks become rarer while nothing moves. Work that was kept for long is large,
 * and waiting for a part of it costs a small part of the time for which it was kept. */
double sharing_tick(double quiet);
#endif
