/* job.h: what rank 0 (master.c) and the other ranks (server.c) of an MPI job share: the way to each
 * other, and how each looks at its own program. Private to ranks. */
#ifndef HEDDLE_CLI_SCALE_JOB_H
#define HEDDLE_CLI_SCALE_JOB_H
#include "tool/cli/scale/channel.h"
#include "tool/cli/scale/ranks.h"
#include "tool/cli/scale/ranks_link.h"

extern const Channel *job_channel;                               /* NULL: no job */
extern bool job_is_over;                                         /* QUIT was sent, or received */
extern bool job_has_lost_rank;                                   /* rank 0: one is silent */
void job_send_all(RankTag tag, const void *bytes, size_t count); /* rank 0 to all others */
/* The message that probe has found; a 0 follows it. */
void job_receive(Bytes *to, int from, int tag, size_t count);

/* The message RANK_JOB: this, the words, rank 0's environment, the executable. */
typedef struct RankJob {
    ExploreOptions options;
    uint64_t hang_ms;
    uint64_t words_bytes, program_bytes; /* name and arguments, each ended by 0; the executable */
    uint64_t environment_bytes;          /* NAME=VALUE, each ended by 0 */
    /* check, from a journal: the tests that are done, and those that were put off, follow it */
    uint64_t tests_bytes, tests_budget;
} RankJob;

/* The last report of a rank about its program. */
typedef struct RankWatch {
    uint32_t epoch, learnt, busy, wants_tests, is_idle; /* as last reported */
    bool reported, has_libraries;
    double last, asked;
    double moved; /* when work last came or went, or something else happened */
} RankWatch;

/* Has the program anything to report? If so the report is in TO. */
bool watch_take_report(RankWatch *watch, Link *link, Bytes *to);
/* Milliseconds until the next look at the program and for messages. WAITS: somebody has nothing to
 * do. */
int watch_tick_ms(const RankWatch *watch, bool waits);
#endif
