/* automaton_internal.h: shared by automaton.c (the specification itself) and relax.c. */
#ifndef HEDDLE_REFINE_AUTOMATON_INTERNAL_H
#define HEDDLE_REFINE_AUTOMATON_INTERNAL_H
#include "base/hash.h"
#include "refine/automaton.h"

enum {
    MAX_ARGUMENT_BYTES = 4 * MODEL_MAX_PARAMETERS,
    MAX_CLASSES = 64,
    MAX_FACTORS = 16,
    MAX_ENTRIES = 2 * MAX_FACTORS
};

/* An operation that is late or promised. */
typedef struct Entry {
    unsigned char operation; /* of the implementation */
    unsigned char thread;    /* late and unresolved: whose; 0: the result is known */
    unsigned char class_of;
    unsigned char is_promise;
    unsigned char age;
    unsigned char arguments[MAX_ARGUMENT_BYTES];
    int result;
} Entry;

/* A relaxed state, unpacked. */
typedef struct Relaxed {
    uint32_t base; /* id of the specification's state */
    int count;
    Entry entries[MAX_ENTRIES]; /* sorted: class, late before promised, oldest first */
} Relaxed;

typedef struct BaseOutcome {
    uint32_t next;
    int result;
} BaseOutcome;
typedef struct BaseOutcomes {
    uint32_t first;
    int count;
} BaseOutcomes;

#define NO_CALL UINT32_MAX

struct RefAutomaton {
    AutomatonOptions options;
    Arena *arena;
    const Program *program;
    int threads;
    int operation_map[64];   /* of the implementation -> of the specification */
    int operation_class[64]; /* -1: not relaxed */
    int class_factor[MAX_CLASSES];
    int class_count;
    int argument_bytes;
    int future;                        /* how many data values are names of those to come */
    bool asks_open;                    /* it is relaxed, and some operation has a data parameter */
    uint32_t open[MODEL_MAX_THREADS];  /* ref_automaton_set_open; sorted, then NO_CALL */
    Table base, relaxed, calls, asked; /* asked: a call and what is open */
    HashMap base_memo, memo, alive_memo, stuck_memo;
    Vec(BaseOutcome) base_outcomes;
    Vec(BaseOutcomes) base_lists;
    Vec(StepOutcome) outcomes;
    Vec(StepOutcomes) lists;
    Table alive_keys;
    unsigned char *memory; /* a state of the specification and its scratch locals */
    Buffer scratch, packed;
    CellRefs cells;
    Fault fault;
    Place fault_place;
    int64_t fault_value;
};

/* Steps of the specification itself. */
MUST_USE bool base_step(RefAutomaton *automaton, uint32_t base, int operation,
                        const unsigned char *arguments, int thread, BaseOutcomes *out);
/* Enumerates the arguments of an operation: start with first, then next until false. New data
 * values are the smallest that do not occur in the base state nor among OTHERS (256, or NULL). */
void arguments_first(RefAutomaton *automaton, uint32_t base, int operation, const bool *others,
                     unsigned char *arguments);
bool arguments_next(RefAutomaton *automaton, int operation, unsigned char *arguments);

/* The number of a call in automaton->calls: operation, thread, arguments. */
uint32_t call_intern(RefAutomaton *automaton, int operation, const unsigned char *arguments,
                     int thread);
/* Where the data value lies among the arguments; -1 if there is none. */
int arguments_data(const RefAutomaton *automaton, int operation);

void relaxed_unpack(const RefAutomaton *automaton, uint32_t state, Relaxed *out);
uint32_t relaxed_pack(RefAutomaton *automaton, Relaxed *relaxed);
MUST_USE bool ref_relax_step(RefAutomaton *automaton, uint32_t state, int operation,
                             const unsigned char *arguments, int thread);
MUST_USE bool ref_relax_is_alive(RefAutomaton *automaton, const Relaxed *relaxed, bool *alive);
#endif
