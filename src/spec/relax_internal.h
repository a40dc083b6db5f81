/* relax_internal.h: what relax.c (making and describing a relaxed specification) and relax_steps.c
 * (its automaton) share. */
#ifndef HEDDLE_SPEC_RELAX_INTERNAL_H
#define HEDDLE_SPEC_RELAX_INTERNAL_H
#include "spec/automaton.h"
#include "spec/relax.h"

typedef struct Invocation {
    SpecCall call; /* result unknown */
} Invocation;

typedef struct Relax {
    RelaxClasses classes;
    Arena *arena;
    Automaton *inner; /* numbers inner states and labels */
    bool causal;
    Vec(uint8_t) class_of;            /* by method */
    Vec(Invocation) invocations;      /* distinct, of all classes */
    Vec(SpecCall) recorded;           /* labels of the history */
    Vec(struct RelaxState *) scratch; /* states to work on; the first `depth` are in use */
    size_t depth;
    SpecSteps steps;
    Vec(uint64_t) from, words;
    /* promises: inner state and invocation -> place in `promises`: count, then states and labels */
    HashMap promise_index;
    Vec(uint32_t) promises;
} Relax;

/* A state, taken apart. Entries are label << 16 | age, sorted. */
typedef struct RelaxClass {
    uint32_t late_count, promised_count;
    uint64_t late[RELAX_LARGEST + 2], promised[RELAX_LARGEST + 2];
} RelaxClass;
typedef struct RelaxState { /* 8 kB: reused, never cleared as a whole */
    uint32_t inner;
    Vec(uint64_t) inside; /* causal: the container as p sees it, sorted */
    RelaxClass classes[RELAX_CLASSES];
} RelaxState;

/* States to work on, in the manner of a stack. */
RelaxState *relax_state_take(Relax *relax);
void relax_state_give_back(Relax *relax);
void relax_state_decode(Relax *relax, const uint64_t *words, RelaxState *state);
static inline uint32_t relax_entry_label(uint64_t entry)
{
    return (uint32_t)(entry >> 16);
}
bool relax_same_invocation(const SpecCall *a, const SpecCall *b);
/* The functions of the Spec. */
void relax_initial(const Spec *spec, SpecSteps *steps);
void relax_step(const Spec *spec, const uint64_t *words, size_t count, const SpecCall *call,
                SpecSteps *steps);
bool relax_may_wait(const Spec *spec, const uint64_t *words, size_t count, const SpecCall *call);
bool relax_accepts(const Spec *spec, const uint64_t *words, size_t count);
#endif
