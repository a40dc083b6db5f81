/* sample_units.h: random executions that are written down (--journal), so that drawing goes on
 * after a kill. What is drawn next depends on the generator's state, the steps of the longest
 * execution (for PCT) and on what was learnt of the program's memory; and to tell whether an
 * execution is a new one, the hashes of those before are needed. All of this is the state of a
 * sampler between two executions, and the whole of it is one unit. */
#ifndef HEDDLE_EXPLORE_SCHEDULES_SAMPLE_UNITS_H
#define HEDDLE_EXPLORE_SCHEDULES_SAMPLE_UNITS_H
#include "base/hash.h"
#include "guest/explore/search/explore.h"

typedef struct SampleProgress {
    uint64_t state, longest, done, distinct;
    bool counts_all;
    ExploreCounts counts; /* of this session */
} SampleProgress;

extern bool sample_units_on; /* is anything written down? */
/* False: all were drawn in earlier sessions, and *ALL is how it ended. */
bool sample_units_begin(SampleProgress *all);
/* Fills *FROM with how far earlier sessions came, and *SEEN with the hashes of what they drew.
 * Returns false if nothing was drawn before. */
bool sample_units_resume(HashMap *seen, SampleProgress *from);
/* Returns a number for the present graph: of threads' events with what they read from, and places
 * in coherence order. Samples that differ in it are different. */
uint64_t sample_units_hash(void);
/* Execution number DISTINCT of those that differ has this hash. */
void sample_units_note(uint64_t distinct, uint64_t hash);
/* One more execution is complete. */
void sample_units_keep(SampleProgress now);
/* More was learnt, and all begins again. False: it is to end. */
bool sample_units_restart(SampleProgress now);
/* DRAWN: all of them. */
void sample_units_end(bool drawn);
#endif
