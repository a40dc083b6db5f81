/* machine.h: what can go wrong in a program of sync.h, by performing all of its interleavings. */
#ifndef HEDDLE_TWIN_SYNC_MACHINE_H
#define HEDDLE_TWIN_SYNC_MACHINE_H
#include "base/common.h"
#include "../said.h"
#include "sync.h"

typedef struct Judged {
    unsigned wrongs; /* bits of Wrong */
    bool undefined;  /* some interleaving does what POSIX leaves undefined and Heddle allows */
    bool weak;       /* some step shows a state of a lock without being ordered by it */
    bool too_large;  /* not all interleavings were performed */
} Judged;

/* CXX: the locks are those of C++. */
Judged machine_judge(const SyncProgram *program, bool cxx);
#endif
