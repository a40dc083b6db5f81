/* crew.h: processes that take the steps of a search ahead of it (`--jobs`).
 *
 * A search forks when many nodes wait. Each process of the crew has a copy of all that is known,
 * takes chunks of these nodes, expands them as the search itself would, and writes down what each
 * step has led to: a state that was known before the fork, one that it has told of already, or a
 * new one with a copy of it. The search reads that in the order of the nodes and adds it to what it
 * knows. So it meets the same states in the same order as a search by one process: all numbers, and
 * the violation that is found first, are the same for any number of processes, and the steps, which
 * are most of the work, are shared out.
 *
 * What is not just a step (a violation, something that can't be followed, a word that no step has
 * written before, a discovery that makes the search begin again) ends the process that meets it;
 * the search expands those nodes itself. */
#ifndef HEDDLE_STATES_CREW_H
#define HEDDLE_STATES_CREW_H
#include "guest/states/key.h"
#include "guest/states/step.h"

enum { CREW_CHUNK = 32 }; /* nodes; each chunk but the first begins at a multiple of it */
#define CREW_SET_UNKNOWN (UINT32_MAX - 1)

typedef struct CrewStep {
    uint32_t node;  /* from which it was taken */
    uint32_t state; /* to which it leads; meaningless to others where `added` */
    uint8_t thread;
    bool added; /* a new pair of a state and explanations, as far as is known; else the rest is
                   unused */
    bool begins, returns, wrote;
    uint8_t inside, blocked; /* of a new state */
    uint32_t way;
    uint32_t set; /* of explanations after it, or CREW_SET_UNKNOWN */
    StatesKey key;
    StatesDone done;
} CrewStep;

typedef struct CrewTasks {
    void (*expand)(uint32_t node); /* in the crew; calls crew_tell */
    /* In the search, in order: COPY is that of the state if it was added. Returns its number. */
    uint32_t (*take)(const CrewStep *step, const StatesCopy *copy);
    uint64_t *counters[6]; /* that expand counts up; they are added up in the search */
} CrewTasks;

extern bool crew_is_member; /* this process is one of the crew */

/* Forks JOBS processes for the nodes from FIRST to before END; false: they could not be had. */
bool crew_begin(uint32_t jobs, uint32_t first, uint32_t end, const CrewTasks *tasks);
/* In the crew: the number of the state with KEY, as this process knows it; *fresh: it is new. */
uint32_t crew_state(StatesKey key, bool *fresh);
/* In the crew: is the pair of STATE and SET new? */
bool crew_is_new(uint32_t state, uint32_t set);
/* In the crew: the step STEP was taken; COPY is that of its state, if it was added. */
void crew_tell(const CrewStep *step, const StatesCopy *copy);
typedef enum CrewAnswer {
    CREW_TAKEN, /* all steps of the chunk were taken over */
    CREW_LEFT,  /* the search must expand these nodes itself */
    CREW_NOBODY /* these and later ones were not expanded */
} CrewAnswer;
/* Waits for the chunk that begins with NODE; to be called for each in turn. *end: its last node +
 * 1. */
CrewAnswer crew_take_chunk(uint32_t node, uint32_t *end);
void crew_end(void); /* ends all that are left */
uint64_t crew_bytes(void);
#endif
