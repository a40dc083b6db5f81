/* workers_shared.h: what the processes that share an exploration (guest/explore/scale/workers.h)
 * know of each other. It lies in the mapping that the tool creates (link.h), so that it outlives
 * any of them. */
#ifndef HEDDLE_RECORD_WORKERS_SHARED_H
#define HEDDLE_RECORD_WORKERS_SHARED_H
#include "base/common.h"

#define WORKERS_MOST 64

typedef enum WorkersState {
    WORKERS_RUN,
    WORKERS_RESTART, /* one begins again, the others end */
    WORKERS_QUIT     /* somebody has the outcome, all end */
} WorkersState;

typedef struct WorkersShared { /* in memory that all processes see; begins as zeros */
    uint64_t busy;             /* slots in use, a bit set; atomic */
    uint32_t state;            /* WorkersState; atomic */
    uint32_t started, ended;   /* processes that were forked, that came to their proper end */
    uint32_t stopped;          /* some worker was asked to stop before its part was done */
    uint32_t lock, spare;
    uint64_t pieces;              /* of work that were taken: workers_take_piece */
    uint64_t failed;              /* the first piece that is known to go wrong, or 0; atomic */
    int32_t pid[WORKERS_MOST];    /* of the worker in each slot, 0: none */
    uint64_t piece[WORKERS_MOST]; /* that the worker in each slot is at; atomic */
} WorkersShared;
#endif
