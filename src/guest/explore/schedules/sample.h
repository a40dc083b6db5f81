/* sample.h: random executions instead of all of them (options.schedules), for programs whose graphs
 * are too many. Every execution is built step by step from nothing; no choice is kept or taken
 * back.
 *
 * Which thread goes next:
 *   POS  (Yuan, Yang, Gu, CAV 2018) each thread's next event has a random priority; when an event
 * is performed, those that conflict with it draw a new one. Spreads well over partial orders. PCT
 * (Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010) each thread has a random priority,
 * lowered at d - 1 random steps: a bug of depth d is found with a probability of at least 1 / (n
 * k^(d-1)) for n threads and k steps. What a read reads is drawn evenly among the writes that keep
 * the graph consistent; a write is put last in its coherence order three times out of four, else at
 * any place that is consistent. Reading or being last is always consistent (model.h), so a sample
 * is never abandoned half-way, and each is a consistent execution of the model: what goes wrong in
 * it is a violation. That nothing went wrong says nothing about the executions that were not drawn.
 */
#ifndef HEDDLE_EXPLORE_SCHEDULES_SAMPLE_H
#define HEDDLE_EXPLORE_SCHEDULES_SAMPLE_H
#include "guest/explore/graph/finding.h"

/* Performs options.schedules executions, drawn from options.seed. As explore_all. */
FindingKind sample_all(void);
/* Draws at most WANTED executions, and none after about REQUESTS requests of threads. */
FindingKind sample_some(uint64_t wanted, uint64_t requests);

/* A part of one given execution under sc or tso: THREAD performs REQUESTS requests, but for plain
 * accesses that are explored as events, of which it performs those that come in between, and stops
 * before its next request, or before the plain access at STOP_PC, if that is not NULL. CHOICE is
 * for the first request: what a choice gives; 1: a weak compare-exchange fails. */
typedef struct SampleStep {
    uint32_t thread, requests, choice;
    bool flushes; /* tso: the oldest store of the thread at STOP_PC reaches memory, nothing else */
    const void *stop_pc;
} SampleStep;
/* Performs this one execution: main as far as it comes (unless the steps are also MAINS), the COUNT
 * steps, then whatever is left,
 * each thread in turn, to the end; reads see the last write. If the program does not go that way,
 * the rest of the steps is left out. Under tso the stores of the threads reach memory when a step
 * says so, or at its end. Options are as for sample_all, options.model is sc or tso. */
FindingKind sample_script(const SampleStep *steps, size_t count, bool mains);
enum { SAMPLE_LOOPS = 40 };

typedef struct SampleState {
    uint64_t done; /* executions that are complete */
    /* The thread that goes on for ever after the steps of the next script, whatever others do, or
     * -1: it is a livelock if, with the others in turn, it does so for SAMPLE_LOOPS requests. */
    int looping;
    uint64_t distinct; /* graphs among them that differ (by hash; up to a limit) */
    bool counts_all;   /* no limit was hit in counting them */
} SampleState;
extern SampleState sampling;
#endif
