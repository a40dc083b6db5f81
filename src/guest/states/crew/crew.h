/* crew.h: processes that take steps of a search ahead of it (`--jobs`).
 *
 * A search forks its crew when many nodes wait. From then on each process of the crew takes chunks
 * of the nodes that wait, some way ahead of the search, expands them as the search itself would,
 * and writes down what each step has led to: a state that the search has met, one that it has told
 * of already, or a new one with a copy of it, which it writes to memory that the frontier lends it
 * (frontier.h) and where it stays. The search goes through all nodes in their order:
 * where the crew was faster it reads what was written, and adds that to what it knows; the others
 * it expands itself. So it meets the same states in the same order as a search by one process: all
 * numbers, and the violation that is found first, are the same for any number of processes.
 *
 * The crew sees what the search adds to the states it has met, to the nodes that wait, and to the
 * parts of threads (shelf.h), but not new sets of explanations: where a set is not known, the
 * search finds out what the step explains. If there are many of those, the crew is stale, and
 * another one is forked.
 *
 * What is not just a step (a violation, something that can't be followed, a word that no step has
 * written before, a discovery that makes the search begin again) ends the process that meets it;
 * the search expands those nodes itself. */
#ifndef HEDDLE_STATES_CREW_H
#define HEDDLE_STATES_CREW_H
#include "guest/states/key.h"
#include "guest/states/state.h"
#include "guest/states/step.h"
#include "guest/states/visited.h"
#include "record/hooks.h"

/* CREW_CHUNK nodes at a time, from a multiple of it on; at most CREW_REACH ahead of the search. */
enum { CREW_JOBS = 64, CREW_CHUNK = 64, CREW_REACH = 1 << 17 };
#define CREW_SET_UNKNOWN (UINT32_MAX - 1)

typedef struct CrewStep {
    uint32_t node;  /* from which it was taken */
    uint32_t state; /* to which it leads; VISITED_NONE where the search has to look for it */
    uint8_t thread;
    bool added; /* a new pair of a state and explanations, as far as is known; else the rest is
                   unused */
    bool begins, returns, wrote;        /* in the search; the crew has `done` for every step */
    uint8_t turn;                       /* of its key (symmetry.h) */
    uint8_t inside, blocked, perpetual; /* of a new state: progress.h */
    bool grows;                         /* growth.h has something to note of a new state, perhaps */
    uint32_t way;
    uint32_t set; /* of explanations after it, or CREW_SET_UNKNOWN */
    VisitedLook look;
    StatesKey key;
    const StatesDone *done;
} CrewStep;

typedef struct CrewTasks {
    void (*expand)(uint32_t node); /* in the crew; calls crew_tell */
    /* In the search, in order: COPY is that of the state if it was added, and LENT (frontier.h)
     * perhaps. Returns the number of the state. */
    uint32_t (*take)(const CrewStep *step, const StatesCopy *copy, bool lent);
    uint64_t *counters[4]; /* that expand counts up; they are added up in the search */
} CrewTasks;

/* ---- in the search ---- */

/* Forks JOBS - 1 processes; the search is about to expand NODE, the first one of a chunk. */
void crew_begin(uint32_t jobs, uint32_t node, const CrewTasks *tasks);
bool crew_is_there(void);
bool crew_is_stale(void); /* it is there, but another one would be better, or none */
/* NODES nodes are numbered by now, and the search has come to NODE, the first one of a chunk. If
 * the crew has expanded these nodes, or does, takes that over and returns true; else the search has
 * to do it. */
bool crew_take_chunk(uint32_t node, uint32_t nodes);
void crew_end(void); /* ends it, if it is there */
uint64_t crew_bytes(void);

/* ---- in the crew ---- */

extern bool crew_is_member; /* this process is one of the crew */
bool crew_knows_set(uint32_t set);
/* The step STEP was taken; COPY is that of its state, if it was added. */
void crew_tell(const CrewStep *step, const StatesCopy *copy);
/* Is it worth to fork, after SECONDS in which that many of so many NODES were expanded? What waits
 * must take longer than forks, and the pages that they have copied, cost. */
static inline bool crew_is_worth(double seconds, uint32_t expanded, uint32_t nodes)
{
    enum { MANY = 2048 };
    uint32_t waiting = nodes - expanded;
    return hooks.eager_workers || (waiting >= MANY && seconds / expanded * waiting > 0.01);
}
#endif
