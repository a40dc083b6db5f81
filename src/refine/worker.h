/* worker.h: one searcher: its part of the visited pairs, and all that happens to one pair.
 *
 * A pair is (state of the implementation, set of configurations). A configuration is a state of the
 * specification's automaton and, for each thread, whether its call is idle (or not there), pending,
 * late (it took effect in no state yet, see automaton.h) or done with a result: one way to explain
 * what clients have seen. A call is taken as done no earlier than some response needs it
 * (just-in-time linearization): at the response of thread t with value v every sequence of pending
 * calls that ends with t's is tried, and configurations in which t got v are kept. None: violated.
 *
 * Reductions on sets: (a) a configuration that another one reaches by taking pending calls as done
 * is dropped, since the other one can still take them later; (b) antichain: a pair (s, B) is
 * skipped if (s, A) with A a subset of B was visited, since what A explains B explains too. */
#ifndef HEDDLE_REFINE_WORKER_H
#define HEDDLE_REFINE_WORKER_H
#include "refine/automaton.h"
#include "refine/refine.h"
#include "refine/step.h"

enum { MAX_JOBS = 64 };
#define NO_PAIR UINT32_MAX
#define WORKER_TABLES 7 /* whose strings have numbers that others refer to (journal.c) */

typedef struct Pair {
    uint32_t implementation, set;
    uint32_t next;   /* of the same implementation state; NO_PAIR: last */
    uint32_t parent; /* in the table of parent_worker; NO_PAIR: initial */
    uint32_t ordinal : 24, parent_worker : 7, is_dead : 1;
} Pair;

typedef enum RefineFindingKind {
    FINDING_NONE,
    FINDING_UNEXPLAINED, /* a response that no configuration explains */
    FINDING_FAULT,       /* of the implementation */
    FINDING_DEADLOCK,    /* no thread can go on, and the specification does not justify it */
    FINDING_SPECIFICATION_FAULT,
    FINDING_SPECIFICATION_STUCK,
} RefineFindingKind;
typedef struct RefineFinding {
    RefineFindingKind kind;
    uint32_t pair; /* where */
    int ordinal;   /* of the transition; -1: in the pair itself */
    Fault fault;
    Place place;
    int64_t value;
    uint32_t specification_state;
    int waiting[MODEL_MAX_THREADS]; /* operation that each thread waits in; -1: none */
} RefineFinding;

typedef Vec(uint32_t) Words;

/* Configurations as an open-addressing set. */
typedef struct ConfigSet {
    Words words;
    Vec(uint32_t) slots;
    size_t count;
} ConfigSet;

typedef struct WorkerSaved { /* how much of a worker is in the journal */
    size_t tables[WORKER_TABLES], pairs, out[MAX_JOBS];
    uint64_t depth; /* of the level that the messages belong to */
} WorkerSaved;

typedef struct Worker {
    const RefineOptions *options;
    int index, jobs, threads;
    int config_words; /* 1 + threads */
    const Program *program;
    RefAutomaton *automaton; /* NULL: no specification */
    Stepper stepper;
    CanonOptions canon;
    CanonScratch scratch;
    Table shared, blocks, implementations, sets;
    Vec(Pair) pairs;
    Vec(uint32_t) heads;           /* first pair of an implementation state */
    size_t level_begin, level_end; /* the frontier in pairs */
    size_t position;               /* which of them is expanded next */
    Buffer out[MAX_JOBS];          /* messages to other workers */
    uint64_t transitions;
    uint64_t published[6]; /* figures for progress and limits, written and read atomically */
    RefineFinding finding;
    Table outcomes;
    WorkerSaved saved;
    Vec(uint32_t) deaths; /* pairs that died since they were saved */
    ProgramExpr *observations;
    /* scratch */
    unsigned char *state, *next;
    uint32_t parts[1 + MODEL_MAX_THREADS]; /* ids of the shared part and thread blocks of state */
    Words configs, vector, message_words;
    ConfigSet seen, reach;
    Buffer text;
} Worker;

void worker_init(Worker *worker, const RefineOptions *options, const Program *program,
                 const AutomatonOptions *automaton, Arena *arena, int index, int jobs);
void worker_free(Worker *worker);
/* Puts the initial pairs into the tables of their owners; called for worker 0 only. */
void worker_start(Worker *worker, Worker *all);
/* Expands pair `index`: successors of its own go into its tables, others into out[]. False when a
 * finding ends the search. */
bool worker_expand(Worker *worker, uint32_t index);
/* Takes the messages that another worker left for this one. */
void worker_receive(Worker *worker, const Buffer *messages);
size_t worker_memory(const Worker *worker);

/* For counterexamples: the state and configurations of a pair, its successors in stepper.out, and
 * what one of them becomes. */
void worker_load(Worker *worker, uint32_t index);
/* Applies successor `ordinal` of the loaded pair to worker->next and worker->configs and brings it
 * into canonical form; false when nothing explains it (or the automaton failed). */
bool worker_apply(Worker *worker, const Successor *successor);
void worker_canonise(Worker *worker, Renaming *renaming);
/* Which results could thread t's pending call have had, from the loaded configurations? */
void worker_allowed(Worker *worker, const Successor *successor, Words *results);
#endif
